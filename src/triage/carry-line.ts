// Where a line of one commit stands in another, by its text.
import type { SourceTree } from '../core/source.ts';

/** The line of `to` that reads like line `line` of `from`: the nearest with equal text; 0 where there is none. Lines of one word or less are not carried. */
export async function carryLine(
  line: number,
  from: { readonly tree: SourceTree; readonly path: string },
  to: { readonly tree: SourceTree; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const old = await from.tree.read(from.path, { lines: { from: line, to: line } }, signal);
  const now = await to.tree.read(to.path, {}, signal);
  if (old.kind !== 'text' || now.kind !== 'text') return 0;
  const wanted = (old.text.split('\n')[0] ?? '').trim();
  return isTelling(wanted) ? nearestLine(now.text.split('\n'), wanted, line) : 0;
}

/** Whether a line says enough to be known again: two words or more. */
export function isTelling(text: string): boolean {
  return /\w\W+\w/.test(text);
}

/** Number (from 1) of the line with this trimmed text that is nearest to line `near`; 0 where there is none. */
export function nearestLine(lines: readonly string[], wanted: string, near: number): number {
  return lines.reduce((nearest, text, index) => {
    const line = index + 1;
    if (text.trim() !== wanted) return nearest;
    return nearest === 0 || Math.abs(line - near) < Math.abs(nearest - near) ? line : nearest;
  }, 0);
}
