// The OpenAPI document against the tables of the interface's own description: fields, types, allowed values, paths.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { document } from './documented-answer.ts';

const INTERFACE = readFileSync(new URL('../fixtures/interface.md', import.meta.url), 'utf8');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;

/** Rows of the first table after a line of the description. */
function tableAfter(line: string): readonly Field[] {
  const at = INTERFACE.indexOf(`\n${line}\n`);
  if (at < 0) throw new Error(`The description has no line ${line}`);
  const table = /(?:^\|.*\n)+/m.exec(INTERFACE.slice(at))?.[0] ?? '';
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, name = '', type = '', meaning = '']) => ({ name, type, meaning }));
}

/** A type as the description writes it. */
function written(schema: Schema): string {
  if (schema.$ref !== undefined)
    return schema.$ref.replace('#/components/schemas/', '').replace(/^Diff$/, 'Diff object');
  return schema.type === 'array' ? `array of ${written(schema.items ?? {})}` : (schema.type ?? 'any');
}

const ANSWERS: readonly (readonly [string, string])[] = [
  ['### 2.1 Issue', 'Issue'],
  ['Step:', 'Step'],
  ['Diff:', 'Diff'],
  ['FileDiff:', 'FileDiff'],
  ['Change:', 'Change'],
  ['LineChange:', 'LineChange'],
  ['InvestigationStep:', 'InvestigationStep'],
  ['### 2.2 Project', 'Project'],
  ['Response body:', 'Message'],
];

describe('the OpenAPI document and the description of the interface', () => {
  it.each(ANSWERS)('under "%s" have the same fields as %s', (line, name) => {
    const fields = tableAfter(line);
    const { properties = {}, required = [] } = schemas[name] ?? {};
    expect(fields.length).toBeGreaterThan(0);
    for (const { name: field, type, meaning } of fields) {
      const schema = properties[field] ?? {};
      expect([field, written(schema)]).toEqual([field, type]);
      expect(required).toContain(field);
      const allowed = [...(/Allowed values: (.*)\./.exec(meaning)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(
        ([, one]) => one,
      );
      if (allowed.length > 0) expect(schema.enum).toEqual(allowed);
      if (meaning.includes('ISO 8601')) expect(schema.format).toBe('date-time');
    }
  });

  it('have the same fields in a request', () => {
    const { properties = {} } = schemas['CreateIssue'] ?? {};
    const fields = tableAfter('Request body:');
    expect(fields.map(({ name }) => name)).toEqual(['data', 'projectId', 'callbackUrl']);
    for (const { name, type } of fields) expect([name, written(properties[name] ?? {})]).toEqual([name, type]);
    expect(schemas['CreateIssue']?.required).toEqual(['data', 'projectId']);
  });

  it('have the same endpoints, with a slash at the end, a token and the parameter of the path', () => {
    const rows = tableAfter('## 4. Endpoints').map(({ type, meaning }) => [type, meaning.replaceAll('`', '')] as const);
    expect(rows.length).toBe(5);
    for (const [method, path] of rows) {
      expect(path).toMatch(/\/$/);
      const operation = document.paths?.[path]?.[method.toLowerCase() as 'get'];
      expect([method, path, operation?.security]).toEqual([method, path, [{ bearer: [] }]]);
      const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
      const described = (operation?.parameters ?? []) as readonly { name: string; in: string; schema: Schema }[];
      const inPath = described.filter((one) => one.in === 'path').map(({ name, schema }) => [name, schema.type]);
      expect(inPath).toEqual(parameter === undefined ? [] : [[parameter, 'string']]);
    }
  });
});

describe('the OpenAPI document', () => {
  it('is closed for requests only: a generated client accepts fields that are added later', () => {
    const closed: string[] = [];
    JSON.stringify(document, function (this: unknown, key, value: unknown) {
      if (key === 'additionalProperties' && value === false) closed.push(JSON.stringify(this).slice(0, 80));
      return value;
    });
    for (const name of ['CreateIssue', 'RetryIssue', 'GivenLog', 'CreateSubscription']) {
      expect(schemas[name]?.additionalProperties).toBe(false);
    }
    expect(closed.length).toBe(5);
  });

  it('bounds a report in bytes, not in characters', () => {
    const data = schemas['CreateIssue']?.properties?.['data'] as Schema & { readonly description: string };
    expect(data).not.toHaveProperty('maxLength');
    expect(data.description).toContain('at most 1,048,576 bytes of UTF-8');
  });

  it('names the account area as the place of tokens', () => {
    const bearer = document.components?.securitySchemes?.['bearer'] as { readonly description: string };
    expect(bearer.description).toMatch(/account area.*Security credentials.*Create new auth token/);
  });
});
