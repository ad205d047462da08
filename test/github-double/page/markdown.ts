// A comment as GitHub renders it: GitHub's Markdown, line breaks kept, HTML cut down to what is allowed, references linked.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { element, type HtmlNode, parseHtml, plainText, text, writeHtml } from './html-tree.ts';
import { linkReferences, type ReferenceGround } from './references.ts';
import { sanitise } from './sanitise.ts';

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

const ALERTS: Readonly<Record<string, string>> = {
  NOTE: 'Note',
  TIP: 'Tip',
  IMPORTANT: 'Important',
  WARNING: 'Warning',
  CAUTION: 'Caution',
};
/** Elements in whose text an end of line is one; everywhere else it is layout of the source. */
const FLOWING = new Set(['p', 'li', 'td', 'th', 'em', 'strong', 'del', 'a', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const BLOCKS = new Set(['br', 'p', 'ul', 'ol', 'pre', 'blockquote', 'table', 'div', 'details', 'input', 'hr']);

/** The rendered comment and what is in it. The HTML is inert: it is written anew from the allowed nodes alone. */
export function renderMarkdown(source: string, ground: ReferenceGround): Rendered {
  const raw = micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  const clean = decorate(sanitise(parseHtml(raw)), null);
  const links = collect(clean, 'a', 'href');
  const images = [...collect(clean, 'img', 'src'), ...collect(clean, 'source', 'srcset')];
  const found = { mentions: [], issues: [], commits: [] };
  const nodes = linkReferences(clean, ground, found);
  return { html: writeHtml(nodes), text: plainText(nodes), links, images, ...found };
}

function collect(nodes: readonly HtmlNode[], tag: string, attribute: string): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'text') return [];
    const own = node.tag === tag ? node.attributes[attribute] : undefined;
    return [...(own === undefined ? [] : [own]), ...collect(node.children, tag, attribute)];
  });
}

function decorate(nodes: readonly HtmlNode[], parent: string | null): HtmlNode[] {
  return nodes.flatMap((node, at) => {
    if (node.kind === 'text') {
      return parent !== null && FLOWING.has(parent) ? brokenLines(node.text, nodes[at - 1], nodes[at + 1]) : [node];
    }
    if (node.tag === 'pre') return [element('pre', node.attributes, node.children.map(colouredDiff))];
    if (node.tag === 'code') return [node];
    const made = element(node.tag, node.attributes, decorate(node.children, node.tag));
    if (node.tag === 'blockquote') return [alertOf(made.children) ?? made];
    return [node.tag === 'a' ? { ...made, attributes: { ...made.attributes, rel: 'nofollow' } } : made];
  });
}

/** In comments GitHub keeps the ends of lines. Those at a block's edge, or after a break, are layout of the source. */
function brokenLines(content: string, before: HtmlNode | undefined, after: HtmlNode | undefined): HtmlNode[] {
  const lines = content.split('\n');
  return lines.flatMap((line, at) => {
    if (at === 0) return [text(line)];
    const isFirst = at === 1 && lines[0] === '' && isBlockEdge(before);
    const isLast = at === lines.length - 1 && line === '' && isBlockEdge(after);
    return isFirst || isLast ? [text(`\n${line}`)] : [element('br', {}, []), text(`\n${line}`)];
  });
}

function isBlockEdge(node: HtmlNode | undefined): boolean {
  return node === undefined || (node.kind === 'element' && BLOCKS.has(node.tag));
}

/** `> [!NOTE]` alone on the first line of a quotation makes it a coloured box. */
function alertOf(children: readonly HtmlNode[]): HtmlNode | null {
  const at = children.findIndex((child) => child.kind === 'element');
  const first = children[at];
  const mark = first?.kind === 'element' && first.tag === 'p' ? first.children[0] : undefined;
  const kind = mark?.kind === 'text' ? /^\[!([A-Z]+)\]\s*$/.exec(mark.text)?.[1] : undefined;
  const title = ALERTS[kind ?? ''];
  if (first?.kind !== 'element' || kind === undefined || title === undefined) return null;
  const rest = first.children.slice(2);
  const heading = element('p', { class: 'alert-title' }, [text(title)]);
  const body = rest.length === 0 ? [] : [element('p', {}, rest)];
  return element('div', { class: `alert alert-${kind.toLowerCase()}` }, [heading, ...body, ...children.slice(at + 1)]);
}

/** GitHub colours the lines of a block that says it is a diff. */
function colouredDiff(node: HtmlNode): HtmlNode {
  if (node.kind === 'text' || node.attributes['class'] !== 'language-diff') return node;
  const lines = plainText(node.children).replace(/\n$/, '').split('\n');
  const coloured = lines.map((line) => {
    const kind = line.startsWith('@@') ? 'hunk' : { '+': 'added', '-': 'removed' }[line.slice(0, 1)];
    return kind === undefined ? text(`${line}\n`) : element('span', { class: `diff-${kind}` }, [text(`${line}\n`)]);
  });
  return element('code', node.attributes, coloured);
}
