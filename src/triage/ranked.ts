// Places of the source in the order in which the facts point at them.
import type { Suspect } from '../core/issue/index.ts';
import type { Clue, ClueKind, Evidence } from './clues.ts';

/** Why a file is suspected, for people. */
export type SuspectReason = Pick<Clue, 'reason' | 'ofFile'>;

/** A suspect with what the ranking knows of it beyond what is shown. */
export interface RankedSuspect extends Suspect {
  /** What `reasons` are made of. */
  readonly told: readonly SuspectReason[];
  readonly evidence: Evidence;
  /** Whether a frame of a stack trace is in the file. */
  readonly isFramed: boolean;
  /** Whether the report itself names the place, the file or a small commit that touches it, and not in passing. */
  readonly isNamed: boolean;
  /** What the line was taken from; "" where there is no line, or the report's words chose it. */
  readonly lineFrom: ClueKind | '';
}

export interface RankedFunction {
  readonly path: string;
  readonly name: string;
  /** Names of the classes and functions that it lies in, joined by dots; "" at the top of its file. */
  readonly owner: string;
  /** The line that names it, and its last one; 1-based. */
  readonly line: number;
  readonly lastLine: number;
  /**
   * Where to look first: the line of a stack frame in it, else where the report's words are closest together; never
   * outside of it.
   */
  readonly place: number;
  /** 1 for the first; for the others how likely it is compared with that one. */
  readonly score: number;
  /** For people, the most informative first; at most three. */
  readonly reasons: readonly string[];
  /** Whether the report names it, or one that calls it, or a stack trace runs through it; else only words led here. */
  readonly isMeant: boolean;
}
