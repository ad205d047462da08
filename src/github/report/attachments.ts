// The text files that people attached to an issue, within 5 MiB and a deadline together.

import { readLimited } from '../../core/abortable.ts';
import type { GithubProject } from '../../core/project.ts';
import { keepBeginning } from '../../core/text.ts';
import type { GatherDeps } from './gather-report.ts';

const TOGETHER_BYTES = 5 * 1024 * 1024;

/** Of each, so that one does not push the others out of the report. */
const SHOWN_BYTES = 256 * 1024;

const DEADLINE_MS = 20_000;

/** One part for each file, in the order of the links; of a file that is not read, why. */
export async function attachedTexts(
  deps: GatherDeps,
  project: GithubProject,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const parts: string[] = [];
  let left = TOGETHER_BYTES;
  for (const { url, name, isText } of findAttachments(texts.join('\n'), { webUrl: deps.webUrl, project })) {
    if (!isText || left <= 0) {
      parts.push(
        `[Attached file ${name} was not read: ${isText ? 'there were 5 MiB before it' : 'it is no text file'}]`,
      );
      continue;
    }
    const read = await readAttachment(deps, { project, url, limit: left }, { signal, deadline });
    if (read.kind === 'text') left -= read.bytes;
    parts.push(read.kind === 'text' ? shown(name, read) : `[Attached file ${name} was not read: ${read.reason}]`);
  }
  return parts;
}

function shown(name: string, { text, isCut }: { readonly text: string; readonly isCut: boolean }): string {
  const more = isCut ? '\n[What came after was not read]' : '';
  return `Attached file ${name}:\n\n${keepEnds(text, SHOWN_BYTES)}${more}`;
}

/** Beginning and end of a text, where logs say what was run and what became of it. */
function keepEnds(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const beginning = keepBeginning(text, Math.floor(bytes / 4)).replace(/\n\[\d+ bytes more were left out\]$/, '');
  const from = all.indexOf(0x0a, all.length - Math.floor((bytes * 3) / 4)) + 1 || all.length;
  const omitted = from - Buffer.byteLength(beginning);
  return `${beginning}\n[${omitted} bytes were left out here]\n${all.subarray(from).toString()}`;
}

interface Attachment {
  readonly url: string;
  /** As its uploader called it. */
  readonly name: string;
  /** By its name; what is in it is looked at again. */
  readonly isText: boolean;
}

const TEXT =
  /\.(?:txt|log|out|err|trace|stacktrace|md|markdown|rst|json|jsonl|ndjson|json5|ya?ml|toml|ini|cfg|conf|properties|env|xml|html?|svg|csv|tsv|diff|patch|sql|sh|bash|ps1|bat|cmd|js|mjs|cjs|jsx|ts|tsx|py|rb|go|rs|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|ex|exs|erl|hs|scala|clj|dart|gradle|lock|mod|har|ips|crash)$/i;

const LINK = /https?:\/\/[^\s<>()[\]{}"'`\\|^]+/gi;

const MOST = 20;

/** Each once, in order. `webUrl`: GitHub's base address for people. */
export function findAttachments(
  text: string,
  { webUrl, project }: { readonly webUrl: string; readonly project: Pick<GithubProject, 'name'> },
): readonly Attachment[] {
  const found = new Map<string, Attachment>();
  for (const [link] of text.matchAll(LINK)) {
    const attachment = attachmentOf(link.replace(/(?<![.,;:!?*_~])[.,;:!?*_~]+$/, ''), webUrl, project.name);
    if (attachment !== null) found.set(attachment.url, attachment);
  }
  return [...found.values()].slice(0, MOST);
}

/** `…/user-attachments/files/1/name`, or older: `…/owner/name/files/1/name`, of this repository only. */
function attachmentOf(link: string, webUrl: string, repository: string): Attachment | null {
  const url = URL.parse(link);
  const base = new URL(webUrl);
  if (url === null || url.origin !== base.origin || url.username !== '' || url.password !== '') return null;
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  if (!url.pathname.startsWith(`${prefix}/`)) return null;
  const [, place = '', name = ''] = /^\/(.+)\/files\/\d+\/([^/]+)$/.exec(url.pathname.slice(prefix.length)) ?? [];
  if (place !== 'user-attachments' && place.toLowerCase() !== repository.toLowerCase()) return null;
  if (!/^[\w.%+-]+$/.test(name)) return null;
  return { url: `${url.origin}${url.pathname}`, name: plain(name), isText: TEXT.test(name) };
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .slice(0, 100);
  } catch {
    return name.slice(0, 100);
  }
}

type AttachmentText =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number; readonly isCut: boolean }
  /** `reason` in words that fit in brackets. */
  | { readonly kind: 'unread'; readonly reason: string };

const MOST_REDIRECTS = 3;

/** Where GitHub keeps files, apart from its own host. */
const STORAGE = [
  /^(?:[a-z0-9-]+\.)*githubusercontent\.com$/,
  /^github-production-[a-z0-9-]+\.s3\.amazonaws\.com$/,
  /^github-cloud\.s3\.amazonaws\.com$/,
];

interface AttachmentPlace {
  readonly project: GithubProject;
  readonly url: string;
  /** Bytes that are read at most. */
  readonly limit: number;
}

type Deps = Pick<GatherDeps, 'clients' | 'webUrl' | 'userAgent' | 'fetch'>;

/** Never throws but for the caller's own signal: a file that cannot be read is said to be so. */
async function readAttachment(
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

/** Such a host gets no token: the address is the permission. An Enterprise server keeps files on subdomains. */
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
  const { bytes, isWhole } = await readLimited(body, limit);
  if (!isWhole) await body.cancel();
  const text = new TextDecoder().decode(bytes, { stream: !isWhole });
  // A name can say anything: NUL, or many characters that are none, are no text.
  if (text.includes('\0') || (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 100) {
    return { kind: 'unread', reason: 'it is not text' };
  }
  return { kind: 'text', text, bytes: bytes.length, isCut: !isWhole };
}
