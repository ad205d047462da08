// A comment as GitHub renders it: micromark's GFM, line breaks kept, HTML cut down to what is allowed, references linked.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

export interface Rendered {
  readonly html: string;
  /** What a reader sees, tags aside. */
  readonly text: string;
  /** Addresses of links that the author wrote, not those of references. */
  readonly links: readonly string[];
  readonly images: readonly string[];
  /** Logins and `organisation/team`, as they were written: all of these are notified. */
  readonly mentions: readonly string[];
  /** Such as `octo/shop#1`. */
  readonly issues: readonly string[];
  readonly commits: readonly string[];
}

export interface ReferenceGround {
  /** `owner/name`, which `#1` and commits belong to. */
  readonly repository: string;
  /** Without a slash at the end. */
  readonly webUrl: string;
}

const TAGS = new Set(
  `a abbr b blockquote br caption cite code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre
  q s samp section small source span strike strong sub summary sup table tbody td tfoot th thead tr tt ul var wbr`.split(
    /\s+/,
  ),
);
const VOID = new Set(['br', 'hr', 'img', 'input', 'source', 'wbr']);
/** Whatever stands in them goes with them. */
const DROPPED = new Set(['script', 'style', 'iframe', 'object', 'embed', 'svg', 'math', 'template', 'noscript']);
const ATTRIBUTES = new Set(
  'href src srcset alt media open start align title width height type checked disabled'.split(' '),
);
/** Elements in whose text an end of line is one; everywhere else it is layout of the source. */
const FLOWING = new Set(['p', 'li', 'td', 'th', 'em', 'strong', 'del']);
const INLINE = new Set(['a', 'b', 'code', 'del', 'em', 'i', 'img', 'kbd', 's', 'span', 'strong', 'sub', 'sup', 'tt']);
/** In these nothing is a reference. */
const OPAQUE = new Set(['a', 'code', 'pre', 'tt', 'kbd', 'samp']);
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*(?:>|$)|<(\/?)([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)(?:>|$)|<|[^<]+/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** The rendered comment and what is in it. The HTML is inert: it is written anew from allowed tags and attributes. */
export function renderMarkdown(source: string, ground: ReferenceGround): Rendered {
  const raw = micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  const found = { links: [], images: [], mentions: [], issues: [], commits: [] } satisfies FoundReferences;
  const [html, text, open]: [string[], string[], string[]] = [[], [], []];
  const tokens = [...raw.matchAll(TOKEN)].filter(([whole]) => !/^<[!?]/.test(whole));
  let dropped: string | null = null;
  for (const [at, [whole, slash, given, attributes = '']] of tokens.entries()) {
    const tag = given?.toLowerCase();
    if (dropped !== null) {
      if (slash === '/' && tag === dropped) dropped = null;
    } else if (tag === undefined) {
      const shown = linkText(decodeEntities(whole), groundWithin(open, ground), found);
      html.push(withBreaks(shown.html, open, [tokens[at - 1], tokens[at + 1]]));
      text.push(shown.text);
    } else if (slash === '/') {
      html.push(...closeFrom(open, open.lastIndexOf(tag)));
    } else if (DROPPED.has(tag)) {
      dropped = tag;
    } else if (TAGS.has(tag)) {
      html.push(`<${tag}${writeAttributes(tag, attributes, found)}>`);
      if (!VOID.has(tag)) open.push(tag);
    }
  }
  html.push(...closeFrom(open, 0));
  return { html: html.join(''), text: text.join(''), ...found };
}

/** The end tags of the elements from there on, which are open no more; none where `from` is -1. */
function closeFrom(open: string[], from: number): readonly string[] {
  const closed = from === -1 ? [] : open.splice(from);
  return closed.toReversed().map((one) => `</${one}>`);
}

type FoundReferences = Record<'links' | 'images' | 'mentions' | 'issues' | 'commits', string[]>;

function writeAttributes(tag: string, source: string, found: FoundReferences): string {
  const written = [...source.matchAll(ATTRIBUTE)]
    .map(([, name = '', double, single, bare]) => {
      const value = decodeEntities(double ?? single ?? bare ?? '');
      const isLanguage = tag === 'code' && name === 'class' && /^language-[\w+#.-]+$/.test(value);
      if (!ATTRIBUTES.has(name.toLowerCase()) && !isLanguage) return '';
      if (/^(?:href|src|srcset)$/i.test(name) && !isAllowedAddress(value)) return '';
      if (tag === 'a' && /^href$/i.test(name)) found.links.push(value);
      if (/^(?:src|srcset)$/i.test(name)) found.images.push(value);
      return ` ${name.toLowerCase()}="${escapeHtml(value)}"`;
    })
    .join('');
  if (tag !== 'input') return written;
  // A box of a task list has no label of its own; GitHub names its state.
  return `${written} aria-label="${/ checked=/.test(written) ? 'Completed task' : 'Incomplete task'}"`;
}

export function escapeHtml(content: string): string {
  return content.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Control characters and blanks, which browsers drop, hide no scheme. */
function isAllowedAddress(value: string): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, ''))?.[0];
  return scheme === undefined || ['http:', 'https:', 'mailto:'].includes(scheme.toLowerCase());
}

/** Null where nothing is a reference. */
function groundWithin(open: readonly string[], ground: ReferenceGround): ReferenceGround | null {
  return open.some((one) => OPAQUE.has(one)) ? null : ground;
}

type PatternMatch = RegExpExecArray | undefined;

/** In comments GitHub keeps the ends of lines. Those at a block's edge, or after a break, are layout of the source. */
function withBreaks(
  html: string,
  open: readonly string[],
  [before, after]: readonly [PatternMatch, PatternMatch],
): string {
  if (!FLOWING.has(open.at(-1) ?? '')) return html;
  const isEdge = (token: PatternMatch) => !INLINE.has(token?.[2]?.toLowerCase() ?? '');
  const begin = isEdge(before) ? (/^\n/.exec(html)?.[0] ?? '') : '';
  const end = isEdge(after) && html.length > begin.length ? (/\n$/.exec(html)?.[0] ?? '') : '';
  return begin + html.slice(begin.length, html.length - end.length).replaceAll('\n', '<br>\n') + end;
}

function decodeEntities(source: string): string {
  return source.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}

const NAME = '[a-z0-9][a-z0-9-]*(?:_[a-z0-9]+)?';
const REFERENCE = new RegExp(
  [
    `(?<![\\w@/.-])@(?<login>${NAME})(?<team>/[\\w.-]*\\w)?(?![\\w@]|\\.\\w)`,
    `(?<![\\w/.-])(?:(?<other>${NAME}/[\\w.-]+)#|(?:GH-|#))(?<issue>[1-9]\\d*)(?!\\w)`,
    `(?<![\\w/.@-])(?:(?<elsewhere>${NAME}/[\\w.-]+)@)?(?<commit>[0-9a-f]{7,40})(?![\\w@/-])`,
  ].join('|'),
  'gi',
);

interface ShownMarkdown {
  readonly html: string;
  readonly text: string;
}

/** A text with links for what it refers to; `ground` null: nothing in it is a reference. */
function linkText(content: string, ground: ReferenceGround | null, found: FoundReferences): ShownMarkdown {
  let [html, text, at] = ['', '', 0];
  for (const match of ground === null ? [] : content.matchAll(REFERENCE)) {
    const reference = ground === null ? null : readReference(match, ground, found);
    if (reference === null) continue;
    const before = content.slice(at, match.index);
    html += `${escapeHtml(before)}<a class="${reference.kind}" href="${escapeHtml(`${ground?.webUrl}/${reference.path}`)}">${escapeHtml(reference.text)}</a>`;
    text += before + reference.text;
    at = match.index + match[0].length;
  }
  const rest = content.slice(at);
  return { html: html + escapeHtml(rest), text: text + rest };
}

function readReference(
  match: RegExpExecArray,
  { repository }: ReferenceGround,
  found: FoundReferences,
): { readonly kind: string; readonly path: string; readonly text: string } | null {
  const { login, team = '', other = repository, issue, elsewhere, commit = '' } = match.groups ?? {};
  if (login !== undefined) {
    found.mentions.push(`${login}${team}`);
    return { kind: 'user-mention', path: team === '' ? login : `orgs/${login}/teams${team}`, text: match[0] };
  }
  if (issue !== undefined) {
    found.issues.push(`${other}#${issue}`);
    return { kind: 'reference', path: `${other}/issues/${issue}`, text: match[0] };
  }
  // What has no digit, or no letter, is rather a word or a number.
  if (commit !== commit.toLowerCase() || !/^(?=.*\d)(?=.*[a-f])/.test(commit)) return null;
  found.commits.push(commit);
  const before = elsewhere === undefined ? '' : `${elsewhere}@`;
  return { kind: 'reference', path: `${elsewhere ?? repository}/commit/${commit}`, text: before + commit.slice(0, 7) };
}
