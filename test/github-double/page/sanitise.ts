// What GitHub lets through of HTML in a comment: tags and attributes of a list, addresses of a few kinds, nothing that acts.
import { type ElementNode, element, type HtmlNode } from './html-tree.ts';

const TAGS = new Set(
  `a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd
  li mark ol p picture pre q rp rt ruby s samp small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul
  var wbr`.split(/\s+/),
);
/** Whatever stands in them goes with them. */
const DROPPED = new Set(['script', 'style', 'iframe', 'object', 'embed', 'svg', 'math', 'template', 'noscript']);
const ANYWHERE = new Set(['align', 'dir', 'height', 'lang', 'title', 'width']);
const OF_TAG: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  img: ['src', 'alt'],
  source: ['srcset', 'media'],
  details: ['open'],
  ol: ['start', 'reversed'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  time: ['datetime'],
  input: ['checked'],
};
const LINKS = new Set(['http:', 'https:', 'mailto:', 'xmpp:', 'irc:', 'ircs:']);

/** A tag that is not allowed leaves its content behind; of attributes only those of the list remain. */
export function sanitise(nodes: readonly HtmlNode[]): HtmlNode[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'text') return [node];
    if (DROPPED.has(node.tag)) return [];
    const children = sanitise(node.children);
    const isOther = node.tag === 'input' && node.attributes['type'] !== 'checkbox';
    if (!TAGS.has(node.tag) || isOther) return children;
    return [element(node.tag, keptAttributes(node), children)];
  });
}

function keptAttributes({ tag, attributes }: ElementNode): Record<string, string> {
  const own = OF_TAG[tag] ?? [];
  const kept = Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => (ANYWHERE.has(name) || own.includes(name)) && isHarmless(name, value),
    ),
  );
  if (tag === 'input') {
    const said = 'checked' in kept ? 'Completed task' : 'Incomplete task';
    return { type: 'checkbox', ...kept, disabled: '', 'aria-label': said };
  }
  const language = /^language-[\w+#.-]+$/.exec(attributes['class'] ?? '')?.[0];
  return tag === 'code' && language !== undefined ? { ...kept, class: language } : kept;
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'href') return isAllowedAddress(value, LINKS);
  if (name === 'src') return isAllowedAddress(value, new Set(['http:', 'https:']));
  if (name === 'srcset') return !/[a-z]+:/i.test(value.replace(/https?:/gi, ''));
  return true;
}

/** Relative ones stay below the page; control characters and blanks, which browsers drop, hide no scheme. */
function isAllowedAddress(value: string, schemes: ReadonlySet<string>): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, ''))?.[0];
  return scheme === undefined || schemes.has(scheme.toLowerCase());
}
