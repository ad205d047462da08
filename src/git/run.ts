// The one place that starts git: no shell, an isolated environment, a limit on time and output, and an end that takes the whole process group.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CausewayError } from '../core/errors.ts';
import { REDACTED } from '../core/redacted.ts';
import { absolutePath, type ConfigEntry, type Environment, isolatedEnvironment, type Protocol } from './environment.ts';

const KEPT_STDERR = 16_384;
// The folder that it clones into is an inner path of the server, and its name could be taken for a cause.
const PROGRESS =
  /^(?:remote: )?(?:Cloning into|Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Updating|Finding|Total|Filtering)\b/;

export interface GitCall {
  readonly args: readonly string[];
  /** Repository to work on; absent: the one found from `folder` upwards. */
  readonly gitDir?: string;
  /** Working folder of the process; absent: `gitDir`. */
  readonly folder?: string;
  readonly protocols?: readonly Protocol[];
  readonly config?: readonly ConfigEntry[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Values that must not show in `stderr`. */
  readonly secrets?: readonly string[];
  readonly timeoutMs: number;
  /** Has the kernel end it too once its time is used up: a search that prints nothing outlives a Node that was killed. */
  readonly limitCpu?: boolean;
  readonly signal: AbortSignal;
}

/** Why a process ended. `stopped`: we had read enough. */
export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'aborted' };

export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Never rejects but where git itself cannot be started. `stderr` is short and free of credentials. */
  readonly ended: Promise<{ readonly ending: Ending; readonly stderr: string }>;
  stop(): void;
  /** Lets the program end although this process is still there (it ends with its standard input). */
  unref(): void;
  ref(): void;
}

interface GitOutput {
  readonly ending: Ending;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Git {
  start(call: GitCall): GitProcess;
  /** Runs to the end. Output beyond `maxBytes` ends it with `stopped`. Throws the signal's reason when aborted. */
  run(call: GitCall & { readonly maxBytes: number; readonly input?: string }): Promise<GitOutput>;
}

/** `lifetime`: its abort ends every process that is still running. */
export function createGit(options: {
  readonly environment: Environment;
  /** Path of the authorities' bundle, or ""; asked for where https may be used. */
  readonly certificates: () => string;
  readonly lifetime: AbortSignal;
}): Git {
  const command = createCommand(options.environment);

  function start(call: GitCall): GitProcess {
    const signal = AbortSignal.any([call.signal, options.lifetime]);
    signal.throwIfAborted();
    refuseNul(call.args);
    const env = isolatedEnvironment(options.environment, {
      protocols: call.protocols ?? [],
      config: call.config ?? [],
      certificates: call.protocols?.includes('https') ? options.certificates() : '',
    });
    if (call.gitDir !== undefined) env['GIT_DIR'] = call.gitDir;
    const words = ['--no-pager', ...call.args];
    const program = command(words, call.limitCpu === true ? call.timeoutMs : null);
    if (program === null) throw notStarted();
    const folder = call.folder ?? call.gitDir ?? process.cwd();
    const child = spawn(program.file, program.args, {
      ...{ cwd: folder, env: { ...env, ...call.variables }, stdio: 'pipe', windowsHide: true },
      // A process group of its own, so that an end reaches git's own children (index-pack, remote-https) too.
      detached: process.platform !== 'win32',
    });
    return supervise(child, { ...call, signal });
  }

  async function run(call: GitCall & { readonly maxBytes: number; readonly input?: string }): Promise<GitOutput> {
    const child = start(call);
    child.stdin.end(call.input ?? '');
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= call.maxBytes) chunks.push(chunk);
      else child.stop();
    });
    const { ending, stderr } = await child.ended;
    if (ending.kind === 'aborted') call.signal.throwIfAborted();
    if (ending.kind === 'aborted') options.lifetime.throwIfAborted();
    return { ending, stdout: Buffer.concat(chunks), stderr };
  }

  return { start, run };
}

function refuseNul(args: readonly string[]): void {
  if (args.some((argument) => argument.includes('\0'))) {
    throw new CausewayError('invalid', 'A name or pattern holds a NUL character; take it out.');
  }
}

function supervise(child: ChildProcessWithoutNullStreams, call: GitCall): GitProcess {
  const { stdin, stdout, stderr } = child;
  const tail = createStderrTail(call.secrets ?? []);
  let early: Ending | undefined;
  let last: NodeJS.Timeout | undefined;
  let isOver = false;
  /** SIGTERM first, so that git removes its temporary files; SIGKILL two seconds later. */
  function end(ending: Ending): void {
    if (early !== undefined || isOver) return;
    early = ending;
    signalGroup(child, 'SIGTERM');
    last = setTimeout(() => signalGroup(child, 'SIGKILL'), 2_000);
    last.unref();
  }
  const onAbort = () => end({ kind: 'aborted' });
  const timer = setTimeout(() => end({ kind: 'timeout' }), call.timeoutMs);
  call.signal.addEventListener('abort', onAbort, { once: true });
  function settle(): void {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(last);
    call.signal.removeEventListener('abort', onAbort);
  }
  stderr.on('data', (chunk: Buffer) => tail.add(chunk));
  // Git may end before it has read all of its input: EPIPE says nothing that `ended` does not.
  stdin.on('error', () => undefined);
  const closed = new Promise<Exit>((resolve, reject) => {
    child.on('error', (cause) => reject(notStarted(cause)));
    child.on('close', (code, killedBy) => resolve({ code, killedBy }));
  }).finally(settle);
  async function ended(): Promise<{ readonly ending: Ending; readonly stderr: string }> {
    const exit = await closed;
    const ending: Ending = isCpuUsedUp(call, exit) ? { kind: 'timeout' } : { kind: 'exited', code: exit.code ?? 128 };
    return { ending: early ?? ending, stderr: tail.text() };
  }
  /** The pipes of a child process are sockets, which hold the event loop as the process itself does. */
  function setReferenced(verb: 'ref' | 'unref'): void {
    for (const one of [child, stdin as Socket, stdout as Socket, stderr as Socket, timer]) one[verb]();
  }
  return {
    ...{ stdin, stdout, ended: ended() },
    stop: () => end({ kind: 'stopped' }),
    unref: () => setReferenced('unref'),
    ref: () => setReferenced('ref'),
  };
}

function signalGroup(child: ChildProcessWithoutNullStreams, name: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') child.kill(name);
  if (process.platform === 'win32' || child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group has ended already.
  }
}

interface Exit {
  readonly code: number | null;
  readonly killedBy: string | null;
}

/** The kernel kills at the hard limit, which is the soft one here; SIGXCPU is the soft one's. */
function isCpuUsedUp(call: GitCall, { killedBy }: Exit): boolean {
  return call.limitCpu === true && (killedBy === 'SIGXCPU' || killedBy === 'SIGKILL');
}

function notStarted(cause?: Error): CausewayError {
  return new CausewayError(
    'repository_unreachable',
    'Git could not be started. Install git 2.39 or newer and see that it is in an absolute folder of the PATH of this service.',
    { cause },
  );
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Gives the words that start git, with a limit on its CPU time where `timeoutMs` is set; null where there is no git.
 * The kernel keeps that limit even after Node was killed. Without prlimit (util-linux, so on Linux only) there is none.
 */
function createCommand(from: Environment): (args: readonly string[], timeoutMs: number | null) => Command | null {
  const prlimit = findExecutable('prlimit', from);
  let git: string | null = null;
  return (args, timeoutMs) => {
    git ??= findExecutable('git', from);
    if (git === null) return null;
    if (prlimit === null || timeoutMs === null) return { file: git, args };
    return { file: prlimit, args: [`--cpu=${cpuSeconds(timeoutMs)}`, '--', git, ...args] };
  };
}

/** Seconds of all threads together: what the timer allows on every core that git would use (eight in `grep`). */
function cpuSeconds(timeoutMs: number): number {
  return Math.ceil(timeoutMs / 1_000) * Math.min(8, availableParallelism());
}

/** Where the program is, looked for in the absolute entries of PATH only; null where there is none. */
function findExecutable(name: string, from: Environment): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const candidates = absolutePath(from)
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

interface StderrTail {
  add(chunk: Buffer): void;
  /** At most 2,000 characters, lines that matter only. */
  text(): string;
}

/** `secrets` are removed by their exact value, and whatever stands between `//` and `@` in an address. */
export function createStderrTail(secrets: readonly string[]): StderrTail {
  let kept = '';
  return {
    add(chunk) {
      const all = kept + chunk.toString('utf8');
      // Without its beginning a line is not known for what it is.
      kept = all.length > KEPT_STDERR ? all.slice(-KEPT_STDERR).replace(/^[^\r\n]*[\r\n]/, '') : all;
    },
    text() {
      const lines = kept.split(/[\r\n]+/).filter((line) => line.trim() !== '' && !PROGRESS.test(line));
      return removeSecrets(lines.join('\n'), secrets).slice(-2_000);
    },
  };
}

function removeSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '');
  const without = known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return without.replaceAll(/\/\/[^/@\s'"]+@/g, `//${REDACTED}@`);
}

export interface Tools {
  /** Such as `2.47.1`; null: it is not there, or does not start. */
  readonly git: string | null;
  /** Whether git's processor time is bounded by the kernel. */
  readonly prlimit: boolean;
}

export async function findTools(environment: Environment, signal: AbortSignal): Promise<Tools> {
  const bounded = createCommand(environment)(['--version'], 1_000);
  const prlimit = bounded !== null && /prlimit(?:\.exe)?$/.test(bounded.file);
  const git = createGit({ environment, certificates: () => '', lifetime: signal });
  try {
    const { stdout } = await git.run({
      ...{ args: ['--version'], folder: tmpdir(), timeoutMs: 5_000, maxBytes: 1_000, signal },
    });
    const version = /git version (\d+(?:\.\d+)*)/.exec(stdout.toString('utf8'))?.[1];
    return { git: version ?? null, prlimit };
  } catch {
    signal.throwIfAborted();
    return { git: null, prlimit };
  }
}
