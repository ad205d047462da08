// Files and lines of a report looked up in the commit: those of its traces, and those that it writes.

import type { SourceTree } from 'causeway-git-objects';
import { markCode } from 'causeway-log-lines';
import { cutText } from 'causeway-visible-text';
import type { MappedFrame } from '../clues.ts';
import type { Lookups } from '../lookups.ts';
import { isVendored } from '../own-code.ts';
import { cleanPath, findLongestSuffix, type Ground, getFileName, mapPath, type PathIndex } from '../paths.ts';
import type { SignalPlace, Signals } from '../signals.ts';
import { type FoundClaim, GENERIC } from './claim.ts';

/** Of all that a report names; a longer list is a log. */
const MAX_PLACES = 80;

/** The commit that a report is about, with all of its files. */
export interface ClaimedCommit {
  readonly tree: SourceTree;
  readonly ground: Ground;
  /** For people: a branch, tag or short sha. */
  readonly name: string;
}

export interface PlacesInput {
  readonly report: string;
  readonly signals: Pick<Signals, 'places' | 'paths'>;
  readonly mapped: readonly (readonly MappedFrame[])[];
  readonly at: ClaimedCommit;
}

interface CheckedPlaces {
  readonly claims: readonly FoundClaim[];
  /** Functions of frames whose line or file is not there. */
  readonly lost: ReadonlySet<string>;
  /** Names of files that are not there, without their ending: of the class that such a file would hold. */
  readonly lostFiles: ReadonlySet<string>;
}

/** `ownNames`: of this project, in small letters. */
export async function checkPlaces(
  lookups: Lookups,
  input: PlacesInput,
  ownNames: readonly string[],
): Promise<CheckedPlaces> {
  const { signals, at, report } = input;
  const claims: FoundClaim[] = [];
  const lost = new Set<string>();
  const lines = new Map<string, Promise<number | null>>();
  const countLines: LineCounter = (path) => {
    const known = lines.get(path) ?? readLineCount(at.tree, path, lookups.signal);
    lines.set(path, known);
    return known;
  };
  for (const framed of input.mapped.flat().slice(0, MAX_PLACES)) {
    const found = await checkFrame(framed, input, { countLines, ownNames });
    claims.push(...found);
    if (found.some(({ state }) => state !== 'exists' && state !== 'unchecked')) lost.add(framed.frame.function);
  }
  const find = (file: string): string | null => findOwnPath(lookups, file);
  const places = [
    ...signals.places,
    ...listSaidLines(report, find),
    ...signals.paths.map((file) => ({ file, line: 0 })),
  ].slice(0, MAX_PLACES);
  for (const { file, line } of places) {
    const path = find(file);
    if (isShownAsOwn(report, file)) continue;
    const isSure = path !== null && isSurePath(file, path, ownNames);
    if (path === null || isElsewhere(file, path)) claims.push(...checkMissingPath(input, file));
    else if (isSure || !isAbsolute(file)) claims.push(await checkLine({ file, line, path, isSure }, countLines));
  }
  const missing = claims.filter(
    ({ kind, state, isOnlyOfPast }) => kind === 'file' && state === 'absent' && !isOnlyOfPast,
  );
  const lostFiles = new Set(missing.map(({ text }) => getFileName(cleanPath(text)).replace(/\.\w+$/, '')));
  return { claims, lost, lostFiles };
}

async function checkFrame(
  { frame, mapping }: MappedFrame,
  input: PlacesInput,
  { countLines, ownNames }: { readonly countLines: LineCounter; readonly ownNames: readonly string[] },
): Promise<readonly FoundClaim[]> {
  const { file, line, language } = frame;
  if (file === '') return [];
  if (mapping.kind === 'own' && !mapping.compiled) {
    const isSure = language === 'jvm' ? mapping.certain : isSurePath(file, mapping.path, ownNames);
    return [await checkLine({ file, line, path: mapping.path, isSure }, countLines)];
  }
  return mapping.kind === 'unknown' && isInOwnFolder(input.at.ground.index, file) ? checkMissingPath(input, file) : [];
}

/** Null: it is no text. */
type LineCounter = (path: string) => Promise<number | null>;

/** The one file of this project that a path means; null: none is. */
export function findOwnPath({ ground }: Lookups, file: string): string | null {
  const mapping = mapPath(ground, file);
  return mapping.kind === 'own' ? mapping.path : null;
}

async function readLineCount(tree: SourceTree, path: string, signal: AbortSignal): Promise<number | null> {
  const read = await tree.read(path, { lines: { from: 1, to: 1 } }, signal);
  return read.kind === 'text' ? read.totalLines : null;
}

async function checkLine(
  {
    file,
    line,
    path,
    isSure,
  }: { readonly file: string; readonly line: number; readonly path: string; readonly isSure: boolean },
  countLines: LineCounter,
): Promise<FoundClaim> {
  if (line === 0) return { text: file, kind: 'file', state: 'exists', note: '' };
  const claim = { text: `${file}:${line}`, kind: 'line' as const };
  const total = await countLines(path);
  if (total === null) return { ...claim, state: 'unchecked', note: '' };
  // An end without a line break counts as a line in some tools.
  if (line <= total + 1) return { ...claim, state: 'exists', note: '' };
  if (!isSure) return { ...claim, state: 'unchecked', note: '' };
  return { ...claim, state: 'absent', note: `${path} has ${total} lines` };
}

/** Whether the file that a path may mean only has its name: `src/legacy/cart.js` is not `src/cart.js`. */
function isElsewhere(written: string, path: string): boolean {
  const wanted = cleanPath(written);
  const isPart = path === wanted || path.endsWith(`/${wanted}`) || wanted.endsWith(`/${path}`);
  return !isPart && wanted.includes('/') && !isAbsolute(written);
}

function isAbsolute(path: string): boolean {
  return /^\/|^[A-Za-z]:/.test(path);
}

/** Whether a path cannot be of another project: it agrees in more than its end, or has this one's name in it. */
function isSurePath(written: string, path: string, ownNames: readonly string[]): boolean {
  const [parts, own] = [cleanPath(written).split('/').reverse(), path.split('/').reverse()];
  const differs = parts.findIndex((part, at) => part !== own[at]);
  const shared = differs === -1 ? parts.length : differs;
  if (shared === 1) return parts.length === 1 && /[a-z\d][A-Z_-]|[_-]/.test((parts[0] ?? '').replace(/\.\w+$/, ''));
  return (
    shared > 2 ||
    (shared === parts.length && !isAbsolute(written)) ||
    parts.some((part) => ownNames.includes(part.toLowerCase()))
  );
}

/** A frame without its file is of this project where its folder is one of the tree. */
function isInOwnFolder({ paths }: PathIndex, file: string): boolean {
  const path = cleanPath(file);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/') + 1));
  return folder.split('/').length > 2 && paths.some((each) => each.startsWith(folder));
}

const FILE = /(?<![\w@./-])[\w@./-]{2,200}\.[A-Za-z]\w{0,9}(?![\w/])/g;

/** `src/cart.ts` (line 12), `src/cart.ts`, lines 12-20; also further on in the sentence, where no other file is between. */
const SAID_LINE = /(?:[(,]\s?|\b(?:at|on|near|around|in)\s)lines?\s(\d{1,7})/gi;

/** `find`: the path of this project that a file means. */
export function listSaidLines(report: string, find: (file: string) => string | null): readonly SignalPlace[] {
  const lines = markCode(report.split(/\r?\n/).slice(0, 2_000));
  return lines.flatMap(({ text, kind }) => {
    if (kind !== 'prose') return [];
    const line = text.slice(0, 2_000);
    const files = [...line.matchAll(FILE)];
    return [...line.matchAll(SAID_LINE)].flatMap((said) => {
      const file = files.findLast(({ index }) => index < said.index);
      if (file === undefined || find(file[0]) === null) return [];
      const between = line.slice(file.index + file[0].length, said.index);
      return /[.;!?]\s/.test(between) ? [] : [{ file: file[0], line: Number(said[1]) }];
    });
  });
}

/** Of this project where the report writes it below a folder that only this project has, or where it once was. */
function checkMissingPath({ at, report }: PlacesInput, file: string): readonly FoundClaim[] {
  const path = cleanPath(file);
  const name = getFileName(path);
  const stem = name.replace(/\.\w+$/, '');
  const ending = name.slice(stem.length);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  if (/^(?:\/|[A-Za-z]:|\.\.?\/|~|https?:)/.test(file) || isVendored(path) || GENERIC.test(stem)) return [];
  const start = report.indexOf(file);
  const isInAddress = /https?:\/\/\S{1,300}$/.test(report.slice(Math.max(0, start - 320), start));
  if (isInAddress || (at.ground.index.byName.get(name.toLowerCase())?.length ?? 0) > 1) return [];
  const claim = { text: file, kind: 'file' as const, state: 'absent' as const };
  const isHere = hasKindIn(at.ground.index, folder, ending);
  const [misspelt] = folder === '' ? findMisspelt(at.ground.index, stem, ending) : [];
  if (misspelt !== undefined) return [{ ...claim, note: `not found at ${at.name}; ${misspelt} is` }];
  if (folder === '') return [];
  const same = findLongestSuffix(at.ground.index, name)?.paths ?? [];
  const now = same.length === 1 ? same[0] : undefined;
  return [{ ...claim, note: `not found at ${at.name}`, past: { path }, isOnlyOfPast: !isHere, ...(now && { now }) }];
}

/** Whether the folder, or one around it, has files of that ending and a name that not every project has. */
function hasKindIn({ paths }: PathIndex, folder: string, ending: string): boolean {
  const levels = folder.split('/');
  return levels.some(
    (level, at) =>
      level !== '' &&
      !GENERIC.test(level) &&
      paths.some((each) => each.startsWith(`${levels.slice(0, at + 1).join('/')}/`) && each.endsWith(ending)),
  );
}

/** Shorter words are alike by chance. */
const LEAST_SPELLED = 8;

/** Paths whose file's name differs by a letter, or by two that changed places. */
function findMisspelt({ byName }: PathIndex, stem: string, ending: string): readonly string[] {
  if (stem.length < LEAST_SPELLED) return [];
  const near = [...byName].filter(
    ([name]) => name.endsWith(ending) && isOneOff(name.slice(0, -ending.length), stem.toLowerCase()),
  );
  return near.flatMap(([, paths]) => paths);
}

function isOneOff(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [left, right] = [one.slice(at), other.slice(at)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped || left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
}

/** Whether the report itself shows this file as its own: in a heading, a label or a comment of its code. */
function isShownAsOwn(report: string, name: string): boolean {
  const at = report.indexOf(name);
  const end = report.indexOf('\n', at);
  const line = report.slice(report.lastIndexOf('\n', at) + 1, end === -1 ? undefined : end);
  return (
    /^\s*(?:\/\/|#|\/\*|<!--|--|\*\*|\d+[.)])/.test(line) ||
    /\b(?:my|our|create|following|example|sample)\b/i.test(cutText(line, 300))
  );
}
