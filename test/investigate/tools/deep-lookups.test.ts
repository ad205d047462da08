// Lookups that save a model a further turn: what it would otherwise have to ask for again.
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { openWorkbench, workbench } from './workbench.ts';

const CART = `// The cart.
export class Cart {
  /** In cents. */
  total() {
    return this.items.length;
  }

  count() {
    return 1;
  }
}

export function count() {
  return 2;
}
`;

describe('search', () => {
  const files = {
    'packages/a/src/x.ts': 'const one = sum();\n',
    'packages/b/src/deep/y.ts': 'sum();\n',
    'packages/b/test/y.test.ts': `${'sum();\n'.repeat(30)}`,
    'other.txt': 'sum Ä ÖÜ\n',
  };

  it('takes globs that mean folders, and names a path at which no file is', async () => {
    await using bench = await workbench(files);
    expect(await bench.ask('search', { pattern: 'sum(', paths: ['packages/*/src'] })).toMatchInlineSnapshot(`
      "search "sum(" in packages/*/src at …
      found: packages/a/src/x.ts:
           1 | const one = sum();
      packages/b/src/deep/y.ts:
           1 | sum();"
    `);
    expect(await bench.ask('search', { pattern: 'sum(', paths: ['packages/*/lib', 'packages/a'] })).toContain(
      '[cut: No file of this commit is at "packages/*/lib".]',
    );
    expect(await bench.ask('search', { pattern: 'sum(', paths: ['packages/*/lib'] })).toContain(
      'failed: No file of this commit is at "packages/*/lib".',
    );
    await bench.ask('replace', { path: 'packages/a/src/x.ts', old: 'sum()', new: 'product()' });
    expect(await bench.ask('search', { pattern: 'product', paths: ['packages/*/src'] })).toContain(
      'packages/a/src/x.ts (edited):',
    );
  });

  it('shows a few hits of each file, so that one does not fill the answer, and all of the only one', async () => {
    await using bench = await workbench(files);
    const answer = await bench.ask('search', { pattern: 'sum', paths: ['packages'] });
    expect(answer.match(/ \| sum\(\);/g)).toHaveLength(9);
    expect(answer).toContain('… 22 more in this file ("per_file")');
    const only = await bench.ask('search', { pattern: 'sum', paths: ['packages/b/test'] });
    expect(only.match(/ \| sum\(\);/g)).toHaveLength(30);
  });

  it('shows the lines around a hit where that is asked for', async () => {
    await using bench = await workbench({ 'cart.ts': CART });
    expect(await bench.ask('search', { pattern: 'return', context: 1 })).toMatchInlineSnapshot(`
      "search "return" with 1 lines around at …
      found: cart.ts:
           4 |   total() {
      >    5 |     return this.items.length;
           6 |   }
             …
           8 |   count() {
      >    9 |     return 1;
          10 |   }
             …
          13 | export function count() {
      >   14 |   return 2;
          15 | }"
    `);
  });

  it('sees characters in a class, not bytes', async () => {
    await using bench = await workbench(files);
    expect(await bench.ask('search', { pattern: 'sum [ÄÖ] ..$', regex: true })).toContain('1 | sum Ä ÖÜ');
  });

  it('runs the alternatives that are valid, and names the others', async () => {
    await using bench = await workbench(files);
    const answer = await bench.ask('search', { pattern: 'one|(?<=a+)b|x[|]y', regex: true });
    expect(answer).toContain('1 | const one = sum();');
    expect(answer).toContain('[cut: Not searched, since they are no valid expressions: (?<=a+)b.]');
    expect(await bench.ask('search', { pattern: '(?<=a+)b', regex: true })).toContain(
      'failed: The pattern is not a valid',
    );
  });

  it('shows a blank that is no space by its number, and finds it so', async () => {
    await using bench = await workbench({ 'a.txt': 'at 10:22\u202fPM\n' });
    expect(await bench.ask('search', { pattern: '10:22[U+202F]PM' })).toContain('found: a.txt:');
    expect(await bench.ask('search', { pattern: '10:22 PM' })).toContain('nothing: ');
    expect(await bench.ask('replace', { path: 'a.txt', old: 'at 10:22[U+202F]PM', new: 'at[U+00A0]ten' })).toContain(
      'found exactly',
    );
    expect(bench.toolbox.overlay.changeSet().files).toMatchObject([{ after: 'at\u00a0ten\n' }]);
  });
});

describe('read_files', () => {
  it('reads a definition by its name, with or without its owner', async () => {
    await using bench = await workbench({ 'cart.ts': CART });
    expect(await bench.ask('read_files', { files: [{ path: 'cart.ts', symbol: 'total' }] })).toMatchInlineSnapshot(`
      "read total of cart.ts at …
      found: cart.ts, lines 3–6 of 15:
        3 |   /** In cents. */
        4 |   total() {
        5 |     return this.items.length;
        6 |   }"
    `);
    expect(await bench.ask('read_files', { files: [{ path: 'cart.ts', symbol: 'Cart#count' }] })).toContain(
      'return 1;',
    );
    expect(await bench.ask('read_files', { files: [{ path: 'cart.ts', symbol: 'count' }] })).toContain(
      'failed: cart.ts: "count" is defined 2 times; name its owner or give lines: Cart.count (line 8), count (line 13).',
    );
    expect(await bench.ask('read_files', { files: [{ path: 'cart.ts', symbol: 'Shop.total' }] })).toContain(
      'no definition of "Shop.total" was recognised. With that name there is Cart.total (line 4).',
    );
    expect(await bench.ask('read_files', { files: [{ path: 'cart.ts', symbol: 'sum' }] })).toContain(
      'no definition of "sum" was recognised. There are: Cart (line 2), Cart.total (line 4)',
    );
  });

  it('reads all overloads of a definition', async () => {
    const text =
      'export function one(a: string): void;\nexport function one(a: number): void;\nexport function one(a: unknown) {\n  two(a);\n}\n';
    await using bench = await workbench({ 'a.ts': text });
    expect(await bench.ask('read_files', { files: [{ path: 'a.ts', symbol: 'one' }] })).toContain(
      'a.ts, lines 1–5 of 5:',
    );
  });

  it('reads a file as it was at an older commit', async () => {
    const repo = await gitRepository();
    const sha = await repo.commit({ 'a.ts': 'old\n' }, 'Begin');
    await repo.commit({ 'a.ts': 'new\n' }, 'Change');
    await using bench = await openWorkbench(repo);
    const answer = await bench.ask('read_files', { files: [{ path: 'a.ts' }, { path: 'a.ts', commit: sha }] });
    expect(answer).toContain('a.ts, lines 1–1 of 1:\n  1 | new\n');
    expect(answer).toContain(`a.ts at ${sha.slice(0, 7)}, lines 1–1 of 1:\n  1 | old`);
    expect(await bench.ask('read_files', { files: [{ path: 'a.ts', commit: 'v9' }] })).toContain(
      'failed: There is no commit, branch or tag "v9".',
    );
  });

  it('shares what it may show fairly, and cuts lines at 300 characters', async () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `row ${index + 1}\n`).join('');
    await using bench = await workbench({ 'a.txt': long, 'b.txt': long, 'c.ts': CART, 'wide.txt': 'w'.repeat(900) });
    const answer = await bench.ask('read_files', { files: ['a.txt', 'b.txt', 'c.ts'].map((path) => ({ path })) });
    const count = (name: string) => Number(new RegExp(`${name}, lines 1–(\\d+) of`).exec(answer)?.[1]);
    expect(count('a.txt')).toBeGreaterThan(400);
    expect(count('a.txt')).toBe(count('b.txt'));
    expect(count('c.ts')).toBe(15);
    expect(await bench.ask('read_files', { files: [{ path: 'wide.txt' }] })).toContain(
      ` | ${'w'.repeat(300)}… (900 characters in this line)`,
    );
  });
});

describe('history', () => {
  async function openHistory() {
    const repo = await gitRepository();
    await repo.commit({ 'a.ts': 'const limit = 5;\n', 'b.ts': 'x\n' }, 'Begin');
    const brought = await repo.commit({ 'a.ts': 'const limit = 5;\nretry(limit);\n' }, 'Try again');
    repo.tag('v1.0.0');
    await repo.commit({ 'b.ts': 'y\n' }, 'Other');
    repo.tag('v1.1.0');
    return { bench: await openWorkbench(repo), brought };
  }

  it('says which commit brought a text, with the change', async () => {
    const { bench, brought } = await openHistory();
    await using _ = bench;
    const answer = await bench.ask('history', { text: 'retry(limit)' });
    expect(answer).toContain(`history that changed "retry(limit)" at …\nfound: ${brought.slice(0, 10)} `);
    expect(answer).toContain(`In ${brought.slice(0, 10)}:\na.ts\n@@ -1 +1,2 @@\n const limit = 5;\n+retry(limit);`);
    expect(await bench.ask('history', { text: 'never there' })).toContain('nothing: ');
  });

  it('shows what was done to the lines that it is asked for', async () => {
    const { bench } = await openHistory();
    await using _ = bench;
    expect(await bench.ask('history', { path: 'a.ts', from: 2, to: 2 })).toContain('\n+retry(limit);');
  });

  it('names the tags that contain a commit', async () => {
    const { bench, brought } = await openHistory();
    await using _ = bench;
    expect(await bench.ask('compare', { commit: brought })).toContain('Tags that contain it: v1.0.0 and 1 later one.');
  });
});

describe('compare', () => {
  it('shows the patch of a small commit at once, source before lock files and tests', async () => {
    const repo = await gitRepository();
    await repo.commit({ 'README.md': 'x\n' }, 'Begin');
    const sha = await repo.commit(
      {
        'a.test.ts': 'test\n',
        'package-lock.json': `${'{}\n'.repeat(5_000)}`,
        'src/z.ts': 'source\n',
        'CHANGES.md': 'c\n',
      },
      'All',
    );
    await using bench = await openWorkbench(repo);
    const answer = await bench.ask('compare', { commit: sha });
    expect(answer).toContain(
      '4 files:\nadded src/z.ts\nadded a.test.ts\nadded CHANGES.md\nadded package-lock.json\ndiff --git a/src/z.ts',
    );
    const places = ['+source', '+test', '+c', '1 longer patch not shown'].map((text) => answer.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(answer).not.toContain('+{}');
  });

  it('shows the edits of one file where it is named', async () => {
    await using bench = await workbench({ 'a.ts': 'a\n', 'b.ts': 'b\n' });
    await bench.ask('replace', { path: 'a.ts', old: 'a', new: 'first' });
    await bench.ask('replace', { path: 'b.ts', old: 'b', new: 'second' });
    const answer = await bench.ask('compare', { edits: true, path: 'b.ts' });
    expect(answer).toContain('+second');
    expect(answer).not.toContain('+first');
    expect(await bench.ask('compare', { edits: true, path: 'c.ts' })).toContain('nothing: c.ts was not edited.');
  });
});

describe('replace', () => {
  it('answers with the place, and how far the old text was exact', async () => {
    await using bench = await workbench({ 'cart.ts': CART });
    const replace = (old: string, text: string) => bench.ask('replace', { path: 'cart.ts', old, new: text });
    expect(await replace('    return 1;\n', '    const one = 1;\n    return one;\n')).toContain(
      'found: cart.ts: replaced line 9, now lines 9–10. The old text was found exactly.',
    );
    expect(await replace('return   2;', 'return 3;')).toContain(
      'The old text was found up to white space; the indentation',
    );
    expect(await replace('  return\n  3;', '  return 4;')).toContain('The old text was found up to white space.');
    expect(await replace('// The cart.\n', '')).toContain('removed line 1.');
  });
});
