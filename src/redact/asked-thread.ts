// A worker thread that answers one question at a time: started when needed, replaced when it dies or does not answer in time.
import { Worker } from 'node:worker_threads';
import { CausewayError } from '../core/errors.ts';

/** The thread's first message, once its code is loaded. */
export const READY = 'ready';

/** A question as the thread receives it; its answer carries the same id. */
export type Numbered<T extends object> = T & { readonly id: number };

/** `failed`: the thread died, threw, or took longer than allowed; `ms` is how long that took. */
export type Reply<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly ms: number };

const START_LIMIT_MS = 15_000;
/** A text of a few megabytes needs well below 100 MB; a thread that wants more is better replaced. */
const MEMORY_MB = 512;

export interface AskedThreadOptions {
  readonly script: URL;
  /** The error of a question after disposal. */
  readonly closed: string;
}

/** Runs the file `script`, which posts READY and then answers each message with one of the same id. */
export class AskedThread<Question extends object, Answer extends object> implements AsyncDisposable {
  readonly #options: AskedThreadOptions;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 0;
  #isDisposed = false;

  constructor(options: AskedThreadOptions) {
    this.#options = options;
  }

  /** The answer within `limitMs`, counted from the moment the questions before it are answered. Rejects only after disposal. */
  ask(question: Question, limitMs: number): Promise<Reply<Answer>> {
    const answer = this.#last.then(() => {
      if (this.#isDisposed) throw new CausewayError('internal', this.#options.closed);
      return this.#post({ ...question, id: this.#nextId++ }, limitMs);
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#stop();
    await this.#last;
  }

  async #post(question: Numbered<Question>, limitMs: number): Promise<Reply<Answer>> {
    const startedAt = performance.now();
    const worker = await this.#start();
    const answer = worker && awaitMessage(worker, limitMs, (message: Numbered<Answer>) => message.id === question.id);
    worker?.postMessage(question);
    const answered = await answer;
    if (answered) {
      // An idle thread does not keep the process alive.
      if (this.#worker === worker) worker?.unref();
      return { kind: 'answered', answer: answered };
    }
    await this.#stop();
    return { kind: 'failed', ms: performance.now() - startedAt };
  }

  /** The running thread, or a new one that has loaded its code; null where it does not start. */
  async #start(): Promise<Worker | null> {
    this.#worker?.ref();
    if (this.#worker) return this.#worker;
    // No environment and no flags: the thread needs none, and there is nothing in it to leak.
    const worker = new Worker(this.#options.script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
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

/** The first message that is wanted; null where the thread dies or takes longer. */
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
