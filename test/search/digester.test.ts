// Digests are made beside the event loop; a text that the thread does not survive is left out, and the others are not.
import { describe, expect, it } from 'vitest';
import { createDigester } from '../../src/search/digester.ts';
import { hashTerm } from '../../src/triage/localise/terms.ts';
import { testLexicons } from '../support/test-lexicons.ts';
import { countedTree, pathsWith, projectOf, SIGNAL, sources, wordOf } from './ground.ts';

const PROJECT = projectOf('prj_shop');

/** Turns that the event loop takes until then. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await done;
  return turns;
}

it('a commit of some megabytes is digested while the event loop goes on turning', async () => {
  await using lexicons = testLexicons({ digester: createDigester() });
  const names = Array.from({ length: 2_000 }, (_, index) => `${wordOf(index)}(${wordOf(index + 1)});`).join('\n');
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`src/f${index}.ts`, `${wordOf(index + 5_000)}();\n${names}`]),
  );
  const opening = lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
  expect(await turnsUntil(opening)).toBeGreaterThan(100);
  expect(await pathsWith(await opening, wordOf(5_007))).toEqual(['src/f7.ts']);
});

describe.each([
  ['DIE', 3_000],
  ['THROW', 3_000],
  ['HANG', 3_000],
  // It keeps a core busy until its time is up.
  ['SPIN', 1_000],
])('a thread made to %s by a file', (order, limitMs) => {
  it('loses that file, says so, and makes the digests of the others', async () => {
    const script = new URL('./hostile-digesting.ts', import.meta.url);
    await using lexicons = testLexicons({ digester: createDigester({ script, limitMs }) });
    const files = { ...sources(3), 'src/bad.ts': `// ${order}` };
    const lexicon = await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
    expect(lexicon.files.map(({ path }) => path)).toEqual(['src/part0.ts', 'src/part1.ts', 'src/part2.ts']);
    expect(lexicon.cut).toBe('1 files could not be read or digested.');
    expect(await pathsWith(lexicon, wordOf(2))).toEqual(['src/part2.ts']);
  });
});

it('a thread that had nothing to do for long is gone, and another one answers', async () => {
  await using digester = createDigester({ idleMs: 1 });
  await using lexicons = testLexicons({ digester });
  await lexicons.of(PROJECT).open(countedTree(sources(3)).tree, SIGNAL);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const lexicon = await lexicons.of(projectOf('prj_other')).open(countedTree(sources(4)).tree, SIGNAL);
  expect(lexicon.files).toHaveLength(4);
});

it('several threads make the digests that one makes', async () => {
  const hashes = Uint32Array.from(Array.from({ length: 40 }, (_, index) => hashTerm(wordOf(index))));
  const files = Object.fromEntries(
    Object.entries(sources(40)).map(([path, text]) => [path, `${text}${'// padding of a file\n'.repeat(5_000)}`]),
  );
  const looks = [1, 3].map(async (threads) => {
    await using lexicons = testLexicons({ digester: createDigester({ threads }) });
    const lexicon = await lexicons.of(PROJECT).open(countedTree(files).tree, SIGNAL);
    return { files: lexicon.files, found: await lexicon.lookUp(hashes, SIGNAL) };
  });
  const [one, three] = await Promise.all(looks);
  expect(one?.files).toHaveLength(40);
  expect(three).toEqual(one);
});

it('little to digest starts one thread, however many there may be', async () => {
  let started = 0;
  const count = () => (started += 1);
  process.on('worker', count);
  await using lexicons = testLexicons({ digester: createDigester({ threads: 3 }) });
  const looks = ['prj_one', 'prj_two'].map((id) =>
    lexicons.of(projectOf(id)).open(countedTree(sources(3)).tree, SIGNAL),
  );
  for (const { files } of await Promise.all(looks)) expect(files).toHaveLength(3);
  process.off('worker', count);
  expect(started).toBe(1);
});

it('a thread that will not start leaves every file out, and ends soon', async () => {
  const script = new URL('./no-such-file.ts', import.meta.url);
  await using lexicons = testLexicons({ digester: createDigester({ script, limitMs: 3_000 }) });
  const lexicon = await lexicons.of(PROJECT).open(countedTree(sources(9)).tree, SIGNAL);
  expect(lexicon).toMatchObject({ files: [], cut: '9 files could not be read or digested.' });
});
