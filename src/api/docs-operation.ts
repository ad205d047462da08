// One operation on the documentation page: what it does, a call that can be pasted, what goes in and what comes back.

import { html } from 'hono/html';
import { quoted } from '../core/shell-quote.ts';
import { codeBlock, fieldTable, type Html, prose, row, table, typeOf } from './docs-schema.ts';
import type { OpenApiDocument } from './openapi.ts';
import { exampleOf, nameOf } from './schema-example.ts';

type PathItem = NonNullable<OpenApiDocument['paths']>[string];
type Operation = NonNullable<PathItem['get']>;
type Body = Exclude<NonNullable<Operation['requestBody']>, { $ref: string }>;
type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;
type Answer = NonNullable<NonNullable<OpenApiDocument['components']>['responses']>[string];

export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation, in the document's order. */
export function entriesOf(paths: OpenApiDocument['paths']): readonly Entry[] {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
}

export function operationSection(document: OpenApiDocument, baseUrl: string, entry: Entry): Html {
  const { method, path, operation } = entry;
  const scope: unknown = operation['x-scope'];
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="path"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${typeof scope === 'string' ? html`<p class="scope">Scope of the token: <code>${scope}</code></p>` : ''}
    ${operation.description === undefined ? '' : html`<p>${prose(operation.description)}</p>`}
    ${codeBlock(curlFor(document, baseUrl, entry))}
    ${parameterTable(operation)} ${bodySection(document, operation)}
    <h4>Answers</h4>
    ${table(`Answers: ${operation.summary}`, ['Status', 'Meaning', 'Body'], answerRows(document, operation))}
    ${sharedAnswers(document, operation)} ${answerExample(document, operation)}
  </article>`;
}

/** A call that a shell takes as it is, once TOKEN is set. */
export function curlFor(document: OpenApiDocument, baseUrl: string, { method, path, operation }: Entry): string {
  const streams = answersOf(document, operation).some(
    ([, answer]) => 'content' in answer && answer.content?.['text/event-stream'],
  );
  const how = `${streams ? '-N ' : ''}${method === 'get' ? '' : `-X ${method.toUpperCase()} `}`;
  const parts = [`curl ${how}${quoted(baseUrl + filled(path, operation))}`];
  if ((operation.security ?? []).length > 0) parts.push('-H "Authorization: Bearer $TOKEN"');
  const schema = jsonBody(operation)?.content['application/json']?.schema;
  if (schema !== undefined) {
    parts.push(
      '-H "Content-Type: application/json"',
      `-d ${quoted(JSON.stringify(exampleOf(document, schema), null, 2))}`,
    );
  }
  return parts.join(' \\\n  ');
}

function filled(path: string, operation: Operation): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parametersOf(operation).find((one) => one.name === name);
    const example = parameter?.schema !== undefined && 'example' in parameter.schema ? parameter.schema.example : whole;
    return String(example);
  });
}

function parametersOf(operation: Operation): readonly Parameter[] {
  return (operation.parameters ?? []).filter((parameter): parameter is Parameter => !('$ref' in parameter));
}

function jsonBody(operation: Operation): Body | undefined {
  const body = operation.requestBody;
  return body === undefined || '$ref' in body ? undefined : body;
}

function parameterTable(operation: Operation): Html {
  const rows = parametersOf(operation).map((parameter) => {
    const type = parameter.schema === undefined ? html`string` : typeOf(parameter.schema);
    const meaning = prose(parameter.description ?? describedBy(parameter));
    return row(parameter.name, parameter.required ?? false, html`${type}, in the ${parameter.in}`, meaning);
  });
  if (rows.length === 0) return html``;
  return html`<h4>Parameters</h4>${table(`Parameters: ${operation.summary}`, ['Name', 'Type', 'Meaning'], rows)}`;
}

function describedBy({ schema }: Parameter): string {
  return schema !== undefined && 'description' in schema ? (schema.description ?? '') : '';
}

function bodySection(document: OpenApiDocument, operation: Operation): Html {
  const schema = jsonBody(operation)?.content['application/json']?.schema;
  if (schema === undefined) return html``;
  return html`<h4>Body</h4>${fieldTable(document, `Body: ${operation.summary}`, schema)}`;
}

function answersOf(document: OpenApiDocument, operation: Operation): readonly (readonly [string, Answer])[] {
  return Object.entries<Answer>(operation.responses ?? {}).map(([status, answer]) => {
    const found = '$ref' in answer ? document.components?.responses?.[nameOf(answer.$ref)] : answer;
    return [status, found ?? answer];
  });
}

function answerRows(document: OpenApiDocument, operation: Operation): readonly Html[] {
  const shared = sharedStatuses(document);
  const own = answersOf(document, operation).filter(([status]) => !shared.has(status));
  return own.map(([status, answer]) => {
    const [[type, media] = ['', {}]] = Object.entries(('content' in answer && answer.content) || {});
    const body = type !== 'application/json' || media.schema === undefined ? html`${type}` : typeOf(media.schema);
    return html`<tr><th scope="row"><code>${status}</code></th><td>${prose(answer.description ?? '')}</td><td>${body}</td></tr>`;
  });
}

/** What each operation answers alike is said once, under Errors. */
function sharedStatuses(document: OpenApiDocument): ReadonlySet<string> {
  const [first, ...others] = entriesOf(document.paths).map(
    ({ operation }) => new Set(Object.keys(operation.responses ?? {})),
  );
  return others.reduce((shared, statuses) => shared.intersection(statuses), first ?? new Set<string>());
}

function sharedAnswers(document: OpenApiDocument, operation: Operation): Html {
  const shared = Object.keys(operation.responses ?? {}).filter((status) => sharedStatuses(document).has(status));
  const codes = shared.map((status, at) => html`${at > 0 ? ', ' : ''}<code>${status}</code>`);
  return shared.length === 0
    ? html``
    : html`<p class="scope">Like any request, also ${codes}: see <a href="#errors">Errors</a>.</p>`;
}

function answerExample(document: OpenApiDocument, operation: Operation): Html {
  const [first] = answersOf(document, operation).filter(([status]) => status.startsWith('2'));
  const schema = first && 'content' in first[1] ? first[1].content?.['application/json']?.schema : undefined;
  if (first === undefined || schema === undefined) return html``;
  const example = JSON.stringify(exampleOf(document, schema), null, 2);
  return html`<details><summary>Example of an answer (${first[0]})</summary>${codeBlock(example)}</details>`;
}
