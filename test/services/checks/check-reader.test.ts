// Long logs are read next to the event loop, with the same answer as in it; what cannot be read is left out and said to be.

import { readCheck } from 'causeway-ci-log';
import { describe, expect, it } from 'vitest';
import { zipFiles } from '../../../packages/ci-log/test/hostile-archives.ts';
import { createResultBudget } from '../../../src/core/check/check.ts';
import { createCheckReader } from '../../../src/services/checks/check-texts.ts';
import { CODE_LOG } from '../../support/head-ground.ts';

/** A log of half a megabyte and more, with its cause at the end. */
function longLog(word: string): string {
  const noise = Array.from({ length: 20_000 }, (_, line) => `step ${line} of ${word}: all is well`);
  return [...noise, ...CODE_LOG.replaceAll('sum', word).split('\n')].join('\n');
}

const GOOD = zipFiles({ 'a.xml': '<testsuite><testcase name="adds"><failure message="no"/></testcase></testsuite>' });

function textsOf(log: string) {
  const annotations = [{ path: 'src/a.py', line: 3, message: 'it broke here', level: 'failure' }] as const;
  return { name: 'test', output: 'the output', log, annotations };
}

/** Turns that the event loop takes until then. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const done = work.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await done;
  return turns;
}

describe('a long log', () => {
  it('is read as in process, and holds up nothing meanwhile', async () => {
    await using reader = createCheckReader();
    const texts = textsOf(longLog('cart'));
    const reading = reader.readCheck(texts);
    expect(await turnsUntil(reading)).toBeGreaterThan(20);
    expect(await reading).toEqual(readCheck(texts));
  });

  it('among others at the same time has its own answer', async () => {
    await using reader = createCheckReader();
    const all = ['cart', 'till', 'shelf'].map((word) => textsOf(longLog(word)));
    const read = await Promise.all(all.map((texts) => reader.readCheck(texts)));
    expect(read.map(({ excerpt }) => excerpt.headline)).toEqual([
      "KeyError: 'cart'",
      "KeyError: 'till'",
      "KeyError: 'shelf'",
    ]);
  });
});

it('a short log needs no thread', async () => {
  await using reader = createCheckReader({ script: new URL('./no-such-file.ts', import.meta.url) });
  expect(await reader.readCheck(textsOf(CODE_LOG))).toEqual(readCheck(textsOf(CODE_LOG)));
});

describe.each([
  ['DIE', 3_000],
  ['THROW', 3_000],
  ['HANG', 3_000],
  // It keeps a core busy until its time is up.
  ['SPIN', 1_000],
  // It reaches its limit of memory and takes nothing else with it.
  ['GROW', 30_000],
])('a thread made to %s', (order, limitMs) => {
  it('by a log loses that log, says so, keeps what else there is, and reads the next', async () => {
    const script = new URL('./hostile-reader.ts', import.meta.url);
    await using reader = createCheckReader({ script, limitMs });
    const { excerpt, places } = await reader.readCheck(textsOf(longLog(order)));
    expect(excerpt).toMatchObject({ headline: 'src/a.py:3: it broke here', cut: 'The log could not be read in time.' });
    expect(places).toMatchObject([{ path: 'src/a.py', line: 3 }]);
    const next = textsOf(longLog('cart').slice(-100_000));
    expect(await reader.readCheck(next)).toEqual(readCheck(next));
  });

  it('by an archive loses that archive and the others of its commit, says so, and reads that of the next', async () => {
    const script = new URL('./hostile-reader.ts', import.meta.url);
    await using reader = createCheckReader({ script, limitMs });
    const { signal } = new AbortController();
    const budget = createResultBudget();
    const [hostile, same, other] = await Promise.all([
      reader.readArtifact({ name: 'made', archive: Buffer.from(order), budget }, signal),
      reader.readArtifact({ name: 'its next', archive: GOOD, budget }, signal),
      reader.readArtifact({ name: 'of another', archive: GOOD, budget: createResultBudget() }, signal),
    ]);
    expect(hostile).toEqual({ results: [], unread: [{ file: 'made', why: 'failed' }] });
    expect(same).toEqual({ results: [], unread: [{ file: 'a.xml', why: 'total_size' }] });
    expect(other.results).toMatchObject([{ name: 'adds' }]);
  });
});

it('an archive whose turn comes after its commit was given up is not read', async () => {
  await using reader = createCheckReader();
  const abort = new AbortController();
  const [first, second] = [new AbortController().signal, abort.signal].map((signal) =>
    reader.readArtifact({ name: 'a', archive: GOOD, budget: createResultBudget() }, signal),
  );
  abort.abort(new Error('given up'));
  await expect(second).rejects.toThrow('given up');
  expect((await first)?.results).toHaveLength(1);
});

it('a closed reader refuses long logs instead of passing them by', async () => {
  const reader = createCheckReader();
  await reader[Symbol.asyncDispose]();
  await expect(reader.readCheck(textsOf(longLog('cart')))).rejects.toThrow('is stopping');
});
