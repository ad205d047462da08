// What texts are compared by: the terms of their words, and the names that a source file defines.
import { splitName, stemWord } from './names.ts';

/** Longer words are encoded data, not names. */
const MAX_WORD = 64;

/** Words with remembered hashes, so that each is taken apart once; some 30 MB at most. */
const MAX_REMEMBERED = 100_000;

const remembered = new Map<string, readonly number[]>();

/** Calls `each` with every term of the text, repeats included; linear in its length. */
export function forEachTerm(text: string, each: (term: string) => void): void {
  forEachWord(text, (word) => {
    for (const term of splitIntoTerms(word)) each(term);
  });
}

/**
 * `parseHeaders` → `parseheaders`, `pars`, `header`: the whole name as `wholeName` has it, where it has parts, and the
 * stems of its parts. Nothing for single letters and numbers of one or two digits.
 */
export function splitIntoTerms(word: string): readonly string[] {
  const parts = splitName(word).filter((part) => !/^\d{1,2}$/.test(part));
  const whole = joinName(word);
  const stems = parts.map(stemWord);
  return parts.length > 1 || (parts.length === 1 && whole !== parts[0]) ? [whole, ...stems] : stems;
}

/** Hashes of the terms of a word. */
export function hashWord(word: string): readonly number[] {
  const known = remembered.get(word);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const hashes = splitIntoTerms(word).map(hashTerm);
  remembered.set(ownCopy(word), hashes);
  return hashes;
}

/**
 * V8 keeps a word cut from a text as a view of it: remembered so, it would hold the whole text of every file that was
 * ever read.
 */
function ownCopy(word: string): string {
  return Buffer.from(word, 'utf16le').toString('utf16le');
}

/** A name without case and joints, so that `read_line`, `readLine` and `ReadLine` meet: `readline`. */
export function joinName(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Calls `each` with every word (letters, digits, `_`, `$`; 2 to 64 characters) of the text and where it begins. */
export function forEachWord(text: string, each: (word: string, at: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const start = at;
    while (IS_WORD[text.charCodeAt(at)] === 1) at++;
    if (at - start > 1 && at - start <= MAX_WORD) each(text.slice(start, at), start);
    while (at < text.length && IS_WORD[text.charCodeAt(at)] === 0) at++;
  }
}

/**
 * By code unit. Beyond Latin-1's punctuation all but the general punctuation of Unicode and of CJK counts as a letter.
 */
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

/** Whether the word is of the digits 0 to 9 alone. */
export function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

/** The part of a written word that has this stem; the stem itself where none has. */
export function findPart(written: string, stemmed: string): string {
  return splitName(written).find((part) => stemWord(part) === stemmed) ?? stemmed;
}

/** Longer lines are data or generated; expressions over them cost time. */
const MAX_LINE = 400;

/** A word before a name that says "this is defined here", in the usual languages. */
const KEYWORD =
  /(?:^|[\s(;{@])(?:class|interface|struct|enum(?:\s+class|\s+struct)?|trait|type|def|fn|func|fun|function\*?|object|record|module|namespace|macro_rules!|protocol|mod|union|typealias)\s+(?:\([^()]{0,80}\)\s*)?(?:<[^<>]{0,60}>\s*)?(?:[\w$]{1,60}(?:<[^<>]{0,60}>)?\??\.){0,3}([A-Za-z_$][\w$]{1,63})/g;

/**
 * What follows a name that is defined; in a sentence another word does. `struct cart *open` is a use of C's, and in
 * `template <class Item>` a comma or a bracket follows.
 */
const DEFINED =
  /^[!?]?\s*(?:[({:;=<[@]|$|\/[/*]|--|#|->|(?:extends|implements|for|where|is|of|do|over|with|throws|inherits|permits|private|internal|protected|public|constructor|final|sealed|abstract)\b)/;

/** Of Go, where a type follows the name. */
const TYPE_OF_GO = /^type\s/;

/** In a text on the line, or in a comment behind the code. */
const IN_TEXT = /^[^"`]*(?:"[^"`]*"[^"`]*|`[^"`]*`[^"`]*)*["`][^"`]*$|\/\/|\s#\s/;

/** Variables count only near the left margin: inside a function they are its own business. */
const VARIABLE =
  /^(?:export\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|static\s+|final\s+|declare\s+){0,4}(?:(?:let|var|(?:const\s+)?val)\s+(?:mut\s+)?([A-Za-z_$][\w$]{1,63})|(?:const|static)\s+(?:mut\s+)?([A-Za-z_$][\w$]{1,63})\s*(?:[:=;,!]|$))/;

const CONSTANT = /^\s{0,4}([A-Z][A-Z0-9_]{2,63})\s*(?::[^=]{1,60})?=(?!=)/;

const ASSIGNED =
  /^\s{0,8}(?:[\w$]{1,40}\.){0,3}([A-Za-z_$][\w$]{1,63})\s*[:=]\s*(?:async\b\s*)?(?:function\b|class\b|\([^()]{0,200}\)\s*(?::[^=]{1,80})?=>|[\w$]{1,40}\s*=>)/;

/**
 * Modifiers and a return type, a name, parameters, a block; or, in the middle of long parameters, the end of the line.
 */
const METHOD =
  /^\s{1,12}(?:[A-Za-z@<][\w.<>,?[\]&]{0,60}\s+){0,7}[*#]?([A-Za-z_$][\w$]{1,63})\s*(?:<[^<>]{0,60}>)?\([^;=]{0,300}(?:\{|,|\()\s*$/;

const NOT_A_METHOD =
  /^\s*(?:if|else|for|foreach|while|do|switch|case|catch|return|throw|new|await|yield|typeof|delete|super|with|match|when|assert|raise|not|and|or|in|is|print|elif|except|import|from|use|using|lock|synchronized|sizeof|unless|until|defer|go|select|let|const|var|val|expect|it|describe|test)\b/;

/** What a line brings from elsewhere is defined there; `type Cart,` is of an import over several lines. */
const IMPORTED =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|export\s+(?:type\s+)?(?:\*|\{[^}]{0,300}\})\s*(?:as\s+\w{1,64}\s+)?from\b|type\s+[\w$]{1,64}(?:\s+as\s+[\w$]{1,64})?,\s*$)|=\s*(?:await\s+import|require)\s*\(|^\s*class\s+\w{1,64}\s*;/;

/** In C++ the name of an operator is its sign. */
const OPERATOR = 'operator';

/** Each as it is written, possibly more than once. */
export function findDefinedNames(text: string): readonly string[] {
  const names: string[] = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from > 4 && to - from <= MAX_LINE) addDefinedNames(text.slice(from, to), names);
    from = to + 1;
  }
  return names;
}

/** Adds the names that a line defines. */
function addDefinedNames(line: string, names: string[]): void {
  const first = line.charCodeAt(line.search(/\S/));
  // Comments define nothing; `#` also begins a private member or an attribute, which the expressions do not need.
  if (Number.isNaN(first) || first === 35 || first === 42 || (first === 47 && /^\s*\/[/*]/.test(line))) return;
  if (IMPORTED.test(line)) return;
  if (addAfterKeywords(line, names)) return;
  const assigned = VARIABLE.exec(line) ?? CONSTANT.exec(line) ?? ASSIGNED.exec(line);
  const name = assigned?.[1] ?? assigned?.[2] ?? findMethodName(line);
  if (name !== undefined && name !== OPERATOR) names.push(name);
}

function addAfterKeywords(line: string, names: string[]): boolean {
  const before = names.length;
  // Not `matchAll`: it makes a copy of the expression for each line.
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(line); match !== null; match = KEYWORD.exec(line)) {
    const after = line.slice(KEYWORD.lastIndex);
    const isDefined = DEFINED.test(after) || TYPE_OF_GO.test(line);
    if (match[1] !== undefined && isDefined && !IN_TEXT.test(line.slice(0, match.index))) names.push(match[1]);
  }
  return names.length > before;
}

function findMethodName(line: string): string | undefined {
  const last = line.trimEnd().at(-1);
  if ((last !== '{' && last !== ',' && last !== '(') || NOT_A_METHOD.test(line)) return undefined;
  return last === '{' || line.trimEnd().endsWith('(') ? METHOD.exec(line)?.[1] : undefined;
}
