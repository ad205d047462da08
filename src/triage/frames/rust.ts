// Frames of Rust panics and backtraces.
import { cutAfterAt, type ErrorHead, type Frame, type FrameReader, NO_ERROR, splitLocation } from './frame.ts';

/** Messages of assertions show both sides, each on its line. */
const MESSAGE_LINES = 6;

export const rustFrames: FrameReader = {
  language: 'rust',
  innermostLast: false,
  gap: 8,
  frame: (lines, index) => readPanicFrame(lines, index) ?? readPlacedFrame(lines, index) ?? readBareFrame(lines, index),
  ends: (line) => /panicked at/.test(line),
  error: parsePanicError,
};

/** `thread 'main' panicked at src/main.rs:4:5:` and, before Rust 1.73, `panicked at 'message', src/main.rs:4:5`, where the message may have lines. */
function readPanicFrame(lines: readonly string[], index: number): Frame | null {
  const line = lines[index] ?? '';
  const at = line.indexOf('panicked at ');
  if (at < 0) return null;
  const isOld = line[at + 12] === "'";
  for (const text of isOld ? lines.slice(index, index + MESSAGE_LINES) : [line.slice(at + 12)]) {
    const rest = text.trim().replace(/:$/, '');
    const place = splitLocation(isOld ? rest.slice(rest.lastIndexOf("', ") + 3) : rest);
    if (place?.file.endsWith('.rs')) return { language: 'rust', ...place, function: '', symbol: '', code: '' };
  }
  return null;
}

/** The place under a numbered function: `at ./src/parser.rs:12:9`. */
function readPlacedFrame(lines: readonly string[], index: number): Frame | null {
  const place = splitLocation(cutAfterAt(lines[index] ?? '') ?? '');
  if (!place?.file.endsWith('.rs')) return null;
  const symbol = parseNumbered(lines[index - 1] ?? '');
  return { language: 'rust', ...place, function: getLastName(symbol), symbol, code: '' };
}

/** A numbered function without a place (built without debug information). */
function readBareFrame(lines: readonly string[], index: number): Frame | null {
  const symbol = parseNumbered(lines[index] ?? '');
  if (!symbol.includes('::') || splitLocation(cutAfterAt(lines[index + 1] ?? '') ?? '')) return null;
  return { language: 'rust', file: '', line: 0, function: getLastName(symbol), symbol, code: '' };
}

function parseNumbered(line: string): string {
  const match = /^\s{0,12}\d{1,4}: {1,8}(?:0x[0-9a-f]{1,16} - )?([<\w][^(){}]{0,300})/.exec(line);
  return match?.[1] ? match[1].trim().replace(/::h[0-9a-f]{16}$/, '') : '';
}

function getLastName(symbol: string): string {
  return /(\w+)(?:::)?$/.exec(symbol)?.[1] ?? '';
}

function parsePanicError(lines: readonly string[], first: number): ErrorHead {
  for (let index = first; index >= Math.max(0, first - 4); index--) {
    const line = lines[index] ?? '';
    const at = line.indexOf('panicked at ');
    if (at < 0) continue;
    const old = /panicked at '(.*?)(?:', [^']{1,400})?$/.exec(line)?.[1];
    return { type: 'panic', message: old ?? (lines[index + 1] ?? '').trim(), link: 'none' };
  }
  return NO_ERROR;
}
