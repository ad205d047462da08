// Tables of the documentation page: the fields of a schema, with their types linked to each other.
import { html } from 'hono/html';
import type { OpenApiDocument } from './openapi.ts';
import { nameOf, resolveSchema, type SchemaObject } from './schema-example.ts';

export type Html = ReturnType<typeof html>;
type AnySchema = Parameters<typeof resolveSchema>[1];

/** A table; on narrow screens the style sets each row as a block. */
export function table(label: string, head: readonly string[], rows: readonly Html[]): Html {
  return html`<table aria-label="${label}">
    <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table>`;
}

/** The schema's fields; nothing where it has none. */
export function fieldTable(document: OpenApiDocument, label: string, anySchema: AnySchema): Html {
  const schema = resolveSchema(document, anySchema);
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html``;
  const rows = fields.map(([name, field]) => {
    const needed = schema.required?.includes(name) ?? false;
    return row(name, needed, typeOf(field), prose(resolveSchema(document, field).description ?? ''));
  });
  return table(label, ['Field', 'Type', 'Meaning'], rows);
}

/** One row: a name, whether it must be there, its type and what it means. */
export function row(name: string, needed: boolean, type: Html, meaning: Html): Html {
  const mark = needed ? '' : html` <span class="scope">optional</span>`;
  return html`<tr><th scope="row"><code>${name}</code>${mark}</th><td>${type}</td><td>${meaning}</td></tr>`;
}

/** The type in words, such as `array of Step`. */
export function typeOf(schema: AnySchema): Html {
  if ('$ref' in schema) return html`<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${value}</code>`)}`;
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return html`${either.map((one, at) => html`${at > 0 ? ' or ' : ''}${typeOf(one)}`)}`;
  if (schema.items !== undefined) return html`array of ${typeOf(schema.items)}`;
  return html`${typeName(schema)}`;
}

/** Our own descriptions: text, with `code` between backticks. */
export function prose(text: string): Html {
  const parts = text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return html`${parts}`;
}

/** Text as it is, line breaks included; long lines wrap, and are copied whole. */
export function codeBlock(code: string): Html {
  return html`<pre><code>${code}</code></pre>`;
}

function typeName({ type, format, minimum, maximum, maxLength }: SchemaObject): string {
  const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
  const bounds = minimum === undefined || maximum === undefined ? '' : ` ${minimum}–${maximum}`;
  const length = maxLength === undefined ? '' : `, at most ${maxLength.toLocaleString('en')} characters`;
  return `${name}${format === undefined ? '' : ` (${format})`}${bounds}${length}`;
}
