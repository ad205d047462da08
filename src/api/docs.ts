// The API's documentation for people: one page without scripts, made from the OpenAPI document.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { quoteLiteral } from '../core/command-words.ts';
import { locate } from '../installation.ts';
import type { ApiContext } from './api-deps.ts';
import { ANY, getOpenApiDocument, type OpenApiDocument } from './openapi.ts';

type DocsHtml = ReturnType<typeof html>;
type Components = NonNullable<OpenApiDocument['components']>;
type AnySchema = NonNullable<Components['schemas']>[string];
type SchemaObject = Exclude<AnySchema, { $ref: string }>;
type OperationObject = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;
type Body = Exclude<NonNullable<OperationObject['requestBody']>, { $ref: string }>;
type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;
type ResponseObject = NonNullable<Components['responses']>[string];

export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

const DOCUMENT = getOpenApiDocument();
const STYLE = [locate('../pages.css', import.meta.url), locate('./docs.css', import.meta.url)]
  .map((file) => readFileSync(file, 'utf8'))
  .join('');

/** Answers that every operation can give are described once, under Errors. */
const SHARED: ReadonlySet<string> = new Set(ANY.map(String));

const SECURITY_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** GET /docs. Nothing is loaded and nothing runs: the policy allows this one style and no more. */
export async function answerDocs(c: ApiContext, baseUrl: string): Promise<Response> {
  return c.html(await renderDocs(baseUrl), 200, SECURITY_HEADERS);
}

function renderDocs(baseUrl: string): DocsHtml {
  const { info, paths, tags = [], webhooks } = DOCUMENT;
  const entries = listEntries(paths);
  const groups = tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  return html`<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Causeway API</title><link rel="icon" href="data:,"><style>${raw(STYLE)}</style>
</head><body>
<a class="skip" href="#content">Skip to content</a>
<div class="frame">
<header><h1>${info.title}</h1>
${(info.description ?? '').split('\n\n').map((paragraph) => html`<p>${renderDocsText(paragraph)}</p>`)}
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p></header>
<div class="columns">
<nav aria-label="Contents">${renderNavigation(groups)}</nav>
<main id="content">
${renderQuickStart(baseUrl)}
${groups.map((group) => html`<h2>${group.name}</h2>${group.entries.map((entry) => renderOperation(baseUrl, entry))}`)}
<h2 id="webhooks">Webhooks</h2>${listEntries(webhooks as typeof paths).map(renderWebhook)}
<h2 id="errors">Errors</h2>${renderErrors()}
<h2 id="schemas">Schemas</h2>${renderSchemas()}
</main></div></div></body></html>`;
}

function renderNavigation(groups: readonly { readonly name: string; readonly entries: readonly Entry[] }[]): DocsHtml {
  const renderGroup = ({ name, entries }: (typeof groups)[number]) =>
    html`<p class="group">${name}</p><ul>${entries.map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`,
    )}</ul>`;
  return html`${groups.map(renderGroup)}<p class="group">More</p><ul>
<li><a href="#webhooks">Webhooks</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul>`;
}

function renderQuickStart(baseUrl: string): DocsHtml {
  const lines = [
    'TOKEN=cwy_…   # from the account area, or printed by: causeway token create --name me',
    `curl '${baseUrl}/api/v1/projects/' -H "Authorization: Bearer $TOKEN"`,
  ];
  return html`<h2 id="start">Quick start</h2>
<p>Set the token, list your projects, then <a href="#createIssue">create an issue</a> and follow the address in the answer.</p>
${renderDocsCode(lines.join('\n'))}`;
}

function renderWebhook({ operation }: Entry): DocsHtml {
  return html`<article id="webhook-${operation.operationId}"><h3><code>${operation.summary}</code></h3>
<p>${renderDocsText(operation.description ?? '')}</p></article>`;
}

function renderErrors(): DocsHtml {
  const rows = Object.entries(DOCUMENT.components?.responses ?? {}).map(([name, answer]) => {
    const description = 'description' in answer ? (answer.description ?? '') : '';
    const status = name.replace('Problem', '');
    return html`<tr><th scope="row"><code>${status}</code></th><td>${renderDocsText(description)}</td></tr>`;
  });
  return html`<p>Every error is <code>application/problem+json</code> (RFC 9457): a <a href="#schema-Problem">Problem</a>. They are checked in
the order token, scope, rate, type, size of the body, JSON, size of <code>data</code>, values, project.</p>
${renderDocsTable('Errors', ['Status', 'Meaning'], rows)}`;
}

function renderSchemas(): readonly DocsHtml[] {
  return Object.entries(DOCUMENT.components?.schemas ?? {}).map(([name, schema]) => {
    const description = 'description' in schema ? (schema.description ?? '') : '';
    return html`<article id="schema-${name}"><h3>${name}</h3>${description === '' ? '' : html`<p>${renderDocsText(description)}</p>`}
${renderFields(`Fields: ${name}`, schema)}</article>`;
  });
}

/** Every operation, in the document's order. */
export function listEntries(paths: OpenApiDocument['paths']): readonly Entry[] {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
}

function renderOperation(baseUrl: string, entry: Entry): DocsHtml {
  const { method, path, operation } = entry;
  const scope: unknown = operation['x-scope'];
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="path"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${typeof scope === 'string' ? html`<p class="scope">Scope of the token: <code>${scope}</code></p>` : ''}
    ${operation.description === undefined ? '' : html`<p>${renderDocsText(operation.description)}</p>`}
    ${renderDocsCode(formatCurl(baseUrl, entry))}
    ${renderParameters(operation)} ${renderBody(operation)}
    <h4>Answers</h4>
    ${renderDocsTable(`Answers: ${operation.summary}`, ['Status', 'Meaning', 'Body'], renderAnswerRows(operation))}
    <p class="scope">Like any request, also ${[...SHARED].map((status, at) => html`${at > 0 ? ', ' : ''}<code>${status}</code>`)}: see <a href="#errors">Errors</a>.</p>
    ${renderExample(operation)}
  </article>`;
}

/** A call that a shell takes as it is, once TOKEN is set. */
export function formatCurl(baseUrl: string, { method, path, operation }: Entry): string {
  const streams = listResponses(operation).some(
    ([, answer]) => 'content' in answer && answer.content?.['text/event-stream'],
  );
  const how = `${streams ? '-N ' : ''}${method === 'get' ? '' : `-X ${method.toUpperCase()} `}`;
  const parts = [`curl ${how}${quoteLiteral(baseUrl + fillPath(path, operation))}`];
  if ((operation.security ?? []).length > 0) parts.push('-H "Authorization: Bearer $TOKEN"');
  const schema = getJsonBody(operation)?.content['application/json']?.schema;
  if (schema !== undefined) {
    parts.push(
      '-H "Content-Type: application/json"',
      `-d ${quoteLiteral(JSON.stringify(buildExample(schema), null, 2))}`,
    );
  }
  return parts.join(' \\\n  ');
}

function fillPath(path: string, operation: OperationObject): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = listParameters(operation).find((one) => one.name === name);
    const example = parameter?.schema !== undefined && 'example' in parameter.schema ? parameter.schema.example : whole;
    return String(example);
  });
}

function listParameters(operation: OperationObject): readonly ParameterObject[] {
  return (operation.parameters ?? []).filter((parameter): parameter is ParameterObject => !('$ref' in parameter));
}

function getJsonBody(operation: OperationObject): Body | undefined {
  const body = operation.requestBody;
  return body === undefined || '$ref' in body ? undefined : body;
}

function renderParameters(operation: OperationObject): DocsHtml {
  const rows = listParameters(operation).map((parameter) => {
    const type = parameter.schema === undefined ? html`string` : renderType(parameter.schema);
    const meaning = renderDocsText(parameter.description ?? '');
    return renderFieldRow(parameter.name, parameter.required ?? false, html`${type}, in the ${parameter.in}`, meaning);
  });
  if (rows.length === 0) return html``;
  return html`<h4>Parameters</h4>${renderDocsTable(`Parameters: ${operation.summary}`, ['Name', 'Type', 'Meaning'], rows)}`;
}

function renderBody(operation: OperationObject): DocsHtml {
  const schema = getJsonBody(operation)?.content['application/json']?.schema;
  if (schema === undefined) return html``;
  return html`<h4>Body</h4>${renderFields(`Body: ${operation.summary}`, schema)}`;
}

function listResponses(operation: OperationObject): readonly (readonly [string, ResponseObject])[] {
  return Object.entries<ResponseObject>(operation.responses ?? {}).map(([status, answer]) => {
    const found = '$ref' in answer ? DOCUMENT.components?.responses?.[getRefName(answer.$ref)] : answer;
    return [status, found ?? answer];
  });
}

function renderAnswerRows(operation: OperationObject): readonly DocsHtml[] {
  const own = listResponses(operation).filter(([status]) => !SHARED.has(status));
  return own.map(([status, answer]) => {
    const [[type, media] = ['', {}]] = Object.entries(('content' in answer && answer.content) || {});
    const body = type !== 'application/json' || media.schema === undefined ? html`${type}` : renderType(media.schema);
    return html`<tr><th scope="row"><code>${status}</code></th><td>${renderDocsText(answer.description ?? '')}</td><td>${body}</td></tr>`;
  });
}

function renderExample(operation: OperationObject): DocsHtml {
  const [first] = listResponses(operation).filter(([status]) => status.startsWith('2'));
  const schema = first && 'content' in first[1] ? first[1].content?.['application/json']?.schema : undefined;
  if (first === undefined || schema === undefined) return html``;
  const example = JSON.stringify(buildExample(schema), null, 2);
  return html`<details><summary>Example of an answer (${first[0]})</summary>${renderDocsCode(example)}</details>`;
}

/** A table; on narrow screens the style sets each row as a block. */
function renderDocsTable(label: string, head: readonly string[], rows: readonly DocsHtml[]): DocsHtml {
  return html`<table aria-label="${label}">
    <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table>`;
}

/** The schema's fields; nothing where it has none. */
function renderFields(label: string, anySchema: AnySchema): DocsHtml {
  const schema = resolveSchema(anySchema);
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html``;
  const rows = fields.map(([name, field]) => {
    const needed = schema.required?.includes(name) ?? false;
    return renderFieldRow(name, needed, renderType(field), renderDocsText(resolveSchema(field).description ?? ''));
  });
  return renderDocsTable(label, ['Field', 'Type', 'Meaning'], rows);
}

/** One row: a name, whether it must be there, its type and what it means. */
function renderFieldRow(name: string, needed: boolean, type: DocsHtml, meaning: DocsHtml): DocsHtml {
  const mark = needed ? '' : html` <span class="scope">optional</span>`;
  return html`<tr><th scope="row"><code>${name}</code>${mark}</th><td>${type}</td><td>${meaning}</td></tr>`;
}

/** The type in words, such as `array of Step`. */
function renderType(schema: AnySchema): DocsHtml {
  if ('$ref' in schema) return html`<a href="#schema-${getRefName(schema.$ref)}">${getRefName(schema.$ref)}</a>`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${value}</code>`)}`;
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return html`${either.map((one, at) => html`${at > 0 ? ' or ' : ''}${renderType(one)}`)}`;
  if (schema.items !== undefined) return html`array of ${renderType(schema.items)}`;
  return html`${describeType(schema)}`;
}

/** Our own descriptions: text, with `code` between backticks. */
function renderDocsText(text: string): DocsHtml {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** Text as it is, line breaks included; long lines wrap, and are copied whole. */
function renderDocsCode(code: string): DocsHtml {
  return html`<pre><code>${code}</code></pre>`;
}

function describeType({ type, format, minimum, maximum, maxLength }: SchemaObject): string {
  const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
  const bounds = minimum === undefined || maximum === undefined ? '' : ` ${minimum}–${maximum}`;
  const length = maxLength === undefined ? '' : `, at most ${maxLength.toLocaleString('en')} characters`;
  return `${name}${format === undefined ? '' : ` (${format})`}${bounds}${length}`;
}

/** The schema itself, with its reference followed. */
function resolveSchema(schema: AnySchema): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const name = getRefName(schema.$ref);
  const found = DOCUMENT.components?.schemas?.[name];
  if (found === undefined) throw new Error(`the document has no schema ${name}`);
  return resolveSchema(found);
}

/** Last part of a reference: the component's name. */
function getRefName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** A value that the schema accepts: its own example, or one built from its parts. */
export function buildExample(anySchema: AnySchema): unknown {
  const schema = resolveSchema(anySchema);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  const [either] = schema.anyOf ?? schema.oneOf ?? [];
  if (either !== undefined) return buildExample(either);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const entries = Object.entries(schema.properties ?? {});
      return Object.fromEntries(entries.map(([name, part]) => [name, buildExample(part)]));
    }
    case 'array':
      return schema.items === undefined ? [] : [buildExample(schema.items)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return '…';
  }
}
