// The fingerprint of a cause: what of it stays the same wherever it is seen, on any machine, in any order.
import { createHash } from 'node:crypto';
import { type Cause, rankOf, sameKind } from './find-cause.ts';
import { lintedFile } from './lint-files.ts';
import type { PlainLine } from './plain-lines.ts';

const HEX = '[0-9a-fA-F]';
const UUID = new RegExp(`\\b${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\b`, 'g');
const URL_HOST = /\b([a-z][a-z+]{1,10}:\/\/)(?:[^\s/@]{1,100}@)?([\w.-]{1,200})(?::\d{1,5})?[^\s"')\]]{0,500}/g;
/** Folders differ between machines; the name of the file tells. */
const FOLDERS = /(?<![\w.@~+-])(?:[A-Za-z]:)?(?:[\w.@~+-]{0,200}[/\\]){1,60}(?=[\w.@~+-])/g;
/** What tools number their errors by: TS2345, E0308, C2143. All other digits are values. */
const CODE = /^[A-Z]{1,6}\d{2,5}$/;
const HASHED = /^(?=.*\d.*\d)[a-z\d]{8,}$/i;
const TEMPORARY = /^(?:tmp|temp|pytest-of|pytest)[\w-]*$/i;
const TOKEN = /[\p{L}\p{N}_$]+/gu;
const MAX_LINES = 200;

/** The words of a line without values: numbers, paths but for the file's name, hashes, times, addresses, letter case. */
export function withoutVariables(text: string): string {
  const bare = text.slice(0, 600).replace(UUID, ' ').replace(URL_HOST, '$1$2 ').replace(FOLDERS, ' ');
  return (bare.match(TOKEN) ?? []).map(constantPart).filter(Boolean).join(' ');
}

function constantPart(token: string): string {
  if (CODE.test(token)) return token;
  if (HASHED.test(token) || TEMPORARY.test(token) || /^0x/.test(token)) return '';
  const word = token.replace(/\d+/g, '').toLowerCase();
  // Units that stood behind a number, and single letters, tell nothing.
  return /^(?:ms|ns|us|sec|secs|s|m|h|mb|gb|kb|kib|mib|gib|am|pm|v|x|z|t)$/.test(word) ? '' : word;
}

/**
 * SHA-256 (hex), or null where nothing tells: of the names of failed tests, else of the error lines of the most telling kind, in no
 * order.
 */
export function causeFingerprint(lines: readonly PlainLine[], cause: Cause): string | null {
  if (cause.tests.length > 0)
    return digest(
      'tests',
      cause.tests.map(({ name }) => testKey(name)),
    );
  if (rankOf(cause) < 1) return null;
  const telling = sameKind(cause)
    .slice(0, MAX_LINES)
    .map(({ at }) => `${withoutVariables(lines[at]?.text ?? '')} ${lintedFile(lines, at)}`.trim());
  return wordsFingerprint(telling);
}

/** Of lines that say what is wrong; null where no word of them is constant. */
export function wordsFingerprint(lines: readonly string[]): string | null {
  const words = lines.filter((line) => line.length >= 3);
  return words.length === 0 ? null : digest('lines', words);
}

/** Of a machine or a service that failed: whatever it was doing. */
export function faultFingerprint(what: string): string {
  return digest('fault', [what]);
}

/** Of a check that tells its cause in words of its own, which others of the same maker tell of other causes. */
export function ownWordsFingerprint(name: string, print: string): string {
  return digest('own', [nameFingerprint(name), print]);
}

/** Of a check that says nothing: all runs of a matrix are one. */
export function nameFingerprint(name: string): string {
  return digest('name', [name.replace(/ ?\([^()]{0,200}\)/g, '').trim()]);
}

function testKey(name: string): string {
  return name
    .replace(/\\/g, '/')
    .replace(UUID, '')
    .replace(/\b0x[0-9a-fA-F]{4,16}\b/g, '')
    .replace(/@[0-9a-f]{5,16}\b/g, '')
    .replace(/(?:^|(?<=[\s"'([]))(?:[A-Za-z]:)?\/(?:[^\s/]{1,200}\/){1,60}/g, '')
    .replace(/\/?\btmp[\w./-]*/g, '');
}

function digest(kind: string, parts: readonly string[]): string {
  const distinct = [...new Set(parts)].sort();
  return createHash('sha256')
    .update(JSON.stringify([kind, distinct]))
    .digest('hex');
}
