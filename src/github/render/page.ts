// Puts a comment together: what stands open, what is folded, the small last line; and cuts it in order where it is too long.

import { formatFence } from '../../core/markdown/github.ts';
import { truncate } from '../../core/text.ts';

/** `text` is Markdown that was made inert; `code` is still as it came. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** `left`: lines that were left out of it before. */
  | { readonly kind: 'code'; readonly info: string; readonly text: string; readonly left: number };

export interface Fold {
  /** Words of ours alone: they stand in HTML, where no Markdown is read. */
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export interface Page {
  /** The first one is the line that everybody reads. */
  readonly open: readonly Block[];
  readonly folds: readonly Fold[];
  /** Small; one line. */
  readonly footer: string;
  readonly marker: string;
  /** Characters; 60,000 unless told. Never less than half of that. */
  readonly most?: number;
  /** Characters of what stands open; 24,000 unless told, and never more than `most`. */
  readonly mostOpen?: number;
}

/** What GitHub takes is 65,536. */
export const MAX_PAGE = 60_000;
/** What is folded has at least the rest. */
const MAX_OPEN = 24_000;
/** Room for the words that say what was cut. */
const NOTE_ROOM = 120;
/** Fewer characters of a block than this are not worth showing. */
const LEAST_PART = 80;

export function text(markdown: string): Block {
  return { kind: 'text', text: markdown };
}

/** What no page can hold is not carried further: a diff may have megabytes. */
export function code(body: string, info = ''): Block {
  if (body.length <= MAX_PAGE) return { kind: 'code', info, text: body, left: 0 };
  const shown = truncate(body, MAX_PAGE);
  return { kind: 'code', info, text: `${shown}\n`, left: body.slice(shown.length).split('\n').length };
}

/** At most `most` characters: the largest folds are cut first, each says so. Empty blocks and folds are left out. */
export function renderPage({ open, folds, footer, marker, most = MAX_PAGE, mostOpen = MAX_OPEN }: Page): string {
  const head = fitBlocks(open, mostOpen);
  const tail = [footer === '' ? '' : `<sub>${footer}</sub>`, marker].filter((line) => line !== '').join('\n\n');
  const full = folds.filter(({ blocks }) => blocks.some(isFilled));
  const lengths = full.map((fold) => renderFold(fold, MAX_PAGE).length + 2);
  const limit = findEvenLimit(lengths, most - head.length - tail.length - 4);
  return [head, ...full.map((fold) => renderFold(fold, limit - 2)), tail].join('\n\n');
}

/** The largest length that all can be held to so that they fit together: only the longest ones are cut. */
function findEvenLimit(lengths: readonly number[], room: number): number {
  let left = room;
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

/** The blocks one after the other, at most `limit` characters. */
function fitBlocks(blocks: readonly Block[], limit: number): string {
  const filled = blocks.filter(isFilled);
  const whole = filled.map(renderBlock);
  const all = whole.join('\n\n');
  if (all.length <= limit && filled.every((block) => block.kind === 'text' || block.left === 0)) return all;
  const kept: string[] = [];
  let room = limit - NOTE_ROOM;
  for (const [index, block] of filled.entries()) {
    const length = (whole[index] ?? '').length + 2;
    if (length > room || (block.kind === 'code' && block.left > 0)) {
      const { part, note } = cutBlock(block, room - 2);
      const more = filled.length - index - 1;
      return [...kept, part, `*${[note, ...noteMore(more)].join('; ')}.*`].filter((each) => each !== '').join('\n\n');
    }
    kept.push(whole[index] ?? '');
    room -= length;
  }
  return kept.join('\n\n');
}

function noteMore(count: number): readonly string[] {
  return count === 0 ? [] : [`${count} more ${count === 1 ? 'part was' : 'parts were'} left out`];
}

/** Code is cut between its lines; text is shown whole or not at all. */
function cutBlock(block: Block, room: number): { readonly part: string; readonly note: string } {
  if (block.kind === 'text' || room < LEAST_PART) return { part: '', note: 'Cut here' };
  const lines = block.text.split('\n');
  let kept = countLinesWithin(lines, room);
  // The fence grows with the backticks inside, and a line that is too long gets a note.
  while (kept > 0 && formatFence(lines.slice(0, kept).join('\n'), block.info).length > room)
    kept = Math.floor(kept * 0.9);
  const [first = ''] = lines;
  const shown = kept === 0 ? truncate(first, Math.floor(room / 3)) : lines.slice(0, kept).join('\n');
  const left = lines.length - kept + block.left;
  return {
    part: formatFence(shown, block.info),
    note: `Cut here: ${left.toLocaleString('en')} more lines were left out`,
  };
}

function countLinesWithin(lines: readonly string[], room: number): number {
  let length = 0;
  const first = lines.findIndex((line) => {
    length += line.length + 1;
    return length > room;
  });
  return first === -1 ? lines.length : first;
}

function isFilled(block: Block): boolean {
  return block.text.trim() !== '';
}

function renderBlock(block: Block): string {
  return block.kind === 'text' ? block.text : formatFence(block.text, block.info);
}
