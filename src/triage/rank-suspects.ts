// From clues to suspects: one per file, scored 0 to 1, each saying why.
import type { Suspect } from '../core/issue.ts';
import { type Clue, type ClueKind, type Evidence, evidenceOf } from './candidates/clue.ts';
import { fileKind, isForeign, kindFactor } from './file-kind.ts';
import type { RankedFile } from './localise/rank-files.ts';
import { reasonsOf } from './reasons.ts';

const MAX_SUSPECTS = 30;
/** Places of those 30 for files that were ranked lower and that a clue leads to all the same. */
const MAX_LATE = 5;
/** Clues of one kind repeat each other: only the best few of a file count. */
const MAX_PER_KIND = 3;
/** Below this a first suspect was wrong more often than right (50 of 130 right; above it 408 of 558, over 688 reports of 30 projects). */
const WEAK_SCORE = 0.6;
const LEAST_SCORE = 0.02;
/** What people, the API and the model see at most. */
const MOST_SHOWN = 8;
/**
 * Suspects below these are not shown: over 180 reports and 188 traces of 17 projects, 33 % of those above were changed by the fix, and 5 % of the
 * others among the first eight; docs/evaluation.md. Words alone are right less often at the same score.
 */
const FLOOR = 0.2;
const FLOOR_FOR_WORDS = 0.3;
/** Of first suspects with a higher score that share nothing but words with the report, 47 of 101 were right. */
const MOST_FOR_WORDS = 0.5;
const AFTER = 0.9;
/** A file of others that the trace runs through: less than any own file of that trace, more than a file that only shares words. */
const FOREIGN_FRAME = 0.35;
/** What a sentence beside a stack trace gives; a named line, an error message and a failing test say more. */
const OF_PROSE: ReadonlySet<ClueKind> = new Set(['path', 'definition', 'use', 'name', 'commit']);
/** A frame that counts no more leads to a file that only has the same name, or is far out. */
const UNSURE_FRAME = 0.35;
/** Whose line is believed first: a frame says where it broke, a use only where a word occurs. */
const LINE_ORDER: readonly ClueKind[] = [
  'frame',
  'place',
  'message',
  'definition',
  'use',
  'path',
  'tested',
  'commit',
  'name',
];

/** A suspect with what the ranking knows of it beyond what is shown. */
export interface RankedSuspect extends Suspect {
  readonly evidence: Evidence;
  /** Whether a frame of a stack trace is in the file. */
  readonly isFramed: boolean;
  /** What the line was taken from; "" where there is no line, or the report's words chose it. */
  readonly lineFrom: ClueKind | '';
}

/** A suspect, and what it is ordered by: no ranked file stands behind one that was ranked after it, whatever clues that one has. */
interface Placed {
  readonly suspect: RankedSuspect;
  readonly order: number;
}

/**
 * Files that were ranked keep their order; the others (tests, documents, settings, what is foreign) have clues alone. Clues are taken as
 * independent hints, so that `1 - Π(1 - strength)` is the chance that at least one is right; what a file is for then scales it. At most 30,
 * best first; as ranked where clues do not part them, then in path order, so that the answer is always the same. A score is the file's own, and
 * no greater than that of any file before it.
 */
export function rankSuspects(clues: readonly Clue[], ranked: readonly RankedFile[]): readonly RankedSuspect[] {
  const byFile = Map.groupBy(clues, ({ path }) => path);
  const known = new Set(ranked.map(({ path }) => path));
  const first = placeRanked(tracesFirst(ranked, clues), byFile);
  const others = [...byFile]
    .filter(([path]) => !known.has(path))
    .map(([path, own]) => suspect(path, Math.min(mostOf(path, first), scoreOf(path, bestOfKinds(own))), own))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map((one) => ({ suspect: one, order: one.score }));
  // The sort is stable: equal ones stay as they were ranked.
  const ordered = [...first, ...others].sort((a, b) => b.order - a.order).slice(0, MAX_SUSPECTS);
  return withoutRise(ordered.map((one) => one.suspect));
}

/**
 * The leading frame of a trace comes before the other files of that trace, but for one that leads another trace; and the first file of a trace
 * before all that only the prose around it speaks for: what people write there is about more than the fault.
 */
function tracesFirst(ranked: readonly RankedFile[], clues: readonly Clue[]): readonly RankedFile[] {
  const traced = clues.filter(({ frame, path }) => frame !== undefined && fileKind(path) === 'source');
  const traces = [...Map.groupBy(traced, ({ frame }) => frame?.trace ?? 0).values()];
  const leaders = new Set(traced.filter(({ frame }) => frame?.leads).map(({ path }) => path));
  const led = traces.reduceRight((files, frames) => {
    const leader = frames.find(({ frame }) => frame?.leads);
    const paths = new Set(frames.map(({ path }) => path)).difference(leaders);
    return leader === undefined ? files : moveBefore(files, leader.path, ({ path }) => paths.has(path));
  }, ranked);
  const firm = new Set(clues.filter(({ kind }) => !OF_PROSE.has(kind)).map(({ path }) => path));
  const framed = new Set(traced.filter(({ strength }) => strength > UNSURE_FRAME).map(({ path }) => path));
  const first = led.find(({ path }) => framed.has(path));
  return first === undefined ? led : moveBefore(led, first.path, ({ path }) => !firm.has(path));
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
 * A frame or a message says by itself how far it is to be believed, however many files there are to choose from. In 176 traces 12 files that one
 * led to were ranked below the 30th, and none of them was at fault: they come last.
 */
function placeRanked(ranked: readonly RankedFile[], byFile: ReadonlyMap<string, readonly Clue[]>): readonly Placed[] {
  const late = ranked.slice(MAX_SUSPECTS, MAX_SUSPECTS + MAX_LATE);
  let order = 0;
  const first = ranked
    .slice(0, MAX_SUSPECTS - late.length)
    .toReversed()
    .map(({ path, score, clues }) => {
      const given = byFile.get(path) ?? [];
      const own = Math.max(score, scoreOf(path, bestOfKinds(given)));
      order = Math.max(order, own);
      return { suspect: suspect(path, own, [...given, ...clues]), order };
    })
    .reverse();
  const least = first.at(-1)?.order ?? 1;
  return [
    ...first,
    ...late.map(({ path, score, clues }) => ({
      suspect: suspect(path, score, [...(byFile.get(path) ?? []), ...clues]),
      order: Math.min(least, score),
    })),
  ];
}

/** None is shown surer than one before it; one that stands first for its words alone is not made surer by a frame in the next. */
function withoutRise<T extends Suspect>(suspects: readonly T[]): readonly T[] {
  let most = 1;
  return suspects.map((one) => {
    most = Math.min(most, one.score);
    return { ...one, score: Math.round(most * 1_000) / 1_000 };
  });
}

/** A test shows a fault and seldom is one: it comes after the first file that it may test. */
function mostOf(path: string, [first]: readonly Placed[]): number {
  return first && fileKind(path) === 'test' ? first.order * AFTER : 1;
}

function bestOfKinds(clues: readonly Clue[]): readonly Clue[] {
  return [...Map.groupBy(clues, ({ kind }) => kind).values()].flatMap((same) =>
    same.toSorted((a, b) => b.strength - a.strength).slice(0, MAX_PER_KIND),
  );
}

function scoreOf(file: string, clues: readonly Clue[]): number {
  const missed = clues.reduce((product, { strength }) => product * (1 - Math.min(0.95, strength)), 1);
  const isTraced = clues.some(({ kind }) => kind === 'frame') && isForeign(file);
  return (1 - missed) * (isTraced ? FOREIGN_FRAME : kindFactor(fileKind(file)));
}

function suspect(file: string, score: number, clues: readonly Clue[]): RankedSuspect {
  const kept = bestOfKinds(clues);
  const place = bestPlace(kept);
  return {
    ...{ file, line: place?.line ?? 0, function: place?.function ?? '', score, reasons: reasonsOf(kept) },
    evidence: evidenceOf(clues),
    isFramed: clues.some(({ kind }) => kind === 'frame'),
    lineFrom: place && place.line > 0 && place.kind !== 'use' ? place.kind : '',
  };
}

/** A frame of compiled output names its function alone: the line of the error message in the same file says more. */
function bestPlace(clues: readonly Clue[]): Clue | undefined {
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

/** Whether a place is likelier right than wrong, so that it may be named as the most likely one. */
export function isReliable(suspect: Suspect | undefined): boolean {
  return suspect !== undefined && suspect.score >= WEAK_SCORE;
}

/** What is worth showing of the ranking, in the terminal, the API, comments, pages and to the model alike; empty: no reliable suspect. */
export function shownSuspects(ranked: readonly RankedSuspect[]): readonly RankedSuspect[] {
  const kept = ranked
    .filter(({ score, evidence, reasons }) => {
      const floor = evidence === 'words' ? FLOOR_FOR_WORDS : FLOOR;
      return score >= floor && reasons.length > 0;
    })
    .slice(0, MOST_SHOWN)
    .map((one) => (one.evidence === 'words' ? { ...one, score: Math.min(one.score, MOST_FOR_WORDS) } : one));
  return withoutRise(kept);
}
