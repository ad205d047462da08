// Ranks the files of a commit by how likely the fault that a report tells of is mended in them, and says why.
import type { FileRead } from '../../core/source.ts';
import type { Clue } from '../clues.ts';
import { attempt, type Lookups, shortenSha } from '../lookups.ts';
import { combine, type SignalValues } from './combine.ts';
import { matchCommits } from './commits-signal.ts';
import { describeRanking } from './describe-ranking.ts';
import { explainFile, type LookedAt } from './explain.ts';
import { testPlaces, testSource } from './failing-test.ts';
import { CLOSELY, gatherSignals, type Known } from './gather-signals.ts';
import { inSlices } from './in-slices.ts';
import type { OpenedIndex } from './open-digests.ts';
import { type Query, queryOf } from './query.ts';
import { type ReadReport, reportTexts } from './report-texts.ts';
import { openTable, type Table, termWeight } from './table.ts';
import { bestWindow, type TermWorths, wantedLines } from './windows.ts';

const MAX_RANKED = 30;
/**
 * Files whose text is read for the best stretch. Over 80 issues and 176 traces 50, 100 and 200 found the mended files equally often among the first
 * one, five and ten; no file from beyond 100 came among the first ten.
 */
const LOOKED_AT = 100;
const AHEAD = 8;

export interface RankFilesInput extends OpenedIndex {
  readonly lookups: Lookups;
  readonly report: ReadReport;
  /** Of frames, places, paths and messages. */
  readonly clues: readonly Clue[];
}

/** `clues` say why, and are of this file alone; those that were given are not among them. */
export interface RankedFile {
  readonly path: string;
  readonly score: number;
  readonly clues: readonly Clue[];
}

/**
 * The best 30, then those further down that have clues; best first, equal ones in path order; tests are not among them. One step says what was
 * looked up.
 */
export async function rankFiles(input: RankFilesInput): Promise<readonly RankedFile[]> {
  const { lookups, lexicon, history } = input;
  const query = queryOf({ ...reportTexts(input.report), test: await testTexts(input) });
  const table = await openTable(lexicon, query, lookups.signal);
  if (table.paths.length === 0) return [];
  const matched = await matchCommits(history, query, lookups.signal);
  const known: Known = { table, query, history: matched, clues: input.clues };
  const gathered = await gatherSignals(known, lookups.signal);
  const looked = await lookCloser(lookups, known, bestFirst(combine(gathered.values).sums).slice(0, LOOKED_AT));
  const values = withWindows(gathered.values, looked);
  const combined = combine(values);
  const clued = new Set(input.clues.map(({ path }) => path));
  const best = bestFirst(combined.sums)
    .filter((file) => (combined.sums[file] ?? 0) > 0)
    .filter((file, rank) => rank < MAX_RANKED || clued.has(table.paths[file] ?? ''));
  const all = { table, query, gathered: { ...gathered, values }, combined };
  const ranked: RankedFile[] = [];
  // Each is read once more for how it writes the report's words: up to 50 ms.
  await inSlices(best.length, { size: 1, signal: lookups.signal }, (rank) => {
    const file = best[rank] ?? 0;
    const clues = explainFile(all, file, looked.get(file) ?? { text: '', line: 0 });
    ranked.push({ path: table.paths[file] ?? '', score: combined.scores[file] ?? 0, clues });
  });
  const at = shortenSha(lookups.tree.revision);
  const found = ranked.filter(({ clues, path }) => clues.length > 0 || clued.has(path));
  await lookups.notebook.record(describeRanking(known, { at, cut: [lexicon.cut, history.cut], ranked: found }));
  return found;
}

async function testTexts({ report, lookups }: RankFilesInput): Promise<string> {
  const sources: string[] = [];
  for (const place of testPlaces(report.mapped)) {
    const read = await attempt(lookups, `read ${place.path}`, () => lookups.tree.read(place.path, {}, lookups.signal));
    if (read?.kind === 'text') sources.push(testSource(read.text, place));
  }
  return sources.join('\n');
}

function bestFirst(sums: Float64Array): readonly number[] {
  return [...sums.keys()].sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0) || a - b);
}

interface Looked extends LookedAt {
  readonly window: number;
  readonly titleWindow: number;
}

async function lookCloser(
  lookups: Lookups,
  { table, query }: Known,
  files: readonly number[],
): Promise<ReadonlyMap<number, Looked>> {
  const all = worthsOf(table, query, false);
  const titles = worthsOf(table, query, true);
  const looked = new Map<number, Looked>();
  const read = readAhead(
    lookups,
    files.map((file) => table.paths[file] ?? ''),
  );
  for (const [index, file] of files.entries()) {
    const text = await attempt(lookups, `read ${table.paths[file]}`, () => read(index));
    if (text?.kind !== 'text') continue;
    const lines = wantedLines(text.text, all);
    const { score, line } = bestWindow(lines, all);
    looked.set(file, { text: text.text, line, window: score, titleWindow: bestWindow(lines, titles).score });
  }
  return looked;
}

/** Files are asked for some ahead of the one that is waited for: git reads them meanwhile. */
function readAhead({ tree, signal }: Lookups, paths: readonly string[]): (index: number) => Promise<FileRead> {
  const asked: Promise<FileRead>[] = [];
  return async (index) => {
    for (const path of paths.slice(asked.length, index + AHEAD)) {
      const read = tree.read(path, {}, signal);
      // Whoever waits for it hears of it.
      read.catch(() => undefined);
      asked.push(read);
    }
    return await (asked[index] ?? tree.read(paths[index] ?? '', {}, signal));
  };
}

function worthsOf(table: Table, query: Query, isTitle: boolean): TermWorths {
  return new Map(
    query.terms.flatMap((term, index) => {
      const worth = isTitle ? Math.sign(term.counts.title + term.counts.name) : termWeight(term, CLOSELY);
      const weight = worth * (table.rarities[index] ?? 0);
      return weight > 0 ? [[term.hash, weight] as const] : [];
    }),
  );
}

function withWindows(values: SignalValues, looked: ReadonlyMap<number, Looked>): SignalValues {
  const pick = (of: (one: Looked) => number): Float64Array =>
    Float64Array.from(values.words, (_, file) => {
      const one = looked.get(file);
      return one ? of(one) : 0;
    });
  return { ...values, window: pick(({ window }) => window), titleWindow: pick(({ titleWindow }) => titleWindow) };
}
