// The files that we publish about the configuration say what the code does: the example, the JSON Schema, the documentation.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseRepositoryConfig } from '../../../src/github/configuration/parse-repository-config.ts';
import { FILE_SCHEMA } from '../../../src/github/configuration/repository-config.ts';

function published(name: string): string {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
}

/** The schema as editors get it. `vitest --update` writes it anew where the code has changed. */
function editorSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(FILE_SCHEMA, { io: 'input' });
  const named = {
    $schema,
    title: 'Causeway: .github/causeway.yml',
    description: 'How Causeway behaves in a repository. Every key may be left out.',
    ...schema,
  };
  const json = JSON.stringify(named, null, 2);
  return `${json.replace(/\[\n\s+((?:"\w+",?\s+)+)\]/g, (_, items: string) => `[${items.trim().replace(/\s+/g, ' ')}]`)}\n`;
}

/** Names of all keys, such as `pull_request.draft`. */
function keysOf(): string[] {
  return Object.entries(FILE_SCHEMA.shape).flatMap(([key, schema]) => {
    const inner = schema.unwrap();
    return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((each) => `${key}.${each}`) : [key];
  });
}

describe('the JSON Schema', () => {
  // Of every key, the five groups, the keys of a scope with that of its budget, and the whole.
  it('is the one that the code has, with words for every key', async () => {
    await expect(editorSchema()).toMatchFileSnapshot('../../../docs/causeway.schema.json');
    expect(keysOf().length).toBe(26);
    expect(editorSchema().match(/"description"/g)?.length).toBe(keysOf().length + 5 + 7 + 1);
  });

  it('takes the example, and refuses what the code refuses', () => {
    const validate = new Ajv2020({ strict: true }).compile(JSON.parse(published('causeway.schema.json')));
    expect(validate(parse(published('causeway.example.yml')))).toBe(true);
    expect(validate({ label: ['x'] })).toBe(false);
    expect(validate({ pull_request: { attempts: 4 } })).toBe(false);
    expect(validate({ mode: 'fixx' })).toBe(false);
    expect(validate({ paths: { allow: ['../x'] } })).toBe(false);
  });
});

describe('the example', () => {
  const text = published('causeway.example.yml');

  it('is understood, and has every key', () => {
    expect(parseRepositoryConfig(text, 'f').problem).toBeNull();
    const file = parse(text) as Record<string, Record<string, unknown>>;
    const present = Object.entries(file).flatMap(([key, value]) =>
      typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).map((each) => `${key}.${each}`) : [key],
    );
    expect(present.sort()).toEqual(keysOf().sort());
  });
});

describe('the documentation', () => {
  const text = published('configuration.md');

  it('names every key in its table', () => {
    const table = text.slice(text.indexOf('\n### Keys\n'));
    const named = [...table.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, key]) => key);
    expect(named).toEqual(keysOf());
  });

  it('has only examples that are understood', () => {
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(examples).toHaveLength(8);
    expect(examples.map((yaml) => parseRepositoryConfig(yaml, 'f').problem)).toEqual(examples.map(() => null));
  });
});
