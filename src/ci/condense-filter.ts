// A first look at the bytes of a line: whether any word stands in it that may tell of a failure or of a step. Most lines have none.

import { isDigit, SPACE, stampEnd } from './condense-stamp.ts';
import { rarityOfThree } from './letter-rarity.ts';
import { emptyBits, hasBit, keyOf, setBit, sixBits } from './three-signs.ts';

/**
 * Each of four bytes or more, in small letters. `0` stands for a digit, `@` for a letter, `?` for anything. What is only a word of trouble
 * is missing: such words count at the end of a step alone, which is kept anyway. A word too many costs time only.
 */
const WORDS: readonly string[] = [
  ...['error', 'err!', 'fail', 'fatal', 'panic', 'exception', 'traceback', 'severe', 'critical', 'interrupt'],
  ...['sanitizer', 'not ok', 'undefined', 'unresolved', 'segmentation', 'core dumped', 'sigsegv', 'sigabrt', 'sigbus'],
  ...['sigkill', 'killed', 'not found', 'no such', 'permission denied', 'connection refused', 'no space', 'enospc'],
  ...['out of memory', 'outofmemory', 'could not', 'unable to', 'went wrong', 'timed out', 'time out', 'timeout'],
  ...['toomany', 'time limit', 'would reformat', 'diff in ', 'code style', '[warn] ', 'rspec ./', 'curl: ('],
  ...['-unexpected-', 'process-crash', 'exit code', 'exit status', 'exited with', 'did not complete', ' problem'],
  ...['====', '____', '---- ', ' e: ', ' e   ', 'me   ', '?***', '<<< ', ' 0) ', '00) ', 'm0) '],
  ...['methodsource', 'to see the full', 're-run maven', 'for more info', '[help ', 'after correct', '* try:'],
  ...['> run with', 'test suite', 'tests:  ', 'snapshots: ', 'finished: ', 'run with --', '* get more'],
  ...['was canceled', 'longer than', 'exceeded the max', 'no output', 'command took >'],
  // Lines that name a test and nothing else.
  ...[
    '] › ',
    ') test ',
    ') doctest ',
    ') property ',
    '#test_',
    ' [e]',
    "rspec './",
    ' X ?',
    '\tX ?',
    'elifecycle',
    'build stopped',
  ],
  // Where checkers name a place and no error: `a.go:1:2: `, `A.java:[1,2] `, `a.ts(1,2): `, `a.js: line 1, `, a row under a file's name.
  ...[
    '?@:0',
    '?@:[0',
    '0): ',
    ': line 0',
    ' - warn',
    '| warn',
    '0 warn',
    '0  warn',
    '0   warn',
    '    warn',
    ' warning (',
  ],
  ...['0  info', '0  notice'],
  // Also where a colour begins before them.
  ...[...'●✕✗✖✘❯×⨯⚠ℹ‼'].flatMap((sign) =>
    [' ', '\t', 'm'].map((before) => `${before}${sign}${sign === '×' ? ' ' : ''}`),
  ),
];
/** Stand where a step begins or ends. */
const STEP_WORDS: readonly string[] = [
  ...['##[error', '##[group', '##[section', 'post job', 'post run', 'cleaning up', 'starting: ', '[pipeline]'],
  ...['travis_fold', 'section_start', 'section_end', 'the command "', '\u001b[32;1m$', '\u001b[0k$'],
];
/** In words: stand for kinds of bytes. None of the three is in any word as itself. */
const [DIGIT, LETTER, ANY] = [0x30, 0x40, 0x3f];

/** Bytes of a word, and where in it the three stand that it is found by. */
interface Found {
  readonly word: Uint8Array;
  readonly at: number;
  readonly isStep: boolean;
}

/** Of each byte, looked up: in 100 MB that is quicker than to reckon them anew. */
const SIX_BITS = Uint8Array.from({ length: 256 }, (_, byte) => sixBits(byte));
/** For each three bytes one bit: whether a word is found by them. Small enough for the first cache; every second place of a line is looked at. */
const KNOWN = emptyBits();
const NUMBERS = new Uint16Array(1 << 18);
/** Bytes that a byte of a word stands for: some fifty are asked for a thousand times. */
const ALIKE = new Map<number, readonly number[]>();
/** By the number of their three bytes. */
const FOUND: Found[][] = [[]];
for (const word of WORDS) addWord(Buffer.from(word), false);
for (const word of STEP_WORDS) addWord(Buffer.from(word), true);

function addWord(word: Uint8Array, isStep: boolean): void {
  const rarest = rarestOf(word);
  for (const at of [rarest, rarest + 1]) {
    for (const key of keysOf(word, at)) {
      setBit(KNOWN, key);
      if (NUMBERS[key] === 0) NUMBERS[key] = FOUND.push([]) - 1;
      FOUND[NUMBERS[key] ?? 0]?.push({ word, at, isStep });
    }
  }
}

/** Of all that three bytes of a word may be. */
function keysOf(word: Uint8Array, at: number): ReadonlySet<number> {
  const [firsts = [], seconds = [], thirds = []] = [...word.subarray(at, at + 3)].map(bytesFor);
  return new Set(firsts.flatMap((a) => seconds.flatMap((b) => thirds.map((c) => keyOf(a, b, c)))));
}

function bytesFor(wanted: number): readonly number[] {
  const known = ALIKE.get(wanted);
  if (known) return known;
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte === wanted || isAlike(byte, wanted),
  );
  ALIKE.set(wanted, bytes);
  return bytes;
}

/** Where in a word the four bytes begin of which the two parts of three are seldom seen elsewhere. */
function rarestOf(word: Uint8Array): number {
  const ranks = Array.from({ length: word.length - 2 }, (_, at) => {
    const three = word.subarray(at, at + 3);
    const kinds = three.filter((byte) => byte === DIGIT || byte === LETTER || byte === ANY).length;
    return kinds > 0 ? -100 * kinds : rarityOfThree(String.fromCharCode(...three));
  });
  const scores = ranks.slice(1).map((rank, at) => Math.min(ranks[at] ?? 0, rank));
  return scores.indexOf(Math.max(...scores));
}

/** What the line between two places of `bytes` may tell of: a step, or a failure. Of one that does, it never says `nothing`. */
export function glance(bytes: Uint8Array, from: number, to: number): 'nothing' | 'step' | 'failure' {
  const begin = stampEnd(bytes, from);
  if (beginsShort(bytes, begin)) return 'failure';
  // The space before it is the first sign of some words.
  const found = firstWord(bytes, Math.max(from, begin - 1), to);
  if (found === undefined) return 'nothing';
  return found.isStep ? 'step' : 'failure';
}

function firstWord(bytes: Uint8Array, from: number, to: number): Found | undefined {
  for (let at = nextKnown(bytes, from, to); at < to; at = nextKnown(bytes, at + 2, to)) {
    const found = wordAt(bytes, at, keyOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0));
    if (found) return found;
  }
  return undefined;
}

/** Every second place, the next at which a word may be found; `to`: there is none. By itself, with no call in it, which takes half of the time. */
function nextKnown(bytes: Uint8Array, from: number, to: number): number {
  let first = SIX_BITS[bytes[from] ?? 0] ?? 0;
  for (let at = from; at < to - 2; at += 2) {
    const third = SIX_BITS[bytes[at + 2] ?? 0] ?? 0;
    const key = (first << 12) | ((SIX_BITS[bytes[at + 1] ?? 0] ?? 0) << 6) | third;
    first = third;
    if (hasBit(KNOWN, key)) return at;
  }
  return to;
}

/** What is two or three bytes long, at the beginning of a line: `E: `, `e: `, `E   `, `× `, `X `, `1) `, and `  1` of a row. */
function beginsShort(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (first === SPACE) return second === SPACE && isDigit(bytes[at + 2] ?? 0);
  if (first === 0xc3 || first === 0xe2) return true;
  if ((first | 0x20) === 0x65) return second === 0x3a || second === SPACE;
  return first === 0x58 ? second === SPACE : second === 0x29 && isDigit(first);
}

function wordAt(bytes: Uint8Array, place: number, key: number): Found | undefined {
  const all = FOUND[NUMBERS[key] ?? 0] ?? [];
  // This runs some times a line: no closure, no iterator.
  for (let index = 0; index < all.length; index += 1) {
    const found = all[index];
    if (found !== undefined && isAt(bytes, place - found.at, found.word)) return found;
  }
  return undefined;
}

function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = word.length - 1; at >= 0; at -= 1) {
    const wanted = word[at] ?? 0;
    const byte = bytes[from + at] ?? 0;
    if (byte !== wanted && !isAlike(byte, wanted)) return false;
  }
  return true;
}

/** In the other case, or of the kind that is wanted. */
function isAlike(byte: number, wanted: number): boolean {
  if (wanted === DIGIT) return isDigit(byte);
  if (wanted === ANY) return true;
  const isCapital = byte >= 0x41 && byte <= 0x5a;
  if (wanted === LETTER) return isCapital || (byte >= 0x61 && byte <= 0x7a);
  return isCapital && (byte | 0x20) === wanted;
}
