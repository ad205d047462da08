// The text files that people attached to an issue, within 5 MiB and a deadline together.

import { formatLog } from 'causeway-ci-log';
import { readLimited } from '../../core/abortable.ts';
import type { GithubProject } from '../../core/project/index.ts';
import type { GatherDeps } from './gather-deps.ts';

interface AttachmentLink {
  readonly url: string;
  /** As its uploader named it. */
  readonly name: string;
  /** By its name; the content is checked as well. */
  readonly isText: boolean;
}

type AttachmentDeps = Pick<GatherDeps, 'clients' | 'webUrl' | 'userAgent' | 'fetch' | 'shortenLog'>;

const TOTAL_BYTES = 5 * 1024 * 1024;
/** Of each, so that one doesn't push the others out of the report. */
const SHOWN_BYTES = 256 * 1024;
const DEADLINE_MS = 20_000;
const MAX_FILES = 20;
const MAX_REDIRECTS = 3;

/** One part for each file, in the order of the links but logs last; for a file that isn't read, the reason. */
export async function readAttachments(
  deps: AttachmentDeps,
  project: GithubProject,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const parts: string[] = [];
  const logs: string[] = [];
  let left = TOTAL_BYTES;
  for (const attachment of findAttachments(texts.join('\n'), { webUrl: deps.webUrl, project })) {
    const { name } = attachment;
    try {
      const body = await openAttachment(deps, project, attachment, {
        left,
        signal: AbortSignal.any([signal, deadline]),
      });
      const { text, bytes, isCut } = await readAttachmentText(body, left);
      left -= bytes;
      const shown = await deps.shortenLog(encodeInChunks(text), SHOWN_BYTES, signal);
      const note = isCut ? '\n[The rest was not read]' : '';
      if (LOG_NAME.test(name)) logs.push(formatLog(name, `${shown}${note}`));
      else parts.push(`Attached file ${name}:\n\n${shown}${note}`);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof UnreadableFile ? error.message : "it couldn't be read";
      parts.push(`[Attached file ${name} was not read: ${deadline.aborted ? 'timed out' : reason}]`);
    }
  }
  return logs.length === 0 ? parts : [...parts, logs.join('\n')];
}

async function* encodeInChunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Files that programs write to, rather than people. */
const LOG_NAME = /\.(?:txt|log|out|err|trace|stacktrace|crash)$/i;

/** The message completes "was not read:". */
class UnreadableFile extends Error {}

const TEXT_NAME = new RegExp(
  `\\.(?:${[
    'txt|log|out|err|trace|stacktrace|md|markdown|rst|json|jsonl|ndjson|json5|ya?ml|toml|ini|cfg|conf|properties|env',
    'xml|html?|svg|csv|tsv|diff|patch|sql|sh|bash|ps1|bat|cmd|js|mjs|cjs|jsx|ts|tsx|py|rb|go|rs|java|kt|kts|swift',
    'c|h|cc|cpp|hpp|cs|php|pl|lua|ex|exs|erl|hs|scala|clj|dart|gradle|lock|mod|har|ips|crash',
  ].join('|')})$`,
  'i',
);
const LINK = /https?:\/\/[^\s<>()[\]{}"'`\\|^]+/gi;

/** Each once, in order. `webUrl`: GitHub's base address for people. */
export function findAttachments(
  text: string,
  { webUrl, project }: { readonly webUrl: string; readonly project: Pick<GithubProject, 'name'> },
): readonly AttachmentLink[] {
  const found = new Map<string, AttachmentLink>();
  for (const [link] of text.matchAll(LINK)) {
    const address = link.replace(/(?<![.,;:!?*_~])[.,;:!?*_~]+$/, '');
    const attachment = parseAttachment(address, webUrl, project.name);
    if (attachment !== null) found.set(attachment.url, attachment);
  }
  return [...found.values()].slice(0, MAX_FILES);
}

/** `…/user-attachments/files/1/name`, or older: `…/owner/name/files/1/name`, of this repository only. */
function parseAttachment(link: string, webUrl: string, repository: string): AttachmentLink | null {
  const url = URL.parse(link);
  const base = new URL(webUrl);
  if (url === null || url.origin !== base.origin || url.username !== '' || url.password !== '') return null;
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  if (!url.pathname.startsWith(`${prefix}/`)) return null;
  const [, place = '', name = ''] = /^\/(.+)\/files\/\d+\/([^/]+)$/.exec(url.pathname.slice(prefix.length)) ?? [];
  if (place !== 'user-attachments' && place.toLowerCase() !== repository.toLowerCase()) return null;
  if (!/^[\w.%+-]+$/.test(name)) return null;
  return { url: `${url.origin}${url.pathname}`, name: decodeName(name), isText: TEXT_NAME.test(name) };
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .slice(0, 100);
  } catch {
    return name.slice(0, 100);
  }
}

interface StorageAnswer {
  readonly status: number;
  /** Null where it isn't a redirect. */
  readonly location: string | null;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** A private repository's files need our token, which only GitHub's own host gets: storage hosts need none. */
async function openAttachment(
  deps: AttachmentDeps,
  project: GithubProject,
  { url, isText }: AttachmentLink,
  { left, signal }: { readonly left: number; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  if (!isText) throw new UnreadableFile("it isn't a text file");
  if (left <= 0) throw new UnreadableFile('the files before it have 5 MiB');
  let answer = project.source.isPrivate
    ? await requestWithToken(deps, project, url, signal)
    : await requestPublic(deps, url, signal);
  let address = url;
  for (let hop = 0; answer.location !== null; hop++) {
    await answer.body?.cancel();
    const next = URL.parse(answer.location, address);
    if (hop === MAX_REDIRECTS || next === null || !isStorage(next, deps.webUrl)) {
      throw new UnreadableFile('it is stored elsewhere');
    }
    address = next.href;
    answer = await requestPublic(deps, address, signal);
  }
  if (answer.status === 200 && answer.body !== null) return answer.body;
  await answer.body?.cancel();
  throw new UnreadableFile(`GitHub answered ${answer.status}`);
}

/** Where GitHub stores files, apart from its own host. */
const STORAGE = [
  /^(?:[a-z0-9-]+\.)*githubusercontent\.com$/,
  /^github-production-[a-z0-9-]+\.s3\.amazonaws\.com$/,
  /^github-cloud\.s3\.amazonaws\.com$/,
];

/** An Enterprise server stores files on its subdomains. */
function isStorage(url: URL, webUrl: string): boolean {
  if (url.username !== '' || url.password !== '') return false;
  const { protocol, hostname } = new URL(webUrl);
  if (url.protocol === protocol && `.${url.hostname}`.endsWith(`.${hostname}`)) return true;
  return url.protocol === 'https:' && url.port === '' && STORAGE.some((form) => form.test(url.hostname));
}

async function requestPublic({ fetch: get = fetch, userAgent }: AttachmentDeps, url: string, signal: AbortSignal) {
  const answer = await get(url, { headers: { 'user-agent': userAgent }, redirect: 'manual', signal });
  return toStorageAnswer(answer.status, answer.headers.get('location'), answer.body);
}

/** `url` was built by us on GitHub's own host. */
async function requestWithToken(
  { clients }: AttachmentDeps,
  { source }: GithubProject,
  url: string,
  signal: AbortSignal,
) {
  const { status, headers, data } = await clients.repository(source, 'read').call(
    (octokit, options) =>
      octokit.request(`GET ${url}`, {
        headers: { accept: '*/*' },
        request: { ...options, redirect: 'manual', parseSuccessResponseBody: false },
      }),
    signal,
  );
  return toStorageAnswer(status, headers.location ?? null, data instanceof ReadableStream ? data : null);
}

function toStorageAnswer(status: number, location: string | null, body: StorageAnswer['body']): StorageAnswer {
  return { status, location: [301, 302, 303, 307, 308].includes(status) ? location : null, body };
}

async function readAttachmentText(body: ReadableStream<Uint8Array>, limit: number) {
  const { bytes, isWhole } = await readLimited(body, limit);
  if (!isWhole) await body.cancel();
  const text = new TextDecoder().decode(bytes, { stream: !isWhole });
  // The name proves nothing: a file with NUL or many invalid characters isn't text.
  if (text.includes('\0') || (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 100) {
    throw new UnreadableFile("it isn't text");
  }
  return { text, bytes: bytes.length, isCut: !isWhole };
}
