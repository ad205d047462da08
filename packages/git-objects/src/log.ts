// What led to one commit: its history, who last changed a line, what lies between two commits, and the messages of
// many.
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as breathe } from 'node:timers/promises';
import { removeInvisible } from 'causeway-visible-text';
import type { RepositoryAccess } from './access.ts';
import { toError } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import type { ConfigEntry } from './process.ts';
import type {
  Ancestors,
  BlameLine,
  CommitInfo,
  CommitMessage,
  CommitsApart,
  CompareOptions,
  Comparison,
  HistoryQuery,
  HistoryResult,
  LineRange,
} from './source.ts';

/** With `-z`: four fields and a NUL after each. No commit can hold a NUL. */
const COMMIT_FORMAT = '--format=%H%x00%an%x00%ct%x00%s';
const TIMEOUT_MS = 15_000;
const TAGS_TIMEOUT_MS = 5_000;
// A tree can differ in 10^10 paths; 16 MiB name about 200,000.
const MAX_BYTES = 16 * 1024 * 1024;
const NO_COMMANDS = ['--no-ext-diff', '--no-textconv'];

const DEFAULT_HISTORY = 20;
const MAX_HISTORY = 200;
/**
 * Following a file to where it was added, git compares it with every file of that commit, in case it is a copy of one.
 * Beyond the square of this many files it compares with those that the commit changed, which is where a renamed one
 * comes from.
 */
const RENAMES: ConfigEntry = ['diff.renameLimit', '100'];

const MAX_ANCESTORS = 100_000;
const ID_BYTES = 65;
const MESSAGES_TIMEOUT_MS = 30_000;
/** A commit may touch every file there is: 5,000 ordinary ones print 2 to 5 MB. */
const MAX_MESSAGES_BYTES = 256 * 1024 * 1024;
/** Of a message, in UTF-16 units; longer ones are logs. */
const MAX_MESSAGE = 64 * 1024;
const MAX_PATHS = 10_000;

const COMPARE_TIMEOUT_MS = 20_000;
const MAX_COMMITS = 100;
const MAX_FILES = 1_000;
/** Files whose patch is given where none of them is named. */
const MAX_PATCHED = 10;
const MAX_PATCH = 128 * 1024;
/** The tree without entries, which every repository knows: by SHA-1 and by SHA-256. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

const BLAME_ENTRY = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/;

/** A query with a normalised path and existing lines. */
export interface HistoryScope {
  readonly revision: string;
  readonly path: string;
  readonly isFile: boolean;
  readonly lines: LineRange | null;
}

export async function readHistory(
  access: RepositoryAccess,
  scope: HistoryScope,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryResult> {
  const limit = Math.min(MAX_HISTORY, Math.max(1, Math.trunc(query.limit ?? DEFAULT_HISTORY)));
  const { ending, stdout, stderr } = await access.git.run({
    args: [
      ...['log', '-z', '--no-patch', ...NO_COMMANDS, '--encoding=UTF-8', COMMIT_FORMAT],
      `--max-count=${limit + 1}`,
      ...toMessageFilter(query),
      ...(query.text === undefined || query.text === '' ? [] : [`-S${query.text}`]),
      ...toPlaceFilter(scope, query.without ?? []),
    ],
    gitDir: access.mirror.gitDir,
    config: [RENAMES],
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw toError('History failed.', stderr);
  const commits = parseCommits(stdout);
  const notes = [
    commits.length > limit ? `Only the newest ${limit} commits; there are more.` : '',
    ending.kind === 'timeout' ? `Stopped after ${TIMEOUT_MS / 1000} s: older commits were not looked at.` : '',
    access.mirror.refs.shallow === '' ? '' : 'The clone is shallow: older history is not there.',
  ];
  return { commits: commits.slice(0, limit), cut: notes.filter((note) => note !== '').join(' ') };
}

function toMessageFilter({ message = '', issue }: HistoryQuery): readonly string[] {
  if (issue !== undefined) {
    return ['--extended-regexp', '--regexp-ignore-case', `--grep=(#|gh-|issues?/|pull/)${issue}([^0-9]|$)`];
  }
  // git takes each line of a pattern as a pattern of its own.
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return text === '' ? [] : ['--fixed-strings', '--regexp-ignore-case', `--grep=${text}`];
}

function toPlaceFilter(scope: HistoryScope, without: readonly string[]): readonly string[] {
  if (scope.path === '') return [scope.revision, '--', ...without.map((glob) => `:(top,exclude,glob)${glob}`)];
  if (scope.lines !== null) return [`-L${scope.lines.from},${scope.lines.to}:${scope.path}`, scope.revision, '--'];
  // Renames are followed for a file that is there; a folder or a file that is gone has nothing to follow from.
  return [...(scope.isFile ? ['--follow'] : []), scope.revision, '--', toLiteralSpec(scope.path)];
}

/** One file or folder with any characters in its name. */
function toLiteralSpec(path: string): string {
  return `:(top,literal)${path}`;
}

/** Parses the output of `git log -z` with `COMMIT_FORMAT`; a record that was cut off is left out. */
function parseCommits(output: Buffer): readonly CommitInfo[] {
  const fields = output.toString('utf8').split('\0');
  const commits: CommitInfo[] = [];
  for (let index = 0; index + 4 < fields.length; index += 4) {
    const [sha = '', author = '', seconds = '', subject = ''] = fields.slice(index, index + 4);
    // Both may hold anything that their author wants a terminal, or a reader, to do.
    const said = { author: removeInvisible(author), subject: removeInvisible(subject) };
    commits.push({ sha: sha.trim(), ...said, date: toIsoDate(seconds) });
  }
  return commits;
}

/** ISO 8601 UTC of Unix seconds; commits can claim years that no date can hold: those become 1970. */
function toIsoDate(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}

/** Names of the tags that contain the commit, oldest first; null where that takes too long. */
export async function findTags(
  { git, mirror }: RepositoryAccess,
  sha: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const { ending, stdout } = await git.run({
    args: ['for-each-ref', `--contains=${sha}`, '--sort=creatordate', '--format=%(refname:strip=2)', 'refs/tags/'],
    gitDir: mirror.gitDir,
    timeoutMs: TAGS_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) return null;
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
}

/** Ids of the commits that lead to `revision`, itself first, newest first, without merges. Throws `DamagedObjects` where they are missing. */
export async function readAncestors(
  { git, mirror }: RepositoryAccess,
  { revision, limit }: { readonly revision: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Ancestors> {
  const count = Math.min(MAX_ANCESTORS, Math.max(0, Math.trunc(limit)));
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-list', '--no-merges', `--max-count=${count}`, '--end-of-options', revision, '--'],
    gitDir: mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    maxBytes: (count + 1) * ID_BYTES,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw toError('History failed.', stderr);
  const ids = stdout
    .toString('latin1')
    .split('\n')
    .filter((id) => id.length === revision.length);
  const notes = [
    ending.kind === 'timeout' ? `Stopped after ${TIMEOUT_MS / 1000} s: older commits were not looked at.` : '',
    mirror.refs.shallow === '' ? '' : 'The clone is shallow: older history is not there.',
  ];
  return { ids, cut: notes.filter((note) => note !== '').join(' ') };
}

/** Counts the commits on either side of the last one that both have; a comparison would also list their files. */
export async function countApart(
  { git, mirror }: RepositoryAccess,
  { revision, sha }: { readonly revision: string; readonly sha: string },
  signal: AbortSignal,
): Promise<CommitsApart | null> {
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-list', '--left-right', '--count', '--end-of-options', `${revision}...${sha}`, '--'],
    gitDir: mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    maxBytes: ID_BYTES,
    signal,
  });
  if (ending.kind !== 'exited') return null;
  if (ending.code !== 0) throw toError('History failed.', stderr);
  const [ahead = 0, behind = 0] = stdout.toString('latin1').split('\t').map(Number);
  return { ahead, behind };
}

/** In the order of `ids`; ends early where git takes longer than 30 s or fails: the caller counts what came. */
export async function* readMessages(
  { git, mirror }: RepositoryAccess,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly CommitMessage[], void, undefined> {
  const process = git.start({
    args: [
      ...['log', '--no-walk=unsorted', '--stdin', '-z', '--name-only', '--no-renames', ...NO_COMMANDS],
      ...['--encoding=UTF-8', '--format=%x00%H%x00%B%x00'],
    ],
    gitDir: mirror.gitDir,
    timeoutMs: MESSAGES_TIMEOUT_MS,
    signal,
  });
  process.stdin.end(`${ids.join('\n')}\n`);
  const reader = createMessageReader();
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  try {
    for await (const chunk of process.stdout) {
      bytes += chunk.length;
      if (bytes > MAX_MESSAGES_BYTES) return;
      const messages = reader.add(decoder.write(chunk));
      if (messages.length > 0) yield messages;
      await breathe();
    }
    const { ending } = await process.ended;
    signal.throwIfAborted();
    const last = ending.kind === 'exited' && ending.code === 0 ? reader.end() : null;
    if (last !== null) yield [last];
  } finally {
    process.stop();
  }
}

interface MessageReader {
  /** The commits that are known to be complete with this text. */
  add(text: string): readonly CommitMessage[];
  /** The last one, which nothing follows; null where there was none. */
  end(): CommitMessage | null;
}

interface CommitDraft {
  sha: string;
  message: string;
  readonly paths: string[];
}

/**
 * Each commit is `NUL sha NUL message NUL`, a NUL of git's own, then its paths with a NUL after each, the first one
 * behind an LF. Neither messages nor paths hold a NUL and no path is empty, so an empty field after the head of a
 * commit is the beginning of the next.
 */
function createMessageReader(): MessageReader {
  let pending = '';
  let draft: CommitDraft | null = null;
  /** Fields since the commit began: 1 its sha, 2 its message, 3 the end of its head, from 4 on paths. */
  let field = 0;

  function take(value: string, complete: CommitMessage[]): void {
    const begins = value === '' && (draft === null || field > 3);
    if (begins && draft !== null) complete.push(draft);
    if (begins) draft = { sha: '', message: '', paths: [] };
    else if (draft !== null && value !== '') put(draft, field, value);
    field = begins ? 1 : field + 1;
  }

  return {
    add(text) {
      const complete: CommitMessage[] = [];
      const fields = `${pending}${text}`.split('\0');
      // What is cut here would be cut from the message anyway; a message of 100 MB would be copied for every chunk of
      // it.
      pending = (fields.pop() ?? '').slice(0, MAX_MESSAGE);
      for (const value of fields) take(value, complete);
      return complete;
    },
    end: () => (draft !== null && field > 2 ? draft : null),
  };
}

function put(draft: CommitDraft, field: number, value: string): void {
  if (field === 1) draft.sha = value;
  else if (field === 2) draft.message = value.slice(0, MAX_MESSAGE);
  else if (draft.paths.length < MAX_PATHS) draft.paths.push(field === 4 ? value.slice(1) : value);
}

/** Blames existing lines of a text file. When time runs out, the lines that are known by then. */
export async function blameLines(
  access: RepositoryAccess,
  at: { readonly revision: string; readonly path: string; readonly range: LineRange },
  signal: AbortSignal,
): Promise<readonly BlameLine[]> {
  const { ending, stdout, stderr } = await access.git.run({
    // Incremental output is usable however early it ends.
    args: ['blame', '--incremental', '-L', `${at.range.from},${at.range.to}`, at.revision, '--', at.path],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 32 * 1024 * 1024,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw toError('Blame failed.', stderr);
  return parseIncremental(stdout.toString('utf8'));
}

/**
 * `git blame --incremental`: per entry `<id> <old line> <line> <count>`, what is new about its commit, and `filename`
 * last.
 */
function parseIncremental(text: string): readonly BlameLine[] {
  const commits = new Map<string, Blamed>();
  const lines: BlameLine[] = [];
  let rows: string[] = [];
  for (const row of text.split('\n')) {
    rows.push(row);
    if (!row.startsWith('filename ')) continue;
    lines.push(...toBlameLines(commits, rows));
    rows = [];
  }
  return lines.sort((a, b) => a.line - b.line);
}

type Blamed = Omit<BlameLine, 'line'>;

function toBlameLines(commits: Map<string, Blamed>, rows: readonly string[]): readonly BlameLine[] {
  const [, sha = '', first = '', count = ''] = BLAME_ENTRY.exec(rows[0] ?? '') ?? [];
  const commit = commits.get(sha) ?? parseBlamedCommit(sha, rows);
  commits.set(sha, commit);
  return Array.from({ length: Number(count) }, (_, index) => ({ ...commit, line: Number(first) + index }));
}

function parseBlamedCommit(sha: string, rows: readonly string[]): Blamed {
  const read = (key: string) => rows.find((row) => row.startsWith(`${key} `))?.slice(key.length + 1) ?? '';
  return {
    sha,
    author: removeInvisible(read('author')),
    date: toIsoDate(read('committer-time')),
    subject: removeInvisible(read('summary')),
    oldest: rows.includes('boundary'),
  };
}

/** `from` null: what the commit itself changed. Throws `revision_not_found` where `from` is no commit of the mirror. */
export async function compareCommits(
  access: RepositoryAccess,
  { from, to }: { readonly from: string | null; readonly to: string },
  options: CompareOptions,
  signal: AbortSignal,
): Promise<Comparison> {
  if (from !== null && !/^[0-9a-f]{40,64}$/.test(from)) throw toNotFound(from);
  const path = options.path ?? '';
  const { parent, commits } = await findCommits(access, { from, to }, signal);
  const base = parent === '' ? (EMPTY_TREES[to.length] ?? '') : parent;
  const { all, complete } = await findChangedFiles(access, { from: base, to }, options.text ?? '', signal);
  const files = path === '' ? all : all.filter((file) => file.path === path || file.previousPath === path);
  const paths = listPatchedPaths(files, options);
  const patch = await readPatch(access, { from: base, to, paths }, signal);
  const notes = [
    path === '' && commits.length > MAX_COMMITS ? `Only the newest ${MAX_COMMITS} commits; there are more.` : '',
    files.length > MAX_FILES ? `Only the first ${MAX_FILES} of ${files.length} files.` : '',
    complete ? '' : 'Not all changed files were found: there are too many, or it took too long.',
    patch.cut,
  ];
  return {
    from: parent,
    commits: commits.slice(0, MAX_COMMITS),
    files: files.slice(0, MAX_FILES),
    patch: patch.text,
    cut: notes.filter((note) => note !== '').join(' '),
  };
}

/** Of a named file, or of all where they are few and their patch is asked for. */
function listPatchedPaths(files: readonly ComparedFile[], { path = '', patch = false }: CompareOptions): string[] {
  const wanted = typeof patch === 'function' ? files.filter((file) => patch(file.path)) : files;
  if (path === '' && (patch === false || wanted.length > MAX_PATCHED)) return [];
  return (path === '' ? wanted : files).flatMap((file) => [file.path, file.previousPath]).filter((one) => one !== '');
}

function toNotFound(sha: string): GitFailure {
  return new GitFailure(
    'no_commit',
    `There is no commit ${JSON.stringify(sha)} to compare with. Name one that exists.`,
  );
}

async function runComparison(
  access: RepositoryAccess,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly complete: boolean }> {
  const { ending, stdout, stderr } = await access.git.run({
    args,
    gitDir: access.mirror.gitDir,
    timeoutMs: COMPARE_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (ending.kind !== 'exited') return { bytes: stdout, complete: false };
  if (ending.code === 0) return { bytes: stdout, complete: true };
  throw /bad object|unknown revision|bad revision/.test(stderr)
    ? toNotFound(args.at(-1) ?? '')
    : toError('The comparison failed.', stderr);
}

/**
 * What `to` is compared with ("" where it has no parent), and the commits in between: with no `from`, the commit
 * itself.
 */
async function findCommits(
  access: RepositoryAccess,
  { from, to }: { readonly from: string | null; readonly to: string },
  signal: AbortSignal,
): Promise<{ readonly parent: string; readonly commits: readonly CommitInfo[] }> {
  const log = ['log', '-z', '--encoding=UTF-8', '--no-patch'];
  if (from !== null) {
    const args = [...log, COMMIT_FORMAT, `--max-count=${MAX_COMMITS + 1}`, to, '--not', from];
    return { parent: from, commits: parseCommits((await runComparison(access, args, signal)).bytes) };
  }
  const args = [...log, COMMIT_FORMAT.replace('=', '=%P%x00'), '--max-count=1', to];
  const { bytes } = await runComparison(access, args, signal);
  const [parent = ''] = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(0))).split(' ');
  return { parent, commits: parseCommits(bytes.subarray(bytes.indexOf(0) + 1)) };
}

/** One comparison: both ids are full and exist. */
interface ComparedCommits {
  readonly from: string;
  readonly to: string;
}

async function findChangedFiles(
  access: RepositoryAccess,
  span: ComparedCommits,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly all: readonly ComparedFile[]; readonly complete: boolean }> {
  const counted = text === '' ? [] : [`-S${text}`];
  const args = ['diff-tree', '-r', '-z', '-M', '--name-status', ...counted, ...NO_COMMANDS, span.from, span.to, '--'];
  const { bytes, complete } = await runComparison(access, args, signal);
  return { all: parseNameStatus(bytes.toString('utf8').split('\0')), complete };
}

async function readPatch(
  access: RepositoryAccess,
  { from, to, paths }: ComparedCommits & { readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly cut: string }> {
  if (paths.length === 0) return { text: '', cut: '' };
  const args = ['diff-tree', '-p', '-M', '--no-color', ...NO_COMMANDS, from, to, '--', ...paths.map(toLiteralSpec)];
  const { bytes, complete } = await runComparison(access, args, signal);
  if (complete && bytes.length <= MAX_PATCH) return { text: bytes.toString('utf8'), cut: '' };
  const text = bytes.toString('utf8', 0, bytes.lastIndexOf(10, MAX_PATCH) + 1);
  return {
    text,
    cut: complete ? 'The patch is cut at 128 KiB.' : 'The patch is cut: it took too long or is too large.',
  };
}

type ComparedFile = Comparison['files'][number];

/** `M\0path\0` or `R100\0before\0after\0`. */
function parseNameStatus(fields: readonly string[]): readonly ComparedFile[] {
  const files: ComparedFile[] = [];
  for (let index = 0; index + 1 < fields.length; ) {
    const letter = (fields[index] ?? '').charAt(0);
    const renamed = letter === 'R' || letter === 'C';
    const first = fields[index + 1] ?? '';
    const path = renamed ? (fields[index + 2] ?? '') : first;
    files.push({ path, status: toStatus(letter), previousPath: renamed ? first : '' });
    index += renamed ? 3 : 2;
  }
  return files;
}

function toStatus(letter: string): ComparedFile['status'] {
  switch (letter) {
    case 'A':
      return 'added';
    case 'M':
      return 'modified';
    case 'D':
      return 'deleted';
    case 'R':
      return 'renamed';
    default:
      return 'other';
  }
}
