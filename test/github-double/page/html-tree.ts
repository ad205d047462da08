// HTML as a tree: read leniently, with every tag closed, and written so that nothing in it can be more than it is.

export interface ElementNode {
  readonly kind: 'element';
  readonly tag: string;
  attributes: Readonly<Record<string, string>>;
  children: HtmlNode[];
}

export interface TextNode {
  readonly kind: 'text';
  readonly text: string;
}

export type HtmlNode = ElementNode | TextNode;

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*(?:>|$)|<(\/?)([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)(?:>|$)|<|[^<]+/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  rarr: '→',
  larr: '←',
  times: '×',
};
/** An opening one of these ends an open one of the same kind that is its sibling. */
const CLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  p: ['p'],
  li: ['li'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
};
const FENCES = new Set(['ul', 'ol', 'table', 'details', 'blockquote', 'div']);

export function element(tag: string, attributes: Readonly<Record<string, string>>, children: HtmlNode[]): ElementNode {
  return { kind: 'element', tag, attributes, children };
}

export function text(content: string): TextNode {
  return { kind: 'text', text: content };
}

/** Comments, processing instructions and document types are dropped; closing tags without an opening one too. */
export function parseHtml(html: string): HtmlNode[] {
  const root = element('', {}, []);
  const open: ElementNode[] = [root];
  const top = () => open.at(-1) ?? root;
  for (const [whole, slash, name, attributes = ''] of html.matchAll(TOKEN)) {
    if (name === undefined) {
      if (!/^<[!?]/.test(whole)) top().children.push(text(decodeEntities(whole)));
    } else if (slash === '/') {
      close(open, name.toLowerCase());
    } else {
      const made = element(name.toLowerCase(), readAttributes(attributes), []);
      closeSiblings(open, made.tag);
      top().children.push(made);
      if (!VOID.has(made.tag)) open.push(made);
    }
  }
  return root.children;
}

function close(open: ElementNode[], tag: string): void {
  const at = open.findLastIndex((one) => one.tag === tag);
  if (at > 0) open.length = at;
}

function closeSiblings(open: ElementNode[], tag: string): void {
  const ends = CLOSED_BY[tag] ?? [];
  const fence = open.findLastIndex((one) => FENCES.has(one.tag));
  const at = open.findIndex((one, index) => index > fence && ends.includes(one.tag));
  if (at > 0) open.length = at;
}

function readAttributes(source: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, name = '', double, single, bare] of source.matchAll(ATTRIBUTE)) {
    found[name.toLowerCase()] ??= decodeEntities(double ?? single ?? bare ?? '');
  }
  return found;
}

function decodeEntities(source: string): string {
  return source.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}

export function writeHtml(nodes: readonly HtmlNode[]): string {
  return nodes.map((node) => (node.kind === 'text' ? escapeHtml(node.text) : writeElement(node))).join('');
}

function writeElement({ tag, attributes, children }: ElementNode): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  const start = `<${tag}${written.join('')}>`;
  return VOID.has(tag) ? start : `${start}${writeHtml(children)}</${tag}>`;
}

export function escapeHtml(content: string): string {
  return content.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What a reader sees, without any tag. */
export function plainText(nodes: readonly HtmlNode[]): string {
  return nodes.map((node) => (node.kind === 'text' ? node.text : plainText(node.children))).join('');
}
