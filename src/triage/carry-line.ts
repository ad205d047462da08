// Where a line of one commit stands in another, by its text.
import type { SourceTree } from '../ports/source.ts';

/** The line in `to` that reads like line `line` of `from`: the nearest with equal text; 0 where there is none. Lines of one word or less are not carried. */
export async function carryLine(
  place: { readonly path: string; readonly line: number },
  from: SourceTree,
  to: SourceTree,
  signal: AbortSignal,
): Promise<number> {
  const old = await from.read(place.path, { lines: { from: place.line, to: place.line } }, signal);
  const now = await to.read(place.path, {}, signal);
  if (old.kind !== 'text' || now.kind !== 'text') return 0;
  const wanted = (old.text.split('\n')[0] ?? '').trim();
  if (!/\w+\W+\w/.test(wanted)) return 0;
  return now.text.split('\n').reduce((nearest, text, index) => {
    const line = now.firstLine + index;
    if (text.trim() !== wanted) return nearest;
    return nearest === 0 || Math.abs(line - place.line) < Math.abs(nearest - place.line) ? line : nearest;
  }, 0);
}
