// Frames of Node, browsers and TypeScript: `at fn (file:line:column)` and `fn@file:line:column`.
import {
  cutAfterAt,
  type ErrorHead,
  type Frame,
  type FrameReader,
  NO_ERROR,
  parseErrorHead,
  readFrameCode,
  splitLocation,
} from './frame.ts';

/** How far above the first frame the error may stand: messages may have several lines. */
const HEAD_LINES = 12;

export const nodeFrames: FrameReader = {
  language: 'javascript',
  innermostLast: false,
  gap: 1,
  frame: readPlacedFrame,
  ends: (line) => parseErrorHead(line) !== null || /\[cause\]:|^caused by:/i.test(line.trim()),
  error: findHeadAbove,
};

function readPlacedFrame(lines: readonly string[], index: number): Frame | null {
  const found = readV8Frame(lines[index] ?? '') ?? readGeckoFrame(lines[index] ?? '');
  const isFirst = found && !readV8Frame(lines[index - 1] ?? '');
  return isFirst ? { ...found, code: findExcerptAbove(lines, index, found) } : found;
}

/** Node prints the place, its line and a caret above the error that ends a program. */
function findExcerptAbove(lines: readonly string[], first: number, { file, line }: Frame): string {
  const place = `${file}:${line}`;
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES - 4); index--) {
    if ((lines[index] ?? '').trim() === place) return readFrameCode(lines[index + 1] ?? '');
  }
  return '';
}

function readV8Frame(line: string): Frame | null {
  const rest = cutAfterAt(line)?.replace(/ \{$/, '');
  if (!rest) return null;
  const open = rest.endsWith(')') ? rest.lastIndexOf(' (') : -1;
  const place = splitLocation(open < 0 ? rest.replace(/^async /, '') : rest.slice(open + 2, -1));
  if (!place || !/[./]|^node:/.test(place.file) || /\.(?:rs|java|kt|cs|go)$/.test(place.file)) return null;
  return createFrame(place, open < 0 ? '' : rest.slice(0, open));
}

/** Firefox and Safari. */
function readGeckoFrame(line: string): Frame | null {
  const trimmed = line.trim();
  const at = trimmed.indexOf('@');
  if (at < 0 || at > 200 || trimmed.includes(' ')) return null;
  const place = splitLocation(trimmed.slice(at + 1));
  return place && /^(?:https?|file|webpack|resource):/.test(place.file)
    ? createFrame(place, trimmed.slice(0, at))
    : null;
}

function createFrame(place: { file: string; line: number }, name: string): Frame {
  return {
    language: 'javascript',
    file: place.file,
    line: place.line,
    function: stripName(name),
    symbol: '',
    code: '',
  };
}

/** `async Object.load [as run]` → `load`; anonymous functions have no name. */
function stripName(name: string): string {
  const bare = name.replace(/^(?:async |new )+/, '').replace(/ \[as [^\]]{1,100}\]$/, '');
  const last = bare.slice(bare.lastIndexOf('.') + 1);
  return /^[\w$#]+$/.test(last) ? last : '';
}

function findHeadAbove(lines: readonly string[], first: number): ErrorHead {
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES); index--) {
    const line = (lines[index] ?? '').trim();
    if (readV8Frame(line)) break;
    const head = parseErrorHead(line.replace(/^(?:\[cause\]:|caused by:)\s*/i, ''));
    if (head) return { ...head, link: /^(?:\[cause\]:|caused by:)/i.test(line) ? 'causes_previous' : 'none' };
  }
  return NO_ERROR;
}
