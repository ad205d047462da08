// Stretches of a text that must not leave, and how they are cut out.

/** UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `secret`: recognised. `unchecked`: could not be looked at in time, so it does not leave either. */
export interface Cut extends Span {
  readonly kind: 'secret' | 'unchecked';
}

/** What stands where a secret stood. Without the kind of secret: one word is the same in logs, pages and prompts. */
export const MARKER = '[redacted]';
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
 * `keep-lines`: the line breaks of a cut follow its marker.
 */
export function withoutCuts(
  text: string,
  cuts: readonly Cut[],
  lines: 'drop-lines' | 'keep-lines' = 'drop-lines',
): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end, kind } of cuts) {
    parts.push(text.slice(cursor, start), kind === 'secret' ? MARKER : UNCHECKED_MARKER);
    if (lines === 'keep-lines') parts.push(text.slice(start, end).replace(/[^\n]+/g, ''));
    cursor = end;
  }
  parts.push(text.slice(cursor));
  return parts.join('');
}
