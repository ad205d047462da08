// The objects of one mirror, read through a single `git cat-file --batch-command` that ends when it is no longer used.

import { raceAbort } from './abort.ts';
import { DamagedObjects, isDamage, MissingObject } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import type { Git, GitProcess } from './process.ts';

const IDLE_MS = 5_000;
const READ_MS = 60_000;
const DAY_MS = 86_400_000;

export interface ObjectReader {
  /**
   * The bytes of a blob known by its full id; the caller knows that its size is bearable. Throws `MissingObject` where
   * it is not there.
   */
  read(blob: string, signal: AbortSignal): Promise<Buffer>;
  /** The object that an id, a prefix of one or `<id>^{commit}` names. Throws `MissingObject` where there is none. */
  readHeader(object: string, signal: AbortSignal): Promise<ObjectHeader>;
  /** Reads with a new process from now on: one that read a mirror before it was replaced holds on to its old packs. */
  restart(): void;
}

interface ObjectHeader {
  /** In full. */
  readonly id: string;
  readonly size: number;
}

interface ObjectRequest {
  readonly wantsContent: boolean;
  readonly resolve: (header: ObjectHeader, content: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** Starts git when it is needed: 0.2 ms a request instead of 4 ms and more for a process each. */
export function createObjectReader(git: Git, gitDir: string): ObjectReader {
  let current: Batch | undefined;
  function openBatch(signal: AbortSignal): Batch {
    signal.throwIfAborted();
    if (current === undefined || current.closed) current = new Batch(git, gitDir);
    return current;
  }
  return {
    read: (blob, signal) => raceAbort(openBatch(signal).contents(blob), signal),
    readHeader: (object, signal) => raceAbort(openBatch(signal).info(object), signal),
    restart: () => current?.close(),
  };
}

class Batch {
  closed = false;
  readonly #process: GitProcess;
  readonly #requests: ObjectRequest[] = [];
  #received: Buffer[] = [];
  #size = 0;
  /** Header of the answer that is still incomplete. */
  #header: ObjectHeader | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(git: Git, gitDir: string) {
    // Its life is bounded by idleness and by the longest single read, not by the caller that came first.
    const signal = new AbortController().signal;
    this.#process = git.start({ args: ['cat-file', '--batch-command'], gitDir, timeoutMs: DAY_MS, signal });
    this.#process.stdout.on('data', (chunk: Buffer) => this.#add(chunk));
    this.#process.ended.then(
      ({ stderr }) => this.#fail(isDamage(stderr) ? new DamagedObjects(stderr) : undefined),
      (error: Error) => this.#fail(error),
    );
  }

  contents(blob: string): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#send(`contents ${blob}`, { wantsContent: true, resolve: (_, content) => resolve(content), reject });
    return promise;
  }

  info(object: string): Promise<ObjectHeader> {
    const { promise, resolve, reject } = Promise.withResolvers<ObjectHeader>();
    this.#send(`info ${object}`, { wantsContent: false, resolve, reject });
    return promise;
  }

  #send(command: string, request: ObjectRequest): void {
    this.#requests.push(request);
    if (this.#requests.length === 1) this.#process.ref();
    this.#process.stdin.write(`${command}\n`);
    this.#watch();
  }

  /** Requests that were sent are still answered: git ends at the end of its input. */
  close(): void {
    this.closed = true;
    this.#process.stdin.end();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#requests.length > 0) {
      this.#timer = setTimeout(() => this.#process.stop(), READ_MS);
      return;
    }
    this.#process.unref();
    this.#timer = setTimeout(() => this.close(), IDLE_MS);
    this.#timer.unref();
  }

  #fail(error?: Error): void {
    this.closed = true;
    clearTimeout(this.#timer);
    const reason = error ?? new GitFailure('internal', 'Git ended while a file was being read. Try again.');
    for (const request of this.#requests.splice(0)) request.reject(reason);
  }

  #add(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    while (this.#takeHeader() && this.#takeContent()) {
      // Several small answers may have come in one piece.
    }
  }

  /** `<id> <type> <size>`, or `<object> missing` (`ambiguous`), up to the line's end. */
  #takeHeader(): boolean {
    if (this.#header !== undefined) return true;
    const all = this.#join();
    const end = all.indexOf(10);
    if (end === -1) return false;
    const line = all.toString('latin1', 0, end);
    this.#keep(all.subarray(end + 1));
    const [, id, size] = /^([0-9a-f]+) \w+ (\d+)$/.exec(line) ?? [];
    if (id !== undefined) {
      this.#header = { id, size: Number(size) };
      return true;
    }
    this.#requests.shift()?.reject(new MissingObject(line));
    this.#watch();
    return this.#takeHeader();
  }

  #takeContent(): boolean {
    const header = this.#header;
    if (header === undefined) return false;
    const wanted = this.#requests[0]?.wantsContent === false ? null : header.size;
    if (wanted !== null && this.#size < wanted + 1) return false;
    const all = this.#join();
    const content = Buffer.from(all.subarray(0, wanted ?? 0));
    if (wanted !== null) this.#keep(all.subarray(wanted + 1));
    this.#header = undefined;
    this.#requests.shift()?.resolve(header, content);
    this.#watch();
    return true;
  }

  #join(): Buffer {
    const [only] = this.#received;
    const all = this.#received.length === 1 && only !== undefined ? only : Buffer.concat(this.#received);
    this.#received = [all];
    return all;
  }

  #keep(rest: Buffer): void {
    this.#received = [rest];
    this.#size = rest.length;
  }
}
