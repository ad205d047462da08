// What lies between two commits: the commits, the files, and the patch of one file.
import { CausewayError } from '../domain/errors.ts';
import type { CompareOptions, Comparison } from '../ports/source.ts';
import { COMMIT_FORMAT, parseCommits } from './commit-info.ts';
import { failed } from './damage.ts';
import { literalSpec } from './pathspec.ts';
import type { RepositoryAccess } from './repository.ts';

const MAX_COMMITS = 100;
const MAX_FILES = 1_000;
const MAX_PATCH = 128 * 1024;
// A tree can differ in 10^10 paths; 16 MiB name about 200,000.
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const NO_COMMANDS = ['--no-ext-diff', '--no-textconv', '--no-color'];

type ChangedFile = Comparison['files'][number];

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
  const { parent, commits } =
    from === null
      ? await commitWithParent(access, to, signal)
      : { parent: from, commits: await commitsBetween(access, { from, to }, signal) };
  const span = { from: parent, to };
  const { all, complete } = await filesBetween(access, span, signal);
  const path = options.path ?? '';
  const chosen = path === '' ? all : all.filter((file) => file.path === path || file.previousPath === path);
  const patch = path === '' ? { text: '', cut: '' } : await patchOf(access, { ...span, files: chosen }, signal);
  const notes = [
    path === '' && commits.length > MAX_COMMITS ? `Only the newest ${MAX_COMMITS} commits; there are more.` : '',
    chosen.length > MAX_FILES ? `Only the first ${MAX_FILES} of ${chosen.length} files.` : '',
    complete ? '' : 'Not all changed files were found: there are too many, or it took too long.',
    patch.cut,
  ];
  return {
    from: Object.values(EMPTY_TREES).includes(span.from) ? '' : span.from,
    commits: commits.slice(0, MAX_COMMITS),
    files: chosen.slice(0, MAX_FILES),
    patch: patch.text,
    cut: notes.filter((note) => note !== '').join(' '),
  };
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

/** The one commit, and what it is compared with: its first parent, or nothing. */
async function commitWithParent(access: RepositoryAccess, sha: string, signal: AbortSignal) {
  const format = COMMIT_FORMAT.replace('=', '=%P%x00');
  const args = ['log', '-z', '--encoding=UTF-8', '--no-patch', format, '--max-count=1', sha];
  const { bytes } = await output(access, args, signal);
  const [parent = ''] = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(0))).split(' ');
  return {
    parent: parent === '' ? (EMPTY_TREES[sha.length] ?? '') : parent,
    commits: parseCommits(bytes.subarray(bytes.indexOf(0) + 1)),
  };
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

/** `M\0path\0` or `R100\0before\0after\0`. */
function parseNameStatus(fields: readonly string[]): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < fields.length; ) {
    const letter = (fields[index] ?? '').charAt(0);
    const renamed = letter === 'R' || letter === 'C';
    const first = fields[index + 1] ?? '';
    const path = renamed ? (fields[index + 2] ?? '') : first;
    files.push({ path, status: statusOf(letter), previousPath: renamed ? first : '' });
    index += renamed ? 3 : 2;
  }
  return files;
}

function statusOf(letter: string): ChangedFile['status'] {
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

async function patchOf(
  access: RepositoryAccess,
  at: Span & { readonly files: readonly ChangedFile[] },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly cut: string }> {
  if (at.files.length === 0) return { text: '', cut: '' };
  const paths = at.files.flatMap((file) => [file.path, file.previousPath]).filter((path) => path !== '');
  const args = ['diff-tree', '-p', '-M', ...NO_COMMANDS, at.from, at.to, '--', ...paths.map(literalSpec)];
  const { bytes, complete } = await output(access, args, signal);
  if (complete && bytes.length <= MAX_PATCH) return { text: bytes.toString('utf8'), cut: '' };
  const end = bytes.lastIndexOf(10, MAX_PATCH);
  const text = bytes.toString('utf8', 0, end + 1);
  return {
    text,
    cut: complete ? 'The patch is cut at 128 KiB.' : 'The patch is cut: it took too long or is too large.',
  };
}
