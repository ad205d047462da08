// Git is started by a small process instead of the test's own: a fork copies page tables, and those of a test process are large. At 600 MB
// a start took 60 ms of processor time on a virtual machine with nested paging, from the small process 6 ms; a whole run has 20,000.
import child_process, { type ChildProcess, fork, type SpawnOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

const PROGRAMS = new Set(['git', 'prlimit', 'git-http-backend']);

/** What the small process says of a program that it started. */
interface News {
  readonly id: string;
  readonly pid?: number;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
  readonly error?: object;
}

/** As much of a ChildProcess as those who start git use. */
class LightChild extends EventEmitter {
  readonly stdin = new LightStream();
  readonly stdout = new LightStream();
  readonly stderr = new LightStream();
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #signal: NodeJS.Signals | undefined;

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.pid === undefined) this.#signal = signal;
    else if (this.exitCode === null && this.signalCode === null) {
      try {
        return process.kill(this.pid, signal);
      } catch (error) {
        // It has ended, and its end is not reported yet.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    return true;
  }

  /** The starter is not waited for at the end of a process anyway. */
  ref(): void {}
  unref(): void {}

  attach(number: number, socket: Socket): void {
    const stream = [this.stdin, this.stdout, this.stderr][number] ?? this.stderr;
    socket.on('error', () => undefined);
    if (number === 0) stream.pipe(socket);
    else socket.pipe(stream);
    socket.on('close', () => stream.end());
    stream.on('close', () => socket.destroy());
  }

  hear({ pid, code = null, signal = null, error }: News): void {
    if (error !== undefined) {
      this.emit('error', Object.assign(new Error(), error));
      this.emit('close', null, null);
    } else if (pid !== undefined) {
      this.pid = pid;
      this.emit('spawn');
      if (this.#signal !== undefined) this.kill(this.#signal);
    } else {
      this.exitCode = code;
      this.signalCode = signal;
      this.emit('exit', code, signal);
      this.stdin.destroy();
      void Promise.all([this.stdout.settle(), this.stderr.settle()]).then(() => this.emit('close', code, signal));
    }
  }
}

class LightStream extends PassThrough {
  ref(): void {}
  unref(): void {}

  /** What is not read when the program has ended is dropped. */
  async settle(): Promise<void> {
    if (this.destroyed) return;
    if (this.readableFlowing !== true && this.listenerCount('readable') === 0) this.resume();
    await new Promise((resolve) => this.once('close', resolve));
  }
}

interface Starter {
  readonly process: ChildProcess;
  readonly children: Map<string, LightChild>;
}

let starter: Starter | undefined;

/** Made at the first start; it ends with this process. */
function openStarter(): Starter {
  const address = path.join(tmpdir(), `causeway-git-${randomUUID()}`);
  const children = new Map<string, LightChild>();
  const server = createServer((socket) => {
    let head = '';
    const read = (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const end = text.indexOf('\n');
      head += end < 0 ? text : text.slice(0, end);
      if (end < 0) return;
      socket.off('data', read).pause();
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
      const [id = '', number = ''] = head.split(' ');
      children.get(id)?.attach(Number(number), socket);
    };
    socket.on('data', read);
  }).listen(address);
  const child = fork(path.join(import.meta.dirname, 'git-starter.mjs'), [address], {
    ...{ execArgv: [], env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  });
  child.on('message', (news: News) => children.get(news.id)?.hear(news));
  for (const one of [server, child, child.channel]) one?.unref();
  return { process: child, children };
}

const { spawn } = child_process;

function spawnLight(file: string, args: readonly string[] = [], options: SpawnOptions = {}): unknown {
  const isPlain = options.stdio === undefined || options.stdio === 'pipe';
  if (!isPlain || !PROGRAMS.has(path.basename(file)) || process.platform === 'win32') return spawn(file, args, options);
  starter ??= openStarter();
  const [id, child] = [randomUUID(), new LightChild()];
  const { children, process: small } = starter;
  children.set(id, child);
  small.channel?.ref();
  child.once('close', () => {
    children.delete(id);
    if (children.size === 0) small.channel?.unref();
  });
  small.send({ id, file, args, options: { ...options, env: options.env ?? process.env } });
  return child;
}

/** For vitest's `setupFiles`, before anything takes `spawn` from the module. */
if (child_process.spawn.name !== spawnLight.name) {
  child_process.spawn = spawnLight as typeof child_process.spawn;
  syncBuiltinESMExports();
}
