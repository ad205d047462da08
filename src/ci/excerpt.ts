// The lines of a log that show the cause of a failure: the first error with its surroundings, the others, the end.
import type { Excerpt } from '../core/head.ts';
import type { ErrorLine } from './blocks.ts';
import { rankCauseLines } from './cause-lines.ts';
import { type Cause, formatMessage } from './find-cause.ts';
import { stripVariables } from './fingerprint.ts';
import type { LogLine, PassingLog } from './log-lines.ts';

const MAX_SHOWN = 60;
const MAX_BYTES = 8 * 1024;
const MAX_SHOWN_LINE = 300;
const MAX_TESTS = 50;
/** Lines that are taken before gaps are marked; each block of them is followed by one mark. */
const MAX_TAKEN = 46;
/** Of these so many for the cause itself; the rest shows what was going on, and how it ended. */
const MAX_OF_CAUSE = 36;
const GAP = '…';

interface Taken {
  readonly lines: Set<number>;
  readonly seen: Set<string>;
  bytes: number;
}

/** At most 60 lines and 8 KiB of the step that failed, in order; `…` marks what is left out. */
export function cutExcerpt(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): Excerpt {
  const taken = takeLines(lines, cause, passing);
  const shown = markGaps(lines, taken);
  const step = cause.step?.name ?? '';
  const total = cause.step ? cause.step.to - cause.step.from : lines.length;
  const left = total - taken.length;
  return {
    step,
    headline: formatHeadline(formatMessage(lines, cause.message)),
    lines: shown,
    cut:
      taken.length === 0 || left <= 0
        ? ''
        : `${left} of ${total} lines ${step === '' ? 'of the log' : 'of the step'} are left out`,
    tests: cause.tests.slice(0, MAX_TESTS).map(({ name }) => name),
  };
}

/** How long a test took differs every time. */
const DURATION =
  /(?<!\s)\s*[([](?:< ?)?\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|secs?|seconds?|m|min)[)\]]$| {1,4}(?:-- )?Time elapsed: [\d.]{1,20} ?s(?:ec)?\b/g;

/** One line, at most 300 characters, without durations. */
export function formatHeadline(text: string): string {
  return text.trimEnd().replace(DURATION, '').replace(/\s+/g, ' ').replace(/^ /, '').trimEnd().slice(0, MAX_SHOWN_LINE);
}

function takeLines(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): readonly number[] {
  const { headline, message, errorLines, step } = cause;
  if (headline < 0) return [];
  const taken: Taken = { lines: new Set(), seen: new Set(), bytes: 0 };
  const from = step?.from ?? 0;
  const to = step?.to ?? lines.length;
  const block = (at: number, before: number, after: number, most: number): void => {
    for (let line = Math.max(from, at - before); line <= Math.min(to - 1, at + after); line += 1)
      takeLine(taken, lines, line, most);
  };
  for (const at of [headline, message]) block(at, 0, 0, MAX_TAKEN);
  for (const { at, kind } of rankCauseLines(lines, cause, passing)) {
    if (taken.lines.size >= MAX_OF_CAUSE) break;
    if (kind !== 'frame') takeLine(taken, lines, at, MAX_OF_CAUSE);
  }
  block(headline, 3, 3, MAX_TAKEN);
  if (message !== headline) block(message, 3, 3, MAX_TAKEN);
  const end = errorLines.at(-1);
  if (end) block(end.at, 4, 0, MAX_TAKEN);
  const others = (kinds: readonly string[], after: number, most: number): void => {
    for (const { at } of findDistinct(lines, errorLines, kinds)) {
      if (taken.lines.size >= most) break;
      block(at, 0, after, most);
    }
  };
  others(['verdict'], 3, 42);
  others(['error', 'summary'], 2, 44);
  others(['weak'], 1, MAX_TAKEN);
  return [...taken.lines].sort((a, b) => a - b);
}

/** The first of each kind that differ in more than values. */
function* findDistinct(
  lines: readonly LogLine[],
  errorLines: readonly ErrorLine[],
  kinds: readonly string[],
): Generator<ErrorLine> {
  const seen = new Set<string>();
  for (const line of errorLines.filter(({ kind }) => kinds.includes(kind)).slice(0, 400)) {
    const words = stripVariables(lines[line.at]?.text ?? '');
    if (!seen.has(words)) yield line;
    seen.add(words);
  }
}

function takeLine(taken: Taken, lines: readonly LogLine[], at: number, most: number): void {
  const line = lines[at];
  if (!line || taken.lines.has(at) || taken.lines.size >= most || line.text.trim() === '') return;
  if (line.mark !== '' && line.mark !== 'error') return;
  const key = line.text.trim();
  const bytes = Buffer.byteLength(line.text.slice(0, MAX_SHOWN_LINE)) + 5;
  if ((taken.seen.has(key) && key.length > 8) || taken.bytes + bytes > MAX_BYTES) return;
  taken.lines.add(at);
  taken.seen.add(key);
  taken.bytes += bytes;
}

function markGaps(lines: readonly LogLine[], taken: readonly number[]): readonly string[] {
  const shown: string[] = [];
  taken.forEach((at, index) => {
    const previous = taken[index - 1];
    const isNext = previous === undefined || !hasText(lines, previous + 1, at);
    if (!isNext) shown.push(GAP);
    shown.push((lines[at]?.text ?? '').slice(0, MAX_SHOWN_LINE));
  });
  return shown.slice(0, MAX_SHOWN);
}

function hasText(lines: readonly LogLine[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if ((lines[at]?.text ?? '').trim() !== '') return true;
  return false;
}
