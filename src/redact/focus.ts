// Looking only at those lines of a text where a reading differs from one that was looked at already.
import type { Span } from './spans.ts';
import { type Edit, editedView, type View } from './view.ts';

/** Stands between lines that were apart: a noncharacter, which no secret holds. */
const SEAM = '\n\n\uFFFE\n\n';

/** A view of the lines at these ascending offsets and of `around` lines before and behind each; null where there are no offsets. */
export function focusedView(view: View, offsets: readonly number[], around: number): View | null {
  if (offsets.length === 0) return null;
  const edits: Edit[] = [];
  let kept = 0;
  for (const { start, end } of stretchesAt(view.text, offsets, around)) {
    if (start > kept) edits.push({ start: kept, end: start, text: SEAM });
    kept = end;
  }
  if (kept < view.text.length) edits.push({ start: kept, end: view.text.length, text: SEAM });
  return editedView(view, edits);
}

/** Whether the stretch runs over lines that are left out, so that what was found there is not together. */
export function overSeam(view: View, { start, end }: Span): boolean {
  return view.text.slice(start, end).includes('\uFFFE');
}

function stretchesAt(text: string, offsets: readonly number[], around: number): Span[] {
  const stretches: { start: number; end: number }[] = [];
  let lineDone = 0;
  for (const offset of offsets) {
    if (offset < lineDone) continue;
    lineDone = lineEnd(text, offset, 0);
    const last = stretches.at(-1);
    const start = lineStart(text, offset, around);
    const end = lineEnd(text, offset, around);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else stretches.push({ start, end });
  }
  return stretches;
}

/** The start of the line at the offset, or of the one so many lines before. */
function lineStart(text: string, offset: number, before: number): number {
  let at = offset;
  for (let i = 0; i <= before && at > 0; i++) at = text.lastIndexOf('\n', at - 1 - (i > 0 ? 1 : 0)) + 1;
  return at;
}

/** The end, with its break, of the line at the offset, or of the one so many lines behind. */
function lineEnd(text: string, offset: number, behind: number): number {
  let at = offset;
  for (let i = 0; i <= behind && at < text.length; i++) {
    const next = text.indexOf('\n', at);
    at = next < 0 ? text.length : next + 1;
  }
  return at;
}
