// The index of a project as ranking uses it: every file once, the next commit for its changes only, and nothing left when it is forgotten.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { forEachTerm, hashTerm } from 'causeway-code-words';
import type { SourceTree } from 'causeway-git-objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { IndexThread } from '../../src/search/lexicons.ts';
import { inProcess, testLexicons } from '../support/memory-source.ts';
import { countedTree, pathsWith, projectOf, SIGNAL, sources, wordOf } from './ground.ts';

const PROJECT = projectOf('prj_shop');

describe('the files of a commit', () => {
  it('are found by their words, definitions and lengths', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(sources(3));
    const lexicon = await lexicons.of(PROJECT).open(tree, SIGNAL);
    expect(await pathsWith(lexicon, wordOf(1))).toEqual(['src/part1.ts']);
    const [shared, string] = await lexicon.matchNames(Uint32Array.of(hashTerm('shared'), hashTerm('string')), SIGNAL);
    expect([[...shared!], [...string!]]).toEqual([[0, 1, 2], []]);
    expect(lexicon.lengths[0]).toBeGreaterThan(3);
    expect(lexicon.cut).toBe('');
  });

  it('hold each term as often as the text does, whatever the other files say', async () => {
    const word = fc.constantFrom('alpha', 'beta', 'gammaDelta', 'epsilon_zeta', 'x1y2', 'straße', 'of');
    const text = fc.array(word, { minLength: 1, maxLength: 300 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), async (texts) => {
        await using lexicons = testLexicons();
        const files = Object.fromEntries(texts.map((each, index) => [`src/f${index}.ts`, `${each} unique${index}`]));
        const lexicon = await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
        for (const [position, file] of lexicon.files.entries()) {
          const counts = new Map<string, number>();
          forEachTerm(files[file.path] ?? '', (term) => counts.set(term, (counts.get(term) ?? 0) + 1));
          const found = await lexicon.match(Uint32Array.from(counts.keys(), hashTerm), SIGNAL);
          const own = found.map(({ positions, counts: each }) => each[positions.indexOf(position)]);
          expect(own).toEqual([...counts.values()]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('are sources and tests, without what others wrote, documents, and what holds no text', async () => {
    await using lexicons = testLexicons();
    const files = {
      ...{ 'src/a.ts': 'const alpha = 1;', 'test/a.test.ts': 'alpha();', 'node_modules/x/index.js': 'alpha();' },
      ...{ 'README.md': 'alpha', 'docs/a.md': 'alpha', 'logo.svg': 'alpha' },
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

  it('are left out, and said to be, where the thread does not answer', async () => {
    const silent: IndexThread = { ask: async () => null, [Symbol.asyncDispose]: async () => {} };
    await using lexicons = testLexicons({ thread: silent });
    const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(5)).tree, SIGNAL);
    expect(lexicon).toMatchObject({ files: [], cut: '5 files could not be read or indexed.' });
    expect(await pathsWith(lexicon, 'shared')).toEqual([]);
  });

  it('are as many as could be read where git gives up on one of them', async () => {
    await using lexicons = testLexicons();
    const lexicon = await lexicons.of(PROJECT).open(failingAfterTwo(new CausewayError('absent', 'damaged')), SIGNAL);
    expect(lexicon.files).toHaveLength(2);
    expect(lexicon.cut).toBe('1 files could not be read or indexed.');
  });

  it.each(['repository_unreachable', 'access_lost', 'repository_empty', 'revision_not_found'] as const)(
    'are not had by halves where the whole repository is away (%s); what was indexed is kept',
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

/** Two are a batch, which is indexed before the third is asked for. */
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
  it('costs only the files that changed, also after a restart', async () => {
    await using lexicons = testLexicons();
    await using later = testLexicons({ folder: lexicons.folder });
    const [first, changed] = [sources(50), { ...sources(50), 'src/part7.ts': 'beta();', 'src/new.ts': 'gamma();' }];
    await lexicons.of(PROJECT).open(countedTree(first).tree, SIGNAL);
    const next = countedTree(first, changed);
    const lexicon = await lexicons.of(PROJECT).open(next.tree, SIGNAL);
    expect(next.asked.blobs).toBe(2);
    expect(await pathsWith(lexicon, wordOf(7))).toEqual([]);
    expect(await pathsWith(lexicon, 'gamma')).toEqual(['src/new.ts']);
    const again = countedTree(first, changed);
    const restarted = await later.of(PROJECT).open(again.tree, SIGNAL);
    expect(again.asked.blobs).toBe(0);
    expect(restarted.files).toEqual(lexicon.files);
    expect(await pathsWith(restarted, wordOf(8))).toEqual(['src/part8.ts']);
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

  it('is compared without a disk that can be written', async () => {
    await using lexicons = testLexicons({ folder: '/dev/null/no-folder' });
    const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(10)).tree, SIGNAL);
    expect(lexicon.files).toHaveLength(10);
    expect(await pathsWith(lexicon, wordOf(3))).toEqual(['src/part3.ts']);
  });

  it.each(['damaged', 'cut', 'empty'] as const)('is indexed again where the file is %s', async (how) => {
    await using lexicons = testLexicons();
    await lexicons.of(PROJECT).open(countedTree(sources(30)).tree, SIGNAL);
    await lexicons[Symbol.asyncDispose]();
    await using later = testLexicons();
    const file = path.join(later.folder, 'prj_shop.index');
    await later.of(PROJECT).open(countedTree(sources(1)).tree, SIGNAL);
    const bytes = readFileSync(file);
    await later.forget('prj_shop');
    if (how === 'damaged') bytes.fill(0xee, 0, bytes.length / 2);
    writeFileSync(file, how === 'empty' ? '' : bytes.subarray(0, how === 'cut' ? bytes.length / 2 : bytes.length));
    const lexicon = await later.of(PROJECT).open(countedTree(sources(30)).tree, SIGNAL);
    expect(lexicon.files).toHaveLength(30);
    expect(await pathsWith(lexicon, wordOf(8))).toEqual(['src/part8.ts']);
  });

  it('replaces an index that is mostly of commits long gone', async () => {
    await using lexicons = testLexicons();
    for (let version = 0; version < 8; version++) {
      const files = Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [`src/f${index}.ts`, `v${wordOf(version)} ${wordOf(index)}`]),
      );
      await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
    }
    const first = countedTree({ 'src/a.ts': `v${wordOf(0)} ${wordOf(0)}`, 'src/b.ts': 'new();' });
    await lexicons.of(PROJECT).open(first.tree, SIGNAL);
    expect(first.asked.blobs).toBe(2);
  });
});

describe('an abort', () => {
  it('in the middle ends with its reason, and what was indexed until then need not be again', async () => {
    const abort = new AbortController();
    const real = inProcess();
    let batches = 0;
    const thread: IndexThread = {
      ...real,
      ask: async (request) => {
        batches += request.kind === 'addFiles' ? 1 : 0;
        if (batches === 3) abort.abort(new Error('enough'));
        return await real.ask(request);
      },
    };
    await using lexicons = testLexicons({ thread });
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`src/f${index}.ts`, `// ${wordOf(index)}\n${'word '.repeat(60_000)}`]),
    );
    await expect(lexicons.of(PROJECT).open(countedTree(files).tree, abort.signal)).rejects.toThrow('enough');
    const second = countedTree(files);
    const lexicon = await lexicons.of(PROJECT).open(second.tree, SIGNAL);
    expect(lexicon.files).toHaveLength(30);
    expect(second.asked.blobs).toBeLessThan(25);
    expect(second.asked.blobs).toBeGreaterThan(5);
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
    const { commits, cut, match } = await lexicon.openHistory(tree, 10, SIGNAL);
    expect(commits.map(({ paths }) => paths)).toEqual([['src/x.ts'], ['src/x.ts'], ['src/part0.ts', 'src/part1.ts']]);
    const [number] = await match(Uint32Array.of(hashTerm('number')), SIGNAL);
    expect([...number!.positions].sort()).toEqual([0, 1, 2]);
    expect(cut).toBe('');
    expect((await lexicon.openHistory(tree, 2, SIGNAL)).commits).toEqual(commits.slice(0, 2));
    expect(asked.commits).toBe(3);
  });

  it('that could not be read in time are counted', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(...history);
    const hasty = { ...tree, messages: (ids: readonly string[]) => tree.messages(ids.slice(0, 1), SIGNAL) };
    const answer = await lexicons.of(PROJECT).openHistory(hasty, 10, SIGNAL);
    expect(answer.commits).toHaveLength(1);
    expect(answer.cut).toBe('2 of 3 commits could not be read in time.');
    expect((await lexicons.of(PROJECT).openHistory(tree, 10, SIGNAL)).commits).toHaveLength(3);
  });

  it('say nothing by the lines that name people, nor of their files where they touched too many', async () => {
    await using lexicons = testLexicons();
    const { tree } = countedTree(sources(60));
    const message = 'Fix the zeppelin\n\nSigned-off-by: Quokka <quokka@example.com>\n';
    const messages = async function* (ids: readonly string[]) {
      for await (const piece of tree.messages(ids, SIGNAL)) yield piece.map((one) => ({ ...one, message }));
    };
    const { commits, match } = await lexicons.of(PROJECT).openHistory({ ...tree, messages }, 5, SIGNAL);
    const [zeppelin, quokka] = await match(Uint32Array.from(['zeppelin', 'quokka'], hashTerm), SIGNAL);
    expect([zeppelin!.positions.length, quokka!.positions.length]).toEqual([1, 0]);
    expect(commits[0]?.paths).toEqual([]);
  });
});

describe('what is kept', () => {
  it('goes when the project is forgotten', async () => {
    await using lexicons = testLexicons();
    const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(5)).tree, SIGNAL);
    await lexicons.of(projectOf('prj_other')).open(countedTree(sources(5)).tree, SIGNAL);
    expect(readdirSync(lexicons.folder).sort()).toEqual(['prj_other.index', 'prj_shop.index']);
    await lexicons.forget('prj_shop');
    expect(readdirSync(lexicons.folder)).toEqual(['prj_other.index']);
    const anew = countedTree(sources(3, 'lib'));
    await lexicons.of(PROJECT).open(anew.tree, SIGNAL);
    expect(anew.asked.blobs).toBe(3);
    // Opened before: its rows would be other files now.
    expect(await pathsWith(lexicon, 'shared')).toEqual([]);
  });

  it('is for this user only, and holds nothing that a file or a message says', async () => {
    await using outer = testLexicons();
    const folder = path.join(outer.folder, 'inner');
    await using lexicons = testLexicons({ folder });
    const { tree } = countedTree({ 'src/a.ts': "const token = 'Zebra7Quagga9Okapi';" });
    await lexicons.of(PROJECT).open(tree, SIGNAL);
    await lexicons.of(PROJECT).openHistory(tree, 5, SIGNAL);
    const file = path.join(folder, 'prj_shop.index');
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    const bytes = readFileSync(file).toString('latin1').toLowerCase();
    expect(['zebra', 'quagga', 'okapi', 'const', 'number'].filter((word) => bytes.includes(word))).toEqual([]);
  });
});
