// What the indexing thread is asked to do, and the answers from the index files that it keeps open.
import { LRUCache } from 'lru-cache';
import {
  type CommitText,
  type FileText,
  type IndexedKind,
  IndexFile,
  type KnownRows,
  type RowMatches,
  removeIndexFile,
} from './index-file.ts';

/** By kind: what is asked of one index file, and what is answered. */
export interface IndexCalls {
  find: { readonly request: { readonly of: IndexedKind; readonly ids: readonly string[] }; readonly answer: KnownRows };
  readPaths: { readonly request: { readonly rows: Uint32Array }; readonly answer: readonly (readonly string[])[] };
  addFiles: { readonly request: { readonly files: readonly FileText[] }; readonly answer: true };
  addCommits: { readonly request: { readonly commits: readonly CommitText[] }; readonly answer: true };
  match: {
    readonly request: { readonly of: IndexedKind; readonly stamp: string; readonly hashes: Uint32Array };
    readonly answer: readonly RowMatches[];
  };
  matchNames: {
    readonly request: { readonly stamp: string; readonly hashes: Uint32Array };
    readonly answer: readonly Uint32Array[];
  };
  remove: { readonly request: object; readonly answer: true };
}

export type IndexRequest = {
  readonly [Kind in keyof IndexCalls]: { readonly kind: Kind; readonly file: string } & IndexCalls[Kind]['request'];
}[keyof IndexCalls];

export type IndexAnswer =
  | { readonly ok: true; readonly value: IndexCalls[keyof IndexCalls]['answer'] }
  | { readonly ok: false; readonly error: string };

/** Index files that are open at a time: each holds up to 32 MB of pages. */
const MOST_OPEN = 4;

/** Answers requests one after the other; a file that fails is closed, and opened again for the next request. */
export function createIndexAnswerer(): (request: IndexRequest) => IndexAnswer {
  const open = new LRUCache<string, IndexFile>({ max: MOST_OPEN, dispose: (index) => index[Symbol.dispose]() });
  return (request) => {
    try {
      if (request.kind === 'remove') {
        open.delete(request.file);
        removeIndexFile(request.file);
        return { ok: true, value: true };
      }
      const index = open.get(request.file) ?? new IndexFile(request.file);
      open.set(request.file, index);
      return { ok: true, value: answerFrom(index, request) };
    } catch (error) {
      open.delete(request.file);
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  };
}

function answerFrom(index: IndexFile, request: Exclude<IndexRequest, { kind: 'remove' }>) {
  switch (request.kind) {
    case 'find':
      return index.findRows(request.of, request.ids);
    case 'readPaths':
      return index.readPaths(request.rows);
    case 'addFiles':
      index.addFiles(request.files);
      return true;
    case 'addCommits':
      index.addCommits(request.commits);
      return true;
    case 'match':
      return index.match(request.of, request.stamp, request.hashes);
    case 'matchNames':
      return index.matchNames(request.stamp, request.hashes);
  }
}
