// The proposed change as a person reads it in a terminal: each file, the lines that go and the lines that come.
import type { Change, FileDiff } from '../core/issue.ts';
import { printable, printableLine, type Style, truncate } from './terminal.ts';

/** Lines of all files together; a longer change is read from its patch. */
const LINES_SHOWN = 60;
const INDENT = '  ';

interface ChangedLine {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** The lines of the section; empty where nothing changes. Lines are cut to `columns`. */
export function renderChange(
  files: readonly FileDiff[],
  page: { readonly columns: number; readonly paint: Style },
): string[] {
  if (files.length === 0) return [];
  const { paint } = page;
  const rows = files.flatMap((file) => {
    const hunks = file.changes.map(hunkOf);
    return [
      `${INDENT}${paint.cyan(nameOf(file))} ${sizeOf(hunks.flat())}`,
      ...hunks.flatMap((hunk, at) => hunkRows(file.changes[at], hunk, page)),
    ];
  });
  const rest = rows.length - LINES_SHOWN;
  return [
    paint.bold('Change (--patch FILE writes it)'),
    ...rows.slice(0, LINES_SHOWN),
    ...(rest > 0 ? [paint.dim(`${INDENT}and ${rest} more lines (--patch FILE has all)`)] : []),
  ];
}

function nameOf({ fileName, previousFileName, status }: FileDiff): string {
  const name = printableLine(fileName);
  if (status === 'renamed' && previousFileName) return `${printableLine(previousFileName)} → ${name}`;
  return status === 'added' || status === 'deleted' ? `${name} (${status})` : name;
}

/** An added line may be empty text, so the type tells what stands on each side. */
function hunkOf({ type, lines }: Change): readonly ChangedLine[] {
  return [
    ...(type === 'add' ? [] : lines.map(({ oldCode }) => ({ sign: '-' as const, text: oldCode }))),
    ...(type === 'delete'
      ? []
      : lines.flatMap(({ newCode }) => newCode.split('\n').map((text) => ({ sign: '+' as const, text })))),
  ];
}

function sizeOf(lines: readonly ChangedLine[]): string {
  const count = (sign: '+' | '-') => lines.filter((line) => line.sign === sign).length;
  return `+${count('+')} -${count('-')}`;
}

function hunkRows(
  change: Change | undefined,
  hunk: readonly ChangedLine[],
  { columns, paint }: { readonly columns: number; readonly paint: Style },
): string[] {
  const line = change?.lines[0]?.lineNumber ?? 0;
  const rows = hunk.map(({ sign, text }) => {
    const row = truncate(`${sign} ${printable(text)}`.trimEnd(), columns - 2 * INDENT.length);
    return `${INDENT}${INDENT}${sign === '+' ? paint.green(row) : paint.red(row)}`;
  });
  return [`${INDENT}${INDENT}${paint.dim(whereOf(change?.type, line))}`, ...rows];
}

function whereOf(type: Change['type'] | undefined, line: number): string {
  if (type !== 'add') return `line ${line}`;
  return line === 0 ? 'at the top' : `after line ${line}`;
}
