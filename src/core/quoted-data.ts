// Lines from outside in a text that a program may follow: indented below a heading of ours, so that they are code wherever it is pasted as Markdown.

import { removeInvisible, truncate } from 'causeway-visible-text';

/** Under the heading, each line from outside. */
export interface QuotedPart {
  readonly heading: string;
  readonly lines: readonly string[];
}

const MAX_LINE = 400;
/** Of what is cut into lines. */
const MAX_TEXT = 4_000;
/** Of one part, so that there is room for others. */
const MAX_LINES = 8;
const MAX_PART = 900;
const INDENT = '    ';
/** Of what counts the lines of a part, and of what is between parts. */
const COUNT_LENGTH = 30;

const CALM = '@ ';
const SPACED = '\nAt signs in them are followed by a space, so that nobody is mentioned.';
const LINE_END = /[\n\v\f\u0085\u2028\u2029]/;
/** Says nothing in a block without marks. */
const FENCE = /^\s*(?:`{3,}|~{3,})[\w#+.-]*$/;
/**
 * What could name somebody to GitHub, or a file to an agent; not within a path such as `packages/@octo/cart`, nor in an
 * address of mail.
 */
const MENTION = /(?<![\p{L}\p{N}_])(?<![\w.-]\/(?=@[\w.-]{1,100}\/))@(?=\S)/gu;

/** As they are quoted: no empty ones, none that mentions anybody. */
export function toDataLines(text: string): readonly string[] {
  return removeInvisible(text.slice(0, MAX_TEXT))
    .split(LINE_END)
    .filter((line) => line.trim() !== '' && !FENCE.test(line))
    .map((line) => {
      const calm = line.trimEnd().replace(MENTION, CALM);
      return calm.length > MAX_LINE ? `${truncate(calm, MAX_LINE - 1)}…` : calm;
    });
}

/** The parts that fit into so many characters, the first ones first. `note`: what is to be said of them above; "" for nothing. */
export function quoteParts(
  parts: readonly QuotedPart[],
  room: number,
): { readonly parts: readonly string[]; readonly note: string } {
  let left = room - SPACED.length;
  const fitted = parts.flatMap((part) => {
    const text = fitPart(part, left);
    left -= text.length + 2;
    return text === '' ? [] : [text];
  });
  return { parts: fitted, note: fitted.some((text) => text.includes(CALM)) ? SPACED : '' };
}

/** As many lines as `room` has; the heading counts them where they are not all. "" where there is room for none. */
function fitPart({ heading, lines }: QuotedPart, room: number): string {
  const shown: string[] = [];
  let left = Math.min(room, MAX_PART) - heading.length - COUNT_LENGTH;
  for (const line of lines.slice(0, MAX_LINES)) {
    left -= line.length + INDENT.length + 1;
    if (left < 0) break;
    shown.push(`${INDENT}${line}`);
  }
  if (shown.length === 0) return '';
  const count = shown.length < lines.length ? ` (${shown.length} of ${lines.length} lines)` : '';
  return `${heading}${count}:\n\n${shown.join('\n')}`;
}
