// Stretches of a text that must not leave, and how they are cut out.
import { REDACTED } from '../core/redacted.ts';

/** UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `secret`: recognised. `unchecked`: could not be looked at in time, so it does not leave either. */
export interface Cut extends Span {
  readonly kind: 'secret' | 'unchecked';
}

const UNCHECKED_MARKER = '[withheld: not checked for secrets in time]';

/** The spans ascending and apart; those that overlap or touch become one. */
export function mergedSpans(spans: readonly Span[]): Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (end > start) merged.push({ start, end });
  }
  return merged;
}

/**
 * The text with each cut replaced by its marker; everything between the cuts stays as it was. Cuts ascend and do not overlap.
 * `keep-lines`: each line of a cut has its marker, so that all others keep their numbers.
 */
export function withoutCuts(
  text: string,
  cuts: readonly Cut[],
  lines: 'drop-lines' | 'keep-lines' = 'drop-lines',
): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end, kind } of cuts) {
    const marker = kind === 'secret' ? REDACTED : UNCHECKED_MARKER;
    const breaks = lines === 'keep-lines' ? text.slice(start, end).split('\n').length - 1 : 0;
    parts.push(text.slice(cursor, start), marker, `\n${marker}`.repeat(breaks));
    cursor = end;
  }
  parts.push(text.slice(cursor));
  return parts.join('');
}
