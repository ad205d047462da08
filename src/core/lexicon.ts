// The index of a project's source: which files and commits hold a term of a report, and how much that says.
import type { Project } from './project.ts';
import type { SourceTree } from './source.ts';

/** The indexes of all projects; each ends with its project. */
export interface Lexicons {
  of(project: Project): Lexicon;
  /** Removes what is indexed of the project. */
  forget(projectId: string): Promise<void>;
}

export interface Lexicon {
  /**
   * The files of one commit. What is not indexed yet is read and indexed first, which may take seconds for a project
   * that is seen for the first time; after an abort what was indexed is kept. A file that cannot be indexed is left
   * out, and never an error. Throws what the tree throws, and the signal's reason when aborted.
   */
  open(tree: SourceTree, signal: AbortSignal): Promise<CommitLexicon>;
  /**
   * The tree's commit and those that lead to it, newest first, merges left out, at most `limit`; otherwise as `open`.
   */
  openHistory(tree: SourceTree, limit: number, signal: AbortSignal): Promise<HistoryLexicon>;
}

export interface LexiconFile {
  readonly path: string;
  readonly blob: string;
}

export interface CommitLexicon {
  /** The files that are indexed, tests among them. */
  readonly files: readonly LexiconFile[];
  /** How many terms each of the files has, repeats included. */
  readonly lengths: Uint32Array;
  /** What is not indexed though it might, in words ("" = nothing). */
  readonly cut: string;
  /** Where each of these terms is found among `files`. */
  match(hashes: Uint32Array, signal: AbortSignal): Promise<readonly TermMatches[]>;
  /** Positions of the files that define a name with each of these hashes, ascending. */
  matchNames(hashes: Uint32Array, signal: AbortSignal): Promise<readonly Uint32Array[]>;
}

export interface HistoryLexicon {
  readonly commits: readonly IndexedCommit[];
  /** How many terms the message of each has, repeats included. */
  readonly lengths: Uint32Array;
  /** What is missing, in words ("" = nothing). */
  readonly cut: string;
  /** Where each of these terms is found among `commits`, by their messages. */
  match(hashes: Uint32Array, signal: AbortSignal): Promise<readonly TermMatches[]>;
}

export interface IndexedCommit {
  /** Full sha. */
  readonly sha: string;
  /**
   * As the commit left them, deleted ones included; empty for a commit that touched too many to say anything about one.
   */
  readonly paths: readonly string[];
}

/** Where one term is found. */
export interface TermMatches {
  /** Positions, ascending. */
  readonly positions: Uint32Array;
  /** In the order of the positions: how often the term is found there. */
  readonly counts: Uint16Array;
}
