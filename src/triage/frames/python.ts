// Frames of Python tracebacks and of pytest's reports.
import { type ErrorHead, type Frame, type FrameReader, NO_ERROR, readFrameCode } from './frame.ts';

export const pythonFrames: FrameReader = {
  language: 'python',
  innermostLast: true,
  gap: 40,
  frame: (lines, index) => {
    const found = readTraceback(lines[index] ?? '') ?? readPytest(lines[index] ?? '');
    return found && { ...found, code: readCodeBelow(lines, index) };
  },
  ends: (line) =>
    /^\s*(?:Traceback \(most|[_=]{3,} |During handling of|The above exception)/.test(line) || isError(line),
  error: findErrorBelow,
};

function readTraceback(line: string): Frame | null {
  const match = /^[\s|+E>]*File "([^"]{1,600})", line (\d{1,7})(?:, in (\S.{0,200}))?/.exec(line);
  return match ? createFrame(match[1], match[2], match[3]) : null;
}

/** The source line stands under its frame, deeper; pytest's long form shows it above, among others, so it is not taken. */
function readCodeBelow(lines: readonly string[], index: number): string {
  const depth = (line: string): number => /^[\s|+]*/.exec(line)?.[0].length ?? 0;
  const below = lines[index + 1] ?? '';
  const isFrame = readTraceback(below) !== null || readPytest(below) !== null;
  return isFrame || depth(below) <= depth(lines[index] ?? '') || /^\s*(?:E |\[Previous line)/.test(below)
    ? ''
    : readFrameCode(below);
}

/** `path.py:12: in name` (short) and `path.py:12: ValueError` (long). */
function readPytest(line: string): Frame | null {
  const match = /^([^\s:"']{1,400}\.py):(\d{1,7}):(?: in (\S{1,200})| [A-Z]\w{2,80}| ?)$/.exec(line);
  return match ? createFrame(match[1], match[2], match[3]) : null;
}

function createFrame(file = '', line = '0', name = ''): Frame {
  const bare = name.trim();
  const known = /^<.*>$/.test(bare) ? '' : bare.slice(bare.lastIndexOf('.') + 1);
  return { language: 'python', file, line: Number(line), function: known, symbol: '', code: '' };
}

/** Python 2's modules have errors in lower case: `socket.error`, printed with or without its module. */
const ERROR_LINE =
  /^(?:[|+\s]{0,20}|E {1,8})((?:[a-z_]\w{0,80}\.){0,10}(?:[A-Z_]\w{0,80}|(?:gai|h)?error|timeout))(?::\s?(.*))?$/;

function isError(line: string): boolean {
  return (
    /^\S/.test(line) &&
    !line.startsWith('E ') &&
    /(?:Error|Exception|Warning|Exit|Interrupt)\b|^[\w.]*(?:error|timeout)\b/.test(line) &&
    ERROR_LINE.test(line)
  );
}

function findErrorBelow(lines: readonly string[], first: number, last: number): ErrorHead {
  const pytestError = lines.slice(first, last + 1).findLast((line) => /^E {1,8}\S/.test(line));
  if (pytestError && readPytest(lines[last] ?? ''))
    return { ...parseError(pytestError, /: ([A-Z]\w+)$/.exec(lines[last] ?? '')?.[1]), link: 'none' };
  for (let index = last + 1; index < Math.min(lines.length, last + 8); index++) {
    const line = lines[index] ?? '';
    if (/^(?:\s{4,}|[\s|+]*$)/.test(line) && !/^\s*E /.test(line)) continue;
    return isRaised(line) ? { ...parseError(line), link: findLinkAbove(lines, first) } : NO_ERROR;
  }
  return NO_ERROR;
}

/** `Thanks` under a traceback is no error; `KeyError` and `Anything: with a message` are. */
function isRaised(line: string): boolean {
  const match = ERROR_LINE.exec(line);
  return (
    match?.[1] !== undefined && (match[2] !== undefined || /Error|Exception|Warning|Exit|Interrupt|\./.test(match[1]))
  );
}

function parseError(line: string, fallbackType = ''): { type: string; message: string } {
  const match = ERROR_LINE.exec(line);
  if (match?.[1]) return { type: match[1], message: match[2] ?? '' };
  return { type: fallbackType, message: line.replace(/^E\s+/, '') };
}

/** Python prints the root cause first. */
function findLinkAbove(lines: readonly string[], first: number): ErrorHead['link'] {
  const above = lines.slice(Math.max(0, first - 4), first);
  return above.some((line) => /During handling of the above|direct cause of the following/.test(line))
    ? 'caused_by_previous'
    : 'none';
}
