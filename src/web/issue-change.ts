// The proposed change: each file with its lines before and after, in one column, or side by side on a wide screen.

import { type ChangeSet, diffLines, type FileChange, hasChanges } from 'causeway-diff';
import { sanitiseLine, showInvisible, truncate } from 'causeway-visible-text';
import { html } from 'hono/html';
import type { Issue } from '../core/issue/index.ts';
import { splitLines } from '../core/source/index.ts';
import { formatCount, formatPlural, renderBadge } from './components.ts';
import type { Highlighter } from './highlight.ts';
import type { Html } from './layout.ts';
import type { CodeKind, CodeLines } from './syntax.ts';
import type { TextLinks } from './text.ts';

/** Unchanged lines around each change. */
const CONTEXT = 3;
/** Rows of all files together; a larger change is read from its patch. */
const MAX_ROWS = 1_500;
const MAX_FILES = 100;
/** Of all files, before and after: comparing this much noise takes about 2 s of the event loop. */
const MAX_CHARACTERS = 1_000_000;
const MAX_LINE = 1_000;

export interface SideLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False only for a last line without a line feed. */
  readonly endsWithNewline: boolean;
}

interface ChangedRow {
  readonly left: SideLine | null;
  readonly right: SideLine | null;
}

export type Row =
  | { readonly kind: 'same'; readonly left: SideLine; readonly right: SideLine }
  | ({ readonly kind: 'changed' } & ChangedRow);

type ShownRow = Row | { readonly kind: 'folded'; readonly lines: number };

/** What may still be shown of all files together. */
interface Quota {
  rows: number;
  characters: number;
}

interface ShownFile {
  readonly counts: string;
  readonly rows: readonly ShownRow[];
  /** Says what is not shown; "" where all is. */
  readonly cut: string;
}

/** `null`: the change was deleted, or cannot be read. */
export async function renderChange(
  { id, analysis: { proof } }: { readonly id: string; readonly analysis: Pick<Issue['analysis'], 'proof'> },
  changeSet: ChangeSet | null,
  { links, highlight }: { readonly links: TextLinks; readonly highlight: Highlighter['highlight'] },
): Promise<Html> {
  const files = changeSet?.files.filter(hasChanges) ?? [];
  if (files.length === 0) return html``;
  const patch = html`<a href="/issues/${id}/patch">the patch</a>`;
  const quota: Quota = { rows: MAX_ROWS, characters: MAX_CHARACTERS };
  const compared = files.slice(0, MAX_FILES).map((change) => ({ change, ...compareFile(change, quota) }));
  const colours = await findColours(
    compared.map(({ change, rows }) => (rows.length === 0 ? null : change)),
    highlight,
  );
  const shown = compared.map(({ change, counts, rows, cut }, index) => {
    const path = sanitiseLine(change.path, 400);
    return html`<div class="file"><div class="file-head"><h3 id="file-${index + 1}"><code>${path}</code> ${renderChangeKind(change)}${counts === '' ? '' : html` <span class="soft">${counts}</span>`}</h3>${renderNotes(change, links)}</div>
${rows.length === 0 ? '' : renderChangeTable(rows, path, colours[index] ?? NO_COLOURS)}${cut === '' ? '' : html`<p class="hint">${cut}: see ${patch}.</p>`}</div>`;
  });
  const more = files.length - shown.length;
  const size = formatPlural(files.length, 'file');
  return html`<section aria-labelledby="change"><div class="section-head"><h2 id="change">Change</h2>
<p class="soft">${size}. ${proof === null ? 'Not tested – review' : 'Review'} before applying.</p></div>
${shown}${more > 0 ? html`<p class="hint">${formatPlural(more, 'more file')} in ${patch}.</p>` : ''}</section>`;
}

/** Of a file before and after; null: without. */
interface Colours {
  readonly before: CodeLines | null;
  readonly after: CodeLines | null;
}

const NO_COLOURS: Colours = { before: null, after: null };

/** Null: a file that is not shown. */
async function findColours(
  changes: readonly (FileChange | null)[],
  highlight: Highlighter['highlight'],
): Promise<readonly Colours[]> {
  const texts = changes.flatMap((change) => {
    if (change === null) return [];
    const oldPath = change.kind === 'renamed' ? change.previousPath : change.path;
    return [
      { path: oldPath, text: getBefore(change) },
      { path: change.path, text: getAfter(change) },
    ];
  });
  const lines = (await highlight(texts)).values();
  const next = () => lines.next().value ?? null;
  return changes.map((change) => (change === null ? NO_COLOURS : { before: next(), after: next() }));
}

/** A file beyond the quota is not compared at all. */
function compareFile(change: FileChange, quota: Quota): ShownFile {
  const size = getBefore(change).length + getAfter(change).length;
  if (quota.rows <= 0 || size > quota.characters) {
    return { counts: '', rows: [], cut: 'The lines are not shown, since the change is long' };
  }
  quota.characters -= size;
  const all = alignSides(getBefore(change), getAfter(change));
  const changed = all.filter(({ kind }) => kind === 'changed');
  if (changed.length === 0) return { counts: '', rows: [], cut: '' };
  const folded = foldRows(all, CONTEXT);
  const rows = folded.slice(0, quota.rows);
  quota.rows -= rows.length;
  const [added, removed] = [changed.filter(({ right }) => right !== null), changed.filter(({ left }) => left !== null)];
  const more = folded.length - rows.length;
  return {
    counts: `+${added.length} −${removed.length}`,
    rows,
    cut: more > 0 ? `${formatPlural(more, 'more row')} of this file are not shown` : '',
  };
}

function getBefore(change: FileChange): string {
  return change.kind === 'added' ? '' : change.before;
}

function getAfter(change: FileChange): string {
  return change.kind === 'deleted' ? '' : change.after;
}

function renderChangeKind({ kind }: FileChange): Html {
  switch (kind) {
    case 'added':
      return renderBadge('added', 'good');
    case 'deleted':
      return renderBadge('deleted', 'bad');
    case 'modified':
      return renderBadge('changed');
    case 'renamed':
      return renderBadge('renamed');
  }
}

function renderNotes(change: FileChange, links: TextLinks): readonly Html[] {
  const oldPath = change.kind === 'renamed' ? change.previousPath : change.path;
  const notes: Html[] = [];
  if (change.kind === 'renamed') {
    const same = change.before === change.after ? ' Its lines are unchanged.' : '';
    notes.push(html`Renamed from <code>${sanitiseLine(oldPath, 400)}</code>.${same}`);
  }
  const mode = describeMode(change);
  if (mode !== '') notes.push(html`${mode}`);
  const address = change.kind === 'added' ? null : links.source(`${oldPath}:1`);
  if (address !== null) notes.push(html`<a href="${address}">Original file on GitHub</a>`);
  return notes.map((note) => html`<p class="note">${note}</p>`);
}

function describeMode(change: FileChange): string {
  if (change.kind === 'deleted' || change.mode === undefined) return '';
  if (change.kind === 'added') return change.mode === '100755' ? 'It is executable.' : '';
  return change.mode === '100755' ? 'It becomes executable.' : 'It is no longer executable.';
}

function renderChangeTable(rows: readonly ShownRow[], path: string, colours: Colours): Html {
  return html`<table class="diff"><caption class="hidden">${path}, before and after</caption><colgroup><col class="at"><col class="at"><col></colgroup>
<thead><tr><th scope="col" class="at">Line before</th><th scope="col" class="at">Line after</th><th scope="col">Code</th></tr></thead>
${groupRows(rows).map((group) => renderRowGroup(group, colours))}</table>`;
}

/** Rows without a change between them, and others. */
function groupRows(rows: readonly ShownRow[]): readonly (readonly ShownRow[])[] {
  const groups: ShownRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && (last[0]?.kind === 'changed') === (row.kind === 'changed')) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Of what changes, all that goes stands before all that comes, as in a patch; the style puts them side by side. */
function renderRowGroup(rows: readonly ShownRow[], colours: Colours): Html {
  const changed = rows.flatMap((row) => (row.kind === 'changed' ? [compareSides(row)] : []));
  if (changed.length > 0) {
    const gone = changed.flatMap(({ left, ...how }) => (left ? [renderGoneRow({ line: left, ...how }, colours)] : []));
    const come = changed.flatMap(({ right, ...how }) =>
      right ? [renderComeRow({ line: right, ...how }, colours)] : [],
    );
    return html`<tbody class="changed">${gone}${come}</tbody>`;
  }
  return html`<tbody>${rows.map((row) => renderUnchangedRow(row, colours))}</tbody>`;
}

interface ComparedSides extends ChangedRow {
  readonly difference: Difference | null;
  readonly showsEnd: boolean;
}

function compareSides({ left, right }: ChangedRow): ComparedSides {
  const isLong = (left?.text.length ?? 0) > MAX_LINE || (right?.text.length ?? 0) > MAX_LINE;
  const difference = left === null || right === null || isLong ? null : findDifference(left.text, right.text);
  // Lines of files that end theirs with CR LF look like any other, unless that is what changes.
  const showsEnd = left !== null && right !== null && left.text.endsWith('\r') !== right.text.endsWith('\r');
  return { left, right, difference, showsEnd };
}

function renderUnchangedRow(row: ShownRow, { before, after }: Colours): Html {
  if (row.kind === 'folded') {
    return html`<tr class="folded"><td colspan="3">${formatPlural(row.lines, 'unchanged line')}</td></tr>`;
  }
  const { left, right } = row;
  if (left === null || right === null) return html``;
  const parts = after?.[right.number - 1] ?? before?.[left.number - 1];
  const code = html`${renderCode(removeCr(right.text), parts)}${renderEnd(right)}`;
  return html`<tr class="same"><td class="at old">${left.number}</td><td class="code twin">${code}</td><td class="at new">${right.number}</td><td class="code">${code}</td></tr>`;
}

interface ChangedLine extends Pick<ComparedSides, 'difference' | 'showsEnd'> {
  readonly line: SideLine;
}

function renderGoneRow(changed: ChangedLine, { before }: Colours): Html {
  const { line, difference } = changed;
  const code = renderChangedCode(changed, difference?.left ?? '', before?.[line.number - 1]);
  return html`<tr class="gone"><td class="at old">${line.number}</td><td class="at new"></td><td class="code"><span class="sign">−</span>${code}${renderEnd(line)}</td></tr>`;
}

function renderComeRow(changed: ChangedLine, { after }: Colours): Html {
  const { line, difference } = changed;
  const code = renderChangedCode(changed, difference?.right ?? '', after?.[line.number - 1]);
  return html`<tr class="come"><td class="at old"></td><td class="at new">${line.number}</td><td class="code"><span class="sign">+</span>${code}${renderEnd(line)}</td></tr>`;
}

function renderChangedCode(
  { line, difference, showsEnd }: ChangedLine,
  middle: string,
  parts: CodeLines[number] | undefined,
): Html {
  const text = showsEnd ? line.text : removeCr(line.text);
  const from = difference?.lead.length ?? 0;
  return renderCode(text, parts, { from, to: from + middle.length });
}

/**
 * Code must not read differently from how it runs: invisible characters are shown by their number. `marked`: where it
 * differs from its other side.
 */
function renderCode(text: string, parts: CodeLines[number] = [], marked = { from: 0, to: 0 }): Html {
  const more = text.length - MAX_LINE;
  const shown = more > 0 ? truncate(text, MAX_LINE) : text;
  const pieces: Html[] = [];
  let at = 0;
  const add = (end: number, kind: CodeKind) => {
    for (const [from, to, isMarked] of [
      [at, Math.min(end, marked.from), false],
      [Math.max(at, marked.from), Math.min(end, marked.to), true],
      [Math.max(at, marked.to), end, false],
    ] as const) {
      if (from < to) pieces.push(renderPiece(shown.slice(from, to), kind, isMarked));
    }
    at = Math.max(at, end);
  };
  for (const [length, kind] of parts) add(endOfCharacter(shown, at + length), kind);
  add(shown.length, '');
  return html`${pieces}${more > 0 ? `… [${formatCount(more)} more characters]` : ''}`;
}

/** A grammar may part the two halves of a character, each of which would be shown as a faulty one. */
function endOfCharacter(text: string, end: number): number {
  const isHalf = /[\ud800-\udbff]/.test(text[end - 1] ?? '') && /[\udc00-\udfff]/.test(text[end] ?? '');
  return Math.min(text.length, isHalf ? end + 1 : end);
}

function renderPiece(text: string, kind: CodeKind, isMarked: boolean): Html {
  const shown = showInvisible(text);
  const coloured = kind === '' || shown.trim() === '' ? html`${shown}` : html`<span class="${kind}">${shown}</span>`;
  return isMarked ? html`<mark>${coloured}</mark>` : coloured;
}

function removeCr(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function renderEnd({ endsWithNewline }: SideLine): Html | string {
  return endsWithNewline ? '' : html` <span class="end">no newline at end of file</span>`;
}

/** All rows: the left column is the text before, the right one the text after. `null`: no line on that side. */
export function alignSides(before: string, after: string): readonly Row[] {
  const [oldLines, newLines] = [toSideLines(before), toSideLines(after)];
  const rows: Row[] = [];
  let [left, right] = [0, 0];
  const addSame = (count: number): void => {
    const pairs = oldLines.slice(left, left + count).map((line, index) => [line, newLines[right + index]] as const);
    for (const [one, other] of pairs) if (other !== undefined) rows.push({ kind: 'same', left: one, right: other });
    left += count;
    right += count;
  };
  for (const { before: at, removed, inserted } of diffLines(splitLines(before), splitLines(after))) {
    addSame(at - left);
    const [gone, come] = [oldLines.slice(left, left + removed), newLines.slice(right, right + inserted)];
    for (let index = 0; index < Math.max(removed, inserted); index += 1) {
      rows.push({ kind: 'changed', left: gone[index] ?? null, right: come[index] ?? null });
    }
    left += removed;
    right += inserted;
  }
  addSame(oldLines.length - left);
  return rows;
}

function toSideLines(text: string): readonly SideLine[] {
  return splitLines(text).map((line, index) => {
    const endsWithNewline = line.endsWith('\n');
    return { number: index + 1, text: endsWithNewline ? line.slice(0, -1) : line, endsWithNewline };
  });
}

/** Keeps `context` unchanged lines around each change; a single folded line is shown, as it takes no more space. */
export function foldRows(rows: readonly Row[], context: number): readonly ShownRow[] {
  const near = markNearChange(rows, context);
  const shown: ShownRow[] = [];
  for (let at = 0; at < rows.length; ) {
    const other = near.indexOf(near[at] === 1 ? 0 : 1, at);
    const run = rows.slice(at, other === -1 ? rows.length : other);
    const isFolded = near[at] === 0 && run.length > 1;
    for (const row of isFolded ? [{ kind: 'folded', lines: run.length } as const] : run) shown.push(row);
    at += run.length;
  }
  return shown;
}

/** 1 for each row that changes, or is within `context` rows of one that does. */
function markNearChange(rows: readonly Row[], context: number): Uint8Array {
  const near = new Uint8Array(rows.length);
  for (const [at, { kind }] of rows.entries()) {
    if (kind === 'changed') near.fill(1, Math.max(0, at - context), at + context + 1);
  }
  return near;
}

interface Difference {
  readonly lead: string;
  /** "" where nothing was removed or inserted. */
  readonly left: string;
  readonly right: string;
  readonly tail: string;
}

/** The middle that two lines do not share; null where they share too little to be worth marking. */
export function findDifference(left: string, right: string): Difference | null {
  const [a, b] = [[...left], [...right]];
  const shortest = Math.min(a.length, b.length);
  let lead = 0;
  while (lead < shortest && a[lead] === b[lead]) lead += 1;
  let tail = 0;
  while (tail < shortest - lead && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const difference = {
    lead: a.slice(0, lead).join(''),
    left: a.slice(lead, a.length - tail).join(''),
    right: b.slice(lead, b.length - tail).join(''),
    tail: a.slice(a.length - tail).join(''),
  };
  const shared = difference.lead.trim().length + difference.tail.trim().length;
  return shared * 2 < shortest ? null : difference;
}
