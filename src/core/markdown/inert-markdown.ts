// Foreign Markdown as Markdown that does nothing: code and lists stay, everything else is text.
import { inertText } from '../inert-text.ts';
import { fenced } from './code-marks.ts';
import { withoutOrders } from './commit-orders.ts';
import { headingText } from './heading-text.ts';
import { inertInline, NO_LINKS, type SourceLinks } from './inert-inline.ts';

const FENCE = /^\s*(`{3,}|~{3,})\s*([^\s`]*)/;
const LIST = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(\S.*)$/;
/** Rules, underlined headings, second lines of tables: they carry no word. */
const WORDLESS = /^[\s|:=*_+-]+$/;
const INDENTED = /^(?: {4}|\t)/;
const MAX_LINE = 10_000;

interface Reading {
  readonly out: string[];
  readonly links: SourceLinks;
  /** Within a list, indentation is the list's. */
  inList: boolean;
}

/** At most `max` characters of the text (then ending in `…`), more of Markdown. Blocks of its own, to be set apart by empty lines. */
export function inertMarkdown(text: string, max: number, links: SourceLinks = NO_LINKS): string {
  const lines = inertText(text, max).split('\n');
  const reading: Reading = { out: [], links, inList: false };
  let at = 0;
  while (at < lines.length)
    at = readFence(lines, at, reading) ?? readIndented(lines, at, reading) ?? readLine(lines, at, reading);
  const whole = reading.out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return withoutOrders(whole);
}

/** The line after the fence; null where none begins. One that is never closed holds the rest. */
function readFence(lines: readonly string[], at: number, { out }: Reading): number | null {
  const open = FENCE.exec(lines[at] ?? '');
  // A backtick behind the opening ones makes it a span of code.
  if (open === null || (lines[at] ?? '').slice(open[0].length).includes('`')) return null;
  const mark = open[1] ?? '';
  const isClosing = (line: string): boolean => {
    const bare = line.trim();
    return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
  };
  const found = lines.slice(at + 1).findIndex(isClosing);
  const end = found === -1 ? lines.length : at + 1 + found;
  out.push(fenced(lines.slice(at + 1, end).join('\n'), open[2] ?? ''));
  return end + 1;
}

function readIndented(lines: readonly string[], at: number, { out, inList }: Reading): number | null {
  if (inList || !INDENTED.test(lines[at] ?? '') || (lines[at] ?? '').trim() === '') return null;
  let end = at;
  while (end < lines.length && INDENTED.test(lines[end] ?? '')) end += 1;
  out.push(
    fenced(
      lines
        .slice(at, end)
        .map((line) => line.replace(INDENTED, ''))
        .join('\n'),
      '',
    ),
  );
  return end;
}

function readLine(lines: readonly string[], at: number, reading: Reading): number {
  const line = lines[at] ?? '';
  const item = LIST.exec(line);
  if (line.trim() === '' || WORDLESS.test(line)) reading.out.push('');
  else if (item) reading.out.push(listItem(item, reading));
  else {
    if (!/^\s/.test(line)) reading.inList = false;
    const heading = headingText(line);
    reading.out.push(inertInline(heading ?? line, MAX_LINE, reading.links));
    if (heading !== null) reading.out.push('');
  }
  return at + 1;
}

function listItem([, indent = '', number, text = '']: RegExpExecArray, reading: Reading): string {
  reading.inList = true;
  const depth = indent.replaceAll('\t', '    ').length >= 2 ? '   ' : '';
  return `${depth}${number === undefined ? '-' : `${Number(number)}.`} ${inertInline(text, MAX_LINE, reading.links) || '–'}`;
}
