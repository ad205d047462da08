// A worker thread that answers one request at a time: started when needed, replaced when it dies or does not answer in
// time.
import { Worker } from 'node:worker_threads';
import { type Numbered, READY } from './protocol.ts';

const START_LIMIT_MS = 15_000;
/** A text of a few megabytes needs well below 100 MB; a thread that wants more is better replaced. */
const MEMORY_MB = 512;

interface WorkerClientOptions {
  /** A module that calls `serveRequests`. */
  readonly script: URL;
  /** Message of the error after disposal. */
  readonly closed: string;
  /** A thread that wants more dies alone. */
  readonly memoryMb?: number;
}

/** What a request is rejected with after disposal. */
export class WorkerClosed extends Error {
  override readonly name = 'WorkerClosed';
  readonly code = 'worker_closed';
}

/**
 * One thread that runs `script`. Requests and answers are what `structuredClone` takes. They are answered one at a
 * time: a request made meanwhile waits for those before it.
 */
export class WorkerClient<Request extends object, Answer extends object> implements AsyncDisposable {
  readonly #script: URL;
  readonly #closed: string;
  readonly #memoryMb: number;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 0;
  #isDisposed = false;

  constructor({ script, closed, memoryMb = MEMORY_MB }: WorkerClientOptions) {
    this.#script = script;
    this.#closed = closed;
    this.#memoryMb = memoryMb;
  }

  /**
   * The answer within `limitMs`, counted from the moment the requests before it are answered; null where the thread
   * died, threw or took longer. Rejects only after disposal, with `WorkerClosed`.
   */
  ask(request: Request, limitMs: number): Promise<Answer | null> {
    const answer = this.#last.then(() => {
      if (this.#isDisposed) throw new WorkerClosed(this.#closed);
      return this.#post({ ...request, id: this.#nextId++ }, limitMs);
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#stop();
    await this.#last;
  }

  async #post(request: Numbered<Request>, limitMs: number): Promise<Answer | null> {
    const worker = await this.#start();
    const answer = worker && awaitMessage(worker, limitMs, (message: Numbered<Answer>) => message.id === request.id);
    worker?.postMessage(request);
    const answered = await answer;
    // An idle thread does not keep the process alive.
    if (answered && this.#worker === worker) worker?.unref();
    if (!answered) await this.#stop();
    return answered;
  }

  /** The running thread, or a new one that has loaded its code; null where it does not start. */
  async #start(): Promise<Worker | null> {
    this.#worker?.ref();
    if (this.#worker) return this.#worker;
    // No environment and no flags: the thread needs none, and there is nothing in it to leak.
    const worker = new Worker(this.#script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb },
    });
    this.#worker = worker;
    // Without a listener the death of an idle thread would be an uncaught exception.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    const ready = await awaitMessage(worker, START_LIMIT_MS, (message) => message === READY);
    // The last message of a thread arrives right before its exit.
    return ready === null || this.#worker !== worker ? null : worker;
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

/** The first message that `isWanted`; null where the thread dies or takes longer. */
function awaitMessage<T>(worker: Worker, limitMs: number, isWanted: (message: T) => boolean): Promise<T | null> {
  return new Promise((resolve) => {
    const settle = (message: T | null): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onFailure).off('error', onFailure).off('messageerror', onFailure);
      resolve(message);
    };
    const onMessage = (message: T): void => {
      if (isWanted(message)) settle(message);
    };
    const onFailure = (): void => settle(null);
    const timer = setTimeout(onFailure, limitMs);
    worker.on('message', onMessage).on('exit', onFailure).on('error', onFailure).on('messageerror', onFailure);
  });
}
