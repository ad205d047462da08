// Owns the worker thread that looks for secrets: one at a time, started when needed, replaced when it dies or does not answer.
import { Worker } from 'node:worker_threads';
import { CausewayError } from '../domain/errors.ts';
import type { Span } from './spans.ts';

export interface ScanRequest {
  readonly id: number;
  readonly text: string;
  readonly exactValues: readonly string[];
}

export interface ScanReply {
  readonly id: number;
  readonly spans: readonly Span[];
}

/** Where the secrets are, or that nobody can say (after so many milliseconds): the thread died, threw, or took too long. */
type Scan =
  | { readonly kind: 'scanned'; readonly spans: readonly Span[] }
  | { readonly kind: 'failed'; readonly ms: number };

/** What the thread says once its rules are loaded. */
export const READY = 'ready';
const START_LIMIT_MS = 15_000;

/** A text of a few megabytes needs well below 100 MB; a thread that wants more is better replaced. */
const MEMORY_MB = 512;

/** The thread. Texts wait for one another; the time limit starts when a text's turn comes. */
export class ScanThread implements AsyncDisposable {
  readonly #script: URL;
  #worker: Worker | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #nextId = 0;
  #disposed = false;

  constructor(script: URL) {
    this.#script = script;
  }

  /** Looks for secrets in the text for at most `limitMs` milliseconds. Never rejects but after disposal. */
  scan(text: string, exactValues: readonly string[], limitMs: number): Promise<Scan> {
    const scan = this.#turn.then(() => {
      if (this.#disposed) throw new CausewayError('internal', 'Redaction was closed; ask for it before shutting down.');
      return this.#ask({ id: this.#nextId++, text, exactValues }, limitMs);
    });
    this.#turn = scan.catch(() => undefined);
    return scan;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#stop();
    await this.#turn;
  }

  async #ask(request: ScanRequest, limitMs: number): Promise<Scan> {
    const startedAt = performance.now();
    const worker = await this.#started();
    const spans = worker && (await answerOf(worker, request, limitMs));
    if (spans) return { kind: 'scanned', spans };
    await this.#stop();
    return { kind: 'failed', ms: performance.now() - startedAt };
  }

  /** The running thread, or a new one that is ready (loading rules takes longer than most texts and is not the text's fault); null: it would not start. */
  async #started(): Promise<Worker | null> {
    if (this.#worker) return this.#worker;
    const worker = startWorker(this.#script);
    this.#worker = worker;
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    const ready = await firstMessage(worker, START_LIMIT_MS, (message) => message === READY);
    return ready === null ? null : worker;
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

async function answerOf(worker: Worker, request: ScanRequest, limitMs: number): Promise<readonly Span[] | null> {
  const answer = firstMessage(worker, limitMs, (message: ScanReply) => message.id === request.id);
  worker.postMessage(request);
  return (await answer)?.spans ?? null;
}

/** The first message that is wanted; null where the thread dies or takes longer. Only meanwhile does the thread keep the process alive. */
function firstMessage<T>(worker: Worker, limitMs: number, wanted: (message: T) => boolean): Promise<T | null> {
  worker.ref();
  return new Promise((resolve) => {
    const settle = (message: T | null): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onFailure).off('error', onFailure).off('messageerror', onFailure);
      worker.unref();
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

/** No environment: the thread needs none, and there is nothing in it to lose. */
function startWorker(script: URL): Worker {
  const worker = new Worker(script, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  // Without a listener the death of an idle thread would be an uncaught exception.
  worker.on('error', () => undefined);
  return worker;
}
