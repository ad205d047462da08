// From clues to suspects: one per file, scored 0 to 1, each saying why.
import type { Suspect } from '../domain/issue.ts';
import { type Clue, type ClueKind, isFirm } from './candidates/clue.ts';
import { fileKind, isForeign, kindFactor } from './file-kind.ts';
import { reasonsOf } from './reasons.ts';

const MAX_SUSPECTS = 20;
/** Clues of one kind repeat each other: only the best few of a file count. */
const MAX_PER_KIND = 3;
/** What a file can reach at most by names and words alone. */
const NAMES_ONLY = 0.75;
/** Below this a first suspect was wrong more often than right (24 of 54 right; above it 31 of 42, over the 96 reports of five projects that it was chosen on). */
export const WEAK_SCORE = 0.6;
const LEAST_SCORE = 0.02;
/** A file of others that the trace runs through: less than any own file of that trace, more than a file that only shares words. */
const FOREIGN_FRAME = 0.35;
/** Whose line is believed first: a frame says where it broke, a use only where a word stands. */
const LINE_ORDER: readonly ClueKind[] = ['frame', 'place', 'message', 'definition', 'use', 'path', 'tested', 'name'];

/**
 * Clues are taken as independent hints, so that `1 - Π(1 - strength)` is the chance that at least one is right; what a
 * file is for then scales it. At most 20, best first; equal scores in path order, so that the answer is always the same.
 */
export function rankSuspects(clues: readonly Clue[]): readonly Suspect[] {
  const byFile = Map.groupBy(clues, ({ path }) => path);
  return [...byFile]
    .map(([path, own]) => suspect(path, own))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score || (a.file < b.file ? -1 : 1))
    .slice(0, MAX_SUSPECTS);
}

function suspect(file: string, clues: readonly Clue[]): Suspect {
  const kept = [...Map.groupBy(clues, ({ kind }) => kind).values()].flatMap((same) =>
    same.toSorted((a, b) => b.strength - a.strength).slice(0, MAX_PER_KIND),
  );
  const missed = kept.reduce((product, { strength }) => product * (1 - Math.min(0.95, strength)), 1);
  const most = kept.some(isFirm) ? 1 : NAMES_ONLY;
  const isTraced = kept.some(({ kind }) => kind === 'frame') && isForeign(file);
  const score = (1 - missed) * most * (isTraced ? FOREIGN_FRAME : kindFactor(fileKind(file)));
  const place = bestPlace(kept);
  return {
    file,
    line: place?.line ?? 0,
    function: place?.function ?? '',
    score: Math.round(score * 1_000) / 1_000,
    reasons: reasonsOf(kept),
  };
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
