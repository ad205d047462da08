// The cause of a red check in its log: the step that failed, and in it the lines that say why, the first before its consequences.
import type { SignKind } from './error-sign-table.ts';
import { type Sign, signOf } from './error-signs.ts';
import { findMessage } from './message-line.ts';
import type { PassingLog } from './passing-log.ts';
import { isFinding } from './place-forms.ts';
import type { PlainLine } from './plain-lines.ts';
import type { Step } from './steps.ts';
import { type FailedTest, findFailedTests } from './test-names.ts';

export interface TellingLine {
  readonly at: number;
  readonly kind: SignKind;
  readonly isHeading: boolean;
  readonly isOpening: boolean;
}

export interface Cause {
  readonly step: Step | null;
  /** Index of the first error line; -1 where nothing tells. */
  readonly headline: number;
  /** Index of the line that says most of it: where the headline only names a test, what is said of that. -1: nothing tells. */
  readonly message: number;
  /** Every line of the step that tells of a failure, in order. */
  readonly telling: readonly TellingLine[];
  readonly tests: readonly FailedTest[];
}

/** From the most to the least telling. */
const RANKS: Readonly<Record<SignKind, number>> = { verdict: 4, error: 3, summary: 2, weak: 1, end: 0 };
/** From this rank on, see {@link rankOf}, a line says what went wrong. */
export const ERROR = RANKS.error;
/** Mere words of trouble count among the last lines and under a heading only: tests and tools print them all day long. */
const LAST_WORDS = 20;
const UNDER = 6;
/** Errors this far apart do not belong together: what comes last ended the step. */
const FAR = 25;
const FRAME = /^\s*(?:at |\.{3} \d+ more|$)/;
export const NOTHING: Cause = { step: null, headline: -1, message: -1, telling: [], tests: [] };

/**
 * Of the steps that failed the one that tells most, the earliest first. Where it only says that it failed, the last step before it
 * that complained; of a log that names no failed step any, the last first.
 */
export function findCause(lines: readonly PlainLine[], steps: readonly Step[], passing?: PassingLog): Cause {
  const cause = causeAmong(lines, steps, passing);
  return { ...cause, message: findMessage(lines, cause) };
}

function causeAmong(lines: readonly PlainLine[], steps: readonly Step[], passing: PassingLog | undefined): Cause {
  const work = steps.filter(({ phase }) => phase !== 'cleanup');
  const failed = work.filter(({ isFailed }) => isFailed);
  const own = mostTelling(failed.map((step) => causeIn(lines, step, passing)));
  if (own && rankOf(own) >= RANKS.weak) return own;
  const end = failed.at(-1)?.from ?? lines.length;
  const before = work.filter(({ isFailed, from }) => !isFailed && from < end).reverse();
  const complaint = mostTelling(before.map((step) => causeIn(lines, step, passing)));
  const isWorth = complaint && (own === undefined || rankOf(complaint) >= RANKS.error);
  return (isWorth ? complaint : own) ?? NOTHING;
}

function causeIn(lines: readonly PlainLine[], step: Step, passing: PassingLog | undefined): Cause {
  const tests = findFailedTests(lines, step.from, step.to);
  const named = new Set(tests.map(({ at }) => at));
  const telling: TellingLine[] = [];
  for (let at = step.from; at < step.to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    const sign = shownBy(line, named.has(at), passing);
    const isCounted = sign?.kind !== 'weak' || at >= step.to - LAST_WORDS || isUnderHeading(telling, at);
    if (sign && isCounted) telling.push({ at, ...sign });
  }
  const told =
    highest(telling.map(({ kind }) => RANKS[kind])) < RANKS.error ? withFindings(lines, step, telling) : telling;
  const headline = headlineOf(lines, told);
  return { step, headline, message: headline, telling: told, tests };
}

/** Where nothing else is called an error, what a linter listed at the end is what it failed for, warnings as well. */
function withFindings(
  lines: readonly PlainLine[],
  step: Step,
  telling: readonly TellingLine[],
): readonly TellingLine[] {
  const known = new Set(telling.filter(({ kind }) => kind !== 'weak').map(({ at }) => at));
  const findings: TellingLine[] = [];
  for (let at = step.from; at < step.to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line) || FRAME.test(line.text)) continue;
    if (!known.has(at) && isFinding(line.text))
      findings.push({ at, kind: 'error', isHeading: false, isOpening: false });
  }
  const last = findings.at(-1);
  if (!last || isFar(lines, last.at, step.to - 1)) return telling;
  const found = new Set(findings.map(({ at }) => at));
  return [...telling.filter(({ at }) => !found.has(at)), ...findings].sort((a, b) => a.at - b.at);
}

function shownBy(line: PlainLine, isNamed: boolean, passing: PassingLog | undefined): Sign | null {
  const sign = isNamed ? namedSign(line) : signOf(line.text, line.mark === 'error');
  return sign && passing?.has(line.text) ? null : sign;
}

/** What follows a heading is what it heads, in whatever words. */
function isUnderHeading(telling: readonly TellingLine[], at: number): boolean {
  const last = telling.at(-1);
  return last?.kind === 'verdict' && last.isHeading && at - last.at <= UNDER;
}

/** By a program or by the runner of an error; not what the runner shows of the script. */
export function isPrinted({ mark }: PlainLine): boolean {
  return mark === '' || mark === 'error';
}

function namedSign(line: PlainLine): Sign {
  return { kind: 'verdict', isHeading: signOf(line.text, false)?.isHeading ?? false, isOpening: false };
}

/** A verdict is believed wherever it stands, the first of them; else what stands together at the end, of its best kind the first. */
function headlineOf(lines: readonly PlainLine[], telling: readonly TellingLine[]): number {
  const own = telling.filter(({ isHeading }) => !isHeading);
  const verdict = firstVerdict(telling);
  if (verdict || own.length === 0) return (verdict ?? telling[0])?.at ?? -1;
  const firm = own.filter(({ kind }) => RANKS[kind] >= RANKS.summary);
  const last = lastTogether(lines, firm.length > 0 ? firm : own);
  const best = highest(last.map(({ kind }) => RANKS[kind]));
  return last.find(({ kind }) => RANKS[kind] === best)?.at ?? -1;
}

const SAYING: readonly SignKind[] = ['error', 'weak'];

/** Of a list that a tool opens the first on it; of a heading alone the first error under it. */
function firstVerdict(telling: readonly TellingLine[]): TellingLine | undefined {
  const verdicts = telling.filter(({ kind }) => kind === 'verdict');
  const opening = verdicts.find(({ isOpening }) => isOpening)?.at ?? -1;
  const own = verdicts.filter(({ isHeading }) => !isHeading);
  const first = own.find(({ at }) => at > opening) ?? own[0];
  const [heading] = verdicts;
  if (first || !heading) return first;
  const said = telling.find(({ kind, isHeading, at }) => SAYING.includes(kind) && !isHeading && at > heading.at);
  return said ?? verdicts.find(({ isOpening }) => !isOpening) ?? heading;
}

function lastTogether(lines: readonly PlainLine[], telling: readonly TellingLine[]): readonly TellingLine[] {
  let index = telling.length - 1;
  while (index > 0 && !isFar(lines, telling[index - 1]?.at ?? 0, telling[index]?.at ?? 0)) index -= 1;
  return telling.slice(Math.max(0, index));
}

/** Whether more than so many lines of text stand behind the one, up to the other: stack frames are not counted. */
function isFar(lines: readonly PlainLine[], at: number, to: number): boolean {
  let count = 0;
  for (let next = at + 1; next <= to && count <= FAR; next += 1) {
    const line = lines[next];
    if (line && isPrinted(line) && !FRAME.test(line.text)) count += 1;
  }
  return count > FAR;
}

/** 4: a tool's verdict, 3: an error, 2: a summary, 1: words of trouble, 0: only that it ended, -1: nothing. */
export function rankOf(cause: Cause): number {
  return highest(cause.telling.map(({ kind }) => RANKS[kind]));
}

/** As {@link rankOf} counts. */
export function rankOfKind(kind: SignKind): number {
  return RANKS[kind];
}

/** -1 of none. */
function highest(ranks: readonly number[]): number {
  return ranks.reduce((best, rank) => Math.max(best, rank), -1);
}

function mostTelling(causes: readonly Cause[]): Cause | undefined {
  const best = highest(causes.map(rankOf));
  return causes.find((cause) => rankOf(cause) === best);
}

/** The lines that say as much as the headline does, from it on. */
export function sameKind({ headline, telling }: Cause): readonly TellingLine[] {
  const kind = telling.find(({ at }) => at === headline)?.kind;
  return telling.filter(
    (line) => line.kind === kind && line.at >= headline && (!line.isHeading || line.at === headline),
  );
}
