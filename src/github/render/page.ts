// Assembles a Markdown text for GitHub from open blocks, folded blocks and a footer, and shortens it where it is too long.

import { formatFence } from 'causeway-safe-markdown';
import { truncate } from 'causeway-visible-text';

/** `text` is sanitised Markdown; `code` is still raw. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** `left`: lines that were dropped from it before. */
  | { readonly kind: 'code'; readonly info: string; readonly text: string; readonly left: number };

export interface Fold {
  /** Our own words only: Markdown isn't parsed inside a summary. */
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export interface MarkdownPage {
  readonly open: readonly Block[];
  readonly folds?: readonly Fold[];
  /** One line, shown small. */
  readonly footer?: string;
  /** Hidden last line that identifies the text as ours. */
  readonly marker?: string;
  /** Characters; 60,000 by default. */
  readonly most?: number;
  /** Characters of the open blocks; 24,000 by default. */
  readonly mostOpen?: number;
}

/** GitHub accepts 65,536 characters. */
export const MAX_PAGE = 60_000;
const MAX_OPEN = 24_000;
/** Space for the note that says what was cut. */
const NOTE_LENGTH = 120;
/** A shorter part of a code block isn't worth showing. */
const MIN_PART = 80;

export function text(markdown: string): Block {
  return { kind: 'text', text: markdown };
}

/** A diff can have megabytes: more than a page can hold is dropped here. */
export function code(body: string, info = ''): Block {
  if (body.length <= MAX_PAGE) return { kind: 'code', info, text: body, left: 0 };
  const shown = truncate(body, MAX_PAGE);
  return { kind: 'code', info, text: `${shown}\n`, left: countBodyLines(body.slice(shown.length)) };
}

/** The longest folds are shortened first, and each says so. Empty blocks and folds are omitted. */
export function renderMarkdownPage({
  open,
  folds = [],
  footer = '',
  marker = '',
  most = MAX_PAGE,
  mostOpen,
}: MarkdownPage): string {
  const head = fitBlocks(open, mostOpen ?? MAX_OPEN);
  const tail = [footer === '' ? '' : `<sub>${footer}</sub>`, marker].filter(Boolean).join('\n\n');
  const filled = folds.filter(({ blocks }) => blocks.some(hasText));
  const lengths = filled.map((fold) => renderFold(fold, MAX_PAGE).length + 2);
  const limit = findEvenLimit(lengths, most - head.length - tail.length - 4);
  return [head, ...filled.map((fold) => renderFold(fold, limit - 2)), tail].join('\n\n');
}

export function describeCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A bulleted list of at most `most` items, with the number of those that are not shown. "" for none. */
export function formatList(items: readonly string[], most: number): string {
  const more = items.length - most;
  const shown = items.slice(0, most).map((item) => `- ${item.trim() === '' ? '–' : item}`);
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** The largest length that all folds can be held to so that they fit together. */
function findEvenLimit(lengths: readonly number[], total: number): number {
  let left = total;
  const ascending = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return MAX_PAGE;
}

function renderFold({ summary, blocks }: Fold, limit: number): string {
  const before = `<details><summary>${summary}</summary>\n\n`;
  const after = '\n\n</details>';
  return `${before}${fitBlocks(blocks, limit - before.length - after.length)}${after}`;
}

function fitBlocks(blocks: readonly Block[], limit: number): string {
  const filled = blocks.filter(hasText);
  const rendered = filled.map(renderPageBlock);
  const all = rendered.join('\n\n');
  if (all.length <= limit && filled.every((block) => block.kind === 'text' || block.left === 0)) return all;
  const kept: string[] = [];
  let left = limit - NOTE_LENGTH;
  for (const [index, block] of filled.entries()) {
    const whole = rendered[index] ?? '';
    if (whole.length + 2 > left || (block.kind === 'code' && block.left > 0)) {
      const { part, note } = cutBlock(block, left - 2);
      const more = filled.length - index - 1;
      const notes = more === 0 ? note : `${note}; ${describeCount(more, 'more section')} not shown`;
      return [...kept, part, `*${notes}.*`].filter(Boolean).join('\n\n');
    }
    kept.push(whole);
    left -= whole.length + 2;
  }
  return kept.join('\n\n');
}

/** Code is cut between its lines; text is shown whole or not at all. */
function cutBlock(block: Block, limit: number): { readonly part: string; readonly note: string } {
  if (block.kind === 'text' || limit < MIN_PART) return { part: '', note: 'Truncated' };
  const lines = block.text.split('\n');
  let kept = countLinesWithin(lines, limit);
  // The fence grows with the backticks inside, and a line that is too long gets a note.
  while (kept > 0 && formatFence(lines.slice(0, kept).join('\n'), block.info).length > limit) {
    kept = Math.floor(kept * 0.9);
  }
  const shown = kept === 0 ? truncate(lines[0] ?? '', Math.floor(limit / 3)) : lines.slice(0, kept).join('\n');
  const left = lines.length - kept + block.left;
  return { part: formatFence(shown, block.info), note: `Truncated: ${describeCount(left, 'more line')} not shown` };
}

function countLinesWithin(lines: readonly string[], limit: number): number {
  let length = 0;
  const first = lines.findIndex((line) => {
    length += line.length + 1;
    return length > limit;
  });
  return first === -1 ? lines.length : first;
}

function countBodyLines(body: string): number {
  return body.split('\n').length;
}

function hasText(block: Block): boolean {
  return block.text.trim() !== '';
}

function renderPageBlock(block: Block): string {
  return block.kind === 'text' ? block.text : formatFence(block.text, block.info);
}
