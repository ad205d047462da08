// From clues to suspects: one per file, scored 0 to 1, each saying why.

import type { OutlineSymbol, SourceTree } from 'causeway-git-objects';
import { RELIABLE_SCORE, type Suspect } from '../core/issue/index.ts';
import { findEnclosingFunction, findSpans, isOfInlineTests, markTexts } from '../core/source/index.ts';
import { type Clue, type ClueKind, combineEvidence, type Evidence, isFirm, isLineNamed, NAMINGS } from './clues.ts';
import { carryLine, findDefinitionLine, isInformativeLine } from './examine.ts';
import { getLastPart } from './identifiers.ts';
import type { RankedFile } from './localise/rank-files.ts';
import { attempt, type Lookups } from './lookups.ts';
import { classifyFile, getKindFactor, isProgram, isVendored } from './own-code.ts';
import { findLongestSuffix, type PathIndex } from './paths.ts';
import type { RankedSuspect, SuspectReason } from './ranked.ts';

const MAX_SUSPECTS = 30;

/** Places of those 30 for files that were ranked lower and that a clue leads to all the same. */
const MAX_LATE = 5;

/** Clues of one kind repeat each other: only the best few of a file count. */
const MAX_PER_KIND = 3;

const LEAST_SCORE = 0.02;

/** What people, the API and the model see at most. */
const MOST_SHOWN = 8;

/**
 * Suspects below these are not shown: over 180 reports and 188 traces of 17 projects, 33 % of those above were
 * changed by the fix, and 5 % of the others among the first eight; docs/evaluation.md. Words by themselves are right less
 * often at the same score.
 */
const FLOOR = 0.2;

const FLOOR_FOR_WORDS = 0.3;

/** Of first suspects with a higher score that share nothing but words with the report, 47 of 101 were right. */
const MOST_FOR_WORDS = 0.5;

const AFTER = 0.9;

/**
 * A file of others that the trace runs through: less than any own file of that trace, more than a file that only
 * shares words.
 */
const FOREIGN_FRAME = 0.35;

/** What a sentence next to a stack trace gives; a named line, an error message and a failing test say more. */
const OF_PROSE: ReadonlySet<ClueKind> = new Set(['path', 'definition', 'use', 'name', 'commit']);

/** A frame that counts no more leads to a file that only has the same name, or is far out. */
const UNSURE_FRAME = 0.35;

/** Which line is believed first: a frame says where it broke, a use only where a word occurs. */
const LINE_ORDER: readonly ClueKind[] = [
  'frame',
  'place',
  'message',
  'definition',
  'use',
  'path',
  'tested',
  'reference',
  'commit',
  'name',
];

/**
 * A suspect, and what it is ordered by: no ranked file comes after one that was ranked below it, whatever clues that
 * one has.
 */
interface PlacedRank {
  readonly suspect: RankedSuspect;
  readonly order: number;
}

/**
 * Files that were ranked keep their order; the others (tests, documents, settings, vendored code) have only clues.
 * Clues are taken as independent hints, so that `1 - Π(1 - strength)` is the chance that at least one is right; what
 * a file is for then scales it. At most 30, best first; as ranked where clues do not part them, then in path order,
 * so that the answer is always the same. A score is the file's own, and no greater than that of any file before it.
 */
export function rankSuspects(clues: readonly Clue[], ranked: readonly RankedFile[]): readonly RankedSuspect[] {
  const byFile = Map.groupBy(clues, ({ path }) => path);
  const known = new Set(ranked.map(({ path }) => path));
  const named = findNamedFiles(clues);
  const namedFirst = moveNamedFirst(moveTracesFirst(ranked, clues), clues, named);
  const ordered = liftChanged(namedFirst, byFile);
  const first = placeRanked(ordered, byFile, named);
  const rest = [...byFile].filter(([path]) => !known.has(path));
  const broken = rest.filter(([path, own]) => isBrokenTest(path, own) && !isSurer(first[0], byFile));
  const others = rest
    .filter((one) => !broken.includes(one))
    .map(([path, own]) => {
      const score = Math.min(takeMost(path, first), computeScore(path, pickBestOfKinds(own)));
      return createSuspect(path, own, { score, isNamed: false });
    })
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map((one) => ({ suspect: one, order: one.score }));
  const most = Math.max(first[0]?.order ?? 0, MOST_FOR_WORDS);
  const tests = broken.map(([path, own]) => ({
    suspect: createSuspect(path, own, { score: most, isNamed: false }),
    order: most,
  }));
  // The sort is stable: equal ones stay as they were ranked.
  const best = [...tests, ...first, ...others].sort((a, b) => b.order - a.order).slice(0, MAX_SUSPECTS);
  return preventRise(best.map((one) => one.suspect));
}

/** Further down the words of the report say more than the order of a trace: one of 103 fell behind the fifth. */
const IN_TRACE_ORDER = 5;

/**
 * The leading frame of a trace comes before the other files of that trace, but for one that leads another trace, and
 * those that are among the first in the order of the trace; and the first file of a trace before all files that only the
 * prose supports: prose is about more than the fault.
 */
function moveTracesFirst(ranked: readonly RankedFile[], clues: readonly Clue[]): readonly RankedFile[] {
  const traced = clues.filter(({ frame, path }) => frame !== undefined && classifyFile(path) === 'source');
  const traces = [...Map.groupBy(traced, ({ frame }) => frame?.trace ?? 0).values()];
  const leaders = new Set(traced.filter(({ frame }) => frame?.leads).map(({ path }) => path));
  const led = traces.reduceRight((files, frames) => {
    const leader = frames.find(({ frame }) => frame?.leads);
    if (leader === undefined) return files;
    const own = new Set(frames.map(({ path }) => path)).difference(leaders);
    const moved = moveBefore(files, leader.path, ({ path }) => own.has(path));
    return [...sortWithin(moved.slice(0, IN_TRACE_ORDER), [...own]), ...moved.slice(IN_TRACE_ORDER)];
  }, ranked);
  const firm = new Set(clues.filter(({ kind }) => !OF_PROSE.has(kind)).map(({ path }) => path));
  const framed = new Set(traced.filter(isSureFrame).map(({ path }) => path));
  const first = led.find(({ path }) => framed.has(path));
  return first === undefined ? led : moveBefore(led, first.path, ({ path }) => !firm.has(path));
}

/** A report that names more files lists them, and then what it sounds like says more. */
const MOST_NAMED = 5;

/**
 * What the report names comes before what it only sounds like, the surest way of naming first, and then what it names
 * first; the first file of a trace and what was ranked before it stay before them.
 */
function moveNamedFirst(
  ranked: readonly RankedFile[],
  clues: readonly Clue[],
  named: ReadonlyMap<string, number>,
): readonly RankedFile[] {
  const framed = new Set(clues.flatMap((clue) => (isSureFrame(clue) ? [clue.path] : [])));
  const rated = ranked.map((file) => ({ file, order: named.get(file.path) ?? Number.POSITIVE_INFINITY }));
  const kept = ranked.findIndex(({ path }) => framed.has(path)) + 1;
  // Equal ones stay as they were ranked.
  const moved = rated.slice(kept).sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
  return [...rated.slice(0, kept), ...moved].map(({ file }) => file);
}

const EVIDENCE_ORDER: readonly Evidence[] = ['firm', 'names', 'words'];

/**
 * What changed between two versions that the report names comes before files for which no more speaks, within the first
 * 30, and is then as sure as what it passes: that it changed is never a reason against another file.
 */
function liftChanged(
  ranked: readonly RankedFile[],
  byFile: ReadonlyMap<string, readonly Clue[]>,
): readonly RankedFile[] {
  const files = ranked.slice(0, MAX_SUSPECTS).map((file) => {
    const given = byFile.get(file.path) ?? [];
    const others = [...given, ...file.clues].filter((clue) => !clue.isChanged);
    const score = Math.max(file.score, computeScore(file.path, pickBestOfKinds(given)));
    const isChanged = given.some((clue) => clue.isChanged) && !others.some(({ named }) => named);
    const evidence = EVIDENCE_ORDER.indexOf(combineEvidence(others));
    const isFixed = isChanged || score >= RELIABLE_SCORE || others.some(staysBefore);
    return { file, score, isChanged, evidence, isFixed };
  });
  for (const [from, one] of files.entries()) {
    const before = files.slice(0, from);
    const to = before.findLastIndex((other) => other.isFixed || other.evidence < one.evidence) + 1;
    if (!one.isChanged || to === from) continue;
    const score = Math.max(one.score, ...before.slice(to).map((other) => other.score));
    const lifted = { ...one, score, file: { ...one.file, score } };
    files.splice(from, 1);
    files.splice(to, 0, lifted);
  }
  return [...files.map(({ file }) => file), ...ranked.slice(MAX_SUSPECTS)];
}

function staysBefore({ kind, named, names = [] }: Clue): boolean {
  return kind === 'frame' || named !== undefined || (kind === 'definition' && names.length > 0);
}

/**
 * Each named file with its place among them, by the surest way in which it is named and then in the order of the report;
 * the same place for those that the same changes touch.
 */
function findNamedFiles(clues: readonly Clue[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [order, naming] of NAMINGS.entries()) {
    const paths = new Set(clues.flatMap(({ path, named }) => (named === naming ? [path] : [])));
    if (paths.size > MOST_NAMED) continue;
    for (const [at, path] of [...paths].entries()) {
      if (!found.has(path)) found.set(path, order * MOST_NAMED + (naming === 'commit' ? 0 : at));
    }
  }
  return found;
}

function isSureFrame({ frame, path, strength }: Clue): boolean {
  return frame !== undefined && classifyFile(path) === 'source' && strength > UNSURE_FRAME;
}

/** The files of `paths` in that order, in the places that they have among the others. */
function sortWithin(files: readonly RankedFile[], paths: readonly string[]): readonly RankedFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const sorted = paths.flatMap((path) => byPath.get(path) ?? []);
  const places = new Set(sorted);
  const next = sorted.values();
  return files.map((file) => (places.has(file) ? (next.next().value ?? file) : file));
}

/** The file `path` before the first one that `isLess` holds for, where it is not before that already. */
function moveBefore(
  files: readonly RankedFile[],
  path: string,
  isLess: (file: RankedFile) => boolean,
): readonly RankedFile[] {
  const from = files.findIndex((file) => file.path === path);
  const to = files.findIndex((file) => isLess(file));
  const moved = files[from];
  if (moved === undefined || to < 0 || to >= from) return files;
  return [...files.slice(0, to), moved, ...files.slice(to, from), ...files.slice(from + 1)];
}

/**
 * A frame or a message says by itself how far it is to be believed, however many files there are to choose from. In
 * 176 traces 12 files that one led to were ranked below the 30th, and none of them was at fault: they come last.
 */
function placeRanked(
  ranked: readonly RankedFile[],
  byFile: ReadonlyMap<string, readonly Clue[]>,
  named: ReadonlyMap<string, number>,
): readonly PlacedRank[] {
  const late = ranked.slice(MAX_SUSPECTS, MAX_SUSPECTS + MAX_LATE);
  let order = 0;
  const first = ranked
    .slice(0, MAX_SUSPECTS - late.length)
    .toReversed()
    .map(({ path, score, clues }) => {
      const given = byFile.get(path) ?? [];
      const isNamed = named.has(path);
      const own = Math.max(score, computeScore(path, pickBestOfKinds(given)), isNamed ? RELIABLE_SCORE : 0);
      order = Math.max(order, own);
      return { suspect: createSuspect(path, [...given, ...clues], { score: own, isNamed }), order };
    })
    .reverse();
  const least = first.at(-1)?.order ?? 1;
  return [
    ...first,
    ...late.map(({ path, score, clues }) => ({
      suspect: createSuspect(path, [...(byFile.get(path) ?? []), ...clues], { score, isNamed: false }),
      order: Math.min(least, score),
    })),
  ];
}

/**
 * None is shown surer than one before it; one that is first only for its words is not made surer by a frame in the
 * next.
 */
export function preventRise<T extends Suspect>(suspects: readonly T[]): readonly T[] {
  let most = 1;
  return suspects.map((one) => {
    most = Math.min(most, one.score);
    return { ...one, score: Math.round(most * 1_000) / 1_000 };
  });
}

/** A test whose own line raised what is not an assertion, through no source: that line broke. */
function isBrokenTest(path: string, clues: readonly Clue[]): boolean {
  return classifyFile(path) === 'test' && clues.some(({ frame }) => frame?.leads === true);
}

/** Whether more than words leads there. */
function isSurer(first: PlacedRank | undefined, byFile: ReadonlyMap<string, readonly Clue[]>): boolean {
  if (first === undefined) return false;
  const { evidence, isNamed, file } = first.suspect;
  return evidence === 'firm' || isNamed || (byFile.get(file) ?? []).some(({ kind }) => kind === 'tested');
}

/** A test shows a fault and rarely is one: it comes after the first file that it may test. */
function takeMost(path: string, [first]: readonly PlacedRank[]): number {
  return first && classifyFile(path) === 'test' ? first.order * AFTER : 1;
}

function pickBestOfKinds(clues: readonly Clue[]): readonly Clue[] {
  return [...Map.groupBy(clues, ({ kind }) => kind).values()].flatMap((same) =>
    same.toSorted((a, b) => b.strength - a.strength).slice(0, MAX_PER_KIND),
  );
}

function computeScore(file: string, clues: readonly Clue[]): number {
  const missed = clues.reduce((product, { strength }) => product * (1 - Math.min(0.95, strength)), 1);
  const isTraced = clues.some(({ kind }) => kind === 'frame') && isVendored(file);
  return (1 - missed) * (isTraced ? FOREIGN_FRAME : getKindFactor(classifyFile(file)));
}

function createSuspect(
  file: string,
  clues: readonly Clue[],
  { score, isNamed }: Pick<RankedSuspect, 'score' | 'isNamed'>,
): RankedSuspect {
  const kept = pickBestOfKinds(clues);
  const place = pickBestPlace(kept);
  const told = describeReasons(kept);
  return {
    file,
    line: place?.line ?? 0,
    function: place?.function ?? '',
    score,
    told,
    reasons: told.map(({ reason }) => reason),
    evidence: combineEvidence(clues),
    isFramed: clues.some(({ kind }) => kind === 'frame'),
    isNamed,
    lineFrom: place && place.line > 0 && place.kind !== 'use' ? place.kind : '',
  };
}

/** A frame of compiled output names only its function: the line of the error message in the same file says more. */
function pickBestPlace(clues: readonly Clue[]): Clue | undefined {
  const isExact = ({ kind, line }: Clue): number => (line > 0 && (kind === 'place' || kind === 'message') ? 1 : 0);
  return clues
    .filter(({ line, function: name }) => line > 0 || name !== '')
    .toSorted((a, b) => {
      const isUnknown = (a.kind === 'frame' && a.line === 0) || (b.kind === 'frame' && b.line === 0);
      return (
        (isUnknown ? isExact(b) - isExact(a) : 0) ||
        LINE_ORDER.indexOf(a.kind) - LINE_ORDER.indexOf(b.kind) ||
        Math.sign(b.line) - Math.sign(a.line) ||
        b.strength - a.strength
      );
    })[0];
}

/**
 * What is worth showing of the ranking, in the terminal, the API, comments, pages and to the model; empty: no
 * reliable suspect. `outside`: the dependencies that all stack frames lie in, which speaks against every file here that
 * only words lead to.
 */
export function selectShownSuspects(
  ranked: readonly RankedSuspect[],
  outside: readonly string[],
): readonly RankedSuspect[] {
  const kept = ranked
    .filter(({ score, evidence }) => {
      return score >= (evidence === 'words' ? FLOOR_FOR_WORDS : FLOOR);
    })
    .slice(0, MOST_SHOWN)
    .map((one) =>
      one.evidence === 'words' ||
      one.reasons.length === 0 ||
      (outside.length > 0 && one.evidence !== 'firm' && !one.isNamed)
        ? { ...one, score: Math.min(one.score, MOST_FOR_WORDS) }
        : one,
    );
  return preventRise(kept);
}

const MAX_REASONS = 3;

/** Where it broke, the text there, what was named; shared words last. */
const FIRMNESS: readonly ClueKind[] = [
  'frame',
  'message',
  'place',
  'path',
  'tested',
  'reference',
  'definition',
  'commit',
  'use',
  'name',
];

/** In how many stack traces, and at how many lines, a report names a file says no more than the first of them. */
const SAID_ONCE: ReadonlySet<ClueKind> = new Set(['frame', 'place', 'path']);

/**
 * At most 3, the firmest first. Left out is what another reason says already: that a file is named once more, the place
 * of a frame named again, the use of a name that the file defines; and, where there is a firm reason, those based on
 * everyday words.
 */
export function describeReasons(clues: readonly Clue[]): readonly SuspectReason[] {
  const isSure = clues.some(isFirm);
  const framed = new Set(clues.filter(({ kind }) => kind === 'frame').map(({ line }) => line));
  const defined = clues.flatMap(({ kind, names }) => (kind === 'definition' ? (names ?? []) : []));
  const says = ({ kind, line, names, reason }: Clue): boolean => {
    if (reason === '') return false;
    if (kind === 'place') return !framed.has(line);
    if (kind === 'path') return framed.size === 0;
    if (names === undefined) return true;
    if (names.length === 0) return !isSure;
    return kind !== 'use' || names.some((name) => !defined.includes(name));
  };
  const ordered = clues
    .filter(says)
    .toSorted((a, b) => FIRMNESS.indexOf(a.kind) - FIRMNESS.indexOf(b.kind) || b.strength - a.strength);
  const told = ordered.filter(
    ({ kind }, index) => !SAID_ONCE.has(kind) || ordered.findIndex((one) => one.kind === kind) === index,
  );
  const distinct = new Map(
    told.map(({ reason, ofFile }) => [reason, { reason, ...(ofFile !== undefined && { ofFile }) }]),
  );
  return [...distinct.values()].slice(0, MAX_REASONS);
}

/** Of a suspect at a function: what holds of its file only is said of the file. */
export function sayOfFile<T extends Pick<RankedSuspect, 'function' | 'told' | 'reasons'>>(suspect: T): T {
  const name = getLastPart(suspect.function);
  const reasons = suspect.told.map(({ reason, ofFile }) =>
    name === '' || ofFile === undefined || getLastPart(ofFile) === name ? reason : `the file ${reason}`,
  );
  return { ...suspect, reasons };
}

/** Only the first suspects are looked into: each costs a read and an outline. */
const PLACED = 10;

interface FrameSource {
  readonly tree: SourceTree;
  /** Tag or sha in the report that led to this commit; "" where it is the requested one. */
  readonly name: string;
}

/**
 * Frame clues of another commit, carried over to this one; what is gone is dropped. Also returns what was lost, in
 * words.
 */
export async function carryClues(
  lookups: Lookups,
  framed: FrameSource,
  clues: readonly Clue[],
): Promise<{ readonly clues: readonly Clue[]; readonly lost: readonly string[] }> {
  if (framed.name === '') return { clues, lost: [] };
  const here = new Set(lookups.ground.index.paths);
  const lost = new Set<string>();
  const carried: Clue[] = [];
  for (const clue of clues) {
    const path = here.has(clue.path) ? clue.path : findMoved(lookups.ground.index, clue.path);
    if (path === '') lost.add(`${clue.path} of ${framed.name} is no longer there`);
    else carried.push(await carryClue(lookups, framed, clue, path));
  }
  return { clues: carried, lost: [...lost] };
}

async function carryClue(lookups: Lookups, framed: FrameSource, clue: Clue, path: string): Promise<Clue> {
  const line = clue.line > 0 ? await carryOne(lookups, framed, { ...clue, to: path }) : 0;
  const before = [path === clue.path ? '' : clue.path, clue.line > 0 ? `line ${clue.line}` : ''];
  const named = before.filter((part) => part !== '').join(', ');
  const gone = clue.line > 0 && line === 0 ? ', not found here any more' : '';
  const note = named === '' ? '' : ` (${named} at ${framed.name}${gone})`;
  return { ...clue, path, line, reason: `${clue.reason}${note}` };
}

/**
 * Where a file went when its folders were put into another (`shop/cart.py` → `src/shop/cart.py`); "" where that is not
 * one file.
 */
function findMoved(index: PathIndex, path: string): string {
  const match = findLongestSuffix(index, path);
  const isWhole = match?.paths.length === 1 && match.shared > 1 && match.shared === path.split('/').length;
  return isWhole ? (match.paths[0] ?? '') : '';
}

async function carryOne(
  lookups: Lookups,
  framed: FrameSource,
  { path, line, to }: Clue & { to: string },
): Promise<number> {
  const action = `read ${path}:${line} at ${framed.name}`;
  const from = { tree: framed.tree, path };
  const here = { tree: lookups.tree, path: to };
  return (await attempt(lookups, action, () => carryLine(line, from, here, lookups.signal))) ?? 0;
}

interface Placed {
  readonly suspects: readonly RankedSuspect[];
  /** Lines named by the report that the commit does not have, in words. */
  readonly mismatches: readonly string[];
  /** Files of which it names a line behind their end: any other line of them would be a guess. */
  readonly beyond: ReadonlySet<string>;
}

/**
 * `unsure`: files that are only one of several fits for a frame, so that a missing line speaks against the fit, not
 * against the report.
 */
export async function placeSuspects(
  lookups: Lookups,
  suspects: readonly RankedSuspect[],
  unsure: ReadonlySet<string>,
): Promise<Placed> {
  const mismatches: string[] = [];
  const placed: RankedSuspect[] = [];
  const beyond = new Set<string>();
  for (const [index, suspect] of suspects.entries()) {
    const truth =
      index < PLACED ? await placeSuspect(lookups, suspect, index === 0 && !unsure.has(suspect.file)) : null;
    if (truth?.mismatch && !unsure.has(suspect.file)) mismatches.push(truth.mismatch);
    if (truth?.isBeyond) beyond.add(suspect.file);
    placed.push(truth ? truth.suspect : suspect);
  }
  return { suspects: placed, mismatches, beyond };
}

async function placeSuspect(
  lookups: Lookups,
  suspect: RankedSuspect,
  /** Its mismatch is said in the answer. */
  isFirst: boolean,
): Promise<{ suspect: RankedSuspect; mismatch: string; isBeyond?: boolean } | null> {
  const { tree, signal } = lookups;
  return attempt(lookups, `outline ${suspect.file}`, async () => {
    const outline = await tree.outline(suspect.file, signal);
    const known = suspect.function === '' ? 0 : findDefinitionLine(outline, suspect.function);
    const lines = suspect.line > 0 ? await readSuspectLines(tree, suspect, signal) : [];
    const wrong = describeWrongLine(suspect, lines, outline);
    if (wrong !== '') {
      const said = isFirst ? [] : [{ reason: `line ${suspect.line} ${wrong} at this commit` }];
      const isDefined = outline.some(({ name }) => name === suspect.function);
      const place = { line: known, function: isDefined ? suspect.function : '', lineFrom: '' as const };
      const mismatch = describeMismatch(suspect, lines.length, wrong);
      const isBeyond = suspect.lineFrom === 'place' && suspect.line > lines.length && known === 0;
      return { suspect: { ...suspect, ...place, told: [...suspect.told, ...said] }, mismatch, isBeyond };
    }
    const chosen = isLineNamed(suspect) ? suspect.line : findCodeLine(suspect.file, lines, suspect.line);
    const line = chosen > 0 ? chosen : known;
    if (!isLineNamed(suspect) && isAmongTests(suspect.file, { lines, outline, line })) {
      return { suspect: { ...suspect, line: 0, function: '', lineFrom: '' as const }, mismatch: '' };
    }
    const name = findFunctionAt(suspect, { lines, outline, line });
    return { suspect: { ...suspect, line, function: name }, mismatch: '' };
  });
}

/** Whether the line is in a module of tests, which stands in the file that it tests. */
function isAmongTests(
  path: string,
  at: { readonly lines: readonly string[]; readonly outline: readonly OutlineSymbol[]; readonly line: number },
): boolean {
  if (at.line === 0 || !at.outline.some(({ name }) => /^tests?$/.test(name))) return false;
  return findSpans(path, at.lines.join('\n'), at.outline).some(
    (span) => isOfInlineTests(span) && span.leadLine <= at.line && at.line <= span.lastLine,
  );
}

/** Why the line that the report names cannot be the one that it means, in words; "" where it can. */
function describeWrongLine(
  suspect: RankedSuspect,
  lines: readonly string[],
  outline: readonly OutlineSymbol[],
): string {
  const { file, line, lineFrom } = suspect;
  if (line > lines.length) return 'does not exist in this file';
  if (lineFrom !== 'frame' && lineFrom !== 'place') return '';
  if ((lines[line - 1] ?? '').trim() === '') return 'is blank';
  if (lineFrom === 'place') return '';
  return markTexts(file, lines)[line - 1] === 1 ? 'is a comment' : describeOtherFunction(suspect, lines, outline);
}

/**
 * A trace of another version has a line of a function that it does not name. Not said where another function does not
 * surely begin between: what defines the name there may be nothing that an outline knows.
 */
function describeOtherFunction(
  { file, line, function: name }: RankedSuspect,
  lines: readonly string[],
  outline: readonly OutlineSymbol[],
): string {
  if (!/^[A-Za-z_$][\w$]{2,}[?!]?$/.test(name) || findEnclosingFunction(outline, line) === name) return '';
  const spans = findSpans(file, lines.join('\n'), outline);
  const around = spans.filter((span) => span.leadLine <= line && line <= span.lastLine);
  const other = around.findLast(({ kind }) => kind === 'function');
  if (other === undefined || around.some((span) => span.name === name)) return '';
  const isMade = (text: string): boolean =>
    text.split(name).some((after, index) => index > 0 && /^["']?\s{0,4}[:=](?![:=])/.test(after));
  if (lines.slice(other.line - 1, line).some(isMade)) return '';
  if (outline.some((symbol) => symbol.name === name)) return `is not in \`${name}\``;
  // Compilers make names with a $.
  return name.includes('$') || lines.some((text) => text.includes(name))
    ? ''
    : `is not in \`${name}\`, which this file does not have,`;
}

/** The one that the trace names where it has the line, as an outline may not know where an inner one ends. */
function findFunctionAt(
  { file, lineFrom, function: name }: RankedSuspect,
  { lines, outline, line }: { lines: readonly string[]; outline: readonly OutlineSymbol[]; line: number },
): string {
  const nearest = findEnclosingFunction(outline, line);
  if (lineFrom !== 'frame' || nearest === name || !outline.some((symbol) => symbol.name === name))
    return nearest || name;
  const spans = findSpans(file, lines.join('\n'), outline);
  const isHere = spans.some((span) => span.name === name && span.line <= line && line <= span.lastLine);
  return isHere ? name : nearest || name;
}

function describeMismatch({ file, line }: RankedSuspect, total: number, wrong: string): string {
  return line > total
    ? `${file} has ${total} lines at this commit, but the report names line ${line}`
    : `line ${line} of ${file}, which the report names, ${wrong} at this commit`;
}

/** Lines after one that the words chose, in which a line that says more is looked for. */
const NEAR = 12;

/** Words are in comments as often as in code: the line itself, or the line of code that follows its text. */
function findCodeLine(path: string, lines: readonly string[], from: number): number {
  if (from === 0 || !isProgram(path)) return from;
  const texts = markTexts(path, lines);
  const isCode = (line: number): boolean => texts[line - 1] !== 1 && (lines[line - 1] ?? '').trim() !== '';
  let first = from;
  while (first <= lines.length && !isCode(first)) first++;
  if (first > lines.length) return from;
  // A bracket or `try {` says nothing of the place.
  for (let line = first; line <= Math.min(lines.length, first + NEAR); line++) {
    if (isCode(line) && isInformativeLine(lines[line - 1] ?? '')) return line;
  }
  return first;
}

async function readSuspectLines(tree: SourceTree, { file }: Suspect, signal: AbortSignal): Promise<readonly string[]> {
  const read = await tree.read(file, {}, signal);
  if (read.kind !== 'text') return [];
  const lines = read.text.split(/\r?\n/);
  return Array.from({ length: read.totalLines }, (_, index) => lines[index] ?? '');
}
