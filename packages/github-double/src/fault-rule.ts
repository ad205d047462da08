// Faults on demand, as tests ask for them: what goes wrong, where, and how often.

/** `before`: as if the request had never come. `after`: it was carried out, and only its answer is lost. */
type When = 'before' | 'after';

export type Fault =
  | { readonly kind: 'primary_limit'; readonly resetInSeconds: number }
  | { readonly kind: 'secondary_limit'; readonly status: 403 | 429; readonly retryAfter: number | null }
  /** Any answer, such as 502, 401, 404 or 451; without a body what GitHub says then. */
  | { readonly kind: 'answer'; readonly when: When; readonly status: number; readonly body?: unknown }
  | { readonly kind: 'html'; readonly when: When; readonly status: number }
  | { readonly kind: 'reset'; readonly when: When }
  | { readonly kind: 'hang'; readonly when: When }
  /** The real answer, a few bytes at a time. */
  | { readonly kind: 'drip'; readonly everyMilliseconds: number; readonly bytes: number }
  /** The real answer, cut in the middle, as a complete one. */
  | { readonly kind: 'half_json' }
  /** The real answer, changed on its way. */
  | { readonly kind: 'altered'; readonly alter: (answer: SentAnswer) => SentAnswer }
  /** No harm of its own: `act` is called when the work is done and before its answer goes out, or as soon as that has gone. */
  | { readonly kind: 'meanwhile'; readonly moment: Moment; readonly act: () => Promise<unknown> };

/** An answer as it goes out, with all of its headers. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Moment = 'carried_out' | 'answered';

export interface FaultRule {
  /** Default: any. */
  readonly method?: string;
  /** Of the path without the base path, with its query. */
  readonly path: RegExp;
  /** Of the body as text, such as the name of a GraphQL mutation. */
  readonly body?: RegExp;
  /** Matches that pass unharmed first; default 0. */
  readonly skip?: number;
  /** How often; default once. */
  readonly times?: number;
  readonly fault: Fault;
}
