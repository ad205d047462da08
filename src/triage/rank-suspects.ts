// From clues to suspects: one per file, scored 0 to 1, each saying why.
import type { Suspect } from '../domain/issue.ts';
import type { Clue, ClueKind } from './candidates/clue.ts';
import { fileKind, isForeign, kindFactor } from './file-kind.ts';
import type { RankedFile } from './localise/rank-files.ts';
import { reasonsOf } from './reasons.ts';

const MAX_SUSPECTS = 30;
/** Places of those 30 for files that were ranked lower and that a clue leads to all the same. */
const MAX_LATE = 5;
/** Clues of one kind repeat each other: only the best few of a file count. */
const MAX_PER_KIND = 3;
/** Below this a first suspect was wrong more often than right (50 of 130 right; above it 408 of 558, over 688 reports of 30 projects). */
export const WEAK_SCORE = 0.6;
const LEAST_SCORE = 0.02;
const AFTER = 0.9;
/** A file of others that the trace runs through: less than any own file of that trace, more than a file that only shares words. */
const FOREIGN_FRAME = 0.35;
/** Whose line is believed first: a frame says where it broke, a use only where a word stands. */
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

/** A suspect, and what it is ordered by: no ranked file stands behind one that was ranked after it, whatever clues that one has. */
interface Placed {
  readonly suspect: Suspect;
  readonly order: number;
}

/**
 * Files that were ranked keep their order; the others (tests, documents, settings, what is foreign) have clues alone. Clues are taken as
 * independent hints, so that `1 - Π(1 - strength)` is the chance that at least one is right; what a file is for then scales it. At most 30,
 * best first; as ranked where clues do not part them, then in path order, so that the answer is always the same. A score is the file's own, and
 * no greater than that of any file before it.
 */
export function rankSuspects(clues: readonly Clue[], ranked: readonly RankedFile[]): readonly Suspect[] {
  const byFile = Map.groupBy(clues, ({ path }) => path);
  const known = new Set(ranked.map(({ path }) => path));
  const first = placeRanked(ranked, byFile);
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
function withoutRise(suspects: readonly Suspect[]): readonly Suspect[] {
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

function suspect(file: string, score: number, clues: readonly Clue[]): Suspect {
  const kept = bestOfKinds(clues);
  const place = bestPlace(kept);
  return { file, line: place?.line ?? 0, function: place?.function ?? '', score, reasons: reasonsOf(kept) };
}

function bestPlace(clues: readonly Clue[]): Clue | undefined {
  return clues
    .filter(({ line, function: name }) => line > 0 || name !== '')
    .toSorted(
      (a, b) =>
        LINE_ORDER.indexOf(a.kind) - LINE_ORDER.indexOf(b.kind) ||
        Math.sign(b.line) - Math.sign(a.line) ||
        b.strength - a.strength,
    )[0];
}
