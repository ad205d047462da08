// The proposed change side by side: each file with its lines before and after, and what stays folded.
import { html } from 'hono/html';
import type { ChangeSet, FileChange } from '../../core/change-set.ts';
import { changesSomething } from '../../core/diff/diff.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { badge, plural } from '../words.ts';
import { diffTable } from './diff-table.ts';
import { folded, type ShownRow, sideBySide } from './side-by-side.ts';

const CONTEXT = 3;
/** Rows of all files together; a larger change is read from its patch. */
const MOST_ROWS = 1_500;
const MOST_FILES = 100;
/**
 * Of all files together, before and after. A real change of that size is compared in about 0.1 s; lines of noise take
 * about 2 s, in which nobody else is answered, once: they use up the rows, and the files behind them are not compared.
 */
const MOST_CHARACTERS = 1_000_000;

export interface ChangeOptions {
  readonly issueId: string;
  /** Null: erased, or not to be read. */
  readonly changeSet: ChangeSet | null;
  readonly links: TextLinks;
}

export function changeSection({ issueId, changeSet, links }: ChangeOptions): Html {
  const files = changeSet?.files.filter(changesSomething) ?? [];
  if (files.length === 0) return html``;
  const room = { rows: MOST_ROWS, characters: MOST_CHARACTERS };
  const shown = files.slice(0, MOST_FILES).map((change, index) => {
    const file = fileOf(change, room);
    room.rows -= file?.rows.length ?? 0;
    room.characters -= file === null ? 0 : sizeOf(change);
    return fileSection(change, file, { index, issueId, links });
  });
  const more = files.length - shown.length;
  return html`<section aria-labelledby="change"><h2 id="change">Change</h2>
<p class="soft">${plural(files.length, 'file')}. Nothing of it was run: read it before you apply it.</p>
${shown}${more > 0 ? html`<p class="hint">${plural(more, 'more file')} in <a href="/issues/${issueId}/patch">the patch</a>.</p>` : ''}</section>`;
}

interface ShownFile {
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly ShownRow[];
  /** Rows that found no room. */
  readonly cut: number;
}

interface Room {
  readonly rows: number;
  readonly characters: number;
}

/** Null: there is no room for any of it, and it is not compared at all. */
function fileOf(change: FileChange, room: Room): ShownFile | null {
  if (room.rows <= 0 || sizeOf(change) > room.characters) return null;
  const all = sideBySide(beforeOf(change), afterOf(change));
  const rows = all.every(({ kind }) => kind === 'same') ? [] : folded(all, CONTEXT);
  const count = (side: 'left' | 'right') => all.filter((row) => row.kind === 'changed' && row[side] !== null).length;
  const shown = rows.slice(0, room.rows);
  return { added: count('right'), removed: count('left'), rows: shown, cut: rows.length - shown.length };
}

function beforeOf(change: FileChange): string {
  return change.kind === 'added' ? '' : change.before;
}

function afterOf(change: FileChange): string {
  return change.kind === 'deleted' ? '' : change.after;
}

function sizeOf(change: FileChange): number {
  return beforeOf(change).length + afterOf(change).length;
}

interface FileOptions {
  readonly index: number;
  readonly issueId: string;
  readonly links: TextLinks;
}

function fileSection(change: FileChange, file: ShownFile | null, { index, issueId, links }: FileOptions): Html {
  const path = inertLine(change.path, 400);
  const old = change.kind === 'renamed' ? change.previousPath : change.path;
  const address = change.kind === 'added' ? null : links.source(`${old}:1`);
  return html`<div class="file"><h3 id="file-${index + 1}"><code>${path}</code> ${kindBadge(change)}${countsOf(file)}</h3>
${notes(change).map((note) => html`<p class="hint">${note}</p>`)}
${address === null ? '' : html`<p class="hint"><a href="${address}">The file before, on GitHub</a></p>`}
${file === null || file.rows.length === 0 ? '' : diffTable(file.rows, `${path}, before and after`)}
${leftOut(file, html`see <a href="/issues/${issueId}/patch">the patch</a>`)}</div>`;
}

function countsOf(file: ShownFile | null): Html {
  if (file === null || file.rows.length + file.cut === 0) return html``;
  return html` <span class="soft">+${file.added} −${file.removed}</span>`;
}

function leftOut(file: ShownFile | null, where: Html): Html {
  if (file === null) return html`<p class="hint">Its lines are not shown, since the change is long: ${where}.</p>`;
  return file.cut === 0
    ? html``
    : html`<p class="hint">${plural(file.cut, 'more row')} of this file are not shown: ${where}.</p>`;
}

function kindBadge({ kind }: FileChange): Html {
  switch (kind) {
    case 'added':
      return badge('added', 'good');
    case 'deleted':
      return badge('deleted', 'bad');
    case 'modified':
      return badge('changed');
    case 'renamed':
      return badge('renamed');
  }
}

function notes(change: FileChange): readonly Html[] {
  const mode = modeNote(change);
  if (change.kind !== 'renamed') return mode;
  const same = change.before === change.after ? ' Its lines stay as they are.' : '';
  return [html`It was <code>${inertLine(change.previousPath, 400)}</code>.${same}`, ...mode];
}

function modeNote(change: FileChange): readonly Html[] {
  if (change.kind === 'deleted' || change.mode === undefined) return [];
  if (change.kind === 'added') return change.mode === '100755' ? [html`It is executable.`] : [];
  return [change.mode === '100755' ? html`It becomes executable.` : html`It is no longer executable.`];
}
