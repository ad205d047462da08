// Searching one commit: fixed text and expressions, paths and globs, limits and faults.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchQuery, SourceTree } from '../src/source.ts';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, type TestSource, testSource, treeOf } from './open-project.ts';

let repo: GitRepository;
let kept: TestSource;
let tree: SourceTree;

beforeAll(async () => {
  repo = await gitRepository();
  kept = testSource();
  await repo.commit(
    {
      'src/a.ts': 'const total = sum(1);\r\nfoo.bar(2024-05-06);\nÄpfel und Öl\n',
      'src/deep/b.tsx': 'total + subtotal\na-b [x] a\\b\n',
      'docs/c.md': 'Total\n',
      'many.txt': 'hit\n'.repeat(3_000),
      'long.txt': `${'z'.repeat(2_000_000)}needle\nneedle short\n`,
      'bin.dat': Buffer.from('\0total'),
      'evil.txt': `${'a'.repeat(40)}b\n`.repeat(2_000),
      'a[1].txt': 'bracket\n',
      'a1.txt': 'bracket\n',
    },
    'first',
  );
  tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
});

afterAll(async () => {
  await kept[Symbol.asyncDispose]();
  await repo[Symbol.asyncDispose]();
});

function search(pattern: string, more: Partial<SearchQuery> = {}) {
  return tree.search({ pattern, regex: false, ignoreCase: false, paths: [], ...more }, SIGNAL);
}

async function places(pattern: string, more: Partial<SearchQuery> = {}): Promise<string[]> {
  const { hits, error } = await search(pattern, more);
  expect(error).toBe('');
  return hits.map((hit) => `${hit.path}:${hit.line}`);
}

describe('a search', () => {
  it('finds plain text, by case or not, by word or not, in text only', async () => {
    expect(await places('total')).toEqual(['src/a.ts:1', 'src/deep/b.tsx:1']);
    expect(await places('total', { ignoreCase: true })).toEqual(['docs/c.md:1', 'src/a.ts:1', 'src/deep/b.tsx:1']);
    expect(await places('subtota', { word: true })).toEqual([]);
    expect(await places('foo.bar(')).toEqual(['src/a.ts:2']);
    expect(await places('fooxbar')).toEqual([]);
    expect(await places('äPFEL UND öl', { ignoreCase: true })).toEqual(['src/a.ts:3']);
    expect(await places('-b')).toEqual(['src/deep/b.tsx:2']);
    expect((await search('total', { paths: ['src/a.ts'] })).hits[0]?.text).toBe('const total = sum(1);');
  });

  it('takes expressions as they are written today', async () => {
    expect(await places('\\d{4}-\\d{2}', { regex: true })).toEqual(['src/a.ts:2']);
    expect(await places('(?:foo|baz)\\.bar', { regex: true })).toEqual(['src/a.ts:2']);
    expect(await places('\\bsum\\(.*?\\)', { regex: true })).toEqual(['src/a.ts:1']);
    expect(await places('[\\w.]\\[[x]\\]|\\[x]', { regex: true })).toEqual(['src/deep/b.tsx:2']);
    expect(await places('a[\\\\]b', { regex: true })).toEqual(['src/deep/b.tsx:2']);
  });

  it.each([
    ['(', /not a valid expression/],
    ['[abc', /not a valid expression/],
    ['a\nb', /one line at a time/],
    ['((a{1,100}){1,100}){1,100}', /not a valid expression/],
    ['a{99999}', /not a valid expression/],
    ['x\\', /not a valid expression/],
  ])('answers %s with what is wrong', async (pattern, words) => {
    const result = await search(pattern, { regex: true });
    expect(result.hits).toEqual([]);
    expect(result.error).toMatch(words);
  });

  it('refuses patterns that can find nothing', async () => {
    for (const pattern of ['', 'a\nb', 'a\0b', 'x'.repeat(2_000)]) expect((await search(pattern)).error).not.toBe('');
  });

  it('keeps to folders, files and globs', async () => {
    expect(await places('total', { paths: ['src/deep'] })).toEqual(['src/deep/b.tsx:1']);
    expect(await places('total', { paths: ['./src/deep/'] })).toEqual(['src/deep/b.tsx:1']);
    expect(await places('total', { paths: ['*.ts'] })).toEqual(['src/a.ts:1']);
    expect(await places('total', { paths: ['src/**/*.{ts,tsx}'] })).toEqual(['src/a.ts:1', 'src/deep/b.tsx:1']);
    expect(await places('bracket', { paths: ['a[1].txt'] })).toEqual(['a[1].txt:1']);
    expect(await places('bracket', { paths: ['a[0-9].txt'] })).toEqual(['a1.txt:1']);
    expect(await places('total', { paths: ['.'] })).toHaveLength(2);
  });

  it('leaves folders out, wherever it searches', async () => {
    expect(await places('total', { without: ['src/deep'] })).toEqual(['src/a.ts:1']);
    expect(await places('total', { paths: ['src'], without: ['src/deep', 'a[1'] })).toEqual(['src/a.ts:1']);
  });

  it('says which paths there are not', async () => {
    expect(await search('total', { paths: ['lib', '../src'] })).toMatchObject({
      hits: [],
      error: expect.stringContaining('"lib", "../src"'),
    });
    expect(await search('total', { paths: ['lib', 'src/a.ts'] })).toMatchObject({
      hits: [{ path: 'src/a.ts' }],
      cuts: [{ kind: 'unknown_paths', paths: ['lib'] }],
    });
  });

  it('stops at the limit and says so', async () => {
    const some = await search('hit', { limit: 10 });
    expect(some.hits).toHaveLength(10);
    expect(some.cuts).toEqual([{ kind: 'limit', limit: 10 }]);
    expect((await search('hit')).hits).toHaveLength(200);
    expect((await search('hit', { limit: 1_000_000 })).hits).toHaveLength(1_000);
  });

  it('cuts a line of megabytes and goes on behind it', async () => {
    const { hits } = await search('needle');
    expect(hits.map((hit) => [hit.line, hit.text.length])).toEqual([
      [1, 500],
      [2, 12],
    ]);
  });

  it('is answered though a line of megabytes is in its way', async () => {
    const result = await search('\\w+\\+ subtotal|\\w+ \\+ subtotal', { regex: true });
    expect(result.hits.map((hit) => hit.path)).toEqual(['src/deep/b.tsx']);
    expect(result.error).toBe('');
  });

  it('ends when it is aborted', async () => {
    const abort = new AbortController();
    const running = tree.search(
      { pattern: '(\\w+\\s*)+ (\\w+\\s*)+ subtotal', regex: true, ignoreCase: false, paths: ['evil.txt'] },
      abort.signal,
    );
    setTimeout(() => abort.abort(new Error('enough')), 300);
    await running.catch((error: Error) => expect(error.message).toBe('enough'));
    expect(await places('bracket', { paths: ['a1.txt'] })).toEqual(['a1.txt:1']);
  });
});
