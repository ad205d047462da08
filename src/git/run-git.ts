// The one place that starts git: no shell, an isolated environment, a limit on time and output, and an end that takes the whole process group.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { CausewayError } from '../domain/errors.ts';
import { createCommand } from './executables.ts';
import { type ConfigEntry, type Environment, isolatedEnvironment, type Protocol } from './git-environment.ts';
import { createStderrTail } from './stderr-tail.ts';

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
    const child = spawn(program.file, program.args, {
      cwd: call.folder ?? call.gitDir,
      env: { ...env, ...call.variables },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that an end reaches git's own children (index-pack, remote-https) too.
      detached: process.platform !== 'win32',
      windowsHide: true,
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
  const tail = createStderrTail(call.secrets ?? []);
  const { promise, resolve, reject } = Promise.withResolvers<{ ending: Ending; stderr: string }>();
  let early: Ending | undefined;
  function end(ending: Ending): void {
    if (early !== undefined) return;
    early = ending;
    endGroup(child);
  }
  const onAbort = () => end({ kind: 'aborted' });
  const timer = setTimeout(() => end({ kind: 'timeout' }), call.timeoutMs);
  call.signal.addEventListener('abort', onAbort, { once: true });
  function settle(): void {
    clearTimeout(timer);
    call.signal.removeEventListener('abort', onAbort);
  }
  child.stderr.on('data', (chunk: Buffer) => tail.add(chunk));
  // Git may end before it has read everything: EPIPE is no news, `ended` tells.
  child.stdin.on('error', () => undefined);
  child.on('error', (cause) => {
    settle();
    reject(notStarted(cause));
  });
  child.on('close', (code, killedBy) => {
    settle();
    const ended: Ending = usedUp(call, killedBy) ? { kind: 'timeout' } : { kind: 'exited', code: code ?? 128 };
    resolve({ ending: early ?? ended, stderr: tail.text() });
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended: promise,
    stop: () => end({ kind: 'stopped' }),
    unref: () => setReferenced(child, timer, false),
    ref: () => setReferenced(child, timer, true),
  };
}

/** The kernel kills at the hard limit, which is the soft one here; SIGXCPU is the soft one's. */
function usedUp(call: GitCall, killedBy: NodeJS.Signals | null): boolean {
  return call.limitCpu === true && (killedBy === 'SIGXCPU' || killedBy === 'SIGKILL');
}

function setReferenced(child: ChildProcessWithoutNullStreams, timer: NodeJS.Timeout, referenced: boolean): void {
  const verb = referenced ? 'ref' : 'unref';
  child[verb]();
  timer[verb]();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream instanceof Socket) stream[verb]();
  }
}

/** Asks first, so that git takes its temporary files with it; two seconds later there is no more asking. */
function endGroup(child: ChildProcessWithoutNullStreams): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 2_000);
  timer.unref();
  child.once('close', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

function notStarted(cause?: Error): CausewayError {
  return new CausewayError(
    'repository_unreachable',
    'Git could not be started. Install git 2.39 or newer and see that it is in an absolute folder of the PATH of this service.',
    { cause },
  );
}
