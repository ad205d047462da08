// One question to GitHub while somebody signs in: bounded in time and size, no redirect followed, and nothing kept of the answer but its data.
import { CausewayError } from '../../core/errors.ts';
import { sendUnwatched, type WatchCall } from '../clients/github-clients.ts';

interface Question {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path as it is written down, such as `/user/installations`: nothing of what was put in. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
  /** Bytes of the answer that are read at most. */
  readonly maxBytes: number;
}

export type GithubAnswer =
  /** `data`: undefined where the body is no JSON. `link`: the header, "" for none. */
  | { readonly kind: 'answered'; readonly status: number; readonly data: unknown; readonly link: string }
  /** `why` in words that fit in brackets, none of them GitHub's. */
  | { readonly kind: 'unanswered'; readonly why: string };

export interface AskWays {
  readonly fetch: typeof fetch;
  /** Absent: nobody looks. */
  readonly watch?: WatchCall | undefined;
  /** The caller's own: its reason is thrown. */
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
}

/** Throws the signal's reason alone. */
export async function askGithub(
  question: Question,
  { fetch: get, watch = sendUnwatched, ...ways }: AskWays,
): Promise<GithubAnswer> {
  const { url, method, route, headers, body, maxBytes } = question;
  const signal = AbortSignal.any([ways.signal, ways.deadline]);
  try {
    // What is sent holds secrets: it goes to the configured address, and wherever that points on to is not asked.
    // The limits of the person's own token count for nobody else.
    const response = await watch({ route: `${method} ${route}`, holder: 'person' }, () =>
      get(url, { method, headers, body, redirect: 'manual', signal }),
    );
    const text = await textOf(response, maxBytes);
    if (text === null) return { kind: 'unanswered', why: `more than ${Math.round(maxBytes / 1024)} KiB` };
    return {
      kind: 'answered',
      status: response.status,
      data: parsed(text),
      link: response.headers.get('link') ?? '',
    };
  } catch (error) {
    ways.signal.throwIfAborted();
    return { kind: 'unanswered', why: ways.deadline.aborted ? 'not in time' : codeOf(error) };
  }
}

/** For an answer that is of no use. `variable` names where its address comes from; the cause stays unsaid, since it may quote. */
export function noUse(why: string, variable: 'GHE_HOST'): CausewayError {
  return new CausewayError(
    'github_failed',
    `GitHub gave no answer that can be used (${why}): begin to sign in again in a minute. If it stays so, the operator should check ${variable} and the proxy on the way.`,
  );
}

/** What is wrong with an answer that is not the one asked for, in words that fit in brackets. */
export function oddity(answer: GithubAnswer): string {
  if (answer.kind === 'unanswered') return answer.why;
  if (answer.status !== 200) return `status ${answer.status}`;
  return answer.data === undefined ? 'a page instead of data' : 'other data than was asked for';
}

/** Null where it is longer than `max` bytes. */
async function textOf({ body }: Response, max: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > max) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Such as ECONNRESET. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.cause instanceof Error) return codeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}
