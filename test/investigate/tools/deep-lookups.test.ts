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

  it('takes what nothing has as text for an expression, and says so', async () => {
    await using bench = await workbench({ ...files, 'c.ts': 'const a = b;\nconst either: string | undefined = a;\n' });
    expect(await bench.ask('search', { pattern: 'one = sum|deep sum', paths: ['packages'] })).toMatchInlineSnapshot(`
      "search "one = sum|deep sum" in packages at …
      found: No line has it as text; as an expression:
      packages/a/src/x.ts:
           1 | const one = sum();"
    `);
    expect(await bench.ask('search', { pattern: 'nothing|nowhere' })).toContain(
      'nothing: No line matches "nothing|nowhere", as text or as an expression.',
    );
    expect(await bench.ask('search', { pattern: 'string | undefined' })).toContain('found: c.ts:\n     2 |');
    // Their parts are on every other line.
    expect(await bench.ask('search', { pattern: 'const | sum' })).toContain('failed: No line matches');
    expect(await bench.ask('search', { pattern: 'sum(|one' })).toContain('It was taken literally');
  });

  it('leaves out what programs write, says how much, and shows it where it is named or nothing else has a hit', async () => {
    const built = Object.fromEntries(
      ['dist/a.js', 'lib/a.min.js', 'lib/a.min.js.map', 'yarn.lock', 'locales/fr.json', 'x/__snapshots__/a.snap'].map(
        (path) => [path, `${'parseCart only_built\n'.repeat(400)}`],
      ),
    );
    const wide = `var a=${'1+'.repeat(300)}parseCart;\n`;
    await using bench = await workbench({
      ...built,
      'lib/bundle.cjs': wide,
      'locales/en.json': '{ "cart": "parseCart" }\n',
      'src/lock.ts': '    parseCart(1);\n',
    });
    expect(await bench.ask('search', { pattern: 'parseCart' })).toMatchInlineSnapshot(`
      "search "parseCart" at …
      found: locales/en.json:
           1 | { "cart": "parseCart" }
      src/lock.ts:
           1 |     parseCart(1);
      [cut: Left out: 1061 hits in 7 such files, as dist/a.js (generated, locked or translated); "paths" shows them.]"
    `);
    expect(await bench.ask('search', { pattern: 'parseCart', paths: ['dist'], limit: 1 })).toContain(
      'found: dist/a.js:',
    );
    expect(await bench.ask('search', { pattern: 'parseCart', paths: ['locales'], limit: 9 })).toContain(
      'locales/fr.json:',
    );
    expect(await bench.ask('search', { pattern: 'only_built', limit: 9 })).toContain('found: dist/a.js:');
    await bench.ask('replace', { path: 'src/lock.ts', old: 'parseCart(1)', new: 'parseCart(2)' });
    expect(await bench.ask('search', { pattern: 'parseCart' })).toContain(
      'src/lock.ts (edited):\n     1 |     parseCart(2);',
    );
  });

  it('shows the only hit in source though a built file has more than are counted', async () => {
    await using bench = await workbench({
      'dist/bundle.js': 'readOption();\n'.repeat(1_200),
      'src/options.js': 'readOption();\n',
    });
    const answer = await bench.ask('search', { pattern: 'readOption' });
    expect(answer).toContain('found: src/options.js:\n     1 | readOption();');
    expect(answer).not.toContain('dist/bundle.js:');
  });

  it('leaves out no file that people write by the name of its folder', async () => {
    const paths = [
      ...[
        'lib/lang/rules.yaml',
        'src/api.esm.js',
        'src/dist/a.js',
        'src/i18n/config.json',
        'src/languages/python.json',
      ],
    ];
    const written = Object.fromEntries(paths.map((path) => [path, 'parseCart\n']));
    const built = ['i18n/pt-BR.json', 'i18n/zh_CN/a.json', 'i18n/messages_de.properties', 'packages/a/dist/a.js'];
    await using bench = await workbench({
      ...written,
      ...Object.fromEntries(built.map((path) => [path, 'parseCart\n'])),
    });
    const answer = await bench.ask('search', { pattern: 'parseCart' });
    expect([...answer.matchAll(/^(?:found: )?(\S+\.\w+):$/gm)].map(([, path]) => path)).toEqual(paths);
    expect(answer).toContain('Left out: 4 hits in 4 such files');
  });

  it('answers by folder where a word is in many files, with a few of them, source first', async () => {
    const many = (folder: string, count: number) =>
      Object.fromEntries(
        Array.from(
          { length: count },
          (_, index) => [`${folder}/f${index}.ts`, 'total\ntotal\ntotal\ntotal\n'] as const,
        ),
      );
    await using bench = await workbench({ ...many('docs', 20), ...many('src/core', 20), ...many('test', 10) });
    const answer = await bench.ask('search', { pattern: 'total' });
    expect(answer).toContain(
      'found: 200 hits in 50 files; hits by folder:\n    80 in 20 of docs\n    80 in 20 of src/core\n    40 in 10 of test\nSome of them:\nsrc/core/f0.ts:',
    );
    expect(answer.match(/^src\/core\/f\d+\.ts:$/gm)).toHaveLength(8);
    expect(answer).not.toContain('docs/f0.ts');
    const more = await bench.ask('search', { pattern: 'total', limit: 90 });
    expect(more).toContain('found: src/core/f0.ts:');
    expect(more).not.toContain('by folder');
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

  it('says before the lines what is cut of them', async () => {
    const method = (name: string) => `export function ${name}() {\n${'  // Nothing is done here.\n'.repeat(350)}}\n`;
    await using bench = await workbench({ 'a.ts': `${method('one')}${method('two')}${method('three')}` });
    const answer = await bench.ask('read_files', { files: [{ path: 'a.ts' }] });
    const [, last = '', from = ''] =
      /found: a\.ts, lines 1–(\d+) of 1056; cut, (\d+)–1056 left out: three \(705\):\n/.exec(answer) ?? [];
    expect(Number(from)).toBe(Number(last) + 1);
    expect(answer).toContain(`[cut: a.ts is cut after line ${last}: continue with "from": ${from}.]`);
    expect(await bench.ask('read_files', { files: [{ path: 'a.ts', symbol: 'two' }] })).toContain(
      'lines 353–704 of 1056:',
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

describe('outline', () => {
  it.each([
    [
      'test/cart.test.ts',
      "describe('cart', () => {\n  it.each([1])('adds %i', () => {});\n  it.each([\n    2,\n  ])('takes %i', () => {});\n});\n",
      ['describe(', "  it.each([1])('adds %i'", "  ])('takes %i'"],
    ],
    ['test/compress/a.js', 'keeps_names: {\n    input: {\n    }\n}\n', ['keeps_names: {']],
    [
      'cart_test.go',
      'func TestCart(t *testing.T) {\n\ttests := []x{\n\t\t{name: "empty"},\n\t}\n\tt.Run("full", f)\n}\n',
      ['function: func TestCart', '\t\t{name: "empty"}', '\tt.Run("full"'],
    ],
    [
      'tests/test_cart.py',
      'class TestCart:\n    def test_empty(self):\n        pass\n',
      ['class: class TestCart', 'function: def test_empty'],
    ],
    [
      'spec/cart_spec.rb',
      "RSpec.describe Cart do\n  context 'when empty' do\n    it 'is worth nothing' do\n",
      ['RSpec.describe Cart do', "  context 'when empty'", "    it 'is worth"],
    ],
    [
      'src/test/java/CartTest.java',
      'class CartTest {\n  @Test\n  @DisplayName("is empty")\n  void empty() {\n  }\n}\n',
      ['class: class CartTest', '  @DisplayName("is empty")', 'function: void empty()'],
    ],
    [
      'package.json',
      '{\n  "name": "shop",\n  "exports": {\n    ".": {\n      "import": "./a.js"\n    }\n  }\n}\n',
      ['  "name": "shop",', '  "exports": {', '    ".": {'],
    ],
    ['ci.yml', 'on: push\njobs:\n  test:\n    steps:\n', ['on: push', 'jobs:', '  test:']],
    ['pyproject.toml', 'name = "x"\n[tool.ruff]\nline-length = 80\n', ['name = "x"', '[tool.ruff]', 'line-length']],
    ['setup.cfg', '[metadata]\nname = x\n', ['[metadata]', 'name = x']],
    ['prices.csv', 'sku,cents\na,1\nb,2\n', ['sku,cents (2 rows below)']],
  ])('lists the titles of tests and the keys of data: %s', async (path, text, rows) => {
    await using bench = await workbench({ [path]: text });
    const shown = (await bench.ask('outline', { paths: [path] })).split('\n').slice(2);
    expect(shown).toHaveLength(rows.length);
    for (const [index, row] of rows.entries()) expect(shown[index]).toContain(`| ${row}`);
  });

  it('shows the outermost keys alone where there are many, and no titles of what is no test', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `    "key${index}": {},\n`).join('');
    await using bench = await workbench({
      'flat.json': '{\n  "a": 1,\n  "b": 2\n}\n',
      'big.json': `{\n  "first": {\n${keys}    "last": {}\n  },\n  "second": 2\n}\n`,
      'src/run.js': "it('is no test', f);\n",
    });
    expect(await bench.ask('outline', { paths: ['big.json'] })).toContain(
      'found: big.json:\n     2 |   "first": {\n   205 |   "second": 2',
    );
    expect(await bench.ask('outline', { paths: ['flat.json'] })).toContain('     2 |   "a": 1,\n     3 |   "b": 2');
    expect(await bench.ask('outline', { paths: ['src/run.js'] })).toContain('nothing: src/run.js: no definition');
  });
});

describe('what is installed', () => {
  const files = {
    'package.json': '{ "dependencies": { "@shop/money": "^2.0.0", "left-pad": "^1.0.0" } }\n',
    'package-lock.json': JSON.stringify(
      {
        packages: {
          '': { dependencies: { '@shop/money': '^2.0.0', 'left-pad': '^1.0.0' } },
          'node_modules/@shop/money': { version: '2.4.1' },
        },
      },
      null,
      2,
    ),
    'poetry.lock': '[[package]]\nname = "click"\nversion = "8.1.7"\n',
    'go.mod': 'module shop\n\nrequire github.com/acme/tax v1.3.0\n',
  };

  it.each([
    ['node_modules/@shop/money/dist/round.js', '@shop/money 2.4.1 (by package-lock.json), a dependency'],
    ['packages/a/node_modules/left-pad/index.js', 'left-pad 1.0.0 (by package-lock.json), a dependency'],
    ['/usr/lib/python3.12/site-packages/click/core.py', 'click 8.1.7 (by poetry.lock), a dependency'],
    ['vendor/github.com/acme/tax/rate.go', 'github.com/acme/tax 1.3.0 (by go.mod), a dependency'],
    ['node_modules/none/index.js', 'none, a dependency whose version no lock file in the root names'],
  ])('is named with its version: %s', async (path, which) => {
    await using bench = await workbench(files);
    const plain = path.replace(/^\//, '');
    expect(await bench.ask('read_files', { files: [{ path }] })).toContain(
      `nothing: ${plain} is of ${which}: its source isn't available here.`,
    );
    expect(await bench.ask('search', { pattern: 'round', paths: [path] })).toContain(
      `nothing: ${plain} is of ${which}`,
    );
  });

  it('is named neither for a folder "vendor" that no lock file knows, nor with the version of a comment', async () => {
    await using bench = await workbench({ 'requirements.txt': '# not for yaml 5.0\nyaml==6.1 # yaml 5.1 fails\n' });
    const wrong = await bench.ask('read_files', { files: [{ path: 'vendor/app/helpers.rb' }] });
    expect(wrong).not.toContain('a dependency');
    expect(await bench.ask('read_files', { files: [{ path: 'site-packages/yaml/a.py' }] })).toContain('yaml 6.1 (by');
  });

  it('is read where the repository has it', async () => {
    await using bench = await workbench({ ...files, 'vendor/github.com/acme/tax/rate.go': 'package tax\n' });
    expect(await bench.ask('read_files', { files: [{ path: 'vendor/github.com/acme/tax/rate.go' }] })).toContain(
      'package tax',
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

  it('shows the newest changes first, and none that a program made unless it is named', async () => {
    const repo = await gitRepository();
    const built = (word: string) =>
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`dist/f${at}.js`, `${word}();\n`]));
    const shas: string[] = [];
    for (const [index, text] of ['a();\n', 'retry();\na();\n', 'a();\n', 'b();\nretry();\n'].entries())
      shas.push(
        await repo.commit({ 'src/a.ts': text, ...built(text.includes('retry') ? 'retry' : 'x') }, `Step ${index}`),
      );
    const rebuilt = await repo.commit({ 'dist/f0.js': 'x();\n' }, 'Build again');
    await using bench = await openWorkbench(repo);
    const answer = await bench.ask('history', { text: 'retry' });
    expect([...answer.matchAll(/^In (\w+):$/gm)].map(([, sha]) => sha)).toEqual(
      [3, 2, 1].map((index) => shas[index]?.slice(0, 10)),
    );
    expect(answer).not.toContain('dist/');
    expect(answer).not.toContain(rebuilt.slice(0, 10));
    expect(answer).toContain('[cut: Generated files were not looked at ("path" does).]');
    expect(await bench.ask('history', { text: 'never' })).toContain('Generated files were not looked at');
    expect(await bench.ask('history', { text: 'retry', path: 'dist/f0.js' })).toContain(rebuilt.slice(0, 10));
    const one = await bench.ask('compare', { commit: shas[3] ?? '' });
    expect(one).toContain('+retry();');
    expect(one).toContain('modified dist/f0.js');
    const names = await bench.ask('compare', { commit: shas[3] ?? '', files: true });
    expect(names).toMatch(/^compare files in commit "\w+" at …\nfound: 13 files:\nmodified src\/a\.ts\nmodified dist/);
    expect(names).not.toContain('+retry();');
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
    const places = ['+source', '+test', '+c', '1 longer or generated patch not shown'].map((text) =>
      answer.indexOf(text),
    );
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
