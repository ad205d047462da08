// What a person meets who reports something about Causeway itself: GitHub takes the forms, and Causeway its own configuration.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseRepositoryConfig } from '../../src/github/configuration/parse-repository-config.ts';
import { CONFIG_FILE } from '../../src/github/configuration/read-configuration.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FORMS = '.github/ISSUE_TEMPLATE';
const read = (...place: readonly string[]) => readFileSync(path.join(ROOT, ...place), 'utf8');

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: readonly string[] };
}

// https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
describe.each(readdirSync(path.join(ROOT, FORMS)).filter((name) => name !== 'config.yml'))('the form %s', (name) => {
  const {
    name: title,
    description,
    body,
  }: { name: string; description: string; body: readonly Field[] } = parse(read(FORMS, name));

  it('has what GitHub asks of a form', () => {
    expect([typeof title, typeof description]).toEqual(['string', 'string']);
    const fields = body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter(({ type }) => !['input', 'textarea', 'dropdown', 'checkboxes'].includes(type))).toEqual([]);
    expect(fields.filter(({ id, attributes }) => !/^[\w-]+$/.test(id ?? '') || !attributes.label)).toEqual([]);
    for (const key of ['id', 'label'] as const) {
      const all = fields.map((field) => (key === 'id' ? field.id : field.attributes.label));
      expect(new Set(all).size).toBe(all.length);
    }
    for (const { type, attributes } of fields) {
      const { options = [] } = attributes;
      if (type === 'dropdown') expect(options.length).toBeGreaterThan(1);
      expect(new Set(options).size).toBe(options.length);
    }
    for (const { type, attributes } of body) if (type === 'markdown') expect(attributes.value).toBeTruthy();
  });
});

it('a bug is asked for what an analysis needs', () => {
  const ids = parse(read(FORMS, 'bug.yml')).body.flatMap(({ id }: Field) => id ?? []);
  expect(ids).toEqual(expect.arrayContaining(['happened', 'steps', 'version', 'runs', 'doctor', 'log']));
});

it('Causeway understands what its own repository asks of it', () => {
  const { problem, config } = parseRepositoryConfig(read(CONFIG_FILE), CONFIG_FILE);
  expect([problem, config.labels, config.mode]).toEqual([null, ['analyse'], 'fix']);
});
