// Whether a cause has to do with the check that failed: by where its quotations are, and by what they share with the
// error. What the model says of it is not read.

import type { ChangeSet } from 'causeway-diff';
import { isSafePath } from 'causeway-paths';
import type { Reach } from '../core/check/index.ts';
import type { CheckedClaim, GroundStep } from './claims.ts';
import { isInformative, listQuotedLines, occursIn, type PreparedText, prepareText } from './quotation.ts';

/** `lead`: its place is imported on the way, and nothing shows that the failure gets there. */
export type Relevance = 'tied' | 'lead' | 'none';

/** What a failed check is about, known without a model. */
export interface FailedCheckGround {
  /** Names of the failed tests. */
  readonly tests: readonly string[];
  /** What its log says of the failure: errors with their values, frames. */
  readonly lines: readonly string[];
  /** Those of them that say what went wrong, without frames. */
  readonly errors: readonly string[];
  /** What the file holds at the analysed commit, and what it held before the change; null where it is not there. */
  readonly textsOf: (file: string) => Promise<{ readonly now: string | null; readonly before: string | null }>;
  /** How the failure reaches that place of the analysed commit; line 0: any of its lines. */
  readonly reach: (place: { readonly path: string; readonly line: number }) => Promise<Reach>;
}

interface ReadGround {
  readonly steps: readonly GroundStep[];
  readonly changeSet: ChangeSet;
}

/** A quotation with where it is in the source. */
interface Located {
  readonly path: string;
  readonly quote: string;
  readonly reach: Reach;
}

/** Only what a quotation proves counts: a place that the model names is where its quotation is, or nowhere. */
export async function judgeRelevance(
  claims: readonly CheckedClaim[],
  { steps, changeSet }: ReadGround,
  failed: FailedCheckGround,
): Promise<Relevance> {
  const proven = claims.filter(({ support }) => support === 'proven');
  const locating: Locating = {
    steps: new Map(steps.map((step) => [step.number, step])),
    pathsOf: remember(({ action, result }: GroundStep) => [...listWrittenPaths(action), ...listWrittenPaths(result)]),
    searched: remember(async (path: string) => toSearched(await failed.textsOf(path))),
    failed,
  };
  const located = (await Promise.all(proven.map((claim) => locateClaim(claim, locating)))).flat();
  const edited = changeSet.files.map((file) => (file.kind === 'renamed' ? file.previousPath : file.path));
  const quotesFailure = proven.some(({ citations }) => citations.some(({ quote }) => isQuoteOfFailure(quote, failed)));
  const causes = await chooseCauses(located, edited, failed);
  if (causes.length === 0) return quotesFailure ? 'tied' : 'none';
  const isTied = ({ path, quote, reach }: Located) =>
    reach === 'frames' ||
    reach === 'names' ||
    reach === 'test' ||
    (reach === 'setup' && quotesFailure) ||
    explainsError({ path, quote }, failed.errors);
  if (causes.some(isTied)) return 'tied';
  return causes.some(({ reach }) => reach === 'imports') ? 'lead' : 'none';
}

/**
 * What is changed is the cause; the failing test is where it shows, and the cause only where nothing else is quoted or
 * changed. An edit whose place is not quoted counts by its file.
 */
async function chooseCauses(
  located: readonly Located[],
  edited: readonly string[],
  failed: FailedCheckGround,
): Promise<readonly Located[]> {
  const edits = await Promise.all(
    edited.map(async (path): Promise<Located> => ({ path, quote: '', reach: await failed.reach({ path, line: 0 }) })),
  );
  const inCode = edits.filter(({ reach }) => reach !== 'test');
  const changed = (inCode.length > 0 ? inCode : edits).map(({ path }) => path);
  const quoted = located.filter(({ path }) => changed.includes(path));
  if (quoted.length > 0) return quoted;
  const outside = located.filter(({ reach }) => reach !== 'test');
  if (outside.length > 0) return outside;
  return located.length > 0 ? located : edits;
}

/** A claim names few files; the steps that it cites may name many. */
const MOST_FILES = 20;
/** Lines of a quotation that are looked up. */
const MOST_LINES = 40;

/** Each step and each file is prepared once: several quotations are of the same ones. */
interface Locating {
  readonly steps: ReadonlyMap<number, GroundStep>;
  readonly pathsOf: (step: GroundStep) => readonly string[];
  readonly searched: (path: string) => Promise<Searched>;
  readonly failed: FailedCheckGround;
}

interface Searched {
  readonly now: SearchedText | null;
  readonly before: SearchedText | null;
}

interface SearchedText {
  readonly ready: PreparedText;
  readonly lines: readonly string[];
}

function toSearched({ now, before }: Awaited<ReturnType<FailedCheckGround['textsOf']>>): Searched {
  const prepare = (text: string): SearchedText => ({ ready: prepareText(text), lines: listQuotedLines(text, true) });
  const ready = now === null ? null : prepare(now);
  if (before === null) return { now: ready, before: null };
  return { now: ready, before: before === now ? ready : prepare(before) };
}

function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

async function locateClaim(
  { citations, places }: CheckedClaim,
  { steps, pathsOf, searched, failed }: Locating,
): Promise<readonly Located[]> {
  const found: Located[] = [];
  for (const { step: number, quote } of citations) {
    const step = steps.get(number);
    if (step === undefined || step.source === 'report' || step.source === 'log') continue;
    const named = places.map(({ file }) => file);
    const files = [...new Set([...named, ...pathsOf(step)])];
    for (const path of files.filter(isSafePath).slice(0, MOST_FILES)) {
      const near = places.find(({ file }) => file === path)?.line ?? 0;
      const reach = await reachQuote({ path, quote, near }, await searched(path), failed);
      if (reach === null) continue;
      found.push({ path, quote, reach });
      break;
    }
  }
  return found;
}

const MOST_TEXT = 20_000;
const LONGEST_PATH = 500;

/** Each word that may be a path: one with an ending, without the brackets and marks that stand around it. */
function listWrittenPaths(text: string): readonly string[] {
  const words = text.slice(0, MOST_TEXT).match(/[\w@.+~$()[\]/-]{3,}/g) ?? [];
  return words
    .filter((word) => word.length <= LONGEST_PATH)
    .flatMap((word) => [word, word.replace(/^[^\w@]+|[^\w]+$/g, '')])
    .filter((word) => /[^.]\.\w{1,12}$/.test(word));
}

const BEST: readonly Reach[] = ['frames', 'names', 'test', 'setup', 'imports', 'none'];

/** Null: the file does not hold the quotation. */
async function reachQuote(
  { path, quote, near }: { readonly path: string; readonly quote: string; readonly near: number },
  { now, before }: Searched,
  { reach }: FailedCheckGround,
): Promise<Reach | null> {
  const lines = now === null ? [] : findQuotedLines(quote, now, near);
  if (lines.length > 0) {
    const reached = await Promise.all(lines.map((line) => reach({ path, line })));
    return BEST.find((one) => reached.includes(one)) ?? 'none';
  }
  // What the change took away is reached where the rest of its file is.
  return before !== null && findQuotedLines(quote, before, 0).length > 0 ? await reach({ path, line: 0 }) : null;
}

/** The lines of the text that hold the quotation, where it is several times the ones next to `near`; none: it has not. */
function findQuotedLines(quote: string, { ready, lines }: SearchedText, near: number): readonly number[] {
  const bare = quote.replace(/^[+-]/gm, '');
  if (![quote, bare].some((one) => occursIn(prepareText(one), ready))) return [];
  const [first = '', ...rest] = listQuotedLines(bare);
  const at = lines.flatMap((line, index) => (first !== '' && line.includes(first) ? [index + 1] : []));
  const [start] = at.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near));
  return start === undefined
    ? []
    : Array.from({ length: Math.min(MOST_LINES, rest.length + 1) }, (_, more) => start + more);
}

/** A shorter name or line of a log may be in any text. */
const MIN_COMPARED_CHARACTERS = 12;

/**
 * Whether the quotation contains what the log says of the failure, or is part of it: a raw log has timestamps before
 * its lines.
 */
function isQuoteOfFailure(quote: string, { tests, lines }: FailedCheckGround): boolean {
  const ready = prepareText(quote);
  if (occursIn(ready, prepareText(lines.join('\n')))) return true;
  const said = [...tests, ...lines].map((text) => prepareText(text));
  return said.some(
    (text) => text.plain.length >= MIN_COMPARED_CHARACTERS && isInformative(text) && occursIn(text, ready),
  );
}

/** Words in a row that only a line which makes the message has. */
const WORDS_IN_ROW = 4;
/** `discountFor`, `FREE_FROM`, `$scope`: names that are no words; not the types of errors, which many lines have. */
const NAME = /(?<![\w$])[A-Za-z_$][\w$]{3,80}/g;
const IS_NAME = /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]|\$|^[A-Z\d]{5,}$/;
const ERROR_TYPE = /(?:Error|Exception|Failure|Warning)$|^ERR_/;
const VALUE = /(?<![\w.:-])\d{3,12}(?![\w:-]|\.\d)/g;
const IN_QUOTES = /'([^'\n]{4,80})'|"([^"\n]{4,80})"|`([^`\n]{4,80})`/g;

/** Whether the quoted source has a name, a value, a text or words in a row of the error, or the error names its file. */
function explainsError(
  { path, quote }: { readonly path: string; readonly quote: string },
  errors: readonly string[],
): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!/^(?:index|mod|lib|main|__init__)\./.test(name) && errors.some((line) => line.includes(name))) return true;
  const source = quote.replace(/^[+-]/gm, '');
  const names = new Set(source.match(NAME));
  const values = new Set(source.match(VALUE));
  const rows = listRowWords(source);
  return errors.some(
    (line) =>
      (line.match(NAME) ?? []).some((one) => IS_NAME.test(one) && !ERROR_TYPE.test(one) && names.has(one)) ||
      (line.match(VALUE) ?? []).some((one) => values.has(one)) ||
      [...line.matchAll(IN_QUOTES)].some(([, a, b, c]) => isInSource(a ?? b ?? c ?? '', source)) ||
      [...listRowWords(line)].some((row) => rows.has(row)),
  );
}

/** A text of the error, as a whole word: `'express'`, but not the `test` of `latest`. */
function isInSource(text: string, source: string): boolean {
  const at = /[A-Za-z]/.test(text) ? source.indexOf(text) : -1;
  return at >= 0 && !/\w/.test(source.charAt(at - 1)) && !/\w/.test(source.charAt(at + text.length));
}

function listRowWords(text: string): ReadonlySet<string> {
  const rows = new Set<string>();
  for (const [sentence] of text.toLowerCase().matchAll(SENTENCE)) {
    const words = sentence.split(/ {1,2}/);
    for (let at = 0; at + WORDS_IN_ROW <= words.length; at += 1) rows.add(words.slice(at, at + WORDS_IN_ROW).join(' '));
  }
  return rows;
}

/** Words with nothing but a space between them. */
const SENTENCE = /[a-z]{2,40}(?: {1,2}[a-z]{2,40}){3,60}/g;
