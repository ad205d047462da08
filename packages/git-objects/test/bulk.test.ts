// Many blobs and many commits at once: all of them, in order, whole, and no more than is taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitMessage, SourceTree } from '../src/source.ts';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, type TestSource, testSource, treeOf } from './open-project.ts';

/** Sizes around those of the pieces in which a pipe is read. */
const SIZES = [0, 1, 2, 63, 4_095, 4_096, 65_535, 65_536, 65_537, 70_000, 1, 0, 300_000, 5, 131_072];
const FILES = Object.fromEntries(
  SIZES.map((size, index) => [`data/${String(index).padStart(2, '0')}.bin`, Buffer.alloc(size, index + 1)]),
);

let repo: GitRepository;
let at: TestSource;
let tree: SourceTree;
const shas: string[] = [];

beforeAll(async () => {
  repo = await gitRepository();
  at = testSource();
  shas.push(
    await repo.commit({ ...FILES, 'huge.bin': Buffer.alloc(5 * 1024 * 1024 + 1, 7) }, 'Begin\n\nWith a body.\n'),
  );
  shas.push(await repo.commit({}, 'Nothing at all'));
  repo.git('commit', '--quiet', '--allow-empty', '--allow-empty-message', '-m', '');
  shas.push(repo.git('rev-parse', 'HEAD'));
  shas.push(await repo.commit({ '\nodd': 'a', 'ü/ä b.txt': 'b', 'data/00.bin': 'changed' }, 'Prix en €\n\nfür alle'));
  repo.git('checkout', '--quiet', '-b', 'side', shas[0]!);
  shas.push(await repo.commit({ 'side.txt': 'side' }, 'Beside', { date: '2024-02-01T00:00:00Z' }));
  repo.git('switch', '--quiet', 'main');
  repo.git('merge', '--quiet', '--no-edit', 'side');
  tree = await treeOf(await at.source.open(pathProject(repo.path), SIGNAL));
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await repo[Symbol.asyncDispose]();
});

async function gathered<T>(pieces: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(...piece);
  return all;
}

async function blobs(): Promise<ReadonlyMap<string, string>> {
  return new Map((await tree.files(SIGNAL)).entries.map(({ path, blob }) => [path, blob]));
}

describe('contents of many blobs', () => {
  it('come whole and in the order in which they were asked for, whatever their size', async () => {
    const byPath = await blobs();
    const asked = Object.keys(FILES).filter((path) => path !== 'data/00.bin');
    const ids = [...asked, ...asked.toReversed()].map((path) => byPath.get(path)!);
    const found = await gathered(tree.contents(ids, SIGNAL));
    expect(found.map(({ blob }) => blob)).toEqual(ids);
    const wanted = [...asked, ...asked.toReversed()].map((path) => FILES[path]!);
    expect(found.every(({ bytes }, index) => Buffer.compare(bytes, wanted[index]!) === 0)).toBe(true);
  });

  it.each([1, 20])(
    'leave out what is not there and what is too large, and go on behind it (%i times)',
    async (times) => {
      const byPath = await blobs();
      const [first, huge, last] = ['data/04.bin', 'huge.bin', 'data/03.bin'].map((path) => byPath.get(path)!);
      const ids = Array.from({ length: times }, () => [first!, 'f'.repeat(40), huge!, last!]).flat();
      const found = await gathered(tree.contents(ids, SIGNAL));
      const both = [[first, 4_095] as const, [last, 63] as const];
      expect(found.map(({ blob, bytes }) => [blob, bytes.length])).toEqual(
        Array.from({ length: times }, () => both).flat(),
      );
    },
  );

  it('end with the reason of an abort', async () => {
    const blob = (await blobs()).get('data/12.bin')!;
    const abort = new AbortController();
    const reading = gathered(
      tree.contents(
        Array.from({ length: 50_000 }, () => blob),
        abort.signal,
      ),
    );
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('commits that lead to one', () => {
  const messages = async (): Promise<readonly CommitMessage[]> =>
    await gathered(tree.messages((await tree.ancestors(100, SIGNAL)).ids, SIGNAL));

  it('are listed newest first, without merges, up to the limit', async () => {
    const [begin, nothing, silent, words, side] = shas;
    expect(await tree.ancestors(100, SIGNAL)).toEqual({ ids: [side, words, silent, nothing, begin], cut: '' });
    expect((await tree.ancestors(2, SIGNAL)).ids).toEqual([side, words]);
    expect((await tree.ancestors(0, SIGNAL)).ids).toEqual([]);
  });

  it('are told with all that they say and touch, whether that is much or nothing', async () => {
    const said = (await messages()).map(({ message, paths }) => [message.trimEnd(), [...paths].sort()]);
    expect(said).toEqual([
      ['Beside', ['side.txt']],
      ['Prix en €\n\nfür alle', ['\nodd', 'data/00.bin', 'ü/ä b.txt']],
      ['', []],
      ['Nothing at all', []],
      ['Begin\n\nWith a body.', [...Object.keys(FILES), 'huge.bin'].sort()],
    ]);
    expect((await messages()).map(({ sha }) => sha)).toEqual((await tree.ancestors(100, SIGNAL)).ids);
  });

  it('are told only as far as was asked, and a long message is cut without harm to the next', async () => {
    await using long = await gitRepository();
    await long.commit({ 'a.txt': 'a' }, 'The first');
    const file = `${'word '.repeat(60_000)}end`;
    await long.commit({ 'message.txt': file }, 'Message');
    long.git('commit', '--quiet', '--allow-empty', '-F', 'message.txt');
    await long.commit({ 'b.txt': 'b' }, 'The last');
    const own = await treeOf(await at.source.open(pathProject(long.path, 'prj_long'), SIGNAL));
    const { ids } = await own.ancestors(3, SIGNAL);
    const told = await gathered(own.messages(ids, SIGNAL));
    expect(told.map(({ message }) => message.trimEnd().slice(0, 9))).toEqual(['The last', 'word word', 'Message']);
    expect(told[1]!.message.length).toBe(64 * 1024);
    expect(told.map(({ paths }) => paths)).toEqual([['b.txt'], [], ['message.txt']]);
  });
});
