// The reproduction steps that a report holds, never invented ones.
import type { Step } from '../core/issue.ts';
import { type MarkedLine, markCode } from './code-fences.ts';
import { plainLines } from './plain-text.ts';
import { sections } from './sections.ts';
import { withoutComments } from './statement.ts';

const HEADING =
  /\b(?:steps?(?: \w+){0,2} to (?:re-?produce|replicate|repeat|trigger)|how to (?:re-?produce|replicate|trigger)|to re-?produce|re-?produc(?:tion|ing|e)(?: steps?| case| example| code)?|repro(?: steps?)?|replication steps?|test case|minimal (?:working |reproducible )?example|mwe)\b/i;
const NOT_STEPS = /\b(?:expected|actual|link|url|rate|frequency|cannot|can't)\b/i;
const ITEM = /^ {0,3}(?:\d{1,2}[.)]|[-*+•])\s+(?=\S)/;
const MAX_STEPS = 30;
const MAX_STEP = 4_000;

/** The items of the list under a heading such as "Steps to reproduce", each with its code; without a list, its paragraphs. Empty where there is no such heading. */
export function reproductionSteps(text: string): readonly Step[] {
  const section = sections(plainLines(withoutComments(text))).find(
    ({ heading, lines }) =>
      HEADING.test(heading) && !NOT_STEPS.test(heading) && lines.some((line) => /[\p{L}\p{N}]/u.test(line)),
  );
  if (!section) return [];
  const lines = section.lines.filter((line) => !/^\s*[-*] \[[ xX]\]|^\s*_no response_\s*$/i.test(line));
  const blocks =
    lines.some(isNumbered) || lines.some((line) => ITEM.test(line)) ? listItems(lines) : wholeBlocks(lines);
  return blocks
    .map((block) => block.join('\n').trim())
    .filter((description) => /[\p{L}\p{N}]/u.test(description))
    .slice(0, MAX_STEPS)
    .map((description, index) => ({ stepNumber: index + 1, description: cut(description) }));
}

function isNumbered(line: string): boolean {
  return /^ {0,3}\d{1,2}[.)]\s+\S/.test(line);
}

/** Where a list is numbered, bullets are parts of its items. Prose above the first item and below the last is no step; code is. */
function listItems(lines: readonly string[]): readonly (readonly string[])[] {
  const starts = lines.some(isNumbered) ? isNumbered : (line: string) => ITEM.test(line);
  const marked = markCode(lines);
  const isItem = ({ text, kind }: MarkedLine) => kind === 'prose' && starts(text);
  const items: string[][] = [];
  for (const line of marked.slice(0, listEnd(marked, marked.findLastIndex(isItem)))) {
    if (isItem(line)) items.push([line.text.replace(ITEM, '')]);
    else if (items.length > 0) items.at(-1)?.push(line.text);
    else if (line.kind === 'fence') items.push([line.text]);
  }
  return items;
}

/** A list ends with the blank line after which prose begins at the margin again. */
function listEnd(lines: readonly MarkedLine[], lastItem: number): number {
  const end = lines.findIndex(
    ({ text, kind }, index) =>
      index > lastItem && kind === 'prose' && /^\S/.test(text) && lines[index - 1]?.text.trim() === '',
  );
  return end < 0 ? lines.length : end;
}

/** Paragraphs, each with the code that follows it. */
function wholeBlocks(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let open = false;
  for (const { text, kind } of markCode(lines)) {
    const isProse = kind === 'prose';
    const isBlank = isProse && text.trim() === '';
    if (!isBlank && (blocks.length === 0 || (isProse && !open))) blocks.push([text]);
    else if (!isBlank) blocks.at(-1)?.push(text);
    open = isProse && !isBlank;
  }
  return blocks;
}

function cut(text: string): string {
  return text.length <= MAX_STEP
    ? text
    : `${text.slice(0, MAX_STEP)}\n… cut: ${text.length - MAX_STEP} more characters`;
}
