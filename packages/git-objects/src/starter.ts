// A small process that starts git on behalf of a large one. Forking copies the parent's page tables: with 300 MB in memory
// that blocked the event loop for 30 to 50 ms on a virtual machine; from a small process it takes 4 ms.
import { type ChildProcess, type ChildProcessWithoutNullStreams, fork, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { locate } from 'causeway-worker-thread';

export type ToStarter =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly program: string;
      readonly args: readonly string[];
      readonly folder: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'input'; readonly id: number; readonly chunk: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'kill'; readonly id: number; readonly signal: 'SIGTERM' | 'SIGKILL' };

export type FromStarter =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stdout' | 'stderr'; readonly id: number; readonly chunk: Uint8Array }
  /** `code` null: it could not be started. */
  | { readonly kind: 'closed'; readonly id: number; readonly code: number | null };

/** A process that was started, here or by the starter. */
export interface StartedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code; rejects where it could not be started. */
  readonly closed: Promise<number>;
  /** The process and all that it started. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  setReferenced(verb: 'ref' | 'unref'): void;
}

export type ProcessToStart = Omit<Extract<ToStarter, { readonly kind: 'start' }>, 'kind' | 'id'>;

export interface Starter extends Disposable {
  /** Null where the starter is not there yet, so that the caller starts it itself. */
  start(what: ProcessToStart): StartedProcess | null;
}

/** A command-line run starts fewer, and is faster without a second process of 45 MB. */
const STARTED_BEFORE = 16;

const IDLE_MS = 60_000;

/** The process comes with the 17th start, and goes when nothing was started for a minute. */
export function createStarter(): Starter {
  let child: ChildProcess | null = null;
  let isReady = false;
  let started = 0;
  let idle: NodeJS.Timeout | undefined;
  const running = new Map<number, RemoteProcess>();

  function end(): void {
    clearTimeout(idle);
    if (child?.connected) child.disconnect();
    child = null;
    isReady = false;
  }
  function waitIdle(): void {
    clearTimeout(idle);
    idle = setTimeout(end, IDLE_MS).unref();
  }
  function open(): void {
    const opened = fork(locate('./starter-process.ts', import.meta.url), {
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = opened;
    opened.on('message', (message: FromStarter) => {
      if (message.kind === 'ready') {
        isReady = child === opened;
        waitIdle();
      } else running.get(message.id)?.take(message);
    });
    opened.on('error', () => undefined);
    opened.on('close', () => {
      const chunk = Buffer.from('It was ended with the process that started it.');
      for (const one of [...running.values()].filter(({ by }) => by === opened)) {
        one.take({ kind: 'stderr', id: one.id, chunk });
        one.take({ kind: 'closed', id: one.id, code: 128 });
      }
      if (child === opened) end();
    });
    opened.unref();
    opened.channel?.unref();
  }
  return {
    start(what) {
      started += 1;
      if (started <= STARTED_BEFORE) return null;
      if (child === null) open();
      const by = child;
      if (by === null || !isReady || !by.connected) return null;
      clearTimeout(idle);
      const one = createRemoteProcess(by, started, () => {
        running.delete(one.id);
        if (running.size > 0) return;
        by.channel?.unref();
        waitIdle();
      });
      running.set(one.id, one);
      by.channel?.ref();
      one.send({ kind: 'start', id: one.id, ...what });
      return one;
    },
    [Symbol.dispose]: end,
  };
}

interface RemoteProcess extends StartedProcess {
  readonly id: number;
  readonly by: ChildProcess;
  send(message: ToStarter): void;
  take(message: Exclude<FromStarter, { readonly kind: 'ready' }>): void;
}

function createRemoteProcess(by: ChildProcess, id: number, onClosed: () => void): RemoteProcess {
  const { promise: closed, resolve, reject } = Promise.withResolvers<number>();
  const read = (): void => undefined;
  const [stdout, stderr] = [new Readable({ read }), new Readable({ read })];
  // If it can't be sent, the process is ending, and `closed` reports that.
  const send = (message: ToStarter): void => void (by.connected && by.send(message, () => undefined));
  return {
    id,
    by,
    send,
    stdout,
    stderr,
    stdin: new Writable({
      write(chunk: Buffer, _, done) {
        send({ kind: 'input', id, chunk });
        done();
      },
      final(done) {
        send({ kind: 'end', id });
        done();
      },
    }),
    closed,
    kill: (signal) => send({ kind: 'kill', id, signal }),
    setReferenced: () => undefined,
    take(message) {
      if (message.kind !== 'closed') {
        (message.kind === 'stdout' ? stdout : stderr).push(message.chunk);
        return;
      }
      stdout.push(null);
      stderr.push(null);
      onClosed();
      const { code } = message;
      const settle = (): void => (code === null ? reject(new Error('it did not start')) : resolve(code));
      // Like a local process, it is only closed once its output has been read.
      if (stdout.readableFlowing) stdout.once('end', settle);
      else settle();
    },
  };
}

/** Starts a process without a shell, in a group of its own, so that its end reaches what it starts (index-pack, remote-https). */
export function spawnGroup({ program, args, folder, env }: ProcessToStart): ChildProcessWithoutNullStreams {
  const detached = process.platform !== 'win32';
  return spawn(program, args, { cwd: folder, env, stdio: 'pipe', windowsHide: true, detached });
}

/** Ends what `spawnGroup` started, and all that it started. */
export function endProcessGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (process.platform === 'win32') child.kill(name);
    else if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // The group has ended already.
  }
}
