// The investigation steps of triage: each lookup with its exact query, its result and what it means.

import type {
  CommitInfo,
  LineRange,
  Repository,
  SearchHit,
  SearchQuery,
  SearchResult,
  SourceTree,
} from 'causeway-git-objects';
import { cutText, removeInvisibleIn } from 'causeway-visible-text';
import { CausewayError } from '../core/errors.ts';
import type { SourcedStep } from '../core/report/index.ts';
import { describeSearchCut } from '../core/source/index.ts';
import type { Ground } from './paths.ts';

/** A function of 150 lines fits; longer results are cut, and say so. */
const MAX_RESULT = 10_000;

const MAX_SHOWN_HITS = 20;

/** Error of a search that failed as a lookup; its step is recorded already. */
const FAILED = 'the search failed';

/** The steps taken so far, passed to `onStep` as they happen. */
export interface Notebook {
  readonly steps: readonly SourcedStep[];
  /** Number of the step, from 1. */
  record(step: SourcedStep): Promise<number>;
}

/** One commit and what is needed to look things up in it. */
export interface Lookups {
  readonly repository: Repository;
  readonly tree: SourceTree;
  readonly ground: Ground;
  readonly notebook: Notebook;
  readonly signal: AbortSignal;
}

export function createNotebook(onStep: (step: SourcedStep) => Promise<void>): Notebook {
  const steps: SourcedStep[] = [];
  return {
    steps,
    record: async (step) => {
      // Names of files, and lines of them, may hold what a terminal obeys or an eye does not see.
      const kept = removeInvisibleIn({ ...step, result: cutLookupLine(step.result) });
      steps.push(kept);
      await onStep(kept);
      return steps.length;
    },
  };
}

export function shortenSha(sha: string): string {
  return sha.slice(0, 7);
}

/** Such as `1a2b3c4 (2026-11-20, “Read the code in capitals”)`. */
export function nameCommit({ sha, date, subject }: CommitInfo): string {
  return `${shortenSha(sha)} (${date.slice(0, 10)}, “${cutSubject(subject)}”)`;
}

/** A place and why it is a suspect. */
export function joinReasons(place: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? place : `${place}: ${reasons.join('; ')}`;
}

/** At most 80 characters of a commit's subject, and a mark where there is more. */
export function cutSubject(subject: string): string {
  const cut = cutText(subject, 80);
  return cut === subject ? subject : `${cut} …`;
}

/**
 * Runs a lookup. One that fails becomes a step that says so and gives null; an abort, and errors of the repository
 * itself, go on to the caller.
 */
export async function attempt<T>(
  lookups: Pick<Lookups, 'notebook' | 'signal'>,
  action: string,
  lookup: () => Promise<T>,
): Promise<T | null> {
  try {
    return await lookup();
  } catch (error) {
    lookups.signal.throwIfAborted();
    if (error instanceof Error && error.name === 'AbortError') throw error;
    // `internal` is how a source says that one lookup went wrong, `absent` that what it needs is not there, such as
    // old contents in a partial clone; every other code is about the repository as a whole.
    if (error instanceof CausewayError && error.code !== 'internal' && error.code !== 'absent') throw error;
    // Git's message may name paths of this machine, and steps are public.
    const isAbsent = error instanceof CausewayError && error.code === 'absent';
    await lookups.notebook.record({
      action,
      result: isAbsent ? 'failed: its content is missing or damaged in the copy of the repository' : 'failed',
      analysis: 'The lookup itself failed, so this fact is missing; nothing follows from it.',
    });
    return null;
  }
}

/** Runs lookups at the same time. Their steps are recorded in the order of the tasks, once all have ended. */
export async function runSideBySide<Results extends readonly unknown[]>(
  lookups: Lookups,
  ...tasks: { readonly [Index in keyof Results]: (own: Lookups) => Promise<Results[Index]> }
): Promise<Results> {
  const notebooks = tasks.map(() => createNotebook(async () => {}));
  const running = notebooks.map((notebook, index) => tasks[index]?.({ ...lookups, notebook }));
  await Promise.allSettled(running);
  const results: readonly unknown[] = await Promise.all(running);
  for (const step of notebooks.flatMap(({ steps }) => steps)) await lookups.notebook.record(step);
  return results as Results;
}

/**
 * How a search is described: `said` replaces a long expression (which is then shown with the result), `keep` picks the
 * hits that count.
 */
interface Telling {
  readonly said?: string;
  readonly keep?: (hit: SearchHit) => boolean;
}

/** Searches the commit and records the step; `meaning` puts the result in one sentence. */
export async function recordSearch(
  lookups: Lookups & Telling,
  query: SearchQuery,
  meaning: (result: SearchResult) => string,
): Promise<SearchResult> {
  const found = await searchOne(lookups, query);
  if (found.error === FAILED) return found;
  const { said, keep } = lookups;
  const result = keep ? { ...found, hits: found.hits.filter(keep) } : found;
  const at = shortenSha(lookups.tree.revision);
  const action = said === undefined ? describeSearch(query, lookups.tree.revision) : `search ${said} at ${at}`;
  const expression = said === undefined ? '' : `\nexpression: /${query.pattern}/`;
  await lookups.notebook.record({ action, result: renderHits(result) + expression, analysis: meaning(result) });
  return result;
}

async function searchOne(lookups: Lookups, query: SearchQuery): Promise<SearchResult> {
  const action = describeSearch(query, lookups.tree.revision);
  return (
    (await attempt(lookups, action, () => lookups.tree.search(query, lookups.signal))) ?? {
      hits: [],
      cuts: [],
      error: FAILED,
    }
  );
}

function describeOptions({ regex, ignoreCase, word }: Omit<SearchQuery, 'pattern'>): string {
  const options = [regex ? 'regex' : '', ignoreCase ? 'any case' : '', word ? 'whole words' : ''];
  const said = options.filter((option) => option !== '').join(', ');
  return said === '' ? '' : ` (${said})`;
}

function describeSearch(query: SearchQuery, revision: string): string {
  const shown = query.regex ? `/${query.pattern}/` : JSON.stringify(query.pattern);
  return `search ${shown}${describeOptions(query)} at ${shortenSha(revision)}`;
}

function renderHits({ hits, cuts, error }: SearchResult): string {
  if (error !== '') return `failed: ${error}`;
  if (hits.length === 0) return 'nothing found';
  const shown = hits.slice(0, MAX_SHOWN_HITS).map((hit) => `${hit.path}:${hit.line}: ${cutText(hit.text.trim(), 160)}`);
  const left = hits.length - shown.length;
  return [...shown, left > 0 ? `… ${left} more hits not shown` : '', ...cuts.map(describeSearchCut)]
    .filter((line) => line !== '')
    .join('\n');
}

function cutLookupLine(text: string): string {
  if (text.length <= MAX_RESULT) return text;
  const shown = cutText(text, MAX_RESULT);
  return `${shown}\n… cut: ${text.length - shown.length} more characters`;
}

/** Characters shown of a line of source. */
export const MAX_SHOWN_LINE = 300;

/** With their numbers; `marked` is the line to point at, 0: none. */
export function formatLines(lines: readonly string[], { from, to }: LineRange, marked: number): string {
  const width = String(to).length;
  const rows = lines.slice(from - 1, to).map((line, index) => {
    const number = from + index;
    const mark = number === marked ? '>' : ' ';
    return `${mark} ${String(number).padStart(width)} | ${cutText(line, MAX_SHOWN_LINE)}`;
  });
  return rows.join('\n');
}
