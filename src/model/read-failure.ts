// From what the client library throws to what it means and who can mend it. Nothing of the library's own errors goes on: they may hold the key.
import { APIConnectionError, APIError } from 'openai';
import type { Feature } from './dialect.ts';
import { errorText, quote } from './endpoint-words.ts';
import { AttemptFailed, type Fault, misbehaved, unavailable } from './fault.ts';
import { isFiltered, isOutOfCredit, isOverflow, unsupportedFeature } from './recognise.ts';
import { readRetryAfter } from './retry-after.ts';

export interface Asked {
  readonly model: string;
  readonly apiKey: string;
  readonly sent: ReadonlySet<Feature>;
  readonly now: Date;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/;

/** Statuses that pass by themselves: time-outs, conflicts of the moment, rate limits; and every 5xx. */
const TRANSIENT = new Set([408, 409, 425, 429]);

export function readFailure(error: unknown, asked: Asked): AttemptFailed {
  if (error instanceof AttemptFailed) return error;
  if (error instanceof APIConnectionError) return lostConnection(error.cause);
  if (error instanceof APIError) return new AttemptFailed(readRefusal(error, asked));
  if (error instanceof SyntaxError) return misbehaved('A part of its answer was invalid JSON: choose another MODEL.');
  return lostConnection(error);
}

function lostConnection(cause: unknown): AttemptFailed {
  const given = cause instanceof Error && 'code' in cause ? cause.code : null;
  const code = typeof given === 'string' ? given : 'no answer';
  if (CERTIFICATE.test(code)) {
    const repair = 'check OPENAI_BASE_URL, or name the authority in NODE_EXTRA_CA_CERTS';
    return new AttemptFailed({ kind: 'rejected', detail: `Its certificate is not trusted (${code}): ${repair}.` });
  }
  return unavailable(`The connection failed or was lost (${code}): check OPENAI_BASE_URL if it stays so.`);
}

function readRefusal(error: APIError, asked: Asked): Fault {
  const status = error.status ?? statusInStream(error.error);
  const text = errorText(error.error ?? error.message);
  const said = quote(text, asked.apiKey);
  if (status >= 300 && status < 400) return redirected(error.headers);
  if (status === 401 || status === 403) return keyRefused(status, asked);
  return readWords(text, said, asked) ?? readStatus({ status, said, asked, headers: error.headers });
}

/** Meaning that stands in the words, whatever the status: endpoints do not agree on statuses. */
function readWords(text: string, said: string, asked: Asked): Fault | null {
  if (isOverflow(text)) return { kind: 'overflow', detail: `The messages do not fit into the model's context.${said}` };
  if (isFiltered(text)) {
    return { kind: 'refused', detail: `Its content filter rejected the request: choose another MODEL.${said}` };
  }
  if (isOutOfCredit(text)) return outOfCredit(said);
  const feature = unsupportedFeature(text, asked.sent);
  return feature === null ? null : { kind: 'unsupported', feature, detail: `It does not take ${feature}.${said}` };
}

interface Refusal {
  readonly status: number;
  readonly said: string;
  readonly asked: Asked;
  readonly headers: Headers | undefined;
}

function readStatus({ status, said, asked, headers }: Refusal): Fault {
  if (TRANSIENT.has(status) || status >= 500) {
    const waitMs = headers === undefined ? null : readRetryAfter(headers, asked.now);
    const what = status === 429 ? 'It limits the rate of requests' : 'It failed on its own account';
    const isLimit = status === 429 || waitMs !== null;
    return { kind: 'unavailable', detail: `${what} (${status}).${said}`, waitMs, isLimit };
  }
  switch (status) {
    case 402:
      return outOfCredit(said);
    case 404:
      return rejected(
        `It knows no such address or model (404): check OPENAI_BASE_URL and MODEL (${asked.model}).${said}`,
      );
    case 413:
      return { kind: 'overflow', detail: `The request is too large for it (413).${said}` };
    default:
      return rejected(`It rejected the request (${status}): check MODEL (${asked.model}) and OPENAI_BASE_URL.${said}`);
  }
}

/** Its own words are not quoted: they tend to hold parts of the key. */
function keyRefused(status: 401 | 403, asked: Asked): Fault {
  return rejected(
    status === 401
      ? 'It does not accept the key (401): check OPENAI_API_KEY, and that it belongs to OPENAI_BASE_URL.'
      : `It does not let this key use the model (403): check OPENAI_API_KEY and MODEL (${asked.model}).`,
  );
}

function outOfCredit(said: string): Fault {
  return rejected(`The account of OPENAI_API_KEY has no credit left: top it up or change the key.${said}`);
}

/** A redirect would carry key and source text to an address that the operator did not name. */
function redirected(headers: Headers | undefined): Fault {
  const target = URL.parse(headers?.get('location') ?? '', 'http://same-host.invalid')?.host ?? 'same-host.invalid';
  const where = target === 'same-host.invalid' ? 'another path' : target;
  return rejected(`It redirects to ${where}, which is not followed: set OPENAI_BASE_URL to the final address.`);
}

function rejected(detail: string): Fault {
  return { kind: 'rejected', detail };
}

/** An error in the middle of a stream has no status; some put one into `code`. Else it is taken for the endpoint's own failure. */
function statusInStream(body: unknown): number {
  const code = typeof body === 'object' && body !== null && 'code' in body ? Number(body.code) : Number.NaN;
  return code >= 400 && code < 600 ? code : 500;
}
