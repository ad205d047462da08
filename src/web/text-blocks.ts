// Text as blocks: paragraphs, lists, fenced code. What is none of these stays a paragraph, to the letter.
import { headingText } from '../core/markdown/heading-text.ts';

export type TextBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** `first`: number of the first item; null where they have none. */
  | { readonly kind: 'list'; readonly first: number | null; readonly items: readonly string[] };

const FENCE = /^\s{0,12}(`{3,}|~{3,})[^`]{0,100}$/;
const ITEM = /^\s{0,12}(?:[-*+]|(\d{1,4})[.)])\s+(\S.*)$/;

/** Of lines with LF between them. */
export function textBlocks(text: string): readonly TextBlock[] {
  const lines = text.split('\n');
  const blocks: TextBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1];
    if ((lines[at] ?? '').trim() === '') at += 1;
    else if (fence !== undefined) at = readCode(lines, { at, fence }, blocks);
    else if (ITEM.test(lines[at] ?? '')) at = readList(lines, at, blocks);
    else at = readParagraph(lines, at, blocks);
  }
  return blocks;
}

/** One that is never closed holds the rest. */
function readCode(
  lines: readonly string[],
  { at, fence }: { readonly at: number; readonly fence: string },
  blocks: TextBlock[],
): number {
  const closes = (line: string): boolean => {
    const bare = line.trim();
    return bare.length >= fence.length && bare === fence.charAt(0).repeat(bare.length);
  };
  const found = lines.slice(at + 1).findIndex(closes);
  const end = found === -1 ? lines.length : at + 1 + found;
  blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') });
  return end + 1;
}

/** Lines that are set in belong to the item before them. */
function readList(lines: readonly string[], from: number, blocks: TextBlock[]): number {
  const items: string[] = [];
  const number = ITEM.exec(lines[from] ?? '')?.[1];
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const item = ITEM.exec(line);
    const isOfThis = item !== null && (item[1] === undefined) === (number === undefined);
    if (isOfThis) items.push(item[2] ?? '');
    else if (item === null && /^\s+\S/.test(line) && !FENCE.test(line)) items.push(`${items.pop()}\n${line.trim()}`);
    else break;
  }
  blocks.push({ kind: 'list', first: number === undefined ? null : Number(number), items });
  return at;
}

function readParagraph(lines: readonly string[], from: number, blocks: TextBlock[]): number {
  const heading = headingText(lines[from] ?? '') ?? '';
  if (heading !== '') {
    blocks.push({ kind: 'paragraph', text: heading.includes('**') ? heading : `**${heading}**` });
    return from + 1;
  }
  let at = from;
  const isInside = (line: string) =>
    line.trim() !== '' && !FENCE.test(line) && !ITEM.test(line) && headingText(line) === null;
  while (at < lines.length && (at === from || isInside(lines[at] ?? ''))) at += 1;
  blocks.push({ kind: 'paragraph', text: lines.slice(from, at).join('\n') });
  return at;
}
