// What each lookup answers, as the model sees it, on a real repository.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { createToolbox } from '../../../src/investigate/tools/toolbox.ts';
import { pathProject, SIGNAL, testSource } from '../../support/project-source.ts';
import { ask as askToolbox, openWorkbench, type Workbench, workbench } from './workbench.ts';

const SHOP = `import { tax } from './tax.ts';

export interface Item {
  price: number;
}

export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum + tax(sum);
}
`;
const LOG = [
  '2024-01-01T00:00:00.0000000Z npm test',
  ...Array.from({ length: 150 }, (_, i) => `line ${i + 2}`),
  '\u001b[31mError: expected 3\u001b[0m',
];

let bench: Workbench;
const ask = (name: string, given?: unknown) => bench.ask(name, given);

beforeAll(async () => {
  const repo = await gitRepository();
  const files = {
    'README.md': '# Shop\n',
    'src/shop.ts': SHOP.replace(' + tax(sum)', ''),
    'src/old.ts': 'export const old = 1;\n',
    'logo.png': Buffer.from([137, 80, 0, 1]),
    'big.txt': Array.from({ length: 2_000 }, (_, i) => `row ${i + 1}\n`).join(''),
    'wide.txt': `${'w'.repeat(3_000)}\n`,
    '.github/CODEOWNERS': '* @everyone\n/src/ @shop-team\n/src/old.ts\n',
    'many/a.txt': 'x\n',
  };
  await repo.commit(files, 'Begin', { author: 'Ada Example' });
  repo.tag('v1.0.0');
  await repo.commit(
    { 'src/shop.ts': SHOP, 'src/tax.ts': 'export const tax = (sum: number) => sum * 0.2;\n' },
    'Add tax',
    {
      author: 'Grace Example',
    },
  );
  repo.git('update-index', '--add', '--cacheinfo', `120000,${repo.git('hash-object', '-w', '--stdin')},link`);
  repo.git('commit', '--quiet', '-m', 'Link');
  bench = await openWorkbench(repo, LOG.join('\n'));
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Shas and the order of two commits of one minute differ from run to run. */
function plain(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{10}\b/g, '<sha>').replaceAll(/index [0-9a-f.]+/g, 'index …');
}

describe('list_files', () => {
  it('shows one folder: folders with the number of files, files with their size', async () => {
    expect(await ask('list_files')).toMatchInlineSnapshot(`
      "list the root at …
      found: .github/ (1 file)
      many/ (1 file)
      src/ (3 files)
      README.md (7 bytes)
      big.txt (16893 bytes)
      link (symbolic link)
      logo.png (4 bytes)
      wide.txt (3001 bytes)"
    `);
    expect(await ask('list_files', { folder: './src/' })).toMatchInlineSnapshot(`
      "list src at …
      found: src/old.ts (22 bytes)
      src/shop.ts (213 bytes)
      src/tax.ts (47 bytes)"
    `);
  });

  it('finds files by a glob below the folder', async () => {
    expect(await ask('list_files', { glob: '*.ts' })).toMatchInlineSnapshot(`
      "list the root matching "*.ts" at …
      found: src/old.ts (22 bytes)
      src/shop.ts (213 bytes)
      src/tax.ts (47 bytes)"
    `);
    expect(await ask('list_files', { folder: 'src', glob: '**/{tax,none}.ts' })).toMatchInlineSnapshot(`
      "list src matching "**/{tax,none}.ts" at …
      found: src/tax.ts (47 bytes)"
    `);
    expect(await ask('list_files', { glob: '*.rs' })).toMatchInlineSnapshot(`
      "list the root matching "*.rs" at …
      nothing: No file or folder below the root matches "*.rs"."
    `);
  });

  it('says that there is no such folder, or that it is a file', async () => {
    expect(await ask('list_files', { folder: 'lib' })).toMatchInlineSnapshot(`
      "list lib at …
      failed: There is no folder "lib". List the one above it."
    `);
    expect(await ask('list_files', { folder: 'README.md' })).toMatchInlineSnapshot(`
      "list README.md at …
      failed: "README.md" is a file; read it."
    `);
  });
});

describe('read_files', () => {
  it('shows several files and ranges in one answer, each line with its number', async () => {
    const files = [{ path: 'src/shop.ts', from: 7, to: 11 }, { path: '/src/tax.ts' }];
    expect(await ask('read_files', { files })).toMatchInlineSnapshot(`
      "read src/shop.ts lines 7–11; /src/tax.ts at …
      found: src/shop.ts, lines 7–11 of 11:
         7 | export function total(items: Item[]): number {
         8 |   let sum = 0;
         9 |   for (const item of items) sum += item.price;
        10 |   return sum + tax(sum);
        11 | }

      src/tax.ts, lines 1–1 of 1:
        1 | export const tax = (sum: number) => sum * 0.2;"
    `);
  });

  it('says where to go on when it is cut', async () => {
    const answer = await ask('read_files', { files: [{ path: 'big.txt' }] });
    const [, next = ''] = /\[cut: big\.txt is cut after line \d+: continue with "from": (\d+)\.\]/.exec(answer) ?? [];
    expect(answer).toContain(`${Number(next) - 1} | row ${Number(next) - 1}\n`);
    expect(Buffer.byteLength(answer)).toBeLessThan(16_500);
    expect(await ask('read_files', { files: [{ path: 'big.txt', from: Number(next), to: Number(next) }] })).toContain(
      `| row ${next}`,
    );
  });

  it('serves the files in the given order, and shares the space among them', async () => {
    const answer = await ask('read_files', {
      files: [{ path: 'big.txt' }, { path: 'src/shop.ts' }, { path: 'big.txt', from: 1_000 }],
    });
    expect(answer).toContain('return sum + tax(sum);');
    expect(answer).toContain('row 1000');
    expect(Buffer.byteLength(answer)).toBeLessThan(16_700);
  });

  it('cuts a very long line', async () => {
    expect(await ask('read_files', { files: [{ path: 'wide.txt' }] })).toContain('w… (3000 characters in this line)');
  });

  it('says why there is nothing to read', async () => {
    const files = ['src/shopp.ts', 'logo.png', 'link', 'src', '../x'].map((path) => ({ path }));
    expect(await ask('read_files', { files: [...files, { path: 'README.md', from: 5 }] })).toMatchInlineSnapshot(`
      "read src/shopp.ts; logo.png; link; src; ../x; README.md lines 5–end at …
      failed: There is no src/shopp.ts. Perhaps: src/shop.ts.

      logo.png is binary (4 bytes).

      link is a symbolic link to "".

      src is a folder; list it.

      There is no ../x.

      README.md has 1 lines; none is in that range."
    `);
    expect(await ask('read_files', { files: [{ path: 'README.md', from: 5, to: 2 }] })).toMatchInlineSnapshot(`
      "read README.md lines 5–2 at …
      nothing: README.md has 1 lines; none is in that range."
    `);
  });
});

describe('outline', () => {
  it('shows definitions with their lines', async () => {
    expect(await ask('outline', { paths: ['src/shop.ts', 'README.md', 'none.ts'] })).toMatchInlineSnapshot(`
      "outline src/shop.ts, README.md, none.ts at …
      found: src/shop.ts:
           3 | interface: export interface Item {
           7 | function: export function total(items: Item[]): number {

      README.md: no definition was recognised; read the file.

      There is no none.ts."
    `);
  });
});

describe('search', () => {
  it('shows lines by file', async () => {
    expect(await ask('search', { pattern: 'tax(' })).toMatchInlineSnapshot(`
      "search "tax(" at …
      found: src/shop.ts:
          10 |   return sum + tax(sum);"
    `);
    expect(
      await ask('search', { pattern: 'TAX|old\\b', regex: true, ignore_case: true, paths: ['src'] }),
    ).toMatchInlineSnapshot(`
      "search /TAX|old\\b/ as an expression ignoring case in src at …
      found: src/old.ts:
           1 | export const old = 1;
      src/shop.ts:
           1 | import { tax } from './tax.ts';
          10 |   return sum + tax(sum);
      src/tax.ts:
           1 | export const tax = (sum: number) => sum * 0.2;"
    `);
  });

  it('tells nothing found from a fault in the question', async () => {
    expect(await ask('search', { pattern: 'nowhere' })).toMatchInlineSnapshot(`
      "search "nowhere" at …
      nothing: No line matches "nowhere"."
    `);
    expect(await ask('search', { pattern: 'tax', paths: ['lib'] })).toMatchInlineSnapshot(`
      "search "tax" in lib at …
      failed: No file of this commit is at "lib". List the files to see which there are."
    `);
    expect(await ask('search', { pattern: '(tax', regex: true })).toMatch(/\nfailed: /);
  });

  it('says that there is more, and how to see it', async () => {
    expect(await ask('search', { pattern: 'row', limit: 2 })).toMatchInlineSnapshot(`
      "search "row" up to 2 hits at …
      found: big.txt:
           1 | row 1
           2 | row 2
             … 998 more in this file ("per_file")
      [cut: Only the first 1000 hits; there are more.]"
    `);
  });
});

describe('history, blame and compare', () => {
  it('lists commits of a path, of lines, with words', async () => {
    expect(plain(await ask('history', { path: 'src/shop.ts' }))).toMatchInlineSnapshot(`
      "history of src/shop.ts at …
      found: <sha> 2024-01-01 Grace Example: Add tax
      <sha> 2024-01-01 Ada Example: Begin"
    `);
    expect(plain(await ask('history', { path: 'src/shop.ts', from: 10, to: 10 }))).toMatchInlineSnapshot(`
      "history of src/shop.ts lines 10–10 at …
      found: <sha> 2024-01-01 Grace Example: Add tax
      <sha> 2024-01-01 Ada Example: Begin

      In <sha>:
      src/shop.ts
      @@ -7,5 +7,5 @@ export interface Item {
       export function total(items: Item[]): number {
         let sum = 0;
         for (const item of items) sum += item.price;
      -  return sum;
      +  return sum + tax(sum);
       }"
    `);
    expect(await ask('history', { message: 'nobody wrote this' })).toMatchInlineSnapshot(`
      "history with "nobody wrote this" in the message at …
      nothing: No such commit with "nobody wrote this" in the message."
    `);
    expect(await ask('history', { from: 1 })).toMatchInlineSnapshot(`
      "history lines 1–1 at …
      failed: Lines need a "path"."
    `);
  });

  it('lists what came after the commit on the default branch, where a fault may be fixed already', async () => {
    await using repo = await gitRepository();
    const old = await repo.commit({ 'a.ts': 'one\n' }, 'Begin');
    await repo.commit({ 'a.ts': 'two\n' }, 'Mend the crash');
    await repo.commit({ 'b.ts': 'three\n' }, 'Add b');
    await using made = testSource();
    const repository = await made.source.open(pathProject(repo.path), SIGNAL);
    const at = (sha: string) => {
      const tree = repository.tree(sha);
      return createToolbox({ repository, tree, rawTree: tree, clean: async (text) => text, ciLog: null });
    };
    expect(await askToolbox(at(old), 'history', { newer: true, path: 'a.ts' })).toMatch(
      /^history after this commit of a\.ts at …\nfound: [0-9a-f]{10} .*Mend the crash$/,
    );
    expect(await askToolbox(at(old), 'history', { newer: true, message: 'begin' })).toContain(
      'nothing: No such commit',
    );
    const head = (await repository.resolve('', SIGNAL)) ?? '';
    expect(await askToolbox(at(head), 'history', { newer: true })).toContain('This commit is the newest.');
    repo.branch('mine');
    const mine = await repo.commit({ 'c.ts': 'four\n' }, 'Add c', { branch: 'mine' });
    repo.git('switch', '--quiet', 'main');
    expect(await askToolbox(at(mine), 'history', { newer: true })).toContain('This commit has all of main.');
  });

  it('names the commit of each line', async () => {
    expect(plain(await ask('blame', { path: 'src/shop.ts', from: 8, to: 11 }))).toMatchInlineSnapshot(`
      "blame src/shop.ts lines 8–11 at …
      found: lines 8–9: <sha> 2024-01-01 Ada Example: Begin (the oldest commit known here)
      line 10: <sha> 2024-01-01 Grace Example: Add tax
      line 11: <sha> 2024-01-01 Ada Example: Begin (the oldest commit known here)"
    `);
    expect(await ask('blame', { path: 'src/shop.ts', from: 80, to: 81 })).toMatchInlineSnapshot(`
      "blame src/shop.ts lines 80–81 at …
      nothing: src/shop.ts has 11 lines at this commit; there is no line 80."
    `);
    expect(await ask('blame', { path: 'src/shpo.ts', from: 1, to: 1 })).toMatchInlineSnapshot(`
      "blame src/shpo.ts lines 1–1 at …
      failed: There is no src/shpo.ts. Perhaps: src/shop.ts."
    `);
  });

  it('tells what changed since another commit', async () => {
    expect(plain(await ask('compare', { from: 'v1.0.0' }))).toMatchInlineSnapshot(`
      "compare from "v1.0.0" at …
      found: 2 commits:
      <sha> 2024-01-01 Ada Example: Link
      <sha> 2024-01-01 Grace Example: Add tax
      3 files:
      added link
      modified src/shop.ts
      added src/tax.ts
      diff --git a/link b/link
      new file mode 120000
      index …
      diff --git a/src/shop.ts b/src/shop.ts
      index … 100644
      --- a/src/shop.ts
      +++ b/src/shop.ts
      @@ -7,5 +7,5 @@ export interface Item {
       export function total(items: Item[]): number {
         let sum = 0;
         for (const item of items) sum += item.price;
      -  return sum;
      +  return sum + tax(sum);
       }
      diff --git a/src/tax.ts b/src/tax.ts
      new file mode 100644
      index …
      --- /dev/null
      +++ b/src/tax.ts
      @@ -0,0 +1 @@
      +export const tax = (sum: number) => sum * 0.2;"
    `);
    expect(plain(await ask('compare', { from: 'v1.0.0', path: 'src/tax.ts' }))).toMatchInlineSnapshot(`
      "compare src/tax.ts from "v1.0.0" at …
      found: added src/tax.ts
      diff --git a/src/tax.ts b/src/tax.ts
      new file mode 100644
      index …
      --- /dev/null
      +++ b/src/tax.ts
      @@ -0,0 +1 @@
      +export const tax = (sum: number) => sum * 0.2;"
    `);
    expect(plain(await ask('compare', { commit: 'v1.0.0' }))).toMatch(
      /^compare in commit "v1.0.0".*\nfound: 1 commit:/,
    );
    expect(plain(await ask('compare', { commit: 'HEAD~1', path: 'src/tax.ts' }))).toContain('There is no commit');
    const { sha = '' } = /^found: [^\n]+\n(?<sha>[0-9a-f]{7,})/m.exec(await ask('history', { limit: 2 }))?.groups ?? {};
    expect(await ask('compare', { commit: sha, path: 'src/tax.ts' })).toContain('+export const tax');
    expect(await ask('compare', { commit: sha, path: 'link' })).toContain('nothing: Nothing in link changed in');
    expect(await ask('compare', {})).toContain('failed: Give one of "from", "commit" and "edits".');
    expect(await ask('compare', { from: 'v9' })).toMatchInlineSnapshot(`
      "compare from "v9" at …
      failed: There is no commit, branch or tag "v9". The history lists commits."
    `);
    expect(plain(await ask('compare', { from: 'v1.0.0', path: 'README.md' }))).toMatchInlineSnapshot(`
      "compare README.md from "v1.0.0" at …
      nothing: Nothing in README.md changed since <sha>."
    `);
  });
});

describe('what a model takes for something else', () => {
  it('is explained: an expression sent as text, a glob that means folders', async () => {
    expect(await ask('search', { pattern: 'tax\\(|total' })).toContain('No line has it as text; as an expression:');
    expect(await ask('search', { pattern: 'nowhere' })).not.toContain('taken literally');
    const folders = await ask('list_files', { glob: 'sr?' });
    expect(folders).toContain('found: No file matches "sr?", but folders do. Files in them:\nsrc/');
  });
});

describe('ci_log', () => {
  it('shows the end of the log, without times and colours', async () => {
    const answer = await ask('ci_log');
    expect(answer).toContain('Text of the report, lines 53–152 of 152:');
    expect(answer).toContain('152 | Error: expected 3\n[cut: Lines 1–52 are not shown: ask for a range or "find".]');
    expect(await ask('ci_log', { from: 1, to: 2 })).toMatchInlineSnapshot(`
      "ci_log lines 1–2
      found: Text of the report, lines 1–2 of 152:
        1 | npm test
        2 | line 2"
    `);
  });

  it('finds text in it', async () => {
    expect(await ask('ci_log', { find: 'ERROR' })).toMatchInlineSnapshot(`
      "ci_log: find "ERROR"
      found:   152 | Error: expected 3"
    `);
    expect(await ask('ci_log', { find: 'absent' })).toMatchInlineSnapshot(`
      "ci_log: find "absent"
      nothing: No line of the text contains "absent" (152 lines)."
    `);
    expect(await ask('ci_log', { find: 'line', from: 149 })).toMatchInlineSnapshot(`
      "ci_log: find "line" in lines 149–end
      found:   149 | line 149
        150 | line 150
        151 | line 151"
    `);
    expect(await ask('ci_log', { from: 500 })).toMatchInlineSnapshot(`
      "ci_log lines 500–end
      nothing: The text has 152 lines; there is no line 500."
    `);
  });

  it('says that there is none', async () => {
    await using none = await openWorkbench(await gitRepositoryWithOneFile());
    expect(await none.ask('ci_log')).toMatchInlineSnapshot(`
      "ci_log: the last 100 lines
      nothing: No text came with the report."
    `);
    expect(await none.ask('owners', { paths: ['a'] })).toMatchInlineSnapshot(`
      "owners of a at main
      nothing: There is no CODEOWNERS file at main (.github/CODEOWNERS, CODEOWNERS, docs/CODEOWNERS)."
    `);
  });
});

describe('owners', () => {
  it('names the owners and the rule that decides', async () => {
    expect(await ask('owners', { paths: ['src/shop.ts', 'src/old.ts', 'README.md'] })).toMatchInlineSnapshot(`
      "owners of src/shop.ts, src/old.ts, README.md at main
      found: src/shop.ts: @shop-team (.github/CODEOWNERS:2, /src/)
      src/old.ts: no owner (.github/CODEOWNERS:3, /src/old.ts)
      README.md: @everyone (.github/CODEOWNERS:1, *)"
    `);
  });
});

it('fails one lookup where the clone lacks a content, as a partial one does', async () => {
  const prepare = (repo: GitRepository) => {
    const sha = repo.git('rev-parse', 'HEAD:gone.txt').trim();
    rmSync(join(repo.path, '.git', 'objects', sha.slice(0, 2), sha.slice(2)));
  };
  await using partial = await workbench({ 'a.txt': 'a\n', 'gone.txt': 'gone\n' }, { prepare });
  expect(await partial.ask('read_files', { files: [{ path: 'gone.txt' }] })).toContain('failed: Something that this');
  expect(await partial.ask('history', { text: 'gone' })).toContain('failed: Something that this');
  expect(await partial.ask('read_files', { files: [{ path: 'a.txt' }] })).toContain('found');
});

async function gitRepositoryWithOneFile() {
  const repo = await gitRepository();
  await repo.commit({ a: 'a\n' }, 'Begin');
  return repo;
}
