// Others get their turn while many files are looked at, and who gives up does not wait for the rest.
import { describe, expect, it } from 'vitest';
import type { CommitLexicon } from '../../../src/core/source/lexicon.ts';
import { createQuery } from '../../../src/triage/localise/query.ts';
import { WHOLE } from '../../../src/triage/localise/signals.ts';
import { openTable, scoreWords } from '../../../src/triage/localise/table.ts';

const FILES = 60_000;
const QUERY = createQuery({
  title: Array.from({ length: 90 }, (_, index) => `w${String.fromCharCode(97 + (index % 26))}x${index}q`).join(' '),
  name: '',
  prose: '',
  code: '',
  log: '',
  test: '',
});

/** Every file holds every word once and defines the first name; each 1,000th is a test. */
function manyFiles(): CommitLexicon {
  const positions = Uint32Array.from({ length: FILES }, (_, file) => file);
  const counts = new Uint16Array(FILES).fill(1);
  return {
    files: Array.from({ length: FILES }, (_, file) => ({
      path: file % 1_000 === 0 ? `test/${file}.test.ts` : `src/${file}.ts`,
      blob: String(file),
    })),
    cut: '',
    lengths: new Uint32Array(FILES).fill(100),
    match: async (hashes) => Array.from(hashes, () => ({ positions, counts })),
    matchNames: async (hashes) => Array.from(hashes, (_, name) => (name === 0 ? positions : new Uint32Array())),
  };
}

/** The answer, and how often others had their turn meanwhile. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let isDone = false;
  const other = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(other);
  };
  setImmediate(other);
  const result = await work().finally(() => {
    isDone = true;
  });
  return { result, turns };
}

describe('a table of many files', () => {
  it('is made and scored while others have their turns, and holds no tests', async () => {
    const { signal } = new AbortController();
    const lexicon = manyFiles();
    const made = await turnsOf(() => openTable(lexicon, QUERY, signal));
    const table = made.result;
    expect(table.paths).toHaveLength(FILES - 60);
    expect(table.definers[0]).toHaveLength(FILES - 60);
    expect(table.definers[1]).toEqual([]);
    // 60,000 paths are 15 slices.
    expect(made.turns).toBeGreaterThanOrEqual(15);
    const scored = await turnsOf(() => scoreWords(table, QUERY, { weights: WHOLE, signal }));
    expect(new Set(scored.result).size).toBe(1);
    expect(scored.turns).toBeGreaterThanOrEqual(2);
  });

  it('is not made for who gave up', async () => {
    const stop = new AbortController();
    const table = openTable(manyFiles(), QUERY, stop.signal);
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(table).rejects.toThrow('enough');
  });
});
