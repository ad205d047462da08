// One commit as a tree: listing, reading, history, blame and comparison, over names and contents of every kind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, treeOf } from './open-project.ts';

const HOSTILE_NAMES = [
  '--output=x',
  '-h',
  ':(glob)*',
  ':!a',
  'a\nb.txt',
  'quo"te.txt',
  "it's.txt",
  'back\\slash.txt',
  'tab\t.txt',
  'star*.txt',
  'br[a]cket.txt',
  'ünïcode/日本.txt',
  ' leading and trailing ',
  '.gitattributes',
  'a?b',
];

describe('resolving', () => {
  it('takes branches, tags and shas, and prefers the branch, then the tag', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const first = await repo.commit({ a: '1' }, 'first');
    repo.tag('v1', { message: 'annotated' });
    repo.tag('both');
    const second = await repo.commit({ a: '2' }, 'second');
    repo.branch('both');
    repo.branch('feature/x', first);
    repo.tag('nested', { message: 'tag of a tag', at: 'v1' });
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    const expected: [string, string][] = [
      ['', second],
      ['HEAD', second],
      ['main', second],
      ['refs/heads/main', second],
      ['refs/tags/v1', first],
      ['v1', first],
      ['nested', first],
      ['both', second],
      ['feature/x', first],
      [first, first],
      [first.toUpperCase(), first],
      [first.slice(0, 7), first],
      [second.slice(0, 12), second],
    ];
    for (const [revision, sha] of expected) expect(await repository.resolve(revision, SIGNAL), revision).toBe(sha);
  });

  it.each([
    'absent',
    'HEAD~1',
    'main^',
    'main^{/first}',
    ':/first',
    '@{-1}',
    'main@{0}',
    'main..main',
    '--output=x',
    '-h',
    '--all',
    'a b',
    'a\nb',
    'a\0b',
    'abc',
    'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
    'refs/heads/*',
    'refs/causeway/head',
    'x'.repeat(5_000),
  ])('%j is no revision', async (revision) => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ a: '1' }, 'first');
    await repo.commit({ a: '2' }, 'second');
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await repository.resolve(revision, SIGNAL)).toBeNull();
  });
});

describe('listing and reading', () => {
  it('names that look like options, patterns or escapes are taken by the letter', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    repo.commitRaw(
      HOSTILE_NAMES.map((name) => ({ name, content: `needle in ${name}` })),
      'names',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const { entries } = await tree.files(SIGNAL);
    expect(entries.map((entry) => entry.path).toSorted()).toEqual(HOSTILE_NAMES.toSorted());
    for (const name of HOSTILE_NAMES) {
      expect(await tree.read(name, {}, SIGNAL), name).toMatchObject({ kind: 'text', text: `needle in ${name}` });
      const found = await tree.search({ pattern: 'needle', regex: false, ignoreCase: false, paths: [name] }, SIGNAL);
      expect(
        found.hits.map((hit) => hit.path),
        name,
      ).toEqual([name]);
      expect((await tree.history({ path: name }, SIGNAL)).commits, name).toHaveLength(1);
      expect((await tree.history({ path: name, lines: { from: 1, to: 1 } }, SIGNAL)).commits, name).toHaveLength(1);
      expect(await tree.blame(name, { from: 1, to: 1 }, SIGNAL), name).toHaveLength(1);
    }
  });

  it('names that are not UTF-8 are counted, and their neighbours are read', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    repo.commitRaw(
      [
        { name: Buffer.from([0x61, 0xff, 0x62]), content: 'needle' },
        { name: 'plain.txt', content: 'needle' },
      ],
      'bytes',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const listing = await tree.files(SIGNAL);
    expect(listing.unreadableNames).toBe(1);
    expect(listing.entries.map((entry) => entry.path)).toEqual(['plain.txt']);
    const found = await tree.search({ pattern: 'needle', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
    expect(found.hits).toEqual([{ path: 'plain.txt', line: 1, text: 'needle' }]);
    expect(found.cuts).toEqual([{ kind: 'unreadable_names', hits: 1 }]);
  });

  it('links, submodules, executables, folders and absent paths are told apart', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sub = 'a'.repeat(40);
    repo.commitRaw(
      [
        { name: 'src/run.sh', content: 'echo\n', mode: '100755' },
        { name: 'src/handler.ts', content: 'x\n' },
        { name: 'link', content: '../../etc/passwd', mode: '120000' },
        { name: 'vendor/sub', content: sub, mode: '160000' },
        { name: 'huge-link', content: 'x'.repeat(10_000), mode: '120000' },
      ],
      'kinds',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    expect((await tree.files(SIGNAL)).entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['huge-link', 'symlink', 0],
      ['link', 'symlink', 0],
      ['src/handler.ts', 'file', 2],
      ['src/run.sh', 'executable', 5],
      ['vendor/sub', 'submodule', 0],
    ]);
    expect(await tree.read('link', {}, SIGNAL)).toEqual({ kind: 'symlink', target: '../../etc/passwd' });
    expect(await tree.read('huge-link', {}, SIGNAL)).toEqual({ kind: 'too_large', size: 10_000 });
    expect(await tree.read('vendor/sub', {}, SIGNAL)).toEqual({ kind: 'submodule', sha: sub });
    expect(await tree.read('src', {}, SIGNAL)).toEqual({ kind: 'folder' });
    expect(await tree.read('./src/', {}, SIGNAL)).toEqual({ kind: 'folder' });
    expect(await tree.read('', {}, SIGNAL)).toEqual({ kind: 'folder' });
    expect(await tree.read('lib/handlers.ts', {}, SIGNAL)).toEqual({ kind: 'absent', nearest: ['src/handler.ts'] });
    for (const path of ['../../etc/passwd', '/etc/passwd', 'src/../src/run.sh', 'link/passwd', 'src/run.sh\0']) {
      expect(await tree.read(path, {}, SIGNAL), path).toMatchObject({ kind: 'absent' });
      expect(await tree.blame(path, { from: 1, to: 1 }, SIGNAL)).toEqual([]);
      expect(await tree.outline(path, SIGNAL)).toEqual([]);
    }
    expect((await tree.history({ path: '../x' }, SIGNAL)).cut).toContain('is not a path');
  });

  it('text is valid UTF-8 without NUL; a byte order mark and CRs are kept', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit(
      {
        'crlf.txt': 'a\r\nb\r\n',
        'bom.txt': '\ufeffa\n',
        'empty.txt': '',
        'open.txt': 'a\nb',
        'nul.bin': Buffer.from('a\0b'),
        'latin1.c': Buffer.from('/* \xfc */', 'latin1'),
        'utf16.txt': Buffer.from('\ufeffa', 'utf16le'),
      },
      'texts',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const read = (path: string) => tree.read(path, {}, SIGNAL);
    expect(await read('crlf.txt')).toMatchObject({ text: 'a\r\nb\r\n', totalLines: 2, cut: '' });
    expect(await read('bom.txt')).toMatchObject({ text: '\ufeffa\n', totalLines: 1 });
    expect(await read('empty.txt')).toEqual({ kind: 'text', text: '', firstLine: 1, totalLines: 0, cut: '' });
    expect(await read('open.txt')).toMatchObject({ text: 'a\nb', totalLines: 2 });
    expect(await read('nul.bin')).toEqual({ kind: 'binary', size: 3 });
    expect(await read('latin1.c')).toEqual({ kind: 'binary', size: 7 });
    expect(await read('utf16.txt')).toMatchObject({ kind: 'binary' });
  });

  it('a range gives its lines, and says where there are none', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1\n2\n3\n4' }, 'lines');
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const read = (from: number, to: number) => tree.read('a.txt', { lines: { from, to } }, SIGNAL);
    expect(await read(2, 3)).toMatchObject({ text: '2\n3\n', firstLine: 2, totalLines: 4, cut: '' });
    expect(await read(3, 99)).toMatchObject({ text: '3\n4', firstLine: 3 });
    expect(await read(9, 12)).toMatchObject({ text: '', cut: 'The file has 4 lines; there is no line 9.' });
    expect(await read(3, 2)).toMatchObject({ text: '', cut: expect.stringContaining('ends before it starts') });
  });

  it('much text, long lines and huge blobs are cut in words', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit(
      {
        'much.txt': `${'x'.repeat(99)}\n`.repeat(20_000),
        'long.js': `a\n${'y'.repeat(30_000)}\nb\n`,
        'huge.txt': 'needle\n'.repeat(900_000),
      },
      'sizes',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const much = await tree.read('much.txt', {}, SIGNAL);
    expect(much).toMatchObject({
      kind: 'text',
      totalLines: 20_000,
      cut: expect.stringContaining('Cut after line 10485'),
    });
    expect(await tree.read('much.txt', { lines: { from: 19_999, to: 20_000 } }, SIGNAL)).toMatchObject({ cut: '' });
    expect(await tree.read('long.js', {}, SIGNAL)).toMatchObject({
      text: `a\n${'y'.repeat(10_000)}\nb\n`,
      cut: expect.stringContaining('line 2'),
    });
    expect(await tree.read('huge.txt', {}, SIGNAL)).toEqual({ kind: 'too_large', size: 6_300_000 });
    const found = await tree.search({ pattern: 'needle', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
    expect(found).toMatchObject({ hits: [], cuts: [{ kind: 'large_files', files: 1, largest: 5 * 1024 * 1024 }] });
  });

  it('any text comes back byte for byte', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const texts = fc.sample(
      fc.array(fc.constantFrom('a', '\n', '\r\n', 'ü', '\ufeff', '💥', ' ', '\t')).map((parts) => parts.join('')),
      200,
    );
    repo.commitRaw(
      texts.map((content, index) => ({ name: `${index}.txt`, content })),
      'texts',
    );
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const read = await Promise.all(texts.map((_, index) => tree.read(`${index}.txt`, {}, SIGNAL)));
    expect(read.map((found) => (found.kind === 'text' ? found.text : found))).toEqual(texts);
  });

  it('an aborted call ends with the reason, and the next one works', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a' }, 'first');
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(tree.files(gone)).rejects.toThrow('gone');
    await expect(tree.read('a.txt', {}, gone)).rejects.toThrow('gone');
    const abort = new AbortController();
    const first = tree.files(abort.signal);
    abort.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect((await tree.files(SIGNAL)).entries).toHaveLength(1);
  });
});

describe('history, blame and comparison', () => {
  it('follows a file through its rename, lines through their changes, and words of messages', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const made = await repo.commit({ 'old.txt': text }, 'made', {
      author: 'Grace Example',
      date: '2020-05-06T07:08:09+02:00',
    });
    repo.git('mv', 'old.txt', 'new.txt');
    const moved = await repo.commit({}, 'Moved (100%) [x]');
    const changed = await repo.commit({ 'new.txt': text.replace('line 3', 'LINE 3') }, 'changed line');
    await repo.commit({ 'other.txt': 'x' }, 'unrelated');
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const shas = async (query: Parameters<typeof tree.history>[0]) =>
      (await tree.history(query, SIGNAL)).commits.map((commit) => commit.sha);
    expect(await shas({ path: 'new.txt' })).toEqual([changed, moved, made]);
    expect(await shas({ path: 'old.txt' })).toEqual([moved, made]);
    expect(await shas({ path: 'new.txt', lines: { from: 4, to: 4 } })).toEqual([changed, made]);
    expect(await shas({ path: 'new.txt', lines: { from: 1, to: 2 } })).toEqual([made]);
    expect(await shas({ path: 'new.txt', lines: { from: 50, to: 60 } })).toEqual([]);
    expect(await shas({ message: 'MOVED (100%) [x]' })).toEqual([moved]);
    expect(await tree.history({ limit: 1 }, SIGNAL)).toMatchObject({ cut: expect.stringContaining('newest 1') });
    const oldest = (await tree.history({ path: 'new.txt' }, SIGNAL)).commits.at(-1);
    expect(oldest).toEqual({ sha: made, author: 'Grace Example', date: '2020-05-06T05:08:09.000Z', subject: 'made' });
  });

  it('blames each line on its last commit, clamps the range, and blames nothing that is not text', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const first = await repo.commit({ 'a.txt': '1\n2\n3\n', 'b.bin': Buffer.from('\0') }, 'first', { author: 'Ada' });
    const second = await repo.commit({ 'a.txt': '1\ntwo\n3\n' }, 'second', { author: 'Grace', date: '2024-03-01' });
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const blamed = await tree.blame('a.txt', { from: 1, to: 99 }, SIGNAL);
    expect(blamed.map(({ line, sha, author }) => [line, sha, author])).toEqual([
      [1, first, 'Ada'],
      [2, second, 'Grace'],
      [3, first, 'Ada'],
    ]);
    expect(blamed[1]).toMatchObject({ subject: 'second', date: '2024-03-01T00:00:00.000Z' });
    expect(await tree.blame('b.bin', { from: 1, to: 1 }, SIGNAL)).toEqual([]);
    expect(await tree.blame('a.txt', { from: 9, to: 12 }, SIGNAL)).toEqual([]);
  });

  it('counts the commits on either side of where two parted', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const base = await repo.commit({ 'a.txt': 'a\n' }, 'base');
    repo.branch('side');
    await repo.commit({ 'a.txt': 'b\n' }, 'on the branch', { branch: 'side' });
    const head = await repo.commit({ 'a.txt': 'c\n' }, 'again', { branch: 'side' });
    repo.git('checkout', '--quiet', base);
    const other = await repo.commit({ 'b.txt': 'b\n' }, 'beside');
    const tree = (await kept.source.open(pathProject(repo.path), SIGNAL)).tree(head);
    expect(await tree.countApart(other, SIGNAL)).toEqual({ ahead: 2, behind: 1 });
    expect(await tree.countApart(head, SIGNAL)).toEqual({ ahead: 0, behind: 0 });
  });

  it('compares two commits: commits, files, renames, and the patch of one path', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const from = await repo.commit({ 'keep.txt': 'k\n', 'gone.txt': 'g\n', 'old.txt': text }, 'base');
    repo.git('mv', 'old.txt', 'new.txt');
    const to = await repo.commit({ 'keep.txt': 'K\n', 'gone.txt': null, 'born.txt': 'b\n' }, 'all at once');
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const all = await tree.compare(from, {}, SIGNAL);
    expect(all.commits.map((commit) => commit.sha)).toEqual([to]);
    expect(all.files).toEqual([
      { path: 'born.txt', status: 'added', previousPath: '' },
      { path: 'gone.txt', status: 'deleted', previousPath: '' },
      { path: 'keep.txt', status: 'modified', previousPath: '' },
      { path: 'new.txt', status: 'renamed', previousPath: 'old.txt' },
    ]);
    expect(all.patch).toBe('');
    const one = await tree.compare(from, { path: 'keep.txt' }, SIGNAL);
    expect(one.files).toHaveLength(1);
    expect(one.patch).toContain('-k\n+K\n');
    expect((await tree.compare(from, { path: 'new.txt' }, SIGNAL)).patch).toContain('rename from old.txt');
    expect((await tree.compare(from, { path: '../keep.txt' }, SIGNAL)).files).toEqual([]);
    for (const sha of ['f'.repeat(40), '--output=x', '']) {
      await expect(tree.compare(sha, {}, SIGNAL)).rejects.toMatchObject({ code: 'no_commit' });
    }
  });

  it('cuts a large patch in words', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const from = await repo.commit({ 'a.txt': '' }, 'base');
    await repo.commit({ 'a.txt': 'some line\n'.repeat(50_000) }, 'much');
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const compared = await tree.compare(from, { path: 'a.txt' }, SIGNAL);
    expect(compared.cut).toContain('128 KiB');
    expect(compared.patch.length).toBeLessThanOrEqual(128 * 1024 + 1);
    expect(compared.patch.endsWith('some line\n')).toBe(true);
  });
});
