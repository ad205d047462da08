// Code-aware terms of a text: words in lower case with a light stem; identifiers in their parts and as a whole.
import { splitName, stemWord } from '../identifiers.ts';

/** Longer words are encoded data, not names. */
const MAX_WORD = 64;
/** Words whose hashes are remembered, so that each is taken apart once; some 30 MB at most. */
const MAX_REMEMBERED = 100_000;

const remembered = new Map<string, readonly number[]>();

/** Calls `each` with every term of the text, repeats included; linear in its length. */
export function termsOf(text: string, each: (term: string) => void): void {
  eachWord(text, (word) => {
    for (const term of termsOfWord(word)) each(term);
  });
}

/**
 * `parseHeaders` → `parseheaders`, `pars`, `header`: the whole name as `wholeName` has it, where it has parts, and the
 * stems of its parts. Nothing for single letters and numbers of one or two digits.
 */
export function termsOfWord(word: string): readonly string[] {
  const parts = splitName(word).filter((part) => !/^\d{1,2}$/.test(part));
  const whole = wholeName(word);
  const stems = parts.map(stemWord);
  return parts.length > 1 || (parts.length === 1 && whole !== parts[0]) ? [whole, ...stems] : stems;
}

/** Hashes of the terms of a word. */
export function hashesOfWord(word: string): readonly number[] {
  const known = remembered.get(word);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const hashes = termsOfWord(word).map(hashTerm);
  remembered.set(ownCopy(word), hashes);
  return hashes;
}

/** V8 keeps a word cut from a text as a view of it: remembered so, it would hold the whole text of every file that was ever read. */
function ownCopy(word: string): string {
  return Buffer.from(word, 'utf16le').toString('utf16le');
}

/** A name without case and joints, so that `read_line`, `readLine` and `ReadLine` meet: `readline`. */
export function wholeName(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Calls `each` with every word (letters, digits, `_`, `$`; 2 to 64 characters) of the text and where it begins. */
export function eachWord(text: string, each: (word: string, at: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const start = at;
    while (IS_WORD[text.charCodeAt(at)] === 1) at++;
    if (at - start > 1 && at - start <= MAX_WORD) each(text.slice(start, at), start);
    while (at < text.length && IS_WORD[text.charCodeAt(at)] === 0) at++;
  }
}

/** By code unit. Beyond Latin-1's punctuation all but the general punctuation of Unicode and of CJK counts as a letter. */
const IS_WORD = new Uint8Array(0x10000).fill(1, 0xc0, 0x2000).fill(1, 0x3040);
IS_WORD[0xfeff] = 0;
for (let unit = 0; unit < 0x80; unit++) IS_WORD[unit] = /[\w$]/.test(String.fromCharCode(unit)) ? 1 : 0;

const HASH_START = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

/** 32 bits, unsigned (FNV-1a with a final mix): among 100,000 terms about one pair in a repository collides. */
export function hashTerm(term: string): number {
  let hash = HASH_START;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), HASH_PRIME);
  return mix(hash);
}

/** The end of a hash: every bit of it depends on every letter. */
function mix(sum: number): number {
  let hash = sum;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
