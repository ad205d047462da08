// Reads one attached file: from GitHub, and from where GitHub stores it, with our token on the first way only.
import type { GithubProject } from '../../core/project.ts';
import type { GatherDeps } from './gather-deps.ts';

export type AttachmentText =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number; readonly isCut: boolean }
  /** `reason` in words that fit in brackets. */
  | { readonly kind: 'unread'; readonly reason: string };

const MOST_REDIRECTS = 3;

/** Where GitHub keeps files, besides its own host. */
const STORAGE = [
  /^(?:[a-z0-9-]+\.)*githubusercontent\.com$/,
  /^github-production-[a-z0-9-]+\.s3\.amazonaws\.com$/,
  /^github-cloud\.s3\.amazonaws\.com$/,
];

export interface AttachmentPlace {
  readonly project: GithubProject;
  readonly url: string;
  /** Bytes that are read at most. */
  readonly limit: number;
}

type Deps = Pick<GatherDeps, 'clients' | 'webUrl' | 'userAgent' | 'fetch'>;

/** Never throws but for the caller's own signal: a file that cannot be read is said to be so. */
export async function readAttachment(
  deps: Deps,
  place: AttachmentPlace,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: AbortSignal },
): Promise<AttachmentText> {
  try {
    const body = await open(deps, place, AbortSignal.any([signal, deadline]));
    return typeof body === 'string' ? { kind: 'unread', reason: body } : await textOf(body, place.limit);
  } catch {
    signal.throwIfAborted();
    return { kind: 'unread', reason: deadline.aborted ? 'it did not come in time' : 'it could not be read' };
  }
}

type Body = ReadableStream<Uint8Array>;

/** The bytes as they come, or why there are none. */
async function open(deps: Deps, { project, url }: AttachmentPlace, signal: AbortSignal): Promise<Body | string> {
  const first = project.source.isPrivate ? askWithToken : askAnyone;
  let answer = await first(deps, { project, url }, signal);
  let address = url;
  for (let hop = 0; answer.location !== null; hop++) {
    await answer.body?.cancel();
    const next = URL.parse(answer.location, address);
    if (hop === MOST_REDIRECTS || next === null || !isStorage(next, deps.webUrl)) return 'it is stored elsewhere';
    address = next.href;
    answer = await askAnyone(deps, { project, url: address }, signal);
  }
  if (answer.status === 200 && answer.body !== null) return answer.body;
  await answer.body?.cancel();
  return `GitHub answered ${answer.status}`;
}

/** Such a host is asked without a token; its address is itself the permission. An Enterprise server keeps files beside itself. */
function isStorage(url: URL, webUrl: string): boolean {
  if (url.username !== '' || url.password !== '') return false;
  const { protocol, hostname } = new URL(webUrl);
  if (url.protocol === protocol && `.${url.hostname}`.endsWith(`.${hostname}`)) return true;
  return url.protocol === 'https:' && url.port === '' && STORAGE.some((form) => form.test(url.hostname));
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly body: Body | null;
}

type Ask = (deps: Deps, place: Pick<AttachmentPlace, 'project' | 'url'>, signal: AbortSignal) => Promise<Answer>;

const askAnyone: Ask = async ({ fetch: get = fetch, userAgent }, { url }, signal) => {
  const answer = await get(url, { headers: { 'user-agent': userAgent }, redirect: 'manual', signal });
  const { status, headers, body } = answer;
  return { status, location: isRedirect(status) ? headers.get('location') : null, body };
};

/** `url` was built by us on GitHub's own host. */
const askWithToken: Ask = async ({ clients }, { project, url }, signal) => {
  const answer = await clients.repository(project.source, 'read').call(
    (octokit, options) =>
      octokit.request(`GET ${url}`, {
        headers: { accept: '*/*' },
        request: { ...options, redirect: 'manual', parseSuccessResponseBody: false },
      }),
    signal,
  );
  const { status, headers } = answer;
  const body = answer.data instanceof ReadableStream ? answer.data : null;
  return { status, location: isRedirect(status) ? (headers.location ?? null) : null, body };
};

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

async function textOf(body: Body, limit: number): Promise<AttachmentText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes >= limit) break;
  }
  const all = Buffer.concat(chunks).subarray(0, limit);
  const isCut = bytes >= limit;
  const text = new TextDecoder().decode(all, { stream: isCut });
  // A name can say anything: NUL, or many characters that are none, are no text.
  if (text.includes('\0') || (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 100) {
    return { kind: 'unread', reason: 'it is not text' };
  }
  return { kind: 'text', text, bytes: all.length, isCut };
}
