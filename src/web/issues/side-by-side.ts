// Two texts side by side, line by line: what stands across from what, and what of it is worth showing.
import { diffLines } from '../../core/diff/line-diff.ts';

export interface SideLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False only for a last line that no line feed closes. */
  readonly endsWithNewline: boolean;
}

export type Row =
  | { readonly kind: 'same'; readonly left: SideLine; readonly right: SideLine }
  | { readonly kind: 'changed'; readonly left: SideLine | null; readonly right: SideLine | null };

export type ShownRow =
  | Row
  /** Unchanged lines that are left out. */
  | { readonly kind: 'folded'; readonly lines: number };

/** All rows: the left column is the text before, the right one the text after. Null: nothing stands there. */
export function sideBySide(before: string, after: string): readonly Row[] {
  const [old, fresh] = [sideLines(before), sideLines(after)];
  const rows: Row[] = [];
  let left = 0;
  let right = 0;
  const keepTo = (end: number): void => {
    for (; left < end; left += 1, right += 1) pushPair(rows, 'same', old[left], fresh[right]);
  };
  for (const { before: at, removed, inserted } of diffLines(wholeLines(before), wholeLines(after))) {
    keepTo(at);
    for (let i = 0; i < Math.max(removed, inserted); i += 1) {
      pushPair(rows, 'changed', i < removed ? old[left + i] : undefined, i < inserted ? fresh[right + i] : undefined);
    }
    left += removed;
    right += inserted;
  }
  keepTo(old.length);
  return rows;
}

function pushPair(rows: Row[], kind: Row['kind'], left: SideLine | undefined, right: SideLine | undefined): void {
  if (kind === 'changed') rows.push({ kind, left: left ?? null, right: right ?? null });
  else if (left !== undefined && right !== undefined) rows.push({ kind, left, right });
}

/** With `context` unchanged lines around each change; one that would be folded alone is shown, as it takes no more room. */
export function folded(rows: readonly Row[], context: number): readonly ShownRow[] {
  const near = nearChange(rows, context);
  const shown: ShownRow[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && near[end] === near[at]) end += 1;
    if (near[at] === 1 || end - at === 1) for (const row of rows.slice(at, end)) shown.push(row);
    else shown.push({ kind: 'folded', lines: end - at });
    at = end;
  }
  return shown;
}

/** 1 for each row that changes, or stands within `context` rows of one that does. */
function nearChange(rows: readonly Row[], context: number): Uint8Array {
  const near = new Uint8Array(rows.length);
  for (const [at, { kind }] of rows.entries()) {
    if (kind === 'changed') near.fill(1, Math.max(0, at - context), at + context + 1);
  }
  return near;
}

export interface Difference {
  readonly lead: string;
  /** "" where nothing was taken out or put in. */
  readonly left: string;
  readonly right: string;
  readonly tail: string;
}

/** What two lines do not share in their middle; null where they share too little for that to tell anything. */
export function difference(left: string, right: string): Difference | null {
  const [a, b] = [[...left], [...right]];
  const most = Math.min(a.length, b.length);
  let lead = 0;
  while (lead < most && a[lead] === b[lead]) lead += 1;
  let tail = 0;
  while (tail < most - lead && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const shared =
    a.slice(0, lead).join('').trim().length +
    a
      .slice(a.length - tail)
      .join('')
      .trim().length;
  if (shared * 2 < Math.max(a.length, b.length) - Math.abs(a.length - b.length)) return null;
  return {
    lead: a.slice(0, lead).join(''),
    left: a.slice(lead, a.length - tail).join(''),
    right: b.slice(lead, b.length - tail).join(''),
    tail: a.slice(a.length - tail).join(''),
  };
}

/** Lines with their LF, so that a last line with and without one are different lines. */
function wholeLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function sideLines(text: string): readonly SideLine[] {
  return wholeLines(text).map((line, index) => {
    const endsWithNewline = line.endsWith('\n');
    return { number: index + 1, text: endsWithNewline ? line.slice(0, -1) : line, endsWithNewline };
  });
}
