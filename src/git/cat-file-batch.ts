// Contents of blobs, one after the other, from one git process that ends when nobody asks any more.
import { CausewayError } from '../domain/errors.ts';
import { DamagedObjects, tellsOfDamage } from './damage.ts';
import type { Git, GitProcess } from './run-git.ts';
import { untilAborted } from './single-flight.ts';

const IDLE_MS = 5_000;
const READ_MS = 60_000;
const DAY_MS = 86_400_000;

export interface BlobReader {
  /** The bytes of a blob known by its full id; the caller knows that its size is bearable. Throws `DamagedObjects` where it is not there. */
  read(blob: string, signal: AbortSignal): Promise<Buffer>;
}

interface Request {
  readonly resolve: (content: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** `git cat-file --batch` on demand: 0.2 ms a file instead of 4 ms for a process each. */
export function createCatFileBatch(git: Git, gitDir: string): BlobReader {
  let current: Batch | undefined;
  return {
    read(blob, signal) {
      signal.throwIfAborted();
      if (current === undefined || current.closed) current = new Batch(git, gitDir);
      return untilAborted(current.read(blob), signal);
    },
  };
}

class Batch {
  closed = false;
  readonly #process: GitProcess;
  readonly #requests: Request[] = [];
  #received: Buffer[] = [];
  #size = 0;
  #wanted: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(git: Git, gitDir: string) {
    // Its life is bounded by idleness and by the longest single read, not by the caller that came first.
    const signal = new AbortController().signal;
    this.#process = git.start({ args: ['cat-file', '--batch'], gitDir, timeoutMs: DAY_MS, signal });
    this.#process.stdout.on('data', (chunk: Buffer) => this.#add(chunk));
    this.#process.ended.then(
      ({ stderr }) => this.#fail(tellsOfDamage(stderr) ? new DamagedObjects(stderr) : undefined),
      (error: Error) => this.#fail(error),
    );
  }

  read(blob: string): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#requests.push({ resolve, reject });
    if (this.#requests.length === 1) this.#process.ref();
    this.#process.stdin.write(`${blob}\n`);
    this.#watch();
    return promise;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#requests.length > 0) {
      this.#timer = setTimeout(() => this.#process.stop(), READ_MS);
      return;
    }
    this.#process.unref();
    this.#timer = setTimeout(() => this.#close(), IDLE_MS);
    this.#timer.unref();
  }

  #close(): void {
    this.closed = true;
    this.#process.stdin.end();
  }

  #fail(error?: Error): void {
    this.closed = true;
    clearTimeout(this.#timer);
    const reason = error ?? new CausewayError('internal', 'Git ended while a file was being read. Try again.');
    for (const request of this.#requests.splice(0)) request.reject(reason);
  }

  #add(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    while (this.#takeHeader() && this.#takeContent()) {
      // Several small answers may have come in one piece.
    }
  }

  /** `<id> <type> <size>` or `<id> missing`, up to the line's end. */
  #takeHeader(): boolean {
    if (this.#wanted !== undefined) return true;
    const all = this.#join();
    const end = all.indexOf(10);
    if (end === -1) return false;
    const header = all.toString('latin1', 0, end);
    this.#keep(all.subarray(end + 1));
    const size = / (\d+)$/.exec(header)?.[1];
    if (size !== undefined) {
      this.#wanted = Number(size);
      return true;
    }
    // A mirror made anew is read by a new process: this one holds on to the packs of the old.
    this.closed = true;
    this.#requests.shift()?.reject(new DamagedObjects(header));
    this.#watch();
    return this.#takeHeader();
  }

  #takeContent(): boolean {
    if (this.#wanted === undefined || this.#size < this.#wanted + 1) return false;
    const all = this.#join();
    const content = Buffer.from(all.subarray(0, this.#wanted));
    this.#keep(all.subarray(this.#wanted + 1));
    this.#wanted = undefined;
    this.#requests.shift()?.resolve(content);
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
