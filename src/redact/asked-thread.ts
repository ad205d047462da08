// Owns a worker thread that answers questions: one at a time, started when needed, replaced when it dies or does not answer.
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { CausewayError } from '../core/errors.ts';
import { FairTurns } from './fair-turns.ts';

/** What the thread says once it is loaded. */
export const READY = 'ready';

/** A question as the thread gets it; its answer has the same number. */
export type Numbered<T extends object> = T & { readonly id: number };

/** Nobody can say (after so many milliseconds): the thread died, threw, or took too long. */
type Asked<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly ms: number };

export interface AskedThreadOptions {
  /** The file that the thread runs. It says READY, then answers each message with one that has its `id`. */
  readonly script: URL;
  /** What is said to whoever asks after disposal. */
  readonly closed: string;
}

const START_LIMIT_MS = 15_000;

/** A text of a few megabytes needs well below 100 MB; a thread that wants more is better replaced. */
const MEMORY_MB = 512;

/**
 * The thread. Questions wait for one another, turn by turn of those who ask; the time limit starts when a question's turn comes. It keeps the
 * process alive while it is asked something.
 */
export class AskedThread<Question extends object, Answer extends object> implements AsyncDisposable {
  readonly #options: AskedThreadOptions;
  #worker: Worker | null = null;
  readonly #turns = new FairTurns();
  #nextId = 0;
  #disposed = false;

  constructor(options: AskedThreadOptions) {
    this.#options = options;
  }

  /** The answer within `limitMs` milliseconds. `of` says whose question it is; one of nobody has its own turn. Never rejects but after disposal. */
  ask(question: Question, limitMs: number, of = ''): Promise<Asked<Answer>> {
    return this.#turns.take(of, () => {
      if (this.#disposed) throw new CausewayError('internal', this.#options.closed);
      return this.#ask({ ...question, id: this.#nextId++ }, limitMs);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#stop();
    await this.#turns.over();
  }

  async #ask(question: Numbered<Question>, limitMs: number): Promise<Asked<Answer>> {
    const startedAt = performance.now();
    const worker = await this.#started();
    const answer = worker && (await answerOf<Numbered<Answer>>(worker, question, limitMs));
    if (answer) {
      // One that is being ended stays: whoever waits for its end would wait in a process that has ended itself.
      if (this.#worker === worker) worker.unref();
      return { kind: 'answered', answer };
    }
    await this.#stop();
    return { kind: 'failed', ms: performance.now() - startedAt };
  }

  /** The running thread, or a new one that is ready (loading takes longer than most questions and is not their fault); null: it would not start. */
  async #started(): Promise<Worker | null> {
    this.#worker?.ref();
    if (this.#worker) return this.#worker;
    const worker = startWorker(this.#options.script);
    this.#worker = worker;
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    const ready = await firstMessage(worker, START_LIMIT_MS, (message) => message === READY);
    // What a thread said before it ended is heard right before its end: by then it may be gone.
    return ready === null || this.#worker !== worker ? null : worker;
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

async function answerOf<T extends { readonly id: number }>(
  worker: Worker,
  question: { readonly id: number },
  limitMs: number,
): Promise<T | null> {
  const answer = firstMessage(worker, limitMs, (message: T) => message.id === question.id);
  worker.postMessage(question);
  return await answer;
}

/** The first message that is wanted; null where the thread dies or takes longer. */
function firstMessage<T>(worker: Worker, limitMs: number, wanted: (message: T) => boolean): Promise<T | null> {
  return new Promise((resolve) => {
    const settle = (message: T | null): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onFailure).off('error', onFailure).off('messageerror', onFailure);
      resolve(message);
    };
    const onMessage = (message: T): void => {
      if (wanted(message)) settle(message);
    };
    const onFailure = (): void => settle(null);
    const timer = setTimeout(onFailure, limitMs);
    worker.on('message', onMessage).on('exit', onFailure).on('error', onFailure).on('messageerror', onFailure);
  });
}

/** No environment but where compiled code lies: the thread needs no more, and there is nothing in it to lose. */
function startWorker(script: URL): Worker {
  const worker = new Worker(script, {
    env: compiledCode(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  // Without a listener the death of an idle thread would be an uncaught exception.
  worker.on('error', () => undefined);
  return worker;
}

/** Threads do not share it of themselves; without it the start of one takes three times the processor time (170 ms, not 55). */
function compiledCode(): Readonly<Record<string, string>> {
  const ofThisNode = getCompileCacheDir();
  // Node is told the folder that holds one for each of its versions.
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(ofThisNode) };
}
