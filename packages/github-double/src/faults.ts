// Faults on demand: what goes wrong, where, and how often.
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './route.ts';

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

interface Armed extends FaultRule {
  left: number;
  toSkip: number;
}

export class FaultList {
  #rules: Armed[] = [];

  add(rule: FaultRule): void {
    this.#rules.push({ ...rule, left: rule.times ?? 1, toSkip: rule.skip ?? 0 });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault of this request, which uses it up; null: none. */
  take(request: { readonly method: string; readonly path: string; readonly body: string }): Fault | null {
    for (const rule of this.#rules) {
      if (!matches(rule, request) || rule.left <= 0) continue;
      if (rule.toSkip-- > 0) continue;
      rule.left -= 1;
      return rule.fault;
    }
    return null;
  }
}

function matches(
  rule: FaultRule,
  request: { readonly method: string; readonly path: string; readonly body: string },
): boolean {
  if (rule.method !== undefined && rule.method !== request.method) return false;
  return rule.path.test(request.path) && (rule.body === undefined || rule.body.test(request.body));
}

export function happensBefore(fault: Fault): boolean {
  if (fault.kind === 'primary_limit' || fault.kind === 'secondary_limit') return true;
  return 'when' in fault && fault.when === 'before';
}

const UNICORN =
  '<!DOCTYPE html><html><head><title>Unicorn! &middot; GitHub</title></head><body>No server is currently available.</body></html>';
const WORDS: Readonly<Record<number, string>> = {
  401: 'Bad credentials',
  404: 'Not Found',
  451: 'Repository access blocked',
  502: 'Server Error',
};

/** What GitHub answers instead; null where the fault is in the connection, or only in how the real answer arrives. */
export function faultAnswer(fault: Fault, now: Date, path: string): Answer | null {
  if (fault.kind === 'primary_limit')
    return primaryLimit(Math.ceil(now.getTime() / 1_000) + fault.resetInSeconds, path);
  if (fault.kind === 'secondary_limit') return secondaryLimit(fault);
  if (fault.kind === 'html') return { status: fault.status, body: UNICORN, headers: { 'content-type': 'text/html' } };
  if (fault.kind !== 'answer') return null;
  const message = WORDS[fault.status] ?? 'Refused';
  return { status: fault.status, body: fault.body ?? { message, documentation_url: 'https://docs.github.com/rest' } };
}

/** GraphQL says it with status 200. */
function primaryLimit(reset: number, path: string): Answer {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '5000', 'x-ratelimit-reset': String(reset) };
  if (path === '/graphql') {
    const message = 'API rate limit already exceeded for this installation.';
    return { status: 200, headers, body: { errors: [{ type: 'RATE_LIMITED', message }] } };
  }
  return {
    status: 403,
    headers,
    body: {
      message: 'API rate limit exceeded for installation.',
      documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api',
    },
  };
}

function secondaryLimit({ status, retryAfter }: Extract<Fault, { kind: 'secondary_limit' }>): Answer {
  return {
    status,
    headers: retryAfter === null ? {} : { 'retry-after': String(retryAfter) },
    body: {
      message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      documentation_url:
        'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
    },
  };
}

/** Sends a text a few bytes at a time, until somebody hangs up. */
export async function drip(
  response: ServerResponse,
  body: string,
  fault: Extract<Fault, { kind: 'drip' }>,
): Promise<void> {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length && !response.destroyed; at += fault.bytes) {
    response.write(bytes.subarray(at, at + fault.bytes));
    await wait(fault.everyMilliseconds, undefined, { ref: false });
  }
  response.end();
}
