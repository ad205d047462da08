// The editing tools and the overlay: what is placed, what is refused and why, and the change set that it comes to.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import type { Toolbox } from '../../../src/investigate/tools/toolbox.ts';
import { ask as askToolbox, openWorkbench, type Workbench, workbench } from './workbench.ts';

const ADD = 'export function add(a: number, b: number) {\n  return a - b;\n}\n';

let bench: Workbench;
let box: Toolbox;

beforeAll(async () => {
  const repo = await gitRepository();
  await repo.commit(
    {
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'c.txt': 'c\n',
      'src/add.ts': ADD,
      'src/broken.ts': 'const = ;\n',
      'src/Upper.ts': 'x;\n',
      'tool.sh': 'echo 1\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'bin.dat': Buffer.from([0, 1]),
      'latin.txt': Buffer.from([0x61, 0xe9, 0x0a]),
      'large.txt': 'large line\n'.repeat(120_000),
      'wide.txt': 'w'.repeat(20_000),
      'back\\slash.txt': 'x\n',
    },
    'Begin',
  );
  const blob = repo.git('rev-parse', 'HEAD:a.txt');
  repo.git('update-index', '--chmod=+x', 'tool.sh');
  repo.git('update-index', '--add', '--cacheinfo', `120000,${blob},link`);
  repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},module`);
  repo.git('commit', '--quiet', '-m', 'More');
  bench = await openWorkbench(repo);
});
beforeEach(async () => {
  box = await bench.again();
});
afterAll(() => bench[Symbol.asyncDispose]());

const ask = (name: string, given: unknown) => askToolbox(box, name, given);
const changes = () => box.overlay.changeSet().files;
const replace = (path: string, old: string, fresh: string, line?: number) =>
  ask('replace', { path, old, new: fresh, ...(line === undefined ? {} : { line }) });
const create = (path: string, content = 'new\n') => ask('create_file', { path, content });
const remove = (path: string) => ask('delete_file', { path });
const rename = (from: string, to: string) => ask('rename_file', { from, to });

describe('replace', () => {
  it('shows the place as it reads now', async () => {
    expect(await replace('src/add.ts', 'return a - b;', 'return a + b;')).toMatchInlineSnapshot(`
      "replace in src/add.ts
      found: src/add.ts: replaced line 2, now line 2. The old text was found exactly."
    `);
    expect(changes()).toEqual([
      { kind: 'modified', path: 'src/add.ts', before: ADD, after: ADD.replace('a - b', 'a + b') },
    ]);
    expect(box.overlay.changeSet().base).toMatch(/^[0-9a-f]{40}$/);
  });

  it('says what it overlooked', async () => {
    expect(await replace('src/add.ts', '    return a - b;  ', '    return a + b;')).toMatchInlineSnapshot(`
      "replace in src/add.ts
      found: src/add.ts: replaced line 2, now line 2. The old text was found up to white space; the indentation of the new text was adjusted."
    `);
  });

  it('says where the text is if that is ambiguous, and what is nearest if it is absent', async () => {
    await create('twice.txt', 'x = 1\ny = 2\nx = 1\n');
    expect(await replace('twice.txt', 'x = 1', 'x = 3')).toMatchInlineSnapshot(`
      "replace in twice.txt
      failed: Nothing was changed: the old text occurs in twice.txt at lines 1, 3: add lines around it, or give "line" with one of these."
    `);
    expect(await replace('twice.txt', 'x = 1', 'x = 3', 3)).toContain('\nfound: ');
    expect(await replace('src/add.ts', 'return a * b;', 'return a + b;')).toMatchInlineSnapshot(`
      "replace in src/add.ts
      failed: Nothing was changed: the old text is not in src/add.ts. The nearest text:
        1 | export function add(a: number, b: number) {
        2 |   return a - b;
        3 | }"
    `);
  });

  it('refuses what would no longer parse, and leaves the file as it was', async () => {
    expect(await replace('src/add.ts', 'return a - b;\n}', 'return a + b;')).toMatchInlineSnapshot(`
      "replace in src/add.ts
      failed: Nothing was changed: src/add.ts would no longer parse: line 2, "}" is missing. Replace a whole construct at once."
    `);
    expect(changes()).toEqual([]);
    expect(await replace('src/broken.ts', 'const = ;', 'const = = ;')).toContain('\nfound: ');
  });

  it('builds on the edit before it, and comes to nothing when that is taken back', async () => {
    await replace('a.txt', 'a', 'first');
    await replace('a.txt', 'first', 'second');
    expect(changes()).toEqual([{ kind: 'modified', path: 'a.txt', before: 'a\n', after: 'second\n' }]);
    await replace('a.txt', 'second', 'a');
    expect(changes()).toEqual([]);
  });

  it('keeps CRLF', async () => {
    await replace('crlf.txt', 'two', 'two\nthree');
    expect(changes()).toMatchObject([{ after: 'one\r\ntwo\r\nthree\r\n' }]);
  });

  it('takes each edit on what the one before it made', async () => {
    await replace('a.txt', 'a', 'b');
    await replace('a.txt', 'b', 'c');
    await rename('a.txt', 'd.txt');
    await replace('d.txt', 'c', 'd');
    expect(changes()).toEqual([{ kind: 'renamed', path: 'd.txt', previousPath: 'a.txt', before: 'a\n', after: 'd\n' }]);
  });

  it('refuses what is no text file that can be changed, and says why', async () => {
    const paths = [
      'bin.dat',
      'latin.txt',
      'large.txt',
      'wide.txt',
      'link',
      'module',
      'src',
      'srcc/add.ts',
      '../a.txt',
      'back\\slash.txt',
    ];
    const answers = await Promise.all(paths.map((path) => replace(path, 'x', 'y')));
    expect(answers.join('\n')).toMatchInlineSnapshot(`
      "replace in bin.dat
      failed: Nothing was changed: bin.dat is binary; only text can be changed.
      replace in latin.txt
      failed: Nothing was changed: latin.txt is binary; only text can be changed.
      replace in large.txt
      failed: Nothing was changed: large.txt is too large or has too long lines to be changed.
      replace in wide.txt
      failed: Nothing was changed: wide.txt is too large or has too long lines to be changed.
      replace in link
      failed: Nothing was changed: link is a symbolic link to "a\\n"; change the file it points to.
      replace in module
      failed: Nothing was changed: module is a submodule, another repository.
      replace in src
      failed: Nothing was changed: src is a folder.
      replace in srcc/add.ts
      failed: Nothing was changed: there is no srcc/add.ts; perhaps src/add.ts.
      replace in ../a.txt
      failed: Nothing was changed: "../a.txt" is not a path that is safe to change on every system.
      replace in back\\slash.txt
      failed: Nothing was changed: "back\\\\slash.txt" is not a path that is safe to change on every system."
    `);
    expect(await remove('link')).toContain('symbolic link');
    expect(await rename('module', 'other')).toContain('submodule');
    expect(changes()).toEqual([]);
  });
});

describe('create_file', () => {
  it('makes a file that reads, lists and searches see', async () => {
    expect(await create('src/new.ts', 'export const found = 1;\n')).toMatchInlineSnapshot(`
      "create src/new.ts
      found: src/new.ts is created with 1 line."
    `);
    expect(await ask('read_files', { files: [{ path: 'src/new.ts' }] })).toContain(
      'src/new.ts (edited), lines 1–1 of 1',
    );
    expect(await ask('list_files', { folder: 'src' })).toContain('src/new.ts (24 bytes)');
    expect(await ask('search', { pattern: 'found', paths: ['src/new.ts'] })).toContain(
      'src/new.ts (edited):\n     1 | export',
    );
    expect(await ask('outline', { paths: ['src/new.ts'] })).toContain('constant: export const found');
    expect(changes()).toEqual([
      { kind: 'added', path: 'src/new.ts', mode: '100644', after: 'export const found = 1;\n' },
    ]);
  });

  it('says if the new file seems not to parse', async () => {
    expect(await create('src/new.ts', 'const = 1;\n')).toMatchInlineSnapshot(`
      "create src/new.ts
      found: src/new.ts is created with 1 line. But it does not seem to parse: line 1, cannot read "const ="."
    `);
  });

  it('refuses paths where no file may be created', async () => {
    const paths = [
      'a.txt',
      'src',
      'a.txt/x',
      'link/x',
      'module/x',
      'A.TXT',
      'SRC/x.ts',
      'src/upper.ts',
      '../x',
      'x/../../y',
      '.git/config',
      '.GIT/x',
      'C:/x',
      'x\\y',
      'x//y',
      'zero\u200bwidth',
      'line\nbreak',
    ];
    const answers: string[] = [];
    for (const path of paths) answers.push((await create(path)).replace(/^.*\n/, ''));
    expect(answers.join('\n')).toMatchInlineSnapshot(`
      "failed: Nothing was changed: there is already a file at a.txt.
      failed: Nothing was changed: src is a folder.
      failed: Nothing was changed: a.txt is a file, not a folder.
      failed: Nothing was changed: link is a symbolic link, not a folder.
      failed: Nothing was changed: module is a submodule, not a folder.
      failed: Nothing was changed: a.txt exists, and on some systems A.TXT would be the same name; use its spelling.
      failed: Nothing was changed: src exists, and on some systems SRC would be the same name; use its spelling.
      failed: Nothing was changed: src/Upper.ts exists, and on some systems src/upper.ts would be the same name; use its spelling.
      failed: Nothing was changed: "../x" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: "x/../../y" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: ".git/config" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: ".GIT/x" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: "C:/x" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: "x\\\\y" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: "x//y" is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git".
      failed: Nothing was changed: "zero​width" contains an invisible character.
      failed: Nothing was changed: "line\\nbreak" contains an invisible character."
    `);
    expect(changes()).toEqual([]);
  });

  it('refuses what is no text or over 1 MiB', async () => {
    expect(await create('x', 'a\u0000')).toContain('\nfailed: ');
    expect(await create('x', 'a'.repeat(1024 * 1024 + 1))).toContain('larger than 1 MiB');
    expect(changes()).toEqual([]);
  });

  it('is a change of the file, with its mode, where that was deleted before', async () => {
    await remove('tool.sh');
    await create('tool.sh', 'echo 2\n');
    expect(changes()).toEqual([{ kind: 'modified', path: 'tool.sh', before: 'echo 1\n', after: 'echo 2\n' }]);
    await replace('tool.sh', '2', '1');
    expect(changes()).toEqual([]);
  });
});

describe('delete_file and rename_file', () => {
  it('take a file away from all lookups', async () => {
    expect(await remove('a.txt')).toMatchInlineSnapshot(`
      "delete a.txt
      found: a.txt is deleted."
    `);
    expect(await rename('b.txt', 'folder/b.txt')).toMatchInlineSnapshot(`
      "rename b.txt to folder/b.txt
      found: b.txt is now folder/b.txt."
    `);
    expect(await ask('read_files', { files: [{ path: 'a.txt' }, { path: 'b.txt' }] })).toContain(
      '\nfailed: There is no a.txt.',
    );
    expect(await ask('search', { pattern: 'b', word: true, paths: ['*.txt'] })).toContain('folder/b.txt (edited):');
    expect(await replace('a.txt', 'a', 'x')).toContain('you deleted or renamed it');
    expect(await ask('list_files', { glob: '*.txt' })).not.toMatch(/^(found: )?[ab]\.txt/m);
    expect(changes()).toEqual([
      { kind: 'deleted', path: 'a.txt', before: 'a\n' },
      { kind: 'renamed', path: 'folder/b.txt', previousPath: 'b.txt', before: 'b\n', after: 'b\n' },
    ]);
  });

  it('make a file that is renamed over a deleted one a change of that one', async () => {
    await remove('b.txt');
    await rename('a.txt', 'b.txt');
    expect(changes()).toEqual([
      { kind: 'deleted', path: 'a.txt', before: 'a\n' },
      { kind: 'modified', path: 'b.txt', before: 'b\n', after: 'a\n' },
    ]);
  });

  it('carry the mode along', async () => {
    await remove('a.txt');
    await rename('tool.sh', 'a.txt');
    expect(changes()).toEqual([
      { kind: 'modified', path: 'a.txt', before: 'a\n', after: 'echo 1\n', mode: '100755' },
      { kind: 'deleted', path: 'tool.sh', before: 'echo 1\n' },
    ]);
  });

  it('swap two files by three renames', async () => {
    for (const [from, to] of [
      ['a.txt', 't'],
      ['b.txt', 'a.txt'],
      ['t', 'b.txt'],
    ] as const)
      await rename(from, to);
    expect(changes()).toEqual([
      { kind: 'modified', path: 'a.txt', before: 'a\n', after: 'b\n' },
      { kind: 'modified', path: 'b.txt', before: 'b\n', after: 'a\n' },
    ]);
  });

  it('follow a chain of renames to the first name, and back to nothing', async () => {
    await rename('a.txt', 'x');
    await rename('x', 'y/z');
    expect(changes()).toEqual([{ kind: 'renamed', path: 'y/z', previousPath: 'a.txt', before: 'a\n', after: 'a\n' }]);
    await rename('y/z', 'a.txt');
    expect(changes()).toEqual([]);
  });

  it('forget a file that was made and is deleted again', async () => {
    await create('x');
    await remove('x');
    expect(changes()).toEqual([]);
  });

  it('may change the case of a name, and let a file become a folder', async () => {
    await rename('a.txt', 'A.txt');
    await rename('b.txt', 'b.txt/b');
    expect(changes()).toMatchObject([
      { kind: 'renamed', path: 'A.txt', previousPath: 'a.txt' },
      { kind: 'renamed', path: 'b.txt/b', previousPath: 'b.txt' },
    ]);
  });

  it('refuse a name that is taken, and a file that is not there', async () => {
    expect(await rename('a.txt', 'b.txt')).toMatchInlineSnapshot(`
      "rename a.txt to b.txt
      failed: Nothing was changed: there is already a file at b.txt."
    `);
    expect(await rename('a.txt', 'a.txt')).toContain('\nfailed: ');
    expect(await rename('none.txt', 'x')).toContain('\nfailed: ');
    expect(await remove('none.txt')).toMatchInlineSnapshot(`
      "delete none.txt
      failed: Nothing was changed: there is no none.txt; perhaps wide.txt or a.txt or b.txt or c.txt or large.txt."
    `);
    expect(changes()).toEqual([]);
  });
});

describe('lookups after edits', () => {
  it('keep to the lines of the commit where they ask git, and say so', async () => {
    await replace('src/add.ts', 'export', '// sum\nexport');
    expect(await ask('blame', { path: 'src/add.ts', from: 1, to: 1 })).toContain('before your edits');
  });

  it('do not let an expression hold up the service', async () => {
    await create('slow.txt', `${'a'.repeat(40)}!\n`.repeat(50));
    expect(await ask('search', { pattern: '(a+)+$', regex: true, paths: ['slow.txt'] })).toMatchInlineSnapshot(`
      "search /(a+)+$/ as an expression in slow.txt at …
      failed: The expression cannot be run, or takes too long, on the edited files. Use plain text or a simpler one."
    `);
  });
});

describe('the edits so far', () => {
  it('are shown as one patch, and as none before the first', async () => {
    await using fresh = await workbench({ 'a.txt': 'one\ntwo\n' });
    expect(await fresh.ask('compare', { edits: true })).toContain('nothing: Nothing was edited yet.');
    await fresh.ask('replace', { path: 'a.txt', old: 'two', new: '2' });
    expect(await fresh.ask('compare', { edits: true })).toContain('-two\n+2');
  });
});
