// What lies between two commits: the commits, the files, and the patch of one file.
import { CausewayError } from '../core/errors.ts';
import type { CommitInfo, CompareOptions, Comparison } from '../core/source.ts';
import { COMMIT_FORMAT, parseCommits } from './commit-info.ts';
import { DamagedObjects, failed } from './damage.ts';
import { type ChangedFile, parseNameStatus } from './name-status.ts';
import { literalSpec } from './pathspec.ts';
import type { RepositoryAccess } from './repository.ts';

const MAX_COMMITS = 100;
const MAX_FILES = 1_000;
const MAX_PATCH = 128 * 1024;
/** Bytes; a message may be longer than is worth reading for one line at its top. */
const MAX_COMMIT = 64 * 1024;
// A tree can differ in 10^10 paths; 16 MiB name about 200,000.
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const NO_COMMANDS = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** One comparison: both shas are full and exist. */
interface Span {
  readonly from: string;
  readonly to: string;
}

/** The tree without entries, which every repository knows: by SHA-1 and by SHA-256. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/** `from` null: what the commit itself changed. Throws `revision_not_found` where `from` is no commit of the mirror. */
export async function compareCommits(
  access: RepositoryAccess,
  { from, to }: { readonly from: string | null; readonly to: string },
  options: CompareOptions,
  signal: AbortSignal,
): Promise<Comparison> {
  if (from !== null && !/^[0-9a-f]{40,64}$/.test(from)) throw notThere(from);
  const path = options.path ?? '';
  const { parent, commits } = await startOf(access, { from, to }, signal);
  const span = { from: parent, to };
  const differences = differencesBetween(access, span, { path }, signal);
  differences.catch(() => undefined);
  const between = await commits;
  const { chosen, complete, patch } = await differences;
  const notes = [
    path === '' && between.length > MAX_COMMITS ? `Only the newest ${MAX_COMMITS} commits; there are more.` : '',
    chosen.length > MAX_FILES ? `Only the first ${MAX_FILES} of ${chosen.length} files.` : '',
    complete ? '' : 'Not all changed files were found: there are too many, or it took too long.',
    patch.cut,
  ];
  return {
    from: Object.values(EMPTY_TREES).includes(span.from) ? '' : span.from,
    commits: between.slice(0, MAX_COMMITS),
    files: chosen.slice(0, MAX_FILES),
    patch: patch.text,
    cut: notes.filter((note) => note !== '').join(' '),
  };
}

/** The changed files, or that one of them, and its patch. */
async function differencesBetween(
  access: RepositoryAccess,
  span: Span,
  { path }: { readonly path: string },
  signal: AbortSignal,
) {
  const named = filesBetween(access, span, signal);
  if (path === '') {
    const { all, complete } = await named;
    return { chosen: all, complete, patch: { text: '', cut: '' } };
  }
  // Of the file as if it was always named like this, which it nearly always was: asked at once, since git takes longer to start than to answer.
  const guessed = patchOf(access, { ...span, paths: [path] }, signal);
  guessed.catch(() => undefined);
  const { all, complete } = await named;
  const chosen = all.filter((file) => file.path === path || file.previousPath === path);
  const paths = chosen.flatMap((file) => [file.path, file.previousPath]).filter((one) => one !== '');
  const isAsGuessed = paths.length === 1 && paths[0] === path;
  return { chosen, complete, patch: await (isAsGuessed ? guessed : patchOf(access, { ...span, paths }, signal)) };
}

function notThere(sha: string): CausewayError {
  return new CausewayError(
    'revision_not_found',
    `There is no commit ${JSON.stringify(sha)} to compare with. Name one that exists.`,
  );
}

async function output(
  access: RepositoryAccess,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly complete: boolean }> {
  const call = {
    args,
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    maxBytes: MAX_BYTES,
    signal,
  };
  const { ending, stdout, stderr } = await access.git.run(call);
  if (ending.kind !== 'exited') return { bytes: stdout, complete: false };
  if (ending.code === 0) return { bytes: stdout, complete: true };
  throw /bad object|unknown revision|bad revision/.test(stderr)
    ? notThere(args.at(-1) ?? '')
    : failed('The comparison failed.', stderr);
}

interface Start {
  /** What `to` is compared with. */
  readonly parent: string;
  readonly commits: Promise<readonly CommitInfo[]>;
}

async function startOf(
  access: RepositoryAccess,
  { from, to }: { readonly from: string | null; readonly to: string },
  signal: AbortSignal,
): Promise<Start> {
  if (from !== null) return { parent: from, commits: commitsBetween(access, { from, to }, signal) };
  const known = await readParent(access, to, signal);
  const alone = commitWithParent(access, to, signal);
  const parent = known ?? (await alone).parent;
  return { parent: parent === '' ? (EMPTY_TREES[to.length] ?? '') : parent, commits: alone.then((one) => one.commits) };
}

/**
 * The first parent as the commit itself names it, "" where it names none: no process need start for it. Null where only `git log` knows: it
 * sees where a shallow clone ends, and says what is wrong with what cannot be read.
 */
async function readParent(access: RepositoryAccess, sha: string, signal: AbortSignal): Promise<string | null> {
  if (access.mirror.refs.shallow !== '') return null;
  try {
    const { size } = await access.objects.about(sha, signal);
    if (size > MAX_COMMIT) return null;
    const [head = ''] = (await access.objects.read(sha, signal)).toString('latin1').split('\n\n', 1);
    return /^parent ([0-9a-f]{40,64})$/m.exec(head)?.[1] ?? '';
  } catch (error) {
    if (error instanceof DamagedObjects) return null;
    throw error;
  }
}

/** The one commit, and its first parent; "" where it has none. */
async function commitWithParent(access: RepositoryAccess, sha: string, signal: AbortSignal) {
  const format = COMMIT_FORMAT.replace('=', '=%P%x00');
  const args = ['log', '-z', '--encoding=UTF-8', '--no-patch', format, '--max-count=1', sha];
  const { bytes } = await output(access, args, signal);
  const [parent = ''] = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(0))).split(' ');
  return { parent, commits: parseCommits(bytes.subarray(bytes.indexOf(0) + 1)) };
}

async function commitsBetween(access: RepositoryAccess, { from, to }: Span, signal: AbortSignal) {
  const which = [`--max-count=${MAX_COMMITS + 1}`, to, '--not', from];
  const args = ['log', '-z', '--encoding=UTF-8', '--no-patch', COMMIT_FORMAT, ...which];
  return parseCommits((await output(access, args, signal)).bytes);
}

async function filesBetween(
  access: RepositoryAccess,
  span: Span,
  signal: AbortSignal,
): Promise<{ readonly all: readonly ChangedFile[]; readonly complete: boolean }> {
  const args = ['diff-tree', '-r', '-z', '-M', '--name-status', ...NO_COMMANDS, span.from, span.to, '--'];
  const { bytes, complete } = await output(access, args, signal);
  return { all: parseNameStatus(bytes.toString('utf8').split('\0')), complete };
}

async function patchOf(
  access: RepositoryAccess,
  at: Span & { readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly cut: string }> {
  if (at.paths.length === 0) return { text: '', cut: '' };
  const args = ['diff-tree', '-p', '-M', ...NO_COMMANDS, at.from, at.to, '--', ...at.paths.map(literalSpec)];
  const { bytes, complete } = await output(access, args, signal);
  if (complete && bytes.length <= MAX_PATCH) return { text: bytes.toString('utf8'), cut: '' };
  const end = bytes.lastIndexOf(10, MAX_PATCH);
  const text = bytes.toString('utf8', 0, end + 1);
  return {
    text,
    cut: complete ? 'The patch is cut at 128 KiB.' : 'The patch is cut: it took too long or is too large.',
  };
}
