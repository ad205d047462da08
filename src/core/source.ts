// The door to source code: repositories brought up to date, and one commit of them as a tree that can be read.
import { CausewayError } from './errors.ts';
import type { Project } from './project.ts';

export interface Source {
  /**
   * Brings the project's repository up to date and opens it. Throws `repository_unreachable` (naming what failed, never
   * a credential), `repository_empty` (no commit at all), `access_lost`, or SourceBusy.
   */
  open(project: Project, signal: AbortSignal): Promise<Repository>;
  /**
   * Removes whatever was kept of the project's repository. It may wait for another process that has it open: until
   * `signal`, where there is one.
   */
  forget(projectId: string, signal?: AbortSignal): Promise<void>;
}

/** Whoever keeps the repository asks for patience: nothing was read, and the run goes on at `retryAt`. */
export class SourceBusy extends CausewayError {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, options?: ErrorOptions) {
    super('repository_unreachable', message, options);
    this.retryAt = retryAt;
  }
}

export interface Repository {
  /** Name of the default branch, such as `main`; empty when HEAD is detached or unknown. */
  readonly defaultBranch: string;
  /** True where history was cut off (shallow clone): blame and history say less than there is. */
  readonly shallow: boolean;
  /**
   * Full sha of a branch, tag or (≥ 7 digit) sha; "" is the default branch; null where there is no such commit here.
   */
  resolve(revision: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Fetches a commit that no branch or tag leads to, such as the head of a fork's pull request, unless it is here;
   * false where the source does not give it out. Only for what the house itself was told of: a whole network of forks
   * can be named so, by whoever writes a report. Throws as `open` does.
   */
  bring(sha: string, signal: AbortSignal): Promise<boolean>;
  /** The tree of one commit. `sha` is a full sha that `resolve` gave. */
  tree(sha: string): SourceTree;
}

export interface SourceTree extends BulkReads {
  /** Full sha of the commit. */
  readonly revision: string;
  /** Every entry of the commit, in path order; read once and kept. */
  files(signal: AbortSignal): Promise<Listing>;
  read(path: string, options: ReadOptions, signal: AbortSignal): Promise<FileRead>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  outline(path: string, signal: AbortSignal): Promise<readonly Symbol[]>;
  /** Commits that lead to this one, newest first. */
  history(query: HistoryQuery, signal: AbortSignal): Promise<HistoryResult>;
  /** Who last changed each of the lines `from`–`to` (1-based, inclusive); empty for what is not text. */
  blame(path: string, range: LineRange, signal: AbortSignal): Promise<readonly BlameLine[]>;
  /**
   * What changed from `fromSha` to this commit; from its first parent where that is null, from nothing where it has
   * none.
   */
  compare(fromSha: string | null, options: CompareOptions, signal: AbortSignal): Promise<Comparison>;
}

export interface TreeEntry {
  readonly path: string;
  /** Bytes; 0 for links and submodules. */
  readonly size: number;
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule';
  /** Git's id of the content: equal ids are equal bytes. */
  readonly blob: string;
}

export interface Listing {
  readonly entries: readonly TreeEntry[];
  /** Entries left out because their name is not UTF-8. */
  readonly unreadableNames: number;
  /** What was left out, in words: a commit may name more entries than anyone can hold (absent or "" = nothing). */
  readonly cut?: string;
}

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface ReadOptions {
  /** Only these lines (1-based, inclusive). */
  readonly lines?: LineRange;
}

/** What stands at a path. Text is capped; `cut` says in words what was left out ("" = nothing). */
export type FileRead =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly firstLine: number;
      readonly totalLines: number;
      readonly cut: string;
    }
  | { readonly kind: 'binary'; readonly size: number }
  | { readonly kind: 'too_large'; readonly size: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'submodule'; readonly sha: string }
  | { readonly kind: 'folder' }
  /** `nearest`: up to five existing paths most like the one asked for. */
  | { readonly kind: 'absent'; readonly nearest: readonly string[] };

export interface SearchQuery {
  readonly pattern: string;
  /** False: the pattern is plain text. True: a Perl-compatible regular expression. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  /** Only whole words. */
  readonly word?: boolean;
  /** Only below these folders, or in paths matching these globs; empty: everywhere. */
  readonly paths: readonly string[];
  /** At most so many hits (default 200, at most 1,000). */
  readonly limit?: number;
}

export interface SearchHit {
  readonly path: string;
  readonly line: number;
  /** The line, cut to 500 characters. */
  readonly text: string;
}

/**
 * `error` is set (and hits empty) where the pattern is not a valid expression: a fault that the caller can put right.
 */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly cuts: readonly SearchCut[];
  readonly error: string;
}

/** Why a search did not look at everything, or does not show all that it found. */
export type SearchCut =
  | { readonly kind: 'limit'; readonly limit: number }
  /** Later files were not searched. */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreadable_names'; readonly hits: number }
  /** `largest`: in bytes; larger files were not searched. */
  | { readonly kind: 'large_files'; readonly files: number; readonly largest: number }
  | { readonly kind: 'missing_contents' }
  | { readonly kind: 'unknown_paths'; readonly paths: readonly string[] }
  /** Edited files that no search of the commit sees. */
  | { readonly kind: 'edited_files'; readonly paths: readonly string[] };

export function describeSearchCut(cut: SearchCut): string {
  switch (cut.kind) {
    case 'limit':
      return `Only the first ${cut.limit} hits; there are more.`;
    case 'timeout':
      return 'Stopped for lack of time: later files were not searched. Use a simpler pattern or fewer paths.';
    case 'unreadable_names':
      return `${cut.hits} hit(s) in files whose names are not UTF-8.`;
    case 'large_files':
      return `${cut.files} file(s) over ${describeSize(cut.largest)} were not searched.`;
    case 'missing_contents':
      return 'Contents that are missing in the repository were not searched.';
    case 'unknown_paths':
      return `This commit has no ${cut.paths.map((path) => JSON.stringify(path)).join(', ')}.`;
    case 'edited_files':
      return `The edited files were not searched: ${cut.paths.join(', ')}.`;
  }
}

function describeSize(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}

export interface Symbol {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'constant' | 'module';
  readonly line: number;
  /** The defining line, trimmed, ≤ 200 characters. */
  readonly signature: string;
}

export interface CommitInfo {
  readonly sha: string;
  readonly author: string;
  /** ISO 8601 UTC, time of the commit. */
  readonly date: string;
  readonly subject: string;
}

export interface HistoryQuery {
  /** Only commits that touched this path. */
  readonly path?: string;
  /** With `path`: only commits that touched these lines. */
  readonly lines?: LineRange;
  /** Only commits whose message holds this plain text, whatever the case. */
  readonly message?: string;
  /** At most so many (default 20, at most 200). */
  readonly limit?: number;
}

export interface HistoryResult {
  readonly commits: readonly CommitInfo[];
  readonly cut: string;
}

export interface BlameLine extends CommitInfo {
  readonly line: number;
  /** The first commit that is known: where the history is cut off, somebody before it may have written the line. */
  readonly oldest: boolean;
}

export interface CompareOptions {
  /** Only this path, with its patch. */
  readonly path?: string;
}

export interface Comparison {
  /** Full sha that was compared with; "" where a commit has no parent. */
  readonly from: string;
  readonly commits: readonly CommitInfo[];
  readonly files: readonly {
    readonly path: string;
    readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'other';
    readonly previousPath: string;
  }[];
  /** Unified patch of the one path asked for, capped; else "". */
  readonly patch: string;
  readonly cut: string;
}

interface BulkReads {
  /**
   * The bytes of many blobs, known by their ids, in that order and in pieces as they come: no more is read than was
   * taken. For digests alone: no secret is taken out of them. One that is not there, or larger than 5 MiB, is left out.
   */
  contents(blobs: readonly string[], signal: AbortSignal): AsyncIterable<readonly BlobContent[]>;
  /** Ids of this commit and those that lead to it, newest first, without merges, at most `limit`. */
  ancestors(limit: number, signal: AbortSignal): Promise<Ancestors>;
  /**
   * What commits say and touch, in the order of their ids and in pieces as they come; as little cleaned as `contents`.
   * Ends early where it takes too long.
   */
  messages(ids: readonly string[], signal: AbortSignal): AsyncIterable<readonly CommitMessage[]>;
}

export interface BlobContent {
  readonly blob: string;
  readonly bytes: Uint8Array;
}

export interface Ancestors {
  readonly ids: readonly string[];
  /** What was left out although `limit` allows it, in words ("" = nothing). */
  readonly cut: string;
}

export interface CommitMessage {
  readonly sha: string;
  /** Subject and body. */
  readonly message: string;
  /** What it changed, added or deleted; a renamed file under both names. */
  readonly paths: readonly string[];
}
