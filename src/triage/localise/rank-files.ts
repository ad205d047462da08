// Ranks the files of a commit by how likely the fault of a report is in them, and says why.

import { forEachWord, hashWord } from 'causeway-code-words';
import type { FileRead, SourceTree } from 'causeway-git-objects';
import { formatCounted } from '../../core/counted.ts';
import { createScopeMatcher, type Scope } from '../../core/project/index.ts';
import type { SourcedStep } from '../../core/report/index.ts';
import type { CommitLexicon, HistoryLexicon, IndexedCommit, Lexicon } from '../../core/source/index.ts';
import type { Clue } from '../clues.ts';
import { STOP_WORDS } from '../identifiers.ts';
import { attempt, joinReasons, type Lookups, shortenSha } from '../lookups.ts';
import { runInSlices } from '../slices.ts';
import { explainFile, type ReadFile } from './explain.ts';
import { markPassedOn, passesOn } from './passed-on.ts';
import { measureProseShare } from './prose-share.ts';
import { createQuery, cutTestSource, findTestPlaces, type QueriedReport, type Query, splitReport } from './query.ts';
import { CLOSELY, combine, gatherSignals, type Known, matchCommits, type SignalValues } from './signals.ts';
import { openTable, type Table, weighTerm } from './table.ts';

const MAX_RANKED = 30;

/**
 * Files whose text is read for the best stretch. Over 80 issues and 176 traces 50, 100 and 200 found the fixed files
 * equally often among the first one, five and ten; no file from beyond 100 came among the first ten.
 */
const LOOKED_AT = 100;

const AHEAD = 8;

/** Commits that a report is compared with. */
const COMMITS = 5_000;

export interface OpenedIndex {
  readonly lexicon: CommitLexicon;
  /** The newest commits that lead to the commit, at most 5,000. */
  readonly history: HistoryLexicon;
}

/**
 * Of the tree's files and of its history, in parallel. Rejects as a lexicon does; what is indexed is kept even if no
 * caller waits for it.
 */
export function openIndex(lexicon: Lexicon, tree: SourceTree, signal: AbortSignal): Promise<OpenedIndex> {
  const opened = Promise.all([lexicon.open(tree, signal), lexicon.openHistory(tree, COMMITS, signal)]).then(
    ([files, history]) => ({ lexicon: files, history }),
  );
  // The caller gets the error when it awaits the index.
  opened.catch(() => undefined);
  return opened;
}

interface RankFilesInput extends OpenedIndex {
  readonly lookups: Lookups;
  readonly report: QueriedReport;
  /** Of frames, places, paths and messages. */
  readonly clues: readonly Clue[];
  /** The parts of the repository that the report is about; empty: not known. */
  readonly scopes: readonly Scope[];
}

/** `clues` say why, and are only of this file; those that were given are not among them. */
export interface RankedFile {
  readonly path: string;
  readonly score: number;
  readonly clues: readonly Clue[];
}

/**
 * The best 30, then those further down that have clues; best first, equal ones in path order; tests are not among
 * them. One step says what was looked up.
 */
export async function rankFiles(input: RankFilesInput): Promise<readonly RankedFile[]> {
  const { lookups, lexicon, history } = input;
  const query = createQuery({ ...splitReport(input.report), test: await readTestTexts(input) });
  const table = await openTable(lexicon, query, lookups.signal);
  if (table.paths.length === 0) return [];
  const matched = await matchCommits(history, query, lookups.signal);
  const isPreferred = createScopeMatcher(input.scopes);
  const known: Known = { table, query, history: matched, clues: input.clues, isPreferred };
  const gathered = await gatherSignals(known, lookups.signal);
  const looked = await lookCloser(lookups, known, sortBestFirst(combine(gathered.values).sums).slice(0, LOOKED_AT));
  const values = addWindows(gathered.values, looked);
  const combined = combine(values);
  const clued = new Set(input.clues.map(({ path }) => path));
  const passing = new Set([...looked].flatMap(([file, { isPassing }]) => (isPassing ? [file] : [])));
  const defines = (file: number): boolean =>
    gathered.definitions.names.get(file)?.some(({ isCode }) => isCode) === true;
  const best = putDefinersFirst(sortBestFirst(combined.sums), passing, defines)
    .filter((file) => (combined.evidence[file] ?? 0) > 0)
    .filter((file, rank) => rank < MAX_RANKED || clued.has(table.paths[file] ?? ''));
  const subjects = await readSubjects(
    lookups,
    best.slice(0, NAMED_COMMITS).flatMap((file) => gathered.commits.commits.get(file)?.slice(0, 1) ?? []),
  );
  const ownNames = new Set(lookups.ground.packages.flatMap(({ name }) => name.toLowerCase().split('/')));
  const all = { table, query, history: matched, ownNames, subjects, gathered: { ...gathered, values }, combined };
  const ranked: RankedFile[] = [];
  // Each is read once more for how it writes the report's words: up to 50 ms.
  await runInSlices(best.length, { size: 1, signal: lookups.signal }, (rank) => {
    const file = best[rank] ?? 0;
    const clues = explainFile(all, file, looked.get(file) ?? { text: '', line: 0 });
    ranked.push({ path: table.paths[file] ?? '', score: combined.scores[file] ?? 0, clues });
  });
  const at = shortenSha(lookups.tree.revision);
  const found = ranked.filter(({ clues, path }) => clues.length > 0 || clued.has(path));
  await lookups.notebook.record(
    describeRanking(known, { at, cut: [lexicon.cut, history.cut], scopes: input.scopes, ranked: found }),
  );
  return found;
}

/** Files whose commit is shown with its subject: each costs a git process, and answers show four places at most. */
const NAMED_COMMITS = 4;

/** By commit. */
async function readSubjects(lookups: Lookups, commits: readonly IndexedCommit[]): Promise<ReadonlyMap<string, string>> {
  const { repository, signal } = lookups;
  const shas = [...new Set(commits.map(({ sha }) => sha))];
  const read = async (sha: string) => {
    const action = `history (last 1) at ${shortenSha(sha)}`;
    const found = await attempt(lookups, action, () => repository.tree(sha).history({ limit: 1 }, signal));
    return [sha, found?.commits[0]?.subject ?? ''] as const;
  };
  return new Map(await Promise.all(shas.map(read)));
}

async function readTestTexts({ report, lookups }: RankFilesInput): Promise<string> {
  const sources: string[] = [];
  for (const place of findTestPlaces(report.mapped)) {
    const read = await attempt(lookups, `read ${place.path}`, () => lookups.tree.read(place.path, {}, lookups.signal));
    if (read?.kind === 'text') sources.push(cutTestSource(read.text, place));
  }
  return sources.join('\n');
}

function sortBestFirst(sums: Float64Array): readonly number[] {
  return [...sums.keys()].sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0) || a - b);
}

/** A file that only passes names on comes right after the next one that defines a name of the report. */
function putDefinersFirst(
  best: readonly number[],
  passing: ReadonlySet<number>,
  defines: (file: number) => boolean,
): readonly number[] {
  const last = best.findLastIndex(defines);
  const ordered: number[] = [];
  let waiting: number[] = [];
  for (const [rank, file] of best.entries()) {
    if (passing.has(file) && rank < last) {
      waiting.push(file);
      continue;
    }
    ordered.push(file);
    if (!defines(file)) continue;
    ordered.push(...waiting);
    waiting = [];
  }
  return ordered;
}

interface Looked extends ReadFile {
  readonly window: number;
  readonly prose: number;
  /** Whether it only passes on what other files define. */
  readonly isPassing: boolean;
}

async function lookCloser(
  lookups: Lookups,
  { table, query }: Known,
  files: readonly number[],
): Promise<ReadonlyMap<number, Looked>> {
  const worths = computeWorths(table, query);
  const looked = new Map<number, Looked>();
  const read = readAhead(
    lookups,
    files.map((file) => table.paths[file] ?? ''),
  );
  for (const [index, file] of files.entries()) {
    const text = await attempt(lookups, `read ${table.paths[file]}`, () => read(index));
    if (text?.kind !== 'text') continue;
    const path = table.paths[file] ?? '';
    const texts = text.text.split('\n', MAX_LINES);
    const passed = markPassedOn(texts);
    const isPassing = passesOn(path, texts, passed);
    const lines = findWantedLines(text.text, worths);
    const { score, line } = findBestWindow(lines, worths, passed);
    const prose = measureProseShare(path, text.text);
    looked.set(file, { text: text.text, line: isPassing ? 0 : line, window: score, prose, isPassing });
  }
  return looked;
}

/** Starts some reads ahead of the one that is awaited, so that git is never idle. */
function readAhead({ tree, signal }: Lookups, paths: readonly string[]): (index: number) => Promise<FileRead> {
  const asked: Promise<FileRead>[] = [];
  return async (index) => {
    for (const path of paths.slice(asked.length, index + AHEAD)) {
      const read = tree.read(path, {}, signal);
      // The caller that awaits it gets the error.
      read.catch(() => undefined);
      asked.push(read);
    }
    return await (asked[index] ?? tree.read(paths[index] ?? '', {}, signal));
  };
}

function computeWorths(table: Table, query: Query): TermWorths {
  return new Map(
    query.terms.flatMap((term, index) => {
      const weight = weighTerm(term, CLOSELY) * (table.terms[index]?.rarity ?? 0);
      return weight > 0 ? [[term.hash, weight] as const] : [];
    }),
  );
}

function addWindows(values: SignalValues, looked: ReadonlyMap<number, Looked>): SignalValues {
  const pick = (of: (one: Looked) => number): Float64Array =>
    Float64Array.from(values.words, (_, file) => {
      const one = looked.get(file);
      return one ? of(one) : 0;
    });
  return {
    ...values,
    window: pick(({ window }) => window),
    prose: pick(({ prose }) => prose),
  };
}

const SHOWN_TERMS = 12;

const SHOWN_FILES = 8;

interface RankingResult {
  /** Short sha. */
  readonly at: string;
  /** What was left out, in words; "" where nothing was. */
  readonly cut: readonly string[];
  readonly scopes: readonly Scope[];
  readonly ranked: readonly RankedFile[];
}

function describeRanking(known: Known, { at, cut, scopes, ranked }: RankingResult): SourcedStep {
  const {
    table,
    query,
    history: { commits },
  } = known;
  const found = query.terms
    .map((term, index) => ({ word: term.word, rarity: table.terms[index]?.rarity ?? 0 }))
    .filter(({ rarity }) => rarity > 0)
    .sort((a, b) => b.rarity - a.rarity);
  const defined = query.names.filter((_, index) => (table.definers[index]?.length ?? 0) > 0).map(({ word }) => word);
  const lines = [
    describeTerms(
      found.map(({ word }) => word),
      query.terms.length,
    ),
    `defined here: ${formatSharedWords(defined)}`,
    ...(scopes.length === 0 ? [] : [`preferred: ${scopes.flatMap(({ paths }) => paths).join(', ')}`]),
    ...ranked.slice(0, SHOWN_FILES).map((file) => formatRanked(file, known)),
    ...cut.filter((note) => note !== ''),
  ];
  return {
    lookup: 'rank_files',
    action: `compare the report with ${formatCounted(table.paths.length, 'file')} and ${formatCounted(commits.length, 'commit message')} at ${at}`,
    result: lines.join('\n'),
    analysis:
      ranked.length === 0
        ? 'No file here shares anything with the report.'
        : 'Files ordered by shared words and names, what they define, and earlier commits that resemble the report.',
  };
}

function describeTerms(found: readonly string[], asked: number): string {
  if (found.length === 0) return `None of ${formatCounted(asked, 'term')} found.`;
  const count = found.length === asked ? `All ${formatCounted(asked, 'term')}` : `${found.length} of ${asked} terms`;
  return `${count} found; rarest: ${formatSharedWords(found.filter((word) => !STOP_WORDS.has(word.toLowerCase())))}`;
}

/** With its first reason. A file without words of the report ranks for a frame, a path or a message. */
function formatRanked({ path, clues }: RankedFile, known: Known): string {
  const all = [...clues, ...known.clues.filter((given) => given.path === path)];
  return joinReasons(path, all.flatMap(({ reason }) => (reason === '' ? [] : [reason])).slice(0, 1));
}

function formatSharedWords(words: readonly string[]): string {
  const all = [...new Set(words)];
  if (all.length === 0) return 'none';
  return `${all.slice(0, SHOWN_TERMS).join(', ')}${all.length > SHOWN_TERMS ? `, … ${all.length - SHOWN_TERMS} more` : ''}`;
}

/** Lines of a stretch: about what a person sees at once. */
const WINDOW = 45;

/** Lines beyond these are not looked at: such a file is data. */
const MAX_LINES = 20_000;

const MAX_LINE = 1_000;

/** What each term is worth, by hash. */
type TermWorths = ReadonlyMap<number, number>;

export interface Window {
  /** Sum of the worth of the distinct terms in it. */
  readonly score: number;
  /** 1-based; the line in it with the most worth; 0 if none. */
  readonly line: number;
}

/** The hashes of the wanted terms in each line; a line without any is empty. */
export function findWantedLines(text: string, wanted: TermWorths): readonly (readonly number[])[] {
  const lines: number[][] = [];
  for (const line of text.split('\n', MAX_LINES)) {
    const found: number[] = [];
    if (line.length <= MAX_LINE) {
      forEachWord(line, (word) => {
        for (const hash of hashWord(word)) if (wanted.has(hash)) found.push(hash);
      });
    }
    lines.push(found);
  }
  return lines;
}

/** A term counts once, however often it is in the stretch. No line that `passed` marks is the one to look at. */
export function findBestWindow(
  lines: readonly (readonly number[])[],
  worths: TermWorths,
  passed: Uint8Array = new Uint8Array(lines.length),
): Window {
  const stretch = createStretch(worths);
  const own = lines.map((line, index) => (passed[index] === 1 ? [] : line));
  let [best, end] = [0, 0];
  for (const [index, line] of lines.entries()) {
    stretch.enter(line);
    stretch.leave(lines[index - WINDOW] ?? []);
    const sum = stretch.sum();
    // Sums that differ only by rounding are equal: the first stretch stays.
    if (sum > best + 1e-9) [best, end] = [sum, index];
  }
  return { score: best, line: best > 0 ? findFullestLine(own, end, worths) : 0 };
}

interface LineWindow {
  enter(line: readonly number[]): void;
  leave(line: readonly number[]): void;
  sum(): number;
}

function createStretch(worths: TermWorths): LineWindow {
  const standing = new Map<number, number>();
  let sum = 0;
  return {
    enter(line) {
      for (const hash of line) {
        const count = standing.get(hash) ?? 0;
        if (count === 0) sum += worths.get(hash) ?? 0;
        standing.set(hash, count + 1);
      }
    },
    leave(line) {
      for (const hash of line) {
        const count = standing.get(hash) ?? 0;
        if (count === 1) sum -= worths.get(hash) ?? 0;
        standing.set(hash, count - 1);
      }
    },
    sum: () => sum,
  };
}

function findFullestLine(lines: readonly (readonly number[])[], end: number, worths: TermWorths): number {
  let [best, at] = [0, -1];
  for (let index = Math.max(0, end - WINDOW + 1); index <= end; index++) {
    const sum = [...new Set(lines[index])].reduce((total, hash) => total + (worths.get(hash) ?? 0), 0);
    if (sum > best) [best, at] = [sum, index];
  }
  return at + 1;
}
