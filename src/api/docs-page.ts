// The documentation for people: one page without scripts, made from the OpenAPI document.
import { createHash } from 'node:crypto';
import type { Handler } from 'hono';
import { html, raw } from 'hono/html';
import type { ApiEnv } from './api-deps.ts';
import { type Entry, entriesOf, operationSection } from './docs-operation.ts';
import { codeBlock, fieldTable, type Html, prose, table } from './docs-schema.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { OpenApiDocument } from './openapi.ts';

/** GET /docs. Nothing is loaded and nothing runs: the policy allows this one style and no more. */
export function docsPage(document: OpenApiDocument, baseUrl: () => string): Handler<ApiEnv> {
  const styleHash = createHash('sha256').update(DOCS_STYLE).digest('base64');
  const headers = {
    'Content-Security-Policy': `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
  return async (c) => c.html(await page(document, baseUrl()), 200, headers);
}

function page(document: OpenApiDocument, baseUrl: string): Html {
  const entries = entriesOf(document.paths);
  const groups = (document.tags ?? []).map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const webhooks = entriesOf(document.webhooks as OpenApiDocument['paths']);
  return html`<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Causeway API</title><link rel="icon" href="data:,"><style>${raw(DOCS_STYLE)}</style>
</head><body>
<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<header><h1>${document.info.title}</h1>
${(document.info.description ?? '').split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p></header>
<div class="columns">
<nav aria-label="Contents">${navigation(groups)}</nav>
<main id="content">
${quickStart(document, baseUrl)}
${groups.map((group) => html`<h2>${group.name}</h2>${group.entries.map((entry) => operationSection(document, baseUrl, entry))}`)}
<h2 id="webhooks">Webhooks</h2>${webhooks.map(webhookSection)}
<h2 id="errors">Errors</h2>${errorSection(document)}
<h2 id="schemas">Schemas</h2>${schemaSections(document)}
</main></div></div></body></html>`;
}

function navigation(groups: readonly { readonly name: string; readonly entries: readonly Entry[] }[]): Html {
  const group = ({ name, entries }: (typeof groups)[number]) =>
    html`<p class="group">${name}</p><ul>${entries.map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`,
    )}</ul>`;
  return html`${groups.map(group)}<p class="group">More</p><ul>
<li><a href="#webhooks">Webhooks</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul>`;
}

function quickStart(document: OpenApiDocument, baseUrl: string): Html {
  const create = entriesOf(document.paths).find(({ operation }) => operation.operationId === 'createIssue');
  const lines = [
    'TOKEN=cwy_…   # from the account area, or printed by: causeway token create --name me',
    `curl '${baseUrl}/api/v1/projects/' -H "Authorization: Bearer $TOKEN"`,
  ];
  return html`<h2 id="start">Quick start</h2>
<p>Set the token, see your projects, then <a href="#${create?.operation.operationId}">create an issue</a> and follow the address that the answer names.</p>
${codeBlock(lines.join('\n'))}`;
}

function webhookSection({ operation }: Entry): Html {
  return html`<article id="webhook-${operation.operationId}"><h3><code>${operation.summary}</code></h3>
<p>${prose(operation.description ?? '')}</p></article>`;
}

function errorSection(document: OpenApiDocument): Html {
  const rows = Object.entries(document.components?.responses ?? {}).map(([name, answer]) => {
    const description = 'description' in answer ? (answer.description ?? '') : '';
    const status = name.replace('Problem', '');
    return html`<tr><th scope="row"><code>${status}</code></th><td>${prose(description)}</td></tr>`;
  });
  return html`<p>Every error is <code>application/problem+json</code> (RFC 9457): a <a href="#schema-Problem">Problem</a>. They are checked in
the order token, scope, rate, type, size of the body, JSON, size of <code>data</code>, values, project.</p>
${table('Errors', ['Status', 'Meaning'], rows)}`;
}

function schemaSections(document: OpenApiDocument): readonly Html[] {
  return Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const description = 'description' in schema ? (schema.description ?? '') : '';
    return html`<article id="schema-${name}"><h3>${name}</h3>${description === '' ? '' : html`<p>${prose(description)}</p>`}
${fieldTable(document, `Fields: ${name}`, schema)}</article>`;
  });
}
