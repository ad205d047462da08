// The small process that starts programs, seen from the large one: what it is told, what it says, and what becomes of its programs.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Exit, hearLines, type Order, type Program, signalGroup } from './program.ts';
import { socketPlace } from './socket-place.ts';
import type { Said, Told } from './starting-process.ts';

const SCRIPT = path.join(import.meta.dirname, 'starting-process.ts');

/** Within which it tells that a program has ended that was killed. */
const ANSWER_MS = 2_000;
/** Three connections each, before they are taken: some systems let 128 wait. */
const MOST_UNSTARTED = 32;

export interface StartingProcess {
  /** False until it is ready, while it has enough to start, and once its socket is gone, which who cleans folders for temporary files may do. */
  readonly canStart: boolean;
  start(order: Order): Program;
}

interface Running {
  readonly streams: readonly Socket[];
  readonly exit: PromiseWithResolvers<Exit>;
  /** 0 as long as it is not known. */
  pid: number;
  /** Whether this process stays until its end is known. */
  isReferenced: boolean;
}

/** Null where there is no place for its socket. Tells `onGone` once it starts nothing more; `isLost`: not because it was idle. */
export function openStartingProcess(idleMs: number, onGone: (isLost: boolean) => void): StartingProcess | null {
  const place = socketPlace();
  return place === null ? null : new Small(place, idleMs, onGone);
}

class Small implements StartingProcess {
  #isReady = false;
  readonly #place: string;
  readonly #idleMs: number;
  readonly #onGone: (isLost: boolean) => void;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #running = new Map<number, Running>();
  #ids = 0;
  #isIdle = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(place: string, idleMs: number, onGone: (isLost: boolean) => void) {
    [this.#place, this.#idleMs, this.#onGone] = [place, idleMs, onGone];
    // A group of its own: a key that interrupts us does not end it before what it started has ended.
    const options = { cwd: '/', env: compiledCode(), detached: true } as const;
    this.#process = spawn(process.execPath, [SCRIPT, place], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    // Not at its exit: what it said before that may not be read yet, and names the programs that must end with it.
    this.#process.once('error', () => this.#end()).once('close', () => this.#end());
    this.#process.stdin.on('error', () => undefined);
    hearLines(this.#process.stdout, (line) => this.#hear(JSON.parse(line) as Said));
    (this.#process.stdin as unknown as Socket).unref();
    this.#hold();
    this.#rest();
  }

  get canStart(): boolean {
    const unstarted = [...this.#running.values()].filter(({ pid }) => pid === 0).length;
    const isThere = this.#process.exitCode === null && this.#process.signalCode === null;
    return this.#isReady && isThere && unstarted < MOST_UNSTARTED && existsSync(this.#place);
  }

  start(order: Order): Program {
    const id = this.#ids++;
    // In the order of the programs, by which the other side knows whose they are.
    const [stdin, stdout, stderr] = [this.#connect(), this.#connect(), this.#connect()];
    const streams = [stdin, stdout, stderr];
    const exit = Promise.withResolvers<Exit>();
    const running: Running = { streams, exit, pid: 0, isReferenced: true };
    this.#running.set(id, running);
    this.#hold();
    clearTimeout(this.#idle);
    this.#tell({ kind: 'start', id, order });
    return {
      ...{ stdin, stdout, stderr, closed: closedAfter(exit.promise, { stdin, stdout, stderr }) },
      signal: (name) => {
        if (running.pid > 0) signalGroup(running.pid, name);
        else this.#tell({ kind: 'signal', id, name });
        if (name === 'SIGKILL') setTimeout(() => this.#giveUp(id), ANSWER_MS).unref();
      },
      setReferenced: (referenced) => {
        for (const stream of streams) stream[referenced ? 'ref' : 'unref']();
        running.isReferenced = referenced;
        this.#hold();
      },
    };
  }

  /** One that is not connected would have the next program take another's streams: better none is started there any more. */
  #connect(): Socket {
    const stream = connect(this.#place);
    let isConnected = false;
    stream.once('connect', () => {
      isConnected = true;
    });
    return stream.on('error', () => isConnected || this.#process.kill('SIGKILL'));
  }

  /** Of a program that was killed nothing was heard: whoever should have said so does not answer, and nobody is to wait for that. */
  #giveUp(id: number): void {
    if (this.#running.has(id)) this.#process.kill('SIGKILL');
  }

  #tell(told: Told): void {
    this.#process.stdin.write(`${JSON.stringify(told)}\n`);
  }

  #hear(said: Said): void {
    if (said.kind === 'ready') {
      this.#isReady = true;
      return;
    }
    const one = this.#running.get(said.id);
    if (one === undefined) return;
    if (said.kind === 'started') {
      one.pid = said.pid;
      return;
    }
    this.#running.delete(said.id);
    this.#hold();
    if (said.kind === 'failed') one.exit.reject(new Error(said.message));
    else one.exit.resolve({ code: said.code, killedBy: said.killedBy });
    this.#rest();
  }

  /** Its word that a program ended may come after the program's streams have closed. */
  #hold(): void {
    const isAwaited = [...this.#running.values()].some(({ isReferenced }) => isReferenced);
    const verb = isAwaited ? 'ref' : 'unref';
    this.#process[verb]();
    (this.#process.stdout as unknown as Socket)[verb]();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#running.size > 0) return;
    this.#idle = setTimeout(() => {
      this.#isIdle = true;
      this.#onGone(false);
      this.#process.stdin.end();
    }, this.#idleMs);
    this.#idle.unref();
  }

  /** What it started ends with it: nobody would hear how it ended. */
  #end(): void {
    clearTimeout(this.#idle);
    rmSync(path.dirname(this.#place), { recursive: true, force: true });
    for (const { pid, exit, streams } of this.#running.values()) {
      if (pid > 0) signalGroup(pid, 'SIGKILL');
      for (const stream of streams) stream.destroy();
      if (pid > 0) exit.resolve({ code: null, killedBy: 'SIGKILL' });
      else exit.reject(new Error('the process that starts others ended'));
    }
    this.#running.clear();
    this.#hold();
    if (!this.#isIdle) this.#onGone(true);
    this.#isIdle = true;
  }
}

/** As `close` of a child process: what nobody reads does not keep it from ending. */
async function closedAfter(exit: Promise<Exit>, streams: Pick<Program, 'stdin' | 'stdout' | 'stderr'>): Promise<Exit> {
  const { stdin, stdout, stderr } = streams;
  const printed = [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
  // Nothing comes on it but its end.
  stdin.resume();
  try {
    const ended = await exit;
    stdin.destroy();
    for (const stream of [stdout, stderr]) stream.resume();
    await Promise.all(printed);
    return ended;
  } catch (error) {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    throw error;
  }
}

/** No environment but where compiled code lies: without it the types of the script would be stripped at each start. */
function compiledCode(): Readonly<Record<string, string>> {
  const ofThisNode = getCompileCacheDir();
  // Node is told the folder that holds one for each of its versions.
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(ofThisNode) };
}
