// The source port in memory: commits as maps of files, for tests that need no git.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  BlameLine,
  CommitInfo,
  CommitMessage,
  FileRead,
  HistoryQuery,
  LineRange,
  OutlineSymbol,
  ReadOptions,
  Repository,
  SearchQuery,
  SearchResult,
  SourceTree,
} from 'causeway-git-objects';
import type { Lexicons } from '../../src/core/source/lexicon.ts';
import { createLog } from '../../src/log.ts';
import { createIndexAnswerer } from '../../src/search/index-file.ts';
import { createLexicons, type IndexThread, type LexiconsOptions } from '../../src/search/lexicons.ts';

interface MemoryCommit {
  readonly sha: string;
  readonly subject: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface MemoryOptions {
  /** Oldest first; the last one is the head of `main`. */
  readonly commits: readonly MemoryCommit[];
  /** Tags to shas. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly shallow?: boolean;
  /** Called before every lookup; throw to make it fail. */
  readonly before?: (lookup: string) => void;
}

/** A repository whose only branch is `main`. */
export function createMemoryRepository(options: MemoryOptions): Repository {
  const { commits, tags = {} } = options;
  const named = new Map<string, string>([
    ...Object.entries(tags),
    ['main', commits.at(-1)!.sha],
    ['', commits.at(-1)!.sha],
  ]);
  return {
    defaultBranch: 'main',
    shallow: options.shallow ?? false,
    ensureCommit: async (sha) => commits.some((commit) => commit.sha === sha),
    resolve: async (revision) => {
      const known = named.get(revision);
      if (known) return known;
      if (!/^[0-9a-f]{7,40}$/.test(revision)) return null;
      return commits.find(({ sha }) => sha.startsWith(revision))?.sha ?? null;
    },
    tags: Object.keys(tags),
    findTags: async () => [],
    tree: (sha) =>
      createMemoryTree(
        options,
        commits.findIndex((commit) => commit.sha === sha),
      ),
  };
}

function createMemoryTree(options: MemoryOptions, position: number): SourceTree {
  const { sha, files } = options.commits[position]!;
  const before = (lookup: string, signal: AbortSignal): void => {
    signal.throwIfAborted();
    options.before?.(lookup);
  };
  return {
    revision: sha,
    files: async (signal) => {
      before('files', signal);
      const paths = Object.keys(files).sort();
      const entries = paths.map((path) => ({
        path,
        size: files[path]!.length,
        kind: 'file' as const,
        blob: blobOf(files[path]!),
      }));
      return { entries, unreadableNames: 0 };
    },
    read: async (path, read, signal) => {
      before(`read ${path}`, signal);
      return readMemory(files[path], read);
    },
    search: async (query, signal) => {
      before(`search ${query.pattern}`, signal);
      return searchMemory(files, query);
    },
    outline: async (path, signal) => {
      before(`outline ${path}`, signal);
      return outlineMemory(files[path] ?? '');
    },
    history: async (query, signal) => {
      before(`history ${query.path ?? ''}`, signal);
      return { commits: historyMemory(options, position, query), cut: '' };
    },
    blame: async (path, range, signal) => {
      before(`blame ${path}`, signal);
      return blameMemory(options, position, path, range);
    },
    compare: async (from, _options, signal) => {
      before('compare', signal);
      const at = from === null ? position - 1 : options.commits.findIndex((commit) => commit.sha === from);
      const past = options.commits[at]?.files ?? {};
      const changed = Object.keys({ ...past, ...files }).filter((path) => past[path] !== files[path]);
      const compared = changed.map((path) => ({ path, status: 'modified' as const, previousPath: '' }));
      return { from: options.commits[at]?.sha ?? '', commits: [], files: compared, patch: '', cut: '' };
    },
    countApart: async (other, signal) => {
      before('countApart', signal);
      const apart = position - options.commits.findIndex((commit) => commit.sha === other);
      return { ahead: Math.max(0, apart), behind: Math.max(0, -apart) };
    },
    contents: async function* (blobs, signal) {
      before(`contents ${blobs.length}`, signal);
      const texts = Object.values(files).filter((text) => blobs.includes(blobOf(text)));
      yield texts.map((text) => ({ blob: blobOf(text), bytes: new TextEncoder().encode(text) }));
    },
    ancestors: async (limit, signal) => {
      before('ancestors', signal);
      const ids = options.commits.slice(0, position + 1).map((commit) => commit.sha);
      return { ids: ids.reverse().slice(0, limit), cut: '' };
    },
    messages: async function* (ids, signal) {
      before(`messages ${ids.length}`, signal);
      // Git as well ends early at what it does not know.
      const known = new Set(options.commits.map(({ sha }) => sha));
      const gone = ids.findIndex((id) => !known.has(id));
      yield ids.slice(0, gone < 0 ? ids.length : gone).map((id) => messageMemory(options, id));
    },
  };
}

function readMemory(text: string | undefined, { lines }: ReadOptions): FileRead {
  if (text === undefined) return { kind: 'absent', nearest: [] };
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const from = lines?.from ?? 1;
  const shown = lines ? all.slice(from - 1, lines.to).join('\n') : text;
  return { kind: 'text', text: shown, firstLine: from, totalLines: all.length, cut: '' };
}

function searchMemory(files: Readonly<Record<string, string>>, query: SearchQuery): SearchResult {
  const source = query.regex
    ? query.pattern.replaceAll('[[:space:]]', '\\s')
    : query.pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(query.word ? `(?<!\\w)(?:${source})(?!\\w)` : source, query.ignoreCase ? 'i' : '');
  const hits = Object.keys(files)
    .sort()
    .flatMap((path) => files[path]!.split('\n').map((text, index) => ({ path, line: index + 1, text })))
    .filter(({ text }) => pattern.test(text));
  const limit = query.limit ?? 200;
  return { hits: hits.slice(0, limit), cuts: hits.length > limit ? [{ kind: 'limit', limit }] : [], error: '' };
}

function outlineMemory(text: string): readonly OutlineSymbol[] {
  return text.split('\n').flatMap((line, index) => {
    const match = /\b(?:(class)|function|def|func|fn|fun)\s+(\w+)/.exec(line);
    if (!match) return [];
    const kind = match[1] ? ('class' as const) : ('function' as const);
    return [{ name: match[2]!, kind, line: index + 1, signature: line.trim() }];
  });
}

function blobOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function messageMemory({ commits }: MemoryOptions, id: string): CommitMessage {
  const at = commits.findIndex((commit) => commit.sha === id);
  const [now, past] = [commits[at]!, commits[at - 1]?.files ?? {}];
  const paths = Object.keys({ ...past, ...now.files }).filter((path) => past[path] !== now.files[path]);
  return { sha: id, message: now.subject, paths: paths.sort() };
}

function infoOf({ sha, subject }: MemoryCommit, index: number): CommitInfo {
  return { sha, author: 'Ada', date: new Date(Date.UTC(2024, 0, index + 1)).toISOString(), subject };
}

function historyMemory(
  { commits }: MemoryOptions,
  position: number,
  { path, text, limit }: HistoryQuery,
): readonly CommitInfo[] {
  const count = (index: number) => commits[index]?.files[path ?? '']?.split(text ?? '').length ?? 1;
  return commits
    .map((commit, index) => ({ info: infoOf(commit, index), index }))
    .slice(0, position + 1)
    .filter(({ index }) => !path || commits[index]!.files[path] !== commits[index - 1]?.files[path])
    .filter(({ index }) => text === undefined || count(index) !== count(index - 1))
    .map(({ info }) => info)
    .reverse()
    .slice(0, limit ?? 20);
}

/** The oldest commit since which the line has stood in the file. */
function blameMemory(options: MemoryOptions, position: number, path: string, range: LineRange): readonly BlameLine[] {
  const { commits } = options;
  const lines = (commits[position]!.files[path] ?? '').split('\n');
  return lines.slice(range.from - 1, range.to).map((text, offset) => {
    let since = position;
    while (since > 0 && (commits[since - 1]!.files[path] ?? '').split('\n').includes(text)) since--;
    return { ...infoOf(commits[since]!, since), line: range.from + offset, oldest: since === 0 };
  });
}

interface TestLexicons extends Lexicons, AsyncDisposable {
  readonly folder: string;
}

export function testLexicons(options: Partial<LexiconsOptions> = {}): TestLexicons {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-lexicon-'));
  const log = createLog({ level: 'silent' });
  const lexicons = createLexicons({ folder, log, thread: inProcess(), ...options });
  return {
    ...lexicons,
    folder: options.folder ?? folder,
    async [Symbol.asyncDispose]() {
      await lexicons[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the thread does, done at once. */
export function inProcess(): IndexThread {
  const answer = createIndexAnswerer();
  return { ask: async (request) => answer(request), [Symbol.asyncDispose]: async () => {} };
}
