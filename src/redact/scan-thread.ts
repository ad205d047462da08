// The worker thread that looks for secrets, as the redactor asks it.
import { AskedThread, type Numbered } from './asked-thread.ts';
import type { Span } from './spans.ts';

interface Sought {
  readonly text: string;
  readonly exactValues: readonly string[];
}

/** How long to look, in milliseconds, and whose text it is ("": nobody's). */
interface ScanTerms {
  readonly limitMs: number;
  readonly of: string;
}

interface Found {
  readonly spans: readonly Span[];
}

export type ScanRequest = Numbered<Sought>;
export type ScanReply = Numbered<Found>;

/** Where the secrets are, or that nobody can say (after so many milliseconds). */
type Scan =
  | { readonly kind: 'scanned'; readonly spans: readonly Span[] }
  | { readonly kind: 'failed'; readonly ms: number };

const CLOSED = 'Redaction was closed; ask for it before shutting down.';

/** Texts wait for one another, in turns of those whom they belong to. */
export class ScanThread implements AsyncDisposable {
  readonly #thread: AskedThread<Sought, Found>;

  constructor(script: URL) {
    this.#thread = new AskedThread({ script, closed: CLOSED });
  }

  /** Looks for secrets in the text for at most `limitMs` milliseconds. Never rejects but after disposal. */
  async scan(text: string, exactValues: readonly string[], { limitMs, of }: ScanTerms): Promise<Scan> {
    const asked = await this.#thread.ask({ text, exactValues }, limitMs, of);
    return asked.kind === 'answered' ? { kind: 'scanned', spans: asked.answer.spans } : asked;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]();
  }
}
