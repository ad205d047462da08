// The indexes of all projects: one file each, written and searched in one thread, brought up to date when a commit is
// opened.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Listing, SourceTree, TreeEntry } from 'causeway-git-objects';
import { WorkerClient } from 'causeway-worker-thread';
import { untilAborted } from '../core/abortable.ts';
import { CausewayError } from '../core/errors.ts';
import type {
  CommitLexicon,
  HistoryLexicon,
  Lexicon,
  LexiconFile,
  Lexicons,
  TermMatches,
} from '../core/source/index.ts';
import { locate } from '../installation.ts';
import type { Log } from '../log.ts';
import { classifyFile, isProgram, runInSlices } from '../triage/index.ts';
import type { IndexAnswer, IndexCalls, IndexedKind, IndexRequest, KnownRows, RowMatches } from './index-file.ts';

/** Answers one request after the other. Null: it did not answer. */
export interface IndexThread extends AsyncDisposable {
  /** Requests of several projects take turns. */
  ask(request: IndexRequest): Promise<IndexAnswer | null>;
}

export interface LexiconsOptions {
  /** Where indexes are kept; made if absent. Nothing else may live there. */
  readonly folder: string;
  readonly log: Log;
  /** Most files of one commit that are indexed. */
  readonly maxFiles?: number;
  readonly thread?: IndexThread;
}

/** More than any repository of one product has, and less than a repository of all of them. */
const MAX_FILES = 100_000;
/** Bytes; larger sources are generated, or data in the form of code. */
const MAX_SIZE = 1_000_000;
/** Files that are looked at without a pause, about 5 ms. */
const SLICE = 2_000;
/** Bytes that are sent to the thread at once, about 100 ms of its work. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_COMMITS = 500;
/**
 * A request takes 0.1 s, a search for hundreds of terms in 100,000 files seconds, and more where the machine is busy.
 */
const LIMIT_MS = 120_000;
/** An idle thread holds some tens of megabytes. */
const IDLE_MS = 60_000;
/** Files of earlier commits that may stay in an index in addition to as many as the commit has. */
const SPARE_FILES = 5_000;
/** After so many batches that failed the thread or the disk is at fault, not the texts. */
const MOST_FAILURES = 3;

/** Dispose it to end the thread. */
export function createLexicons(options: LexiconsOptions): Lexicons & AsyncDisposable {
  const thread = options.thread ?? createIndexThread();
  /** What a project's index is being brought up to date with: a second look waits instead of doing the same work. */
  const turns = new Map<string, Promise<unknown>>();
  return {
    of: ({ id }) => createLexicon({ ...options, thread, turns }, requireId(id)),
    async forget(projectId) {
      const file = getIndexFile(options.folder, requireId(projectId));
      // Most projects that go were never indexed here: no thread need start for them.
      if (existsSync(file)) await thread.ask({ kind: 'remove', file });
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

/** It names a file. */
function requireId(projectId: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) return projectId;
  throw new CausewayError('invalid', 'A project id has letters, digits, "_" and "-" only.');
}

function getIndexFile(folder: string, projectId: string): string {
  return path.join(folder, `${projectId}.index`);
}

function createIndexThread(): IndexThread {
  const script = locate('./index-worker.ts', import.meta.url);
  const closed = 'The index was closed: the report continues at the next start.';
  const start = () => new WorkerClient<IndexRequest, IndexAnswer>({ script, closed });
  let thread = start();
  let waiting = 0;
  let idle: NodeJS.Timeout | undefined;
  return {
    async ask(request) {
      clearTimeout(idle);
      waiting += 1;
      try {
        return await thread.ask(request, LIMIT_MS);
      } finally {
        waiting -= 1;
        if (waiting === 0) {
          idle = setTimeout(() => {
            void thread[Symbol.asyncDispose]();
            thread = start();
          }, IDLE_MS).unref();
        }
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(idle);
      await thread[Symbol.asyncDispose]();
    },
  };
}

interface ProjectOptions extends LexiconsOptions {
  readonly thread: IndexThread;
  readonly turns: Map<string, Promise<unknown>>;
}

function createLexicon(options: ProjectOptions, projectId: string): Lexicon {
  const { thread, turns, log } = options;
  const file = getIndexFile(options.folder, projectId);

  /** Null where the thread or the index failed: ranking goes without it. */
  async function ask<Kind extends keyof IndexCalls>(
    kind: Kind,
    request: IndexCalls[Kind]['request'],
    signal: AbortSignal,
  ): Promise<IndexCalls[Kind]['answer'] | null> {
    const answer = await untilAborted(thread.ask({ kind, file, ...request } as IndexRequest), signal);
    if (answer?.ok) return answer.value as IndexCalls[Kind]['answer'];
    log.warn({ project: projectId, error: answer?.error }, 'the index of the source could not be read or written');
    return null;
  }

  async function findRows(of: IndexedKind, ids: readonly string[], signal: AbortSignal): Promise<KnownRows> {
    return (await ask('find', { of, ids }, signal)) ?? createEmptyRows(ids.length);
  }

  async function match(of: IndexedKind, known: KnownRows, hashes: Uint32Array, signal: AbortSignal) {
    const found = await ask('match', { of, stamp: known.stamp, hashes }, signal);
    return found ?? Array.from(hashes, (): RowMatches => ({ rows: new Uint32Array(), counts: new Uint16Array() }));
  }

  async function indexFiles(tree: SourceTree, files: readonly LexiconFile[], signal: AbortSignal): Promise<KnownRows> {
    const blobs = files.map(({ blob }) => blob);
    const known = await findRows('files', blobs, signal);
    let missing = new Set(blobs.filter((_, index) => known.rows[index] === 0));
    if (missing.size === 0) return known;
    if (known.count > 2 * files.length + SPARE_FILES) {
      // Most of it is of commits that are long gone.
      await ask('remove', {}, signal);
      missing = new Set(blobs);
    }
    const batches = gatherBatches(tree.contents([...missing], signal), ({ bytes }) => bytes.length, BATCH_BYTES);
    await addAll(batches, (batch) => ask('addFiles', { files: batch }, signal), signal);
    return await findRows('files', blobs, signal);
  }

  async function indexCommits(tree: SourceTree, ids: readonly string[], signal: AbortSignal): Promise<KnownRows> {
    const known = await findRows('commits', ids, signal);
    const missing = ids.filter((_, index) => known.rows[index] === 0);
    if (missing.length === 0) return known;
    const batches = gatherBatches(tree.messages(missing, signal), () => 1, BATCH_COMMITS);
    await addAll(batches, (batch) => ask('addCommits', { commits: batch }, signal), signal);
    return await findRows('commits', ids, signal);
  }

  /**
   * Reads the next batch while one is indexed. What goes wrong with some files ends it: those that came before stay.
   */
  async function addAll<T>(
    batches: AsyncIterable<readonly T[]>,
    add: (batch: readonly T[]) => Promise<true | null>,
    signal: AbortSignal,
  ): Promise<void> {
    let adding: Promise<true | null> = Promise.resolve(true);
    let failures = 0;
    try {
      for await (const batch of batches) {
        failures += Number((await adding) === null);
        signal.throwIfAborted();
        if (failures === MOST_FAILURES) return;
        adding = add(batch);
        adding.catch(ignoreMessage);
      }
      await adding;
    } catch (error) {
      await adding.catch(ignoreMessage);
      signal.throwIfAborted();
      if (isAboutWholeRepository(error)) throw error;
      log.warn({ err: error, project: projectId }, 'not every file or commit could be indexed');
    }
  }

  /** One after the other for each project and kind, so that nothing is read twice. */
  function inTurn<T>(kind: IndexedKind, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const key = `${projectId} ${kind}`;
    const before = turns.get(key) ?? Promise.resolve();
    const mine = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    const settled = mine.then(ignoreMessage, ignoreMessage).then(() => {
      if (turns.get(key) === settled) turns.delete(key);
    });
    turns.set(key, settled);
    return untilAborted(mine, signal);
  }

  return {
    async open(tree, signal) {
      const chosen = await chooseFiles(await tree.files(signal), signal, options.maxFiles);
      const known = await inTurn('files', signal, () => indexFiles(tree, chosen.files, signal));
      const placed = chosen.files.map((each, index) => ({ file: each, row: known.rows[index] ?? 0 }));
      const indexed = placed.filter(({ row }) => row !== 0);
      const positions = createPositions(indexed.map(({ row }) => row));
      const lost = chosen.files.length - indexed.length;
      return {
        files: indexed.map(({ file: each }) => each),
        lengths: known.lengths.filter((_, index) => known.rows[index] !== 0),
        cut: [chosen.cut, lost === 0 ? '' : `${lost} files could not be read or indexed.`].filter(Boolean).join(' '),
        match: async (hashes, until) => (await match('files', known, hashes, until)).map(positions.ofMatches),
        async matchNames(hashes, until) {
          const found = await ask('matchNames', { stamp: known.stamp, hashes }, until);
          return Array.from(hashes, (_, index) => positions.ofRows(found?.[index] ?? new Uint32Array()).sort());
        },
      } satisfies CommitLexicon;
    },
    async openHistory(tree, limit, signal) {
      const { ids, cut } = await tree.ancestors(limit, signal);
      const known = await inTurn('commits', signal, () => indexCommits(tree, ids, signal));
      const rows = known.rows.filter((row) => row !== 0);
      const paths = (await ask('readPaths', { rows }, signal)) ?? [];
      const shas = ids.filter((_, index) => known.rows[index] !== 0);
      const positions = createPositions([...rows]);
      const lost = ids.length - shas.length;
      const note = lost === 0 ? '' : `${lost} of ${ids.length} commits could not be read in time.`;
      return {
        lengths: known.lengths.filter((_, index) => known.rows[index] !== 0),
        commits: shas.map((sha, index) => ({ sha, paths: paths[index] ?? [] })),
        cut: [cut, note].filter(Boolean).join(' '),
        match: async (hashes, until) => (await match('commits', known, hashes, until)).map(positions.ofMatches),
      } satisfies HistoryLexicon;
    },
  };
}

/** Sources, and tests too: the source of a failed test is the best hint. In path order. */
async function chooseFiles(
  listing: Listing,
  signal: AbortSignal,
  maxFiles: number = MAX_FILES,
): Promise<{ readonly files: readonly LexiconFile[]; readonly cut: string }> {
  const files: LexiconFile[] = [];
  let more = 0;
  const { entries, cut = '' } = listing;
  await runInSlices(entries.length, { size: SLICE, signal }, (index) => {
    const entry = entries[index] as TreeEntry;
    if (!isIndexable(entry)) return;
    if (files.length < maxFiles) files.push({ path: entry.path, blob: entry.blob });
    else more += 1;
  });
  const note = more === 0 ? '' : `Only the first ${maxFiles} source files; ${more} were left out.`;
  return { files, cut: [cut, note].filter(Boolean).join(' ') };
}

/**
 * Text that people edit here to change what the program does: also that of examples and of a documentation's own
 * pages.
 */
function isIndexable({ path: file, size, kind }: TreeEntry): boolean {
  if ((kind !== 'file' && kind !== 'executable') || size === 0 || size > MAX_SIZE) return false;
  const purpose = classifyFile(file);
  if (purpose === 'source' || purpose === 'example') return true;
  return (purpose === 'document' || purpose === 'test') && isProgram(file);
}

/** Nothing of the repository can be had any more; `internal` and `absent` are about some of its objects. */
function isAboutWholeRepository(error: unknown): boolean {
  return error instanceof CausewayError && error.code !== 'internal' && error.code !== 'absent';
}

/** Rows of the index as positions in a list: equal files share a row, and most rows may be of other commits. */
function createPositions(rows: readonly number[]) {
  const byRow = Map.groupBy(rows.keys(), (position) => rows[position] ?? 0);
  function ofRows(found: Uint32Array): Uint32Array {
    return Uint32Array.from(Array.from(found, (row) => byRow.get(row) ?? []).flat());
  }
  function ofMatches(found: RowMatches): TermMatches {
    const positions: number[] = [];
    const counts: number[] = [];
    for (const [index, row] of found.rows.entries()) {
      for (const position of byRow.get(row) ?? []) {
        positions.push(position);
        counts.push(found.counts[index] ?? 0);
      }
    }
    return { positions: Uint32Array.from(positions), counts: Uint16Array.from(counts) };
  }
  return { ofRows, ofMatches };
}

/** Joins what comes in small pieces: a request to the thread costs as much as some kilobytes of text. */
async function* gatherBatches<T>(
  pieces: AsyncIterable<readonly T[]>,
  sizeOf: (one: T) => number,
  limit: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let gathered: T[] = [];
  let size = 0;
  for await (const piece of pieces) {
    for (const one of piece) {
      gathered.push(one);
      size += sizeOf(one);
      if (size < limit) continue;
      yield gathered;
      gathered = [];
      size = 0;
    }
  }
  if (gathered.length > 0) yield gathered;
}

function ignoreMessage(): void {}

function createEmptyRows(count: number): KnownRows {
  return { stamp: '', count: 0, rows: new Uint32Array(count), lengths: new Uint32Array(count) };
}
