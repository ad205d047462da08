// The search index of a project: which files and commits contain a term of a report, and how informative that is.

import type { SourceTree } from 'causeway-git-objects';
import type { Project } from '../project/index.ts';

/** The indexes of all projects; each is removed with its project. */
export interface Lexicons {
  of(project: Project): Lexicon;
  /** Removes the project's index. */
  forget(projectId: string): Promise<void>;
}

export interface Lexicon {
  /**
   * The files of one commit. Indexes what is missing first, which can take seconds for a new project; progress is kept
   * when aborted. Files that cannot be indexed are skipped. Throws what the tree throws, and the signal's reason.
   */
  open(tree: SourceTree, signal: AbortSignal): Promise<CommitLexicon>;
  /** The commit and its ancestors, newest first, without merges, at most `limit`; otherwise as `open`. */
  openHistory(tree: SourceTree, limit: number, signal: AbortSignal): Promise<HistoryLexicon>;
}

export interface LexiconFile {
  readonly path: string;
  readonly blob: string;
}

export interface CommitLexicon {
  /** The indexed files, including tests. */
  readonly files: readonly LexiconFile[];
  /** Number of terms in each file, counting repeats. */
  readonly lengths: Uint32Array;
  /** What is not indexed but could be, as text ("" for nothing). */
  readonly cut: string;
  /** Where each of these terms occurs among `files`. */
  match(hashes: Uint32Array, signal: AbortSignal): Promise<readonly TermMatches[]>;
  /** Positions of the files that define a name with each of these hashes, ascending. */
  matchNames(hashes: Uint32Array, signal: AbortSignal): Promise<readonly Uint32Array[]>;
}

export interface HistoryLexicon {
  readonly commits: readonly IndexedCommit[];
  /** Number of terms in each message, counting repeats. */
  readonly lengths: Uint32Array;
  /** What is missing, as text ("" for nothing). */
  readonly cut: string;
  /** Where each of these terms occurs among `commits`, by their messages. */
  match(hashes: Uint32Array, signal: AbortSignal): Promise<readonly TermMatches[]>;
}

export interface IndexedCommit {
  /** Full sha. */
  readonly sha: string;
  /** Including deleted files; empty for a commit that touched too many files to be informative. */
  readonly paths: readonly string[];
}

/** Where one term occurs. */
export interface TermMatches {
  /** Positions, ascending. */
  readonly positions: Uint32Array;
  /** Occurrences at each position, in the same order. */
  readonly counts: Uint16Array;
}
