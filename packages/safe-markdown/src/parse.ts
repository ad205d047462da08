// Markdown from people and models as one tree, for all surfaces: only what this file names has a meaning, everything
// else is text.
import type { BlockContent, Paragraph, PhrasingContent, Root, RootContent, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** Longer texts are one paragraph to the letter: a parser must not be made to work for long. */
const MAX_PARSED = 20_000;
/** Deeper lists are text: each level costs the parser another pass over its lines. */
const NESTED_TOO_DEEP = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+){7}|^[ \t]{60}[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/m;
/** What a surface could be made to load or to link. micromark reads a disabled construct as text. */
const AS_TEXT = [
  ...['htmlFlow', 'htmlText', 'autolink', 'definition', 'blockQuote', 'setextUnderline'],
  ...['characterEscape', 'characterReference', 'hardBreakEscape'],
  // Quadratic in micromark 4.0.3: 100,000 characters of `[` and `](x)` took minutes, 20,000 of `*_` 3.8 s. Both are
  // found below.
  ...['labelStartLink', 'labelStartImage', 'labelEnd', 'attention'],
];
const BLOCKS = ['headingAtx', 'list', 'codeFenced', 'codeIndented', 'thematicBreak'];
const LINK = /!?\[([^[\]]{0,300})\]\(<?([^()\s<>]{0,500})>?(?:\s+"[^"]{0,200}")?\)/g;
const AFTER_LINKED_CODE = /^\]\(([^()\s]{0,500})\)/;
const LEADS_AWAY = /:\/\/|^www\.|^mailto:/i;
/** `**` around words: neither `__init__` nor `2**3**4` nor a lone pair of stars. */
const BOLD_MARK =
  /(?<opens>(?<=^|[\s("'“])\*\*(?=[\p{L}\p{N}("'“[]|$))|(?<=^|[\p{L}\p{N})\]"'”.!?:%])\*\*(?=$|[\s.,;:!?)"'”])/gu;

/**
 * Blocks: paragraph, heading (`#`), list, listItem, code. Inline: text (with line feeds), strong, inlineCode. There are
 * no links, images, emphasis, quotations or HTML: a link is its words, with the address behind them where it leads away
 * from the repository.
 */
export function parseMarkdown(text: string): Root {
  if (text.length > MAX_PARSED || NESTED_TOO_DEEP.test(text)) {
    return { type: 'root', children: [{ type: 'paragraph', children: [toText(text)] }] };
  }
  const tree = fromMarkdown(text, { extensions: [{ disable: { null: AS_TEXT } }] });
  return { type: 'root', children: tree.children.flatMap(cleanBlock) };
}

/** The inline nodes of one paragraph, as `parseMarkdown` has them: a `#` or `-` at the start of a line is text. */
export function parseInline(text: string): PhrasingContent[] {
  if (text.length > MAX_PARSED) return [toText(text)];
  const tree = fromMarkdown(text, { extensions: [{ disable: { null: [...AS_TEXT, ...BLOCKS] } }] });
  const paragraphs = tree.children.filter((block): block is Paragraph => block.type === 'paragraph');
  return paragraphs.flatMap(({ children }, index) => [
    ...(index === 0 ? [] : [toText('\n')]),
    ...cleanInline(children),
  ]);
}

function toText(value: string): Text {
  return { type: 'text', value };
}

function cleanBlock(node: RootContent): BlockContent[] {
  switch (node.type) {
    case 'code':
      return [node];
    case 'heading':
    case 'paragraph':
      return [{ ...node, children: cleanInline(node.children) }];
    case 'list': {
      const items = node.children.map((item) => ({ ...item, children: item.children.flatMap(cleanBlock) }));
      return [{ ...node, children: items }];
    }
    default:
      // Rules say nothing, and the parser knows no other block.
      return [];
  }
}

/** Texts and code as the parser gives them, with links replaced by their words and bold found. */
function cleanInline(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const plain = nodes.map((node) => (node.type === 'break' ? toText('\n') : node));
  return mergeTexts(markBold(replaceLinks(plain)));
}

function mergeTexts(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const merged: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (node.type !== 'text' || last?.type !== 'text') merged.push(node);
    else merged[merged.length - 1] = toText(last.value + node.value);
  }
  return merged.filter((node) => node.type !== 'text' || node.value !== '');
}

/** For a link around code, such as [`cart`](url), the marks are in the texts on both sides. */
function replaceLinks(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const out = [...nodes];
  for (const [index, node] of nodes.entries()) {
    const before = out[index - 1];
    const after = out[index + 1];
    if (node.type !== 'inlineCode' || before?.type !== 'text' || after?.type !== 'text') continue;
    const link = AFTER_LINKED_CODE.exec(after.value);
    if (link === null || !before.value.endsWith('[')) continue;
    out[index - 1] = toText(before.value.replace(/!?\[$/, ''));
    out[index + 1] = toText(`${describeAddress(link[1] ?? '')}${after.value.slice(link[0].length)}`);
  }
  return out.map((node) =>
    node.type === 'text'
      ? toText(node.value.replace(LINK, (_, words: string, address: string) => `${words}${describeAddress(address)}`))
      : node,
  );
}

function describeAddress(address: string): string {
  return LEADS_AWAY.test(address) ? ` (${address})` : '';
}

/** A mark that opens and the next one that closes; what is between them may hold code. */
function markBold(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const out: PhrasingContent[] = [];
  let openedAt: number | null = null;
  for (const node of nodes) {
    if (node.type !== 'text') {
      out.push(node);
      continue;
    }
    let at = 0;
    for (const { 0: mark, index, groups } of node.value.matchAll(BOLD_MARK)) {
      const opens = groups?.opens !== undefined;
      if (opens !== (openedAt === null)) continue;
      out.push(toText(node.value.slice(at, index)));
      at = index + mark.length;
      if (openedAt === null) openedAt = out.push(toText(mark)) - 1;
      else {
        out.push({ type: 'strong', children: mergeTexts(out.splice(openedAt).slice(1)) });
        openedAt = null;
      }
    }
    out.push(toText(node.value.slice(at)));
  }
  return out;
}
