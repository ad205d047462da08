// A repository without its secrets: cleaned as a whole, then shown in parts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanRepository } from '../../src/jobs/clean-source.ts';
import type { SourceTree } from '../../src/ports/source.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { pathProject, SIGNAL, testSource } from '../git/open-project.ts';
import { gitRepository } from '../support/git-repository.ts';

const BODY = Array.from(
  { length: 12 },
  (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${String(at).padStart(2, '0').repeat(16)}`,
);
const KEY = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');
const TOKEN = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');
const CONFIG = `export const one = 1;\nexport const token = '${TOKEN}';\nexport const last = 1;\n`;

const cleanup = new AsyncDisposableStack();
let raw: SourceTree;
let clean: SourceTree;
let before = '';

beforeAll(async () => {
  const repo = cleanup.use(await gitRepository());
  before = await repo.commit(
    { 'src/config.ts': CONFIG, 'src/plain.ts': 'export function identifierOfSome32Kind() {}\n' },
    'Begin',
  );
  await repo.commit({ 'src/key.ts': `export const key = \`${KEY}\`;\nexport const after = 1;\n` }, 'Add a key');
  const source = cleanup.use(testSource());
  const redactor = cleanup.use(createRedactor({ exactValues: () => [] }));
  const repository = await source.source.open(pathProject(repo.path), SIGNAL);
  const sha = (await repository.resolve('', SIGNAL)) ?? '';
  raw = repository.tree(sha);
  clean = cleanRepository(repository, redactor).tree(sha);
});
afterAll(() => cleanup.disposeAsync());

describe('a repository without its secrets', () => {
  it('reads every window as the raw one does, where no secret stands in it', async () => {
    for (const lines of [undefined, { from: 1, to: 1 }, { from: 3, to: 9 }, { from: 9, to: 12 }, { from: 2, to: 1 }]) {
      const read = (tree: SourceTree, path: string) => tree.read(path, lines ? { lines } : {}, SIGNAL);
      expect({ ...(await read(clean, 'src/plain.ts')), cut: '' }).toEqual({
        ...(await read(raw, 'src/plain.ts')),
        cut: '',
      });
    }
    expect(await clean.read('src/nowhere.ts', {}, SIGNAL)).toEqual(await raw.read('src/nowhere.ts', {}, SIGNAL));
  });

  it('shows no line of a key, whichever lines are asked for, and the line after it at its number', async () => {
    for (let line = 1; line <= 15; line += 1) {
      const read = await clean.read('src/key.ts', { lines: { from: line, to: line } }, SIGNAL);
      const text = read.kind === 'text' ? read.text : '';
      expect(text).not.toContain('MIIEvQ');
      if (line === 15) expect(text).toBe('export const after = 1;\n');
    }
  });

  it('finds no line by the secret in it, and other lines as ever', async () => {
    const search = async (pattern: string, regex = false) =>
      (await clean.search({ pattern, regex, ignoreCase: false, paths: [] }, SIGNAL)).hits.map(({ text }) => text);
    expect(await search(TOKEN.slice(0, 9))).toEqual([]);
    expect(await search('^[A-Za-z0-9+/]{64}$', true)).toEqual([]);
    expect(await search('const token')).toEqual(["export const token = '[redacted]';"]);
    expect(await search('identifierOfSome32Kind')).toEqual(['export function identifierOfSome32Kind() {}']);
  });

  it('tells no secret in a patch, whose lines bear signs', async () => {
    const { patch } = await clean.compare(before, { path: 'src/key.ts' }, SIGNAL);
    expect(patch).toContain('+export const after = 1;');
    expect(patch).not.toContain('MIIEvQ');
    expect((await clean.compare(null, { path: 'src/key.ts' }, SIGNAL)).patch).toBe(patch);
  });
});
