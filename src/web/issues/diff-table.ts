// One file's rows as a table: line numbers and code on both sides; what goes and what comes told by signs.
import { html } from 'hono/html';
import { cutAt, withUnseenTold } from '../../core/inert-text.ts';
import type { Html } from '../show.ts';
import { count, plural } from '../words.ts';
import { type Difference, difference, type ShownRow, type SideLine } from './side-by-side.ts';

const MAX_LINE = 1_000;

/** `caption` is inert. */
export function diffTable(rows: readonly ShownRow[], caption: string): Html {
  return html`<table class="diff"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col" class="at"><span class="hidden">Line before</span></th><th scope="col">Before</th>
<th scope="col" class="at"><span class="hidden">Line after</span></th><th scope="col">After</th></tr></thead>
<tbody>${rows.map(rowOf)}</tbody></table>`;
}

function rowOf(row: ShownRow): Html {
  if (row.kind === 'folded') {
    return html`<tr class="folded"><td colspan="4">${plural(row.lines, 'unchanged line')}</td></tr>`;
  }
  const { left, right } = row;
  if (row.kind === 'same') {
    return html`<tr class="same">${plainCells(row.left, 'left')}${plainCells(row.right, 'right')}</tr>`;
  }
  const mark = left === null || right === null ? null : markOf(left.text, right.text);
  const tellsEnd = left !== null && right !== null && left.text.endsWith('\r') !== right.text.endsWith('\r');
  return html`<tr class="changed">${changedCells(left, { sign: '−', kind: 'gone', mark, tellsEnd })}${changedCells(
    right,
    { sign: '+', kind: 'come', mark, tellsEnd },
  )}</tr>`;
}

function plainCells(line: SideLine, side: string): Html {
  return html`<td class="at ${side}">${line.number}</td><td class="code ${side}">${shown(withoutEnd(line.text))}${endNote(line)}</td>`;
}

interface Changed {
  readonly sign: string;
  readonly kind: 'gone' | 'come';
  readonly mark: Difference | null;
  /** Whether the two sides end their line in different ways. */
  readonly tellsEnd: boolean;
}

function changedCells(line: SideLine | null, { sign, kind, mark, tellsEnd }: Changed): Html {
  if (line === null) return html`<td class="at none"></td><td class="code none"></td>`;
  const inside = kind === 'gone' ? mark?.left : mark?.right;
  const text =
    mark === null || inside === undefined || inside === ''
      ? shown(tellsEnd ? line.text : withoutEnd(line.text))
      : html`${shown(mark.lead)}<mark>${shown(tellsEnd ? inside : withoutEnd(inside))}</mark>${shown(tellsEnd ? mark.tail : withoutEnd(mark.tail))}`;
  return html`<td class="at ${kind}">${line.number}</td><td class="code ${kind}"><span class="sign">${sign}</span>${text}${endNote(line)}</td>`;
}

/** What is long is not compared within: it is cut below. */
function markOf(left: string, right: string): Difference | null {
  return left.length > MAX_LINE || right.length > MAX_LINE ? null : difference(left, right);
}

/** Code must not read otherwise than it runs: what cannot be seen is told. */
function shown(text: string): string {
  const told = withUnseenTold(text.length > MAX_LINE ? cutAt(text, MAX_LINE) : text);
  const cut = text.length - MAX_LINE;
  return cut > 0 ? `${told}… [${count(cut)} more characters]` : told;
}

/** Lines of files that end theirs with CR LF look like any other. */
function withoutEnd(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function endNote({ endsWithNewline }: SideLine): Html | string {
  return endsWithNewline ? '' : html` <span class="end">no newline at the end</span>`;
}
