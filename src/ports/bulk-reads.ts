// The part of a commit's tree that reads much at once, for digests of it.

export interface BulkReads {
  /**
   * The bytes of many blobs, known by their ids, in that order and in pieces as they come: no more is read than was taken. For digests alone:
   * no secret is taken out of them. One that is not there, or larger than 5 MiB, is left out.
   */
  contents(blobs: readonly string[], signal: AbortSignal): AsyncIterable<readonly BlobContent[]>;
  /** Ids of this commit and those that lead to it, newest first, without merges, at most `limit`. */
  ancestors(limit: number, signal: AbortSignal): Promise<Ancestors>;
  /** What commits say and touch, in the order of their ids and in pieces as they come; as little cleaned as `contents`. Ends early where it takes too long. */
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
