// Which files were attached to a text: links to GitHub's own places for them, and to nowhere else.
import type { GithubProject } from '../../core/project.ts';

export interface Attachment {
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

/** `…/user-attachments/files/1/name`, or older: `…/owner/name/files/1/name`, of this repository alone. */
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
