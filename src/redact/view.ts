// A view: a text as it reads after some normalisation, with the way back to the offsets of the text it was made from.
import type { Span } from './spans.ts';

export interface View {
  readonly text: string;
  /** The view that this one was made from; null for the text itself. */
  readonly parent: View | null;
  /** The stretch of the parent from which the non-empty stretch of this view came. */
  toParent(span: Span): Span;
}

/** `start` to `end` of the parent reads as `text`. */
export interface Edit extends Span {
  readonly text: string;
}

/** The text as it is. */
export function plainView(text: string): View {
  return { text, parent: null, toParent: (span) => span };
}

/** The parent after the edits, which ascend and do not overlap; the parent itself where there are none. */
export function editedView(parent: View, edits: readonly Edit[]): View {
  if (edits.length === 0) return parent;
  const runs = runsOf(parent.text, edits);
  const text = runs.texts.join('');
  return {
    text,
    parent,
    toParent: ({ start, end }) => ({
      start: parentOffset(runs, start, text.length, 'start'),
      end: parentOffset(runs, end, text.length, 'end'),
    }),
  };
}

/** The stretch of the first text in the chain of views. */
export function toSource(view: View, span: Span): Span {
  let at: View = view;
  let mapped = span;
  while (at.parent) {
    mapped = at.toParent(mapped);
    at = at.parent;
  }
  return mapped;
}

/** Parallel arrays rather than objects: an escape sequence between every two characters makes half a million runs. */
interface Runs {
  readonly texts: string[];
  /** Where the run begins in the view. */
  readonly at: number[];
  /** The stretch of the parent that it stands for. */
  readonly from: number[];
  readonly to: number[];
}

function runsOf(text: string, edits: readonly Edit[]): Runs {
  const runs: Runs = { texts: [], at: [], from: [], to: [] };
  let length = 0;
  let cursor = 0;
  const push = (from: number, to: number, content: string): void => {
    if (content === '') return;
    runs.texts.push(content);
    runs.at.push(length);
    runs.from.push(from);
    runs.to.push(to);
    length += content.length;
  };
  for (const edit of edits) {
    push(cursor, edit.start, text.slice(cursor, edit.start));
    push(edit.start, edit.end, edit.text);
    cursor = edit.end;
  }
  push(cursor, text.length, text.slice(cursor));
  return runs;
}

/** A run as long as its original maps character by character; any other (a decoded escape) only as a whole. */
function parentOffset(runs: Runs, offset: number, length: number, edge: 'start' | 'end'): number {
  const run = runAt(runs.at, edge === 'start' ? offset : offset - 1);
  const at = runs.at[run] ?? 0;
  const from = runs.from[run] ?? 0;
  const to = runs.to[run] ?? 0;
  const runLength = (runs.at[run + 1] ?? length) - at;
  if (runLength === to - from) return from + offset - at;
  return edge === 'start' ? from : to;
}

/** Index of the last run that begins at or before the offset. */
function runAt(at: readonly number[], offset: number): number {
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((at[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
