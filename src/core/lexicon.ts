// The door to what is kept of source: digests of the files and commits of a project, by which a report is compared with them.
import type { Project } from './project.ts';
import type { SourceTree } from './source.ts';

/** What is kept of every project; each has its own, which ends with it. */
export interface Lexicons {
  of(project: Project): Lexicon;
  /** Removes whatever was kept of the project. */
  forget(projectId: string): Promise<void>;
}

export interface Lexicon {
  /**
   * The digests of one commit's files. What is not kept yet is computed, which may take seconds for a project that is seen for the first time;
   * after an abort whatever was computed is kept. A file that cannot be digested is left out, and never an error.
   * Throws what the tree throws, and the signal's reason when aborted.
   */
  open(tree: SourceTree, signal: AbortSignal): Promise<CommitLexicon>;
  /**
   * Digests of the tree's commit and those that lead to it, newest first, merges left out, at most `limit`. What is not kept yet is read and
   * computed, for at most half a minute; `cut` says what was not. May be asked for while the files are still read.
   */
  commits(tree: SourceTree, limit: number, signal: AbortSignal): Promise<CommitDigests>;
}

export interface LexiconFile {
  readonly path: string;
  readonly blob: string;
}

export interface CommitLexicon {
  /** The files that have a digest, tests among them, in path order. */
  readonly files: readonly LexiconFile[];
  /** What has no digest though it might, in words ("" = nothing). */
  readonly cut: string;
  /**
   * Where these terms stand, from one look at all files: 40,000 of them take about 50 ms, in pieces between which others get their turn.
   * The answer takes 2 bytes × files × hashes: ask for hundreds of terms, not for thousands.
   */
  lookUp(hashes: Uint32Array, signal: AbortSignal): Promise<LookedUp>;
}

/** One row for each of the files, one column for each of the asked hashes: that of file f and hash h is at `f × hashes + h`. */
export interface LookedUp {
  /** How often the term stands in the file, at most 255. */
  readonly counts: Uint8Array;
  /** 1 where the file defines a name with this hash, else 0. */
  readonly defined: Uint8Array;
  /** Terms in each file, repeats counted. */
  readonly lengths: Uint32Array;
  readonly meanLength: number;
}

export interface CommitDigests {
  readonly commits: readonly CommitDigest[];
  /** What is missing, in words ("" = nothing). */
  readonly cut: string;
}

/** What is kept of a commit. */
export interface CommitDigest {
  /** Full sha. */
  readonly sha: string;
  /** Hashes of the terms of subject and body, ascending. */
  readonly terms: Uint32Array;
  /** In the order of `terms`, at most 255. */
  readonly counts: Uint8Array;
  /** Terms in all. */
  readonly length: number;
  /** As the commit left them, deleted ones included; none of a commit that touched too many to tell of any. */
  readonly paths: readonly string[];
}
