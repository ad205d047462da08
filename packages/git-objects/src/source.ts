// Repositories, and one commit of them as a readable tree.
export interface Repository {
  /**
   * Name of the default branch, such as `main`; of a repository on this disk, of the one that is checked out. "" if
   * HEAD is detached or unknown.
   */
  readonly defaultBranch: string;
  /** True for a shallow clone: blame and history are incomplete. */
  readonly shallow: boolean;
  /** Full sha of a branch, tag or sha (≥ 7 digits); "" is the default branch; null if there is no such commit here. */
  resolve(revision: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Fetches a commit that no branch or tag leads to, such as the head of a fork's pull request, unless it is here;
   * false if the remote does not offer it. Only for commits named by GitHub: by sha one can reach every fork of a
   * repository, and reports are untrusted. Throws as `open` does.
   */
  ensureCommit(sha: string, signal: AbortSignal): Promise<boolean>;
  /** Names of all tags. */
  readonly tags: readonly string[];
  /** Names of the tags that contain the commit, oldest first; null where that took too long. */
  findTags(sha: string, signal: AbortSignal): Promise<readonly string[] | null>;
  /** The tree of one commit. `sha` is a full sha from `resolve`. */
  tree(sha: string): SourceTree;
}

export interface SourceTree extends BulkReads {
  /** Full sha of the commit. */
  readonly revision: string;
  /** Every entry of the commit, in path order; read once and cached. */
  files(signal: AbortSignal): Promise<Listing>;
  read(path: string, options: ReadOptions, signal: AbortSignal): Promise<FileRead>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]>;
  /** Ancestors of this commit, newest first. */
  history(query: HistoryQuery, signal: AbortSignal): Promise<HistoryResult>;
  /** Who last changed each of these lines (1-based, inclusive); empty if the file is not text. */
  blame(path: string, range: LineRange, signal: AbortSignal): Promise<readonly BlameLine[]>;
  /**
   * What changed between `fromSha` and this commit; null: since its first parent, or since an empty tree if it has
   * none.
   */
  compare(fromSha: string | null, options: CompareOptions, signal: AbortSignal): Promise<Comparison>;
  /** How many commits only this one has (`ahead`), and how many only `sha` has (`behind`); null where that takes too long. */
  countApart(sha: string, signal: AbortSignal): Promise<CommitsApart | null>;
}

export interface CommitsApart {
  readonly ahead: number;
  readonly behind: number;
}

export interface TreeEntry {
  readonly path: string;
  /** Bytes; 0 for links and submodules. */
  readonly size: number;
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule';
  /** Git's id of the content; equal ids mean equal bytes. */
  readonly blob: string;
}

export interface Listing {
  readonly entries: readonly TreeEntry[];
  /** Entries left out because their names are not UTF-8. */
  readonly unreadableNames: number;
  /** What was left out, as text: a commit may have too many entries to hold (absent or "": nothing). */
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

/** The content of a path. Text is capped; `cut` says what was left out ("" for nothing). */
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
  /** `nearest`: up to five existing paths most similar to it. */
  | { readonly kind: 'absent'; readonly nearest: readonly string[] };

export interface SearchQuery {
  readonly pattern: string;
  /** False: plain text. True: a Perl-compatible regular expression. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  /** Whole words only. */
  readonly word?: boolean;
  /** Only in these folders, or in paths that match these globs; empty: everywhere. */
  readonly paths: readonly string[];
  /** Folders that are not searched, at most 200 of them. Absent: none. */
  readonly without?: readonly string[];
  /** Default 200, at most 1,000. */
  readonly limit?: number;
  /** Of one file; absent: up to the limit. */
  readonly perFile?: number;
}

export interface SearchHit {
  readonly path: string;
  readonly line: number;
  /** The line, cut to 500 characters. */
  readonly text: string;
}

/** `error` is set, and `hits` empty, if the pattern is invalid, which the caller can correct. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly cuts: readonly SearchCut[];
  readonly error: string;
}

/** Why a search is incomplete. */
export type SearchCut =
  | { readonly kind: 'limit'; readonly limit: number }
  /** Later files were not searched. */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreadable_names'; readonly hits: number }
  /** `largest`: in bytes; larger files were not searched. */
  | { readonly kind: 'large_files'; readonly files: number; readonly largest: number }
  | { readonly kind: 'missing_contents' }
  | { readonly kind: 'unknown_paths'; readonly paths: readonly string[] }
  /** Alternatives of an expression that cannot be run; the others were searched. */
  | { readonly kind: 'refused_alternatives'; readonly alternatives: readonly string[] };

export interface OutlineSymbol {
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
  /** Only commits whose message contains this text, ignoring case. */
  readonly message?: string;
  /** Only commits whose message names the issue or pull request of this number. */
  readonly issue?: number;
  /** Only commits that changed how often this text occurs: those that brought it, took it away or moved it. */
  readonly text?: string;
  /** Without `path`: globs of files whose changes don't count. */
  readonly without?: readonly string[];
  /** Default 20, at most 200. */
  readonly limit?: number;
}

export interface HistoryResult {
  readonly commits: readonly CommitInfo[];
  readonly cut: string;
}

export interface BlameLine extends CommitInfo {
  readonly line: number;
  /** The history is cut off at this commit, so the line may be older. */
  readonly oldest: boolean;
}

export interface CompareOptions {
  /** Only this path, including its patch. */
  readonly path?: string;
  /** The patch of all files as well, or of those for which it is true, where they are at most ten. */
  readonly patch?: boolean | ((path: string) => boolean);
  /** Only the files in which it changes how often this text occurs. */
  readonly text?: string;
}

export interface Comparison {
  /** Full sha of the other commit; "" if there is no parent. */
  readonly from: string;
  readonly commits: readonly CommitInfo[];
  readonly files: readonly {
    readonly path: string;
    readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'other';
    readonly previousPath: string;
  }[];
  /** Unified patch of what was requested, capped; "" if nothing was, or there are too many files. */
  readonly patch: string;
  readonly cut: string;
}

interface BulkReads {
  /**
   * The bytes of these blobs, in order and in batches, read on demand. Not redacted: for hashing only. Missing blobs
   * and those over 5 MiB are skipped.
   */
  contents(blobs: readonly string[], signal: AbortSignal): AsyncIterable<readonly BlobContent[]>;
  /** This commit and its ancestors, newest first, without merges, at most `limit`. */
  ancestors(limit: number, signal: AbortSignal): Promise<Ancestors>;
  /**
   * Message and paths of these commits, in order and in batches; not redacted, like `contents`. Ends early if it takes
   * too long.
   */
  messages(ids: readonly string[], signal: AbortSignal): AsyncIterable<readonly CommitMessage[]>;
}

export interface BlobContent {
  readonly blob: string;
  readonly bytes: Uint8Array;
}

export interface Ancestors {
  readonly ids: readonly string[];
  /** What was left out within `limit`, as text ("" for nothing). */
  readonly cut: string;
}

export interface CommitMessage {
  readonly sha: string;
  /** Subject and body. */
  readonly message: string;
  /** Changed, added and deleted paths; a renamed file under both names. */
  readonly paths: readonly string[];
}
