// The lexicon of a project as ranking asks it: every file once, the next commit for its changes alone, and nothing left when it is forgotten.
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { SourceTree } from '../../src/core/source.ts';
import type { Digester } from '../../src/search/digester.ts';
import { hashTerm } from '../../src/triage/localise/terms.ts';
import { inProcess, testLexicons } from '../support/test-lexicons.ts';
import { type CountedTree, countedTree, pathsWith, projectOf, SIGNAL, sources, wordOf } from './ground.ts';

const PROJECT = projectOf('prj_shop');
const NONE_HELD = { commits: 1, bytes: 0 };

describe('the files of a commit', () => {
  it('are found by their words, definitions and lengths', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(sources(3));
    const lexicon = await lexicons.of(PROJECT).open(tree, SIGNAL);
    expect(await pathsWith(lexicon, wordOf(1))).toEqual(['src/part1.ts']);
    const { counts, defined, lengths, meanLength } = await lexicon.lookUp(
      Uint32Array.of(hashTerm('shared'), hashTerm('string')),
      SIGNAL,
    );
    expect([...counts]).toHaveLength(6);
    expect([...defined]).toEqual([1, 0, 1, 0, 1, 0]);
    expect(lengths[0]).toBeGreaterThan(3);
    expect(meanLength).toBe(lengths[0]);
    expect(lexicon.cut).toBe('');
  });

  it('are sources and tests, without what others wrote, documents, and what holds no text', async () => {
    await using lexicons = testLexicons();
    const files = {
      ...{ 'src/a.ts': 'const alpha = 1;', 'test/a.test.ts': 'alpha();', 'node_modules/x/index.js': 'alpha();' },
      ...{ 'README.md': 'alpha', 'docs/a.md': 'alpha', 'logo.svg': 'alpha', 'src/binary.ts': 'alpha\0' },
      ...{ 'test/data.json': '{"alpha": 1}', 'src/large.ts': 'alpha '.repeat(200_000), 'src/empty.ts': '' },
    };
    const lexicon = await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
    expect(lexicon.files.map((file) => file.path)).toEqual(['src/a.ts', 'test/a.test.ts']);
  });

  it('that are the same under two names are read once and found under both', async () => {
    await using lexicons = testLexicons();
    const { tree, asked } = countedTree({ 'src/a.ts': 'alpha();', 'src/b.ts': 'alpha();' });
    const lexicon = await lexicons.of(PROJECT).open(tree, SIGNAL);
    expect(await pathsWith(lexicon, 'alpha')).toEqual(['src/a.ts', 'src/b.ts']);
    expect(asked.blobs).toBe(1);
  });

  it('beyond the bound are left out, and it says so', async () => {
    await using lexicons = testLexicons({ maxFiles: 4 });
    const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(6)).tree, SIGNAL);
    expect(lexicon.files).toHaveLength(4);
    expect(lexicon.cut).toBe('Only the first 4 source files; 2 were left out.');
  });

  it('that nobody can digest are left out, said to be, and in nobody else’s way', async () => {
    const real = inProcess();
    const digester: Digester = {
      ...real,
      digest: async (batch) => (batch.kind === 'blobs' && batch.blobs.length > 2 ? [] : await real.digest(batch)),
    };
    await using lexicons = testLexicons({ digester });
    const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(5)).tree, SIGNAL);
    expect(lexicon).toMatchObject({ files: [], cut: '5 files could not be read or digested.' });
  });

  it('are as many as could be read where git gives up on one of them', async () => {
    await using lexicons = testLexicons();
    const lexicon = await lexicons.of(PROJECT).open(failingAfterTwo(new CausewayError('absent', 'damaged')), SIGNAL);
    expect(lexicon.files).toHaveLength(2);
    expect(lexicon.cut).toBe('1 files could not be read or digested.');
  });

  it.each(['repository_unreachable', 'access_lost', 'repository_empty', 'revision_not_found'] as const)(
    'are not had by halves where the whole repository is away (%s); what was digested is kept',
    async (code) => {
      await using lexicons = testLexicons();
      const away = lexicons.of(PROJECT).open(failingAfterTwo(new CausewayError(code, 'away')), SIGNAL);
      await expect(away).rejects.toMatchObject({ code, message: 'away' });
      const back = countedTree(LARGE);
      expect((await lexicons.of(PROJECT).open(back.tree, SIGNAL)).files).toHaveLength(3);
      expect(back.asked.blobs).toBe(1);
    },
  );
});

/** Two are a batch, which is digested before the third is asked for. */
const LARGE = Object.fromEntries(
  ['a', 'b', 'c'].map((name) => [`src/${name}.ts`, `${name}${name}(); `.repeat(150_000)]),
);

/** Gives two files and then throws. */
function failingAfterTwo(error: Error): SourceTree {
  const { tree } = countedTree(LARGE);
  return {
    ...tree,
    contents: async function* (blobs: readonly string[], signal: AbortSignal) {
      yield* tree.contents(blobs.slice(0, 2), signal);
      throw error;
    },
  };
}

describe('another commit', () => {
  it('costs only the files that changed, whether the first is held, on disk, or both', async () => {
    await using lexicons = testLexicons();
    await using later = testLexicons({ folder: lexicons.folder, held: NONE_HELD });
    const [first, changed] = [sources(50), { ...sources(50), 'src/part7.ts': 'beta();', 'src/new.ts': 'gamma();' }];
    await lexicons.of(PROJECT).open(countedTree(first).tree, SIGNAL);
    const next = countedTree(first, changed);
    const lexicon = await lexicons.of(PROJECT).open(next.tree, SIGNAL);
    expect(next.asked.blobs).toBe(2);
    expect(await pathsWith(lexicon, wordOf(7))).toEqual([]);
    expect(await pathsWith(lexicon, 'gamma')).toEqual(['src/new.ts']);
    expect(await pathsWith(lexicon, wordOf(8))).toEqual(['src/part8.ts']);
    const again = countedTree(first, changed);
    const restarted = await later.of(PROJECT).open(again.tree, SIGNAL);
    expect(again.asked.blobs).toBe(0);
    expect(restarted.files).toEqual(lexicon.files);
    const words = Uint32Array.from(['shared', 'gamma', 'beta', wordOf(8)], hashTerm);
    expect(await restarted.lookUp(words, SIGNAL)).toEqual(await lexicon.lookUp(words, SIGNAL));
  });

  it('has the thread start while the files are listed where none is kept yet, and else only for what is missing', async () => {
    const said: string[] = [];
    const digester: Digester = { ...inProcess(), start: () => void said.push('start') };
    await using lexicons = testLexicons({ digester, held: NONE_HELD });
    const open = async ({ tree }: CountedTree) => {
      const files: SourceTree['files'] = (signal) => {
        said.push('list');
        return tree.files(signal);
      };
      await lexicons.of(PROJECT).open({ ...tree, files }, SIGNAL);
      return said.splice(0);
    };
    expect((await open(countedTree(sources(2)))).slice(0, 2)).toEqual(['start', 'list']);
    expect(await open(countedTree(sources(2), { 'README.md': 'alpha' }))).toEqual(['list']);
    expect(await open(countedTree(sources(2), sources(3)))).toEqual(['list', 'start']);
  });

  it('asked for at the same time waits for the first, and reads nothing twice', async () => {
    await using lexicons = testLexicons();
    const [one, other] = [
      countedTree(sources(40)),
      countedTree(sources(40), { ...sources(40), 'src/z.ts': 'zeta();' }),
    ];
    await Promise.all([one, other].map(({ tree }) => lexicons.of(PROJECT).open(tree, SIGNAL)));
    expect(one.asked.blobs + other.asked.blobs).toBe(41);
  });

  it('does without a disk that fails, and of what is held reads nothing again', async () => {
    await using lexicons = testLexicons({ folder: '/dev/null/no-folder' });
    const first = countedTree(sources(10));
    expect((await lexicons.of(PROJECT).open(first.tree, SIGNAL)).files).toHaveLength(10);
    const next = countedTree(sources(10), { ...sources(10), 'src/z.ts': 'zeta();' });
    expect((await lexicons.of(PROJECT).open(next.tree, SIGNAL)).files).toHaveLength(11);
    expect(next.asked.blobs).toBe(1);
  });

  it('of a project with a damaged file has every file all the same', async () => {
    await using lexicons = testLexicons();
    await lexicons.of(PROJECT).open(countedTree(sources(30)).tree, SIGNAL);
    const file = path.join(lexicons.folder, 'prj_shop.blobs');
    const bytes = readFileSync(file);
    bytes.fill(0xee, bytes.length / 2, bytes.length / 2 + 30);
    writeFileSync(file, bytes);
    await using later = testLexicons({ folder: lexicons.folder });
    const again = countedTree(sources(30));
    const lexicon = await later.of(PROJECT).open(again.tree, SIGNAL);
    expect(lexicon.files).toHaveLength(30);
    expect(lexicon.cut).toBe('');
    expect(again.asked.blobs).toBeGreaterThan(0);
    expect(again.asked.blobs).toBeLessThan(4);
  });
});

describe('an abort', () => {
  it('in the middle ends with its reason, and what was digested until then need not be again', async () => {
    const abort = new AbortController();
    const real = inProcess();
    let batches = 0;
    const digester: Digester = {
      ...real,
      digest: async (batch) => {
        batches += 1;
        if (batches === 3) abort.abort(new Error('enough'));
        return await real.digest(batch);
      },
    };
    await using lexicons = testLexicons({ digester });
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`src/f${index}.ts`, `// ${wordOf(index)}\n${'word '.repeat(60_000)}`]),
    );
    const first = countedTree(files);
    await expect(lexicons.of(PROJECT).open(first.tree, abort.signal)).rejects.toThrow('enough');
    const second = countedTree(files);
    const lexicon = await lexicons.of(PROJECT).open(second.tree, SIGNAL);
    expect(lexicon.files).toHaveLength(30);
    expect(second.asked.blobs).toBeLessThan(25);
    expect(second.asked.blobs).toBeGreaterThan(5);
  });

  it('of one does not end the other that waits for the same files', async () => {
    await using lexicons = testLexicons();
    const abort = new AbortController();
    const { tree } = countedTree(sources(20));
    const given = lexicons.of(PROJECT).open(tree, abort.signal);
    const waiting = lexicons.of(PROJECT).open(tree, SIGNAL);
    abort.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    expect((await waiting).files).toHaveLength(20);
  });
});

describe('commits', () => {
  const history = [
    sources(2),
    { ...sources(2), 'src/x.ts': 'xi();' },
    { ...sources(2), 'src/x.ts': 'xi(1);' },
  ] as const;

  it('come newest first with their words and paths, as many as are asked for', async () => {
    await using lexicons = testLexicons();
    const { tree, asked } = countedTree(...history);
    const lexicon = lexicons.of(PROJECT);
    const { commits, cut } = await lexicon.commits(tree, 10, SIGNAL);
    expect(commits.map(({ paths }) => paths)).toEqual([['src/x.ts'], ['src/x.ts'], ['src/part0.ts', 'src/part1.ts']]);
    expect([...commits[0]!.terms]).toContain(hashTerm('number'));
    expect(cut).toBe('');
    expect((await lexicon.commits(tree, 2, SIGNAL)).commits).toEqual(commits.slice(0, 2));
    expect(asked.commits).toBe(3);
  });

  it('that are known from an earlier one are not read again', async () => {
    await using lexicons = testLexicons();
    const first = countedTree(...history.slice(0, 2));
    await lexicons.of(PROJECT).commits(first.tree, 10, SIGNAL);
    await using later = testLexicons({ folder: lexicons.folder });
    const next = countedTree(...history);
    const { commits } = await later.of(PROJECT).commits(next.tree, 10, SIGNAL);
    expect(commits).toHaveLength(3);
    expect([first.asked.commits, next.asked.commits]).toEqual([2, 1]);
  });

  it('come while the digests of the files are still made', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(...history);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    async function* contents(blobs: readonly string[], signal: AbortSignal) {
      await released;
      yield* tree.contents(blobs, signal);
    }
    const files = lexicons.of(PROJECT).open({ ...tree, contents }, SIGNAL);
    expect((await lexicons.of(PROJECT).commits(tree, 10, SIGNAL)).commits).toHaveLength(3);
    release();
    expect((await files).files).toHaveLength(3);
  });

  it('that could not be read in time are counted', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(...history);
    const hasty = { ...tree, messages: (ids: readonly string[]) => tree.messages(ids.slice(0, 1), SIGNAL) };
    const answer = await lexicons.of(PROJECT).commits(hasty, 10, SIGNAL);
    expect(answer.commits).toHaveLength(1);
    expect(answer.cut).toBe('2 of 3 commits could not be read in time.');
    const again = await lexicons.of(PROJECT).commits(tree, 10, SIGNAL);
    expect(again.commits).toHaveLength(3);
  });
});

describe('what is kept', () => {
  it('goes when the project is forgotten, also while its digests are still made', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(sources(5));
    await lexicons.of(PROJECT).open(tree, SIGNAL);
    await lexicons.of(PROJECT).commits(tree, 5, SIGNAL);
    await lexicons.of(projectOf('prj_other')).open(countedTree(sources(5)).tree, SIGNAL);
    expect(readdirSync(lexicons.folder).sort()).toEqual(['prj_other.blobs', 'prj_shop.blobs', 'prj_shop.commits']);
    const underWay = lexicons.of(PROJECT).open(countedTree(sources(9)).tree, SIGNAL);
    await lexicons.forget('prj_shop');
    await underWay;
    expect(readdirSync(lexicons.folder)).toEqual(['prj_other.blobs']);
    const anew = countedTree(sources(5));
    await lexicons.of(PROJECT).open(anew.tree, SIGNAL);
    expect(anew.asked.blobs).toBe(5);
  });

  it('may be forgotten where there is nothing', async () => {
    await using lexicons = testLexicons();
    await expect(lexicons.forget('prj_never')).resolves.toBeUndefined();
    await expect(lexicons.forget('../prj')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is for this user alone', async () => {
    await using outer = testLexicons();
    const folder = path.join(outer.folder, 'inner');
    await using lexicons = testLexicons({ folder });
    await lexicons.of(PROJECT).open(countedTree(sources(1)).tree, SIGNAL);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'prj_shop.blobs')).mode & 0o777).toBe(0o600);
  });

  it('holds nothing that a file says', async () => {
    await using lexicons = testLexicons();
    const secret = 'Zebra7Quagga9Okapi';
    await lexicons.of(PROJECT).open(countedTree({ 'src/a.ts': `const token = '${secret}';` }).tree, SIGNAL);
    const bytes = readFileSync(path.join(lexicons.folder, 'prj_shop.blobs')).toString('latin1').toLowerCase();
    expect(['zebra', 'quagga', 'token', 'const'].filter((word) => bytes.includes(word))).toEqual([]);
  });

  it('of all projects stays within its bound: the one that was not used for longest goes', async () => {
    const maxBytes = 60_000;
    await using lexicons = testLexicons({ maxBytes, held: NONE_HELD });
    for (const [age, id] of ['prj_a', 'prj_b', 'prj_c', 'prj_d'].entries()) {
      await lexicons.of(projectOf(id)).open(countedTree(sources(200)).tree, SIGNAL);
      const moment = new Date(Date.now() - 100_000 + age * 1_000);
      utimesSync(path.join(lexicons.folder, `${id}.blobs`), moment, moment);
    }
    const one = statSync(path.join(lexicons.folder, 'prj_d.blobs')).size;
    expect(one * 2).toBeGreaterThan(maxBytes / 2);
    const left = Math.max(1, Math.floor(maxBytes / one));
    expect(readdirSync(lexicons.folder)).toEqual(
      ['prj_a.blobs', 'prj_b.blobs', 'prj_c.blobs', 'prj_d.blobs'].slice(-left),
    );
  });

  it('of one project is no more than twice what its commits need', async () => {
    await using lexicons = testLexicons({ held: NONE_HELD });
    const words = Array.from({ length: 12_000 }, (_, index) => wordOf(index));
    let largest = 0;
    for (let version = 0; version < 40; version++) {
      const files = { 'src/a.ts': `${wordOf(version * 31)} ${words.slice(version).join(' ')}`, ...sources(3) };
      await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
      largest = Math.max(largest, statSync(path.join(lexicons.folder, 'prj_shop.blobs')).size);
    }
    expect(largest).toBeGreaterThan(500_000);
    expect(largest).toBeLessThan(1_300_000);
    const known = countedTree({ 'src/a.ts': `${wordOf(39 * 31)} ${words.slice(39).join(' ')}`, ...sources(3) });
    await using later = testLexicons({ folder: lexicons.folder });
    await later.of(PROJECT).open(known.tree, SIGNAL);
    expect(known.asked.blobs).toBe(0);
  });
});
