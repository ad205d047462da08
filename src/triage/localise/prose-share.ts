// How much of a source file is text for people (comments, strings) rather than code.

import { hasHashComments } from '../../core/source/index.ts';

const SPACE = 32;
const QUOTE = 34;
const APOSTROPHE = 39;
const BACKTICK = 96;
const BACKSLASH = 92;
const LINE_END = 10;
const HASH_SIGN = 35;
const SLASH = 47;

/** An apostrophe that is closed further away opens no text; in Rust and C most are of one character or a lifetime. */
const MAX_SINGLE = 200;
const MAX_CHARACTER = 4;
const CHARACTERS = /\.(?:rs|go|java|kts?|cs|c|cc|cpp|h|hpp|scala|swift)$/i;

/** 0 (nothing but code) to 1, counted in characters that are no white space. Linear in the text. */
export function measureProseShare(path: string, text: string): number {
  const quoting = { isHash: hasHashComments(path), isCharacter: CHARACTERS.test(path) };
  let prose = 0;
  let code = 0;
  let at = 0;
  while (at < text.length) {
    const end = findProseEnd(text, at, quoting);
    if (end > at) prose += countInk(text, at, end);
    else code += countInk(text, at, at + 1);
    at = Math.max(end, at + 1);
  }
  return prose + code === 0 ? 0 : prose / (prose + code);
}

function countInk(text: string, from: number, to: number): number {
  let ink = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > SPACE) ink++;
  return ink;
}

/** How a language writes comments and texts. */
interface Quoting {
  readonly isHash: boolean;
  readonly isCharacter: boolean;
}

/** End of the comment or string that begins at `at`; `at` itself where none does. */
function findProseEnd(text: string, at: number, quoting: Quoting): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE || code === APOSTROPHE || code === BACKTICK) return findStringEnd(text, at, quoting);
  if (quoting.isHash) return code === HASH_SIGN ? findEnd(text, '\n', at) : at;
  if (code !== SLASH) return at;
  if (text[at + 1] === '/') return findEnd(text, '\n', at);
  return text[at + 1] === '*' ? findEnd(text, '*/', at + 2) : at;
}

function findEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function findStringEnd(text: string, at: number, { isHash, isCharacter }: Quoting): number {
  const mark = text[at] ?? '';
  const triple = mark.repeat(3);
  if (mark !== '`' && text.startsWith(triple, at)) return findEnd(text, triple, at + 3);
  const single = isCharacter ? MAX_CHARACTER : MAX_SINGLE;
  const last = mark === "'" && !isHash ? at + single : text.length;
  return findClosing(text, { at, last, goesOn: mark === '`' });
}

interface OpenString {
  readonly at: number;
  readonly last: number;
  /** Whether it may go on in the next line. */
  readonly goesOn: boolean;
}

/** After the quote that closes it; `at` where none does. */
function findClosing(text: string, { at, last, goesOn }: OpenString): number {
  const quote = text.charCodeAt(at);
  for (let end = at + 1; end < text.length && end <= last; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) return end + 1;
    if (code === LINE_END && !goesOn) return at;
    if (code === BACKSLASH) end++;
  }
  return at;
}
