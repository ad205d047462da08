// The fingerprint of a cause: what stays the same on any machine and in any order.
import { createHash } from 'node:crypto';
import { type Cause, findLinesLikeHeadline } from './find-cause.ts';
import type { LogLine } from './log-lines.ts';
import { findWrittenPlaces, isFinding, readFileHeading, readFindingLine, toRepositoryPath } from './written-places.ts';

const HEX = '[0-9a-fA-F]';

const UUID = new RegExp(`\\b${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\b`, 'g');

const URL_HOST = /\b([a-z][a-z+]{1,10}:\/\/)(?:[^\s/@]{1,100}@)?([\w.-]{1,200})(?::\d{1,5})?[^\s"')\]]{0,500}/g;

/** Folders differ between machines; the name of the file is the same. */
const FOLDERS = /(?<![\w.@~+-])(?:[A-Za-z]:)?(?:[\w.@~+-]{0,200}[/\\]){1,60}(?=[\w.@~+-])/g;

/** What tools number their errors by: TS2345, E0308, C2143. All other digits are values. */
const CODE = /^[A-Z]{1,6}\d{2,5}$/;

const HASHED = /^(?=.*\d.*\d)[a-z\d]{8,}$/i;

const TEMPORARY = /^(?:tmp|temp|pytest-of|pytest)[\w-]*$/i;

const TOKEN = /[\p{L}\p{N}_$]+/gu;

const MAX_LINES = 200;

const MAX_SAID = 12;

/**
 * The words of a line without values: numbers, paths but for the file's name, hashes, times, addresses, letter case.
 */
export function stripVariables(text: string): string {
  const bare = text.slice(0, 600).replace(UUID, ' ').replace(URL_HOST, '$1$2 ').replace(FOLDERS, ' ');
  return (bare.match(TOKEN) ?? []).map(stripToken).filter(Boolean).join(' ');
}

function stripToken(token: string): string {
  if (CODE.test(token)) return token;
  if (HASHED.test(token) || TEMPORARY.test(token) || /^0x/.test(token)) return '';
  const word = token.replace(/\d+/g, '').toLowerCase();
  // Units after a number, and single letters, carry no information.
  return /^(?:ms|ns|us|sec|secs|s|m|h|mb|gb|kb|kib|mib|gib|am|pm|v|x|z|t)$/.test(word) ? '' : word;
}

/**
 * SHA-256 (hex) of the names of failed tests, otherwise of the error lines of the most informative kind; null: there
 * are none. In no order.
 */
export function fingerprintCause(lines: readonly LogLine[], cause: Cause): string | null {
  if (cause.tests.length > 0)
    return hashParts(
      'tests',
      cause.tests.map(({ name }) => normaliseTestName(name)),
    );
  const alike = findLinesLikeHeadline(cause);
  // What was said last tells causes apart only where it is little.
  const [first] = alike;
  if (first?.kind === 'end') return null;
  if (first?.kind === 'said' && (alike.length > MAX_SAID || cause.step?.phase !== 'work')) return null;
  const errorLines = alike
    .slice(0, MAX_LINES)
    .map(({ at }) => `${stripVariables(lines[at]?.text ?? '')} ${findLintedFile(lines, at)}`.trim());
  return fingerprintLines(errorLines);
}

/** Of lines that say what is wrong; null where no word of them is constant. */
export function fingerprintLines(lines: readonly string[]): string | null {
  const words = lines.filter((line) => line.length >= 3);
  return words.length === 0 ? null : hashParts('lines', words);
}

/** Of a machine or a service that failed, in any step. */
export function fingerprintFault(what: string): string {
  return hashParts('fault', [what]);
}

/**
 * Of a check that says its cause in its own summary, in words that other checks of the same App use for other causes.
 */
export function fingerprintOwnWords(name: string, print: string): string {
  return hashParts('own', [fingerprintName(name), print]);
}

/** Of a check that says nothing: all runs of a matrix are one. */
export function fingerprintName(name: string): string {
  return hashParts('name', [name.replace(/ ?\([^()]{0,200}\)/g, '').trim()]);
}

function normaliseTestName(name: string): string {
  return (
    name
      .replace(/\\/g, '/')
      // Playwright names the line where the test begins.
      .replace(/(\.[cm]?[jt]sx?):\d{1,6}:\d{1,6}(?= › )/g, '$1')
      .replace(UUID, '')
      .replace(/\b0x[0-9a-fA-F]{4,16}\b/g, '')
      .replace(/@[0-9a-f]{5,16}\b/g, '')
      .replace(/(?:^|(?<=[\s"'([]))(?:[A-Za-z]:)?\/(?:[^\s/]{1,200}\/){1,60}/g, '')
      .replace(/\/?\btmp[\w./-]*/g, '')
  );
}

function hashParts(kind: string, parts: readonly string[]): string {
  const distinct = [...new Set(parts)].sort();
  return createHash('sha256')
    .update(JSON.stringify([kind, distinct]))
    .digest('hex');
}

/** Prettier, Black, Ruff, rustfmt: the name of a file is all that they say. */
const UNFORMATTED = /^(?:\[warn\]|[Ww]ould reformat:?|Diff in) (\S{1,300}?\.\w{1,10})(?::\d| at line|$)/;

const MAX_BACK = 300;

/** A path of the repository; "" where the line is of no list of findings, or the file lies elsewhere. */
function findLintedFile(lines: readonly LogLine[], at: number): string {
  const text = lines[at]?.text ?? '';
  // Folders above the repository differ between machines.
  const isUnder = readFindingLine(text) > 0;
  const place =
    isUnder || !isFinding(text)
      ? undefined
      : findWrittenPlaces(text).find(({ path }) => /^(?![A-Za-z]:)[\w.]/.test(path));
  const written = isUnder ? findFileAbove(lines, at) : (UNFORMATTED.exec(text)?.[1] ?? place?.path ?? '');
  return written === '' ? '' : (toRepositoryPath(written) ?? '');
}

function findFileAbove(lines: readonly LogLine[], at: number): string {
  let above = at - 1;
  while (above > at - MAX_BACK && readFindingLine(lines[above]?.text ?? '') > 0) above -= 1;
  return readFileHeading(lines[above]?.text ?? '') ?? '';
}
