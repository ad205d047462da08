// Git repositories as bare mirrors, kept up to date under a limit, and one commit of them as a tree; nothing is ever checked out.
export { type Besides, type GitLog, listMirrors, readMirrorsSize } from './eviction.ts';
export type { Credentials, MirroredProject } from './fetch.ts';
export { GitFailure, type GitFailureCode } from './git-failure.ts';
export { acquireProcessLock } from './locks.ts';
export { createGitSource, type GitSource, type GitSourceOptions } from './mirror.ts';
export { readOutline } from './outline.ts';
export { findGitVersion, type GitEnvironment } from './process.ts';
export type {
  Ancestors,
  BlameLine,
  BlobContent,
  CommitInfo,
  CommitMessage,
  CompareOptions,
  Comparison,
  FileRead,
  HistoryQuery,
  HistoryResult,
  LineRange,
  Listing,
  OutlineSymbol,
  ReadOptions,
  Repository,
  SearchCut,
  SearchHit,
  SearchQuery,
  SearchResult,
  SourceTree,
  TreeEntry,
} from './source.ts';
