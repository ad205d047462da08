// What GitHub finds in the text of a comment: people, issues and commits, which become links; not in code and not in links.
import { element, type HtmlNode, text } from './html-tree.ts';

export interface ReferenceGround {
  /** `owner/name`, which `#1` and commits belong to. */
  readonly repository: string;
  /** Without a slash at the end. */
  readonly webUrl: string;
  /** GitHub links only what exists; default: all of it, as a test of hostile text should fear. */
  readonly hasAccount?: (login: string) => boolean;
  readonly hasCommit?: (sha: string) => boolean;
}

export interface Found {
  readonly mentions: string[];
  /** Such as `octo/shop#1`. */
  readonly issues: string[];
  readonly commits: string[];
}

const NAME = '[a-z0-9][a-z0-9-]*(?:_[a-z0-9]+)?';
const REFERENCE = new RegExp(
  [
    `(?<![\\w@/.-])@(?<login>${NAME})(?<team>/[\\w.-]*\\w)?(?![\\w@]|\\.\\w)`,
    `(?<![\\w/.-])(?:(?<other>${NAME}/[\\w.-]+)#|(?:GH-|#))(?<issue>[1-9]\\d*)(?!\\w)`,
    `(?<![\\w/.@-])(?:(?<elsewhere>${NAME}/[\\w.-]+)@)?(?<commit>[0-9a-f]{7,40})(?![\\w@/-])`,
    ':(?<emoji>[a-z0-9_+-]+):',
  ].join('|'),
  'gi',
);
const OPAQUE = new Set(['a', 'code', 'pre', 'tt', 'kbd', 'samp']);
const EMOJI: Readonly<Record<string, string>> = {
  eyes: '👀',
  bug: '🐛',
  rocket: '🚀',
  tada: '🎉',
  warning: '⚠️',
  x: '❌',
  white_check_mark: '✅',
  heavy_check_mark: '✔️',
  hourglass: '⌛',
  hourglass_flowing_sand: '⏳',
  mag: '🔍',
  wrench: '🔧',
  bulb: '💡',
  memo: '📝',
  '+1': '👍',
  '-1': '👎',
  heart: '❤️',
  confused: '😕',
};

/** The same nodes with links; `found` is filled with what they lead to. */
export function linkReferences(nodes: readonly HtmlNode[], ground: ReferenceGround, found: Found): HtmlNode[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'text') return linkText(node.text, ground, found);
    if (OPAQUE.has(node.tag)) return [node];
    return [element(node.tag, node.attributes, linkReferences(node.children, ground, found))];
  });
}

function linkText(content: string, ground: ReferenceGround, found: Found): HtmlNode[] {
  const nodes: HtmlNode[] = [];
  let at = 0;
  for (const match of content.matchAll(REFERENCE)) {
    const link = linkOf(match, ground, found);
    if (link === null) continue;
    nodes.push(text(content.slice(at, match.index)), link);
    at = match.index + match[0].length;
  }
  nodes.push(text(content.slice(at)));
  return nodes.filter((node) => node.kind !== 'text' || node.text !== '');
}

function linkOf(match: RegExpExecArray, ground: ReferenceGround, found: Found): HtmlNode | null {
  const [whole] = match;
  const { login, team, other, issue, elsewhere, commit, emoji } = match.groups ?? {};
  if (emoji !== undefined) return EMOJI[emoji] === undefined ? null : text(EMOJI[emoji]);
  if (login !== undefined) {
    if (team === undefined && ground.hasAccount?.(login) === false) return null;
    found.mentions.push(`${login}${team ?? ''}`);
    const path = team === undefined ? login : `orgs/${login}/teams${team}`;
    return element('a', { class: 'user-mention', href: `${ground.webUrl}/${path}` }, [text(whole)]);
  }
  if (issue !== undefined) {
    const repository = other ?? ground.repository;
    found.issues.push(`${repository}#${issue}`);
    return element('a', { class: 'issue-link', href: `${ground.webUrl}/${repository}/issues/${issue}` }, [text(whole)]);
  }
  return commit === undefined ? null : linkCommit(commit, elsewhere, ground, found);
}

function linkCommit(
  sha: string,
  elsewhere: string | undefined,
  ground: ReferenceGround,
  found: Found,
): HtmlNode | null {
  const exists = ground.hasCommit?.(sha) ?? /^(?=.*\d)(?=.*[a-f])/.test(sha);
  if (sha !== sha.toLowerCase() || !exists) return null;
  found.commits.push(sha);
  const repository = elsewhere ?? ground.repository;
  const name = element('tt', {}, [text(sha.slice(0, 7))]);
  const before = elsewhere === undefined ? [] : [text(`${elsewhere}@`)];
  return element('a', { class: 'commit-link', href: `${ground.webUrl}/${repository}/commit/${sha}` }, [
    ...before,
    name,
  ]);
}

/** Words that may be names of commits, for looking up which of them exist. */
export function possibleCommits(source: string): readonly string[] {
  return [...new Set(source.match(/(?<![\w/.-])[0-9a-f]{7,40}(?![\w-])/g) ?? [])];
}
