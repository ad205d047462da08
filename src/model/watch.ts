// The guard over one attempt: total deadline, idle deadline and size, none of which the client library keeps for streams.
import { type AttemptFailed, misbehaved, unavailable } from './fault.ts';

/** A streamed token takes about 250 bytes on the wire, so this is more than 128k tokens; 50 MB are refused. */
const MAX_ANSWER_BYTES = 40 * 1024 * 1024;
/** One event. The longest of honest answers, sent as one event, is far below; the library's parser has no limit of its own. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export class Watch implements Disposable {
  readonly #abort = new AbortController();
  readonly #idleMs: number;
  readonly #deadline: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #bytes = 0;
  #lineBytes = 0;
  #fault: AttemptFailed | null = null;

  constructor(limits: { readonly idleMs: number; readonly leftMs: number }) {
    this.#idleMs = limits.idleMs;
    this.#deadline = setTimeout(() => this.#end(this.#tooSlow()), limits.leftMs);
    this.#idle = setTimeout(() => this.#end(this.#silent()), limits.idleMs);
  }

  /** Aborts once a limit is passed; `fault` says which. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get fault(): AttemptFailed | null {
    return this.#fault;
  }

  /** The endpoint had begun to answer, and so to bill. */
  get hasBegun(): boolean {
    return this.#bytes > 0;
  }

  /** Counts a piece of the body. Any byte is a sign of life: endpoints send comments while a model thinks. Throws where it is too much. */
  saw(piece: Uint8Array): void {
    this.#idle.refresh();
    this.#bytes += piece.byteLength;
    const lineEnd = piece.lastIndexOf(10);
    this.#lineBytes = lineEnd < 0 ? this.#lineBytes + piece.byteLength : piece.byteLength - lineEnd - 1;
    if (this.#bytes <= MAX_ANSWER_BYTES && this.#lineBytes <= MAX_LINE_BYTES) return;
    const fault = misbehaved('Its answer was larger than any real one, and was cut off: choose another MODEL.', 1);
    this.#end(fault);
    throw fault;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.#abort.abort();
  }

  #end(fault: AttemptFailed): void {
    this.#fault ??= fault;
    this.#abort.abort();
  }

  #tooSlow(): AttemptFailed {
    return this.hasBegun
      ? misbehaved(
          'Its answer was not complete within the time given: choose a faster MODEL or raise MODEL_TIMEOUT_S.',
          0,
        )
      : unavailable('No answer came within the time given (MODEL_TIMEOUT_S).');
  }

  #silent(): AttemptFailed {
    const seconds = this.#idleMs / 1_000;
    return unavailable(
      this.hasBegun
        ? `Its answer stopped, and nothing more came for ${seconds} s (MODEL_IDLE_S).`
        : `It took the request and said nothing for ${seconds} s (MODEL_IDLE_S).`,
    );
  }
}
