// Faults on demand: which request a fault strikes, and what is answered then.
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, FaultRule } from './fault-rule.ts';
import type { Answer } from './route.ts';

interface Armed extends FaultRule {
  left: number;
  toSkip: number;
}

const KINDS: Readonly<Record<Fault['kind'], true>> = {
  primary_limit: true,
  secondary_limit: true,
  answer: true,
  html: true,
  reset: true,
  hang: true,
  drip: true,
  half_json: true,
  altered: true,
  meanwhile: true,
};

export class FaultList {
  #rules: Armed[] = [];

  /** Throws for a kind that is none: tests without types would see no harm done, and pass. */
  add(rule: FaultRule): void {
    const { kind } = rule.fault;
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(`There is no fault "${kind}", only ${Object.keys(KINDS).join(', ')}.`);
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
