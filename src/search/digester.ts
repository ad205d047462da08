// Makes digests in threads, batch after batch; what a thread does not survive is tried once more by itself, then left out.
import { availableParallelism } from 'node:os';
import type { CommitMessage } from '../core/source.ts';
import { AskedThread, type Numbered } from '../redact/asked-thread.ts';

/** Where the text of a blob lies among the bytes of its batch. */
export interface BatchedBlob {
  readonly blob: string;
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

interface BlobBatch {
  readonly kind: 'blobs';
  readonly blobs: readonly BatchedBlob[];
  readonly bytes: Uint8Array;
}

interface CommitBatch {
  readonly kind: 'commits';
  readonly commits: readonly CommitMessage[];
}

export type Batch = BlobBatch | CommitBatch;

interface Told {
  /** Whole records, one behind the other. */
  readonly records: Uint8Array;
}

export type DigestRequest = Numbered<Batch>;
export type DigestReply = Numbered<Told>;

export interface Digester extends AsyncDisposable {
  /** Batches that are worth handing over at a time. */
  readonly atOnce: number;
  /** Starts the thread that the next batch goes to, so that it does not wait for that. */
  start(): void;
  /** The records of a batch; without those that cannot be made. Rejects only after disposal. */
  digest(batch: Batch): Promise<readonly Uint8Array[]>;
}

const SCRIPT = new URL('./digesting-worker.ts', import.meta.url);
/** A batch takes 50 ms, and seconds where the machine is busy. */
const LIMIT_MS = 30_000;
const CLOSED = 'The lexicon was closed: the report is taken up again at the next start.';
/** A first look at a large repository is all that needs more than one; git and the service need a core too. */
const MOST_THREADS = 3;
/** A thread that has nothing to do holds some tens of megabytes. */
const IDLE_MS = 60_000;
/** One waits, and the records of one are being written: with one fewer the thread stood still for 40 ms of a first look at 3,000 files, now 8. */
const AHEAD = 2;
/** After so many failures in one batch the thread is at fault, not the texts. */
const MOST_FAILURES = 3;

export interface DigesterOptions {
  /** The file that the threads run. */
  readonly script?: URL;
  readonly limitMs?: number;
  readonly threads?: number;
  readonly idleMs?: number;
}

/** Threads start with the batches that need them, and end a minute after the last. */
export function createDigester(options: DigesterOptions = {}): Digester {
  const { limitMs = LIMIT_MS, threads = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1)) } = options;
  const seats = Array.from({ length: threads }, () => createSeat(options));

  /** The one with the least to do; a batch that waits is no more than a thread that has to start. */
  function seat(): Seat | undefined {
    const [first, ...others] = seats;
    return first && others.reduce((least, other) => (other.cost < least.cost ? other : least), first);
  }

  async function ask(batch: Batch): Promise<Uint8Array | null> {
    return (await seat()?.ask(batch, limitMs)) ?? null;
  }

  async function eachAlone(batch: Batch): Promise<readonly Uint8Array[]> {
    const all: Uint8Array[] = [];
    let failures = 0;
    for (const single of singlesOf(batch)) {
      if (failures === MOST_FAILURES) break;
      const records = await ask(single);
      if (records !== null) all.push(records);
      else failures += 1;
    }
    return all;
  }

  return {
    atOnce: threads + AHEAD,
    start: () => void seat()?.start(limitMs),
    async digest(batch) {
      const records = await ask(batch);
      return records === null ? await eachAlone(batch) : [records];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(seats.map((seat) => seat[Symbol.asyncDispose]()));
    },
  };
}

interface Seat extends AsyncDisposable {
  /** Batches that are asked for and not answered; one more where the thread is not there. */
  readonly cost: number;
  /** Resolves when the thread is there, or does not start. */
  start(limitMs: number): Promise<void>;
  /** Null where the thread does not answer. */
  ask(batch: Batch, limitMs: number): Promise<Uint8Array | null>;
}

/** Room for one thread, which is there while it is needed. */
function createSeat({ script = SCRIPT, idleMs = IDLE_MS }: DigesterOptions): Seat {
  const open = () => new AskedThread<Batch, Told>({ script, closed: CLOSED });
  let thread = open();
  let waiting = 0;
  let isThere = false;
  let idle: NodeJS.Timeout | undefined;

  function leave(): void {
    void thread[Symbol.asyncDispose]();
    thread = open();
    isThere = false;
  }

  function rest(): void {
    clearTimeout(idle);
    if (waiting === 0) idle = setTimeout(leave, idleMs).unref();
  }

  return {
    get cost() {
      return isThere ? waiting : waiting + 1;
    },
    async start(limitMs) {
      isThere = true;
      // Nothing to do, but a thread to start for it.
      await thread.ask({ kind: 'commits', commits: [] }, limitMs).catch(() => null);
      rest();
    },
    async ask(batch, limitMs) {
      clearTimeout(idle);
      isThere = true;
      waiting += 1;
      try {
        const asked = await thread.ask(batch, limitMs);
        return asked.kind === 'answered' ? asked.answer.records : null;
      } finally {
        waiting -= 1;
        rest();
      }
    },
    async [Symbol.asyncDispose]() {
      await thread[Symbol.asyncDispose]();
      clearTimeout(idle);
    },
  };
}

function singlesOf(batch: Batch): readonly Batch[] {
  switch (batch.kind) {
    case 'blobs':
      return batch.blobs.map((blob) => ({
        kind: 'blobs',
        blobs: [{ ...blob, from: 0, to: blob.to - blob.from }],
        bytes: batch.bytes.slice(blob.from, blob.to),
      }));
    case 'commits':
      return batch.commits.map((commit) => ({ kind: 'commits', commits: [commit] }));
  }
}
