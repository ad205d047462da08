// Hashes of the terms of words that lie in code units: what `termsOfWord` and `hashTerm` give, without a string for each word.
import { stemCodes } from '../identifiers.ts';
import { HASH_PRIME, HASH_START, hashesOfWord, IS_WORD, MAX_WORD, mixed } from './terms.ts';

const [LOWER, UPPER, DIGIT, JOINT, BEYOND_ASCII] = [1, 2, 4, 8, 16] as const;
/** What a code unit is in a word; 0: it is in none. */
const UNIT_KINDS = IS_WORD.map((isWord) => isWord * BEYOND_ASCII);
for (let unit = 0; unit < 0x80; unit++) UNIT_KINDS[unit] = IS_WORD[unit] === 1 ? kindOf(unit) : 0;
const TO_LOWER = 32;
const [ZERO, NINE] = [48, 57] as const;

/** Of ASCII. */
function kindOf(unit: number): number {
  const letter = String.fromCharCode(unit);
  if (/\d/.test(letter)) return DIGIT;
  if (/[a-z]/.test(letter)) return LOWER;
  return /[A-Z]/.test(letter) ? UPPER : JOINT;
}

let room = new Uint16Array(64 * 1024);

/** The code units of a text, in room that is used for the next one as well. */
export function unitsOf(text: string): Uint16Array {
  if (room.length < text.length) room = new Uint16Array(2 * text.length);
  const bytes = Buffer.from(room.buffer).write(text, 'utf16le');
  return room.subarray(0, bytes / 2);
}

/** Calls `each` with the hash of every term between two places, repeats included. */
export function eachTermHash(units: Uint16Array, from: number, to: number, each: (hash: number) => void): void {
  for (let at = from; at < to; at++) {
    const start = at;
    while (at < to && UNIT_KINDS[units[at] as number] !== 0) at++;
    if (at - start < 2 || at - start > MAX_WORD) continue;
    SHARED.read(units, start, at);
    for (let term = 0; term < SHARED.count; term++) each(SHARED.hashes[term] as number);
  }
}

/** What was found in the word that was read last. */
export class WordHashes {
  /** Of its terms, in the order of `termsOfWord`, as far as `count`. */
  readonly hashes = new Uint32Array(2 * MAX_WORD);
  count = 0;
  readonly #part = new Uint16Array(MAX_WORD);
  /** Letters of the last part that counts. */
  #kept = 0;

  /** Reads the word from `from` up to `to`, of 2 to 64 units. */
  read(units: Uint16Array, from: number, to: number): void {
    const part = this.#part;
    let whole = HASH_START;
    let letters = 0;
    let length = 0;
    let before: number = JOINT;
    let seen = 0;
    this.count = 1;
    for (let at = from; at < to; at++) {
      const unit = units[at] as number;
      const kind = UNIT_KINDS[unit] as number;
      seen |= kind;
      if (kind === JOINT || (kind === UPPER && isBeginning(before, units, at, to))) {
        this.#takePart(length);
        length = 0;
      }
      before = kind;
      if (kind === JOINT) continue;
      const lower = kind === UPPER ? unit + TO_LOWER : unit;
      part[length++] = lower;
      letters++;
      whole = Math.imul(whole ^ lower, HASH_PRIME);
    }
    this.#takePart(length);
    if ((seen & BEYOND_ASCII) === 0) this.#settle(mixed(whole), this.#kept === letters);
    else this.#readText(units, from, to);
  }

  /** Few words have such letters, and Unicode's own rules are needed for them. */
  #readText(units: Uint16Array, from: number, to: number): void {
    const hashes = hashesOfWord(String.fromCharCode(...units.subarray(from, to)));
    this.hashes.set(hashes);
    this.count = hashes.length;
  }

  /** The whole name comes before its parts, unless it is the only one of them. */
  #settle(whole: number, isOnePart: boolean): void {
    if (this.count === 1) this.count = 0;
    else if (this.count === 2 && isOnePart) {
      this.hashes[0] = this.hashes[1] as number;
      this.count = 1;
    } else this.hashes[0] = whole;
  }

  /** Single letters and numbers of one or two digits do not count. */
  #takePart(length: number): void {
    const part = this.#part;
    const isNumber = isDigit(part[length - 1]);
    if (length < 2 || (length === 2 && isNumber && isDigit(part[0]))) return;
    const stemmed = isNumber ? length : stemCodes(part, length);
    let hash = HASH_START;
    for (let at = 0; at < stemmed; at++) hash = Math.imul(hash ^ (part[at] as number), HASH_PRIME);
    this.hashes[this.count++] = mixed(hash);
    this.#kept = length;
  }
}

/** `aB`, `1B`, and `ABc` before its `B`. */
function isBeginning(before: number, units: Uint16Array, at: number, to: number): boolean {
  if (before === LOWER || before === DIGIT) return true;
  return before === UPPER && at + 1 < to && UNIT_KINDS[units[at + 1] as number] === LOWER;
}

function isDigit(unit: number | undefined): boolean {
  return unit !== undefined && unit >= ZERO && unit <= NINE;
}

const SHARED = new WordHashes();
