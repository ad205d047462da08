// Runs git on the double's bare repositories, and remembers what cannot change.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

/** Of all verbs those whose answer hangs on the objects alone that they name. */
const OF_OBJECTS = new Set(['cat-file', 'diff', 'ls-tree', 'merge-base', 'rev-list', 'rev-parse']);

const OBJECT = /^\^?[0-9a-f]{40}(?:\.{2,3}[0-9a-f]{40}|\^\{(?:commit|tree)\})?$/;

const OBJECT_TYPE = /^(?:blob|commit|tag|tree)$/;

const MOST = 2_000;

const LARGEST = 256 * 1024;

const answers = new Map<string, Buffer | Error>();

/** Null where the answer hangs on more than objects, such as what a branch is at. */
function keyOf(gitDir: string, args: readonly string[]): string | null {
  const [verb = '', ...rest] = args[0] === '--literal-pathspecs' ? args.slice(1) : args;
  const named = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  const isFixed = named.every((word) => word.startsWith('-') || OBJECT.test(word) || OBJECT_TYPE.test(word));
  const isOfRefs = named.some((word) => word === '--all' || word === '--not');
  return OF_OBJECTS.has(verb) && isFixed && !isOfRefs ? [gitDir, ...args].join('\0') : null;
}

function remembered(key: string): Buffer | Error | undefined {
  return answers.get(key);
}

/** The oldest goes first. Of refusals only a no of `merge-base` is kept: where an object is missing, it may come yet. */
function remember(key: string, answer: Buffer | Error): void {
  if (answer instanceof Buffer && answer.length > LARGEST) return;
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > MOST && oldest !== undefined) answers.delete(oldest);
}

/** Keeps the machine's own configuration, hooks and identity out. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

interface GitOptions {
  readonly input?: Buffer | string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What git printed. Rejects with what it complained of. */
export async function git(gitDir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const key = options.input === undefined && options.env === undefined ? keyOf(gitDir, args) : null;
  const known = key === null ? undefined : remembered(key);
  const answer = known ?? (await run(gitDir, args, options, key));
  if (answer instanceof Error) throw answer;
  return answer;
}

async function run(
  gitDir: string,
  args: readonly string[],
  { input = '', env = {} }: GitOptions,
  key: string | null,
): Promise<Buffer | Error> {
  const all = { ...GIT_ENVIRONMENT, GIT_DIR: gitDir, ...env };
  const child = spawn('git', args, { env: all });
  // Git that ended before it read all of its input says so by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  const answer = code === 0 ? stdout : new Error(`git ${args[0]}: ${stderr.toString().trim()}`);
  const isNo = code === 1 && args[0] === 'merge-base';
  if (key !== null && (code === 0 || isNo)) remember(key, answer);
  return answer;
}

export async function gitText(gitDir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(gitDir, args, options)).toString('utf8').trim();
}

/** The same, or null where git refused. */
export async function gitTry(gitDir: string, args: readonly string[]): Promise<string | null> {
  return gitText(gitDir, args).catch(() => null);
}
