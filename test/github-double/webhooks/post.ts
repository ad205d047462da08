// One signed HTTP request to an App's webhook address, as GitHub makes it: no redirects, ten seconds, no second try.
import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { App } from '../state.ts';

export interface Letter {
  readonly guid: string;
  readonly event: string;
  /** The bytes that are signed and sent. */
  readonly body: string;
}

export interface Outcome {
  readonly status: string;
  readonly statusCode: number;
  /** Seconds. */
  readonly duration: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TIME_LIMIT_MS = 10_000;
const LONGEST_ANSWER = 64 * 1024;

/** Of an App: what its deliveries are signed with. */
export type Signing = Pick<App, 'id' | 'webhookSecret'>;

export function signedHeaders(app: Signing, { guid, event, body }: Letter): Readonly<Record<string, string>> {
  const hash = (algorithm: string) => createHmac(algorithm, app.webhookSecret).update(body).digest('hex');
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/0d0ub1e',
    'x-github-delivery': guid,
    'x-github-event': event,
    'x-github-hook-id': String(app.id * 1000 + 1),
    'x-github-hook-installation-target-id': String(app.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature': `sha1=${hash('sha1')}`,
    'x-hub-signature-256': `sha256=${hash('sha256')}`,
  };
}

/** Never rejects: what went wrong is the outcome. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  stop: AbortSignal,
): Promise<Outcome> {
  const started = performance.now();
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const seconds = () => Math.round((performance.now() - started) / 10) / 100;
  try {
    const answer = await exchange(url, headers, body, AbortSignal.any([limit, stop]));
    const status =
      answer.statusCode >= 200 && answer.statusCode < 300 ? 'OK' : `Invalid HTTP Response: ${answer.statusCode}`;
    return { ...answer, status, duration: seconds() };
  } catch {
    return limit.aborted
      ? unreached('timed out', 504, seconds())
      : unreached('failed to connect to host', 502, seconds());
  }
}

export function unreached(status: string, statusCode: number, duration: number): Outcome {
  return { status, statusCode, duration, headers: {}, body: '' };
}

/** By node:http and not fetch: a proxy that is set for the machine has nothing to do with loopback. */
function exchange(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Pick<Outcome, 'statusCode' | 'headers' | 'body'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Outcome, 'statusCode' | 'headers' | 'body'>>();
  const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  const request = send(
    url,
    { method: 'POST', agent: false, signal, headers: { ...headers, 'content-length': bytes.length } },
    (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, LONGEST_ANSWER);
      });
      response.on('error', reject);
      response.on('end', () => {
        const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ statusCode: response.statusCode ?? 0, headers: Object.fromEntries(named), body: text });
      });
    },
  );
  request.on('error', reject);
  request.end(bytes);
  return promise;
}
