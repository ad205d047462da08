// How the problem is reproduced, what was expected and what happens instead, as a report says it: under a heading in any
// form, behind a label, or as code that runs by itself.

import { type MarkedLine, markCode } from 'causeway-log-lines';
import type { Step } from '../core/issue/index.ts';
import { classifyHeading, removeHtmlComments, splitSections, toPlainLines } from './report-text.ts';

const NOT_STEPS = /\b(?:expected|actual|link|url|rate|frequency|cannot|can't)\b/i;

const ITEM = /^ {0,3}(?:\d{1,2}[.)]|[-*+•])\s+(?=\S)/;

const MAX_STEPS = 30;

const MAX_STEP = 4_000;

/** Boxes to tick, and what people write into a form that asks for steps they don't have. */
const NOT_A_STEP =
  /^\s*[-*] \[[ xX]\]|^\s{0,9}(?:(?:\d{1,2}[.)]|[-*]) {1,3})?(?:_no response_|n\/?a|none|not applicable|see above)\.?\s{0,9}$/i;

/**
 * The items of the list under a heading such as "Steps to reproduce", each with its code; without a list, its
 * paragraphs; without such a heading, the code that a problem is shown with. Empty where there is neither.
 */
export function findReproductionSteps(text: string): readonly Step[] {
  const lines = toPlainLines(removeHtmlComments(text), 'verbatim');
  const blocks = findStepBlocks(lines);
  const found = blocks.length > 0 ? blocks : findExampleBlocks(lines);
  return found
    .slice(0, MAX_STEPS)
    .map((description, index) => ({ stepNumber: index + 1, description: cutStep(description) }));
}

/** Forms ask for the code under one heading and for what to do with it under the next. */
const MOST_SECTIONS = 3;

function findStepBlocks(lines: readonly string[]): readonly string[] {
  const found = splitSections(lines).filter(
    ({ heading, lines: below }) =>
      classifyHeading(heading) === 'steps' && !NOT_STEPS.test(heading) && below.some(isAnswer),
  );
  const marked = found.filter(({ isLabel }) => !isLabel);
  const chosen = (marked.length > 0 ? marked : found).slice(0, MOST_SECTIONS);
  return [...new Set(chosen.flatMap(readSection))];
}

function isAnswer(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !NOT_A_STEP.test(line);
}

function readSection({
  lines,
  isLabel,
}: {
  readonly lines: readonly string[];
  readonly isLabel: boolean;
}): readonly string[] {
  const kept = lines.filter((line) => !NOT_A_STEP.test(line));
  const hasItems = markCode(kept).some(({ text: line, kind }) => kind === 'prose' && ITEM.test(line));
  if (hasItems) return writeBlocks(readListItems(kept));
  const blocks = joinBlocks(kept);
  // A label reaches as far as the code that its paragraph introduces.
  const first = blocks.findIndex((block) => markCode(block).some(({ kind }) => kind === 'fence'));
  return writeBlocks(isLabel ? blocks.slice(0, first === 1 ? 2 : 1) : blocks);
}

function writeBlocks(blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks.map((block) => block.join('\n').trim()).filter((description) => /[\p{L}\p{N}]/u.test(description));
}

/** What is asked for, rather than told of: its code is a proposal. */
const WISH =
  /^[\W\d]{0,12}(?:\w{2,12}(?:\([\w/-]{1,30}\))?: ?)?(?:add|show|use|make|let|change|replace|move|switch|update|upgrade|bump|prefer|drop|avoid|ensure|support|allow|implement|provide|feature|proposal|request|enhancement|documentation?|docs?|rename|refactor|deprecate|remove|introduce|enable|improve|consider|expose|extend|option|ability|would be nice|please)\b|\bfeature request\b|\bsupport (?:for )?\w+$/i;

/** Code that a problem is shown with needs one that is told of. */
const TELLS_PROBLEM =
  /\b(?:bugs?|fail(?:s|ed|ure|ing)?|errors?|wrong(?:ly)?|incorrect(?:ly)?|broken|breaks?|crash(?:es|ed)?|panics?|exceptions?|regressions?|unexpected(?:ly)?|instead of|raises?|throws?|does(?:n['’]t| not) (?:work|return|respect|match|get|have)|not work(?:ing)?|expect(?:ed)?|should|fehler|erreur|falla)\b|错误|报错|エラー|오류/i;

/** The line above a block that says that it shows the problem. */
const SHOWS =
  /\b(?:example|reproduc\w*|repro|snippet|sample|following|consider|e\.g\.?|for instance|run(?:ning|s)?|ran|code|script|program|given|try(?:ing)?|this|here|beispiel|exemple|ejemplo|folgend\w*)\b.{0,80}[:：]\*{0,4}\s{0,20}$|(?:例|代码|コード)\S{0,20}[:：]?\s{0,20}$/i;

/** A whole program, test, page or session, that may be run as it is. */
const RUNS_BY_ITSELF =
  /^[ \t]{0,20}(?:>>> \S|In \[\d+\]:|(?:\$|❯|%) [a-z]|#include\b|import \S|from \S+ import\b|use [a-z_]\w*::|package main\b|fn main\(|fun main\(|func Test\w|def test_|#\[(?:tokio::)?test\]|@Test\b|public static void main|int main\(|(?:test|it|describe)\(|<script\b|<\?php|(?:const|var|let) .{1,60}= require\(|#!\/)/m;

/** Output, changes and settings show nothing by themselves. */
const NO_CODE =
  /^[ \t]{0,20}(?:Traceback \(most recent|at \S+ ?\(|```diff|diff --git|@@ -|[+-]{3} [ab]\/|thread '.{1,60}' panicked|(?:\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d)|System:|OS:|Binaries:|goroutine \d|stack backtrace|(?:npm )?ERR!|(?:error|warning)(?:\[\w+\])?: )/m;

const MOST_EXAMPLES = 3;

const MAX_EXAMPLE_LINES = 60;

/** Each with the line that introduces it. */
function findExampleBlocks(lines: readonly string[]): readonly string[] {
  const text = lines.slice(0, 400).join('\n');
  if (WISH.test(lines.find((line) => line.trim() !== '') ?? '') || !TELLS_PROBLEM.test(text)) return [];
  const kept = splitSections(lines)
    .filter(({ heading }) => !['expected', 'actual', 'environment'].includes(classifyHeading(heading)))
    .filter(({ heading }) => !NOT_SHOWN_UNDER.test(heading))
    .flatMap((section) => readExamples(section.lines));
  return [...new Set(kept)].slice(0, MOST_EXAMPLES);
}

const NOT_SHOWN_UNDER =
  /\b(?:solution|proposal|proposed|fix|workaround|alternative|logs?|output|stack ?trace|backtrace|config\w*|feature|screenshots?|describe the solution|suggest\w*)\b/i;

function readExamples(lines: readonly string[]): readonly string[] {
  const blocks = joinBlocks(lines);
  return blocks.flatMap((block) => {
    const marked = markCode(block);
    const from = marked.findIndex(({ kind }) => kind === 'fence');
    const start = from < 0 ? block.findIndex((line) => SESSION.test(line)) : from;
    const said = block.slice(0, Math.max(0, start));
    const code = from < 0 ? readSession(block, start) : block.slice(from, from + MAX_EXAMPLE_LINES);
    const text = code.join('\n');
    if (code.length === 0 || PROPOSES.test(said.join(' '))) return [];
    const above = said.findLast((line) => line.trim() !== '') ?? '';
    const isShown = RUNS_BY_ITSELF.test(text) || (from >= 0 && SHOWS.test(above) && !NO_CODE.test(text));
    if (!isShown || (NO_CODE.test(text) && !/^[ \t]{0,20}(?:>>> |In \[|\$ )/m.test(text))) return [];
    return [
      writeBlocks([[...(/[:：]\*{0,4}\s{0,20}$/.test(above) && from >= 0 ? [above.trim()] : []), ...code]]).join(''),
    ];
  });
}

const PROPOSES =
  /\b(?:would (?:like|be|love|prefer)|could (?:be|look)|propos\w+|suggest\w*|workaround|fix(?:ed)? (?:is|by|would)|solution|patch|instead (?:use|write)|should look|works? (?:fine|as expected|correctly)|instead|so that|no longer|following is correct|error|output|stack ?trace|traceback|logs?|prints?|result(?:s|ing)?|get|got|gives?|returns?|(?:I|you|we) see|becomes?|formatted|generates?|complains?|includes?|breaks)\b.{0,60}[:：]?\*{0,4}\s{0,20}$|\b(?:in|at|from)\s{1,3}[`"'(]{0,3}[\w./-]{1,100}\.(?:py|[cm]?[jt]sx?|rs|go|java|kt|cc?|cpp|h)\b/i;

const SESSION = /^\s*>>> \S/;

/** An interactive session of Python without a fence. */
function readSession(block: readonly string[], from: number): readonly string[] {
  return from < 0 ? [] : ['```', ...block.slice(from, from + MAX_EXAMPLE_LINES), '```'];
}

/** What a report says that should be, and what is; "" where it says neither. */
export interface Expectations {
  readonly expected: string;
  readonly actual: string;
}

const MAX_SAID = 400;

const EXPECTS =
  /\b(?:I|we)(?:['’]d| would| had| was|['’]m)? ?(?:have )?expect(?:ed|ing|s)?\b|\b(?:it|this|which) should (?:be|have|return|print|show|work|give|produce|output)\b/i;

/** The sentence of one who expects something. */
function readExpectingSentence(lines: readonly string[]): string {
  for (const { text, kind } of markCode(lines.slice(0, 400))) {
    const sentence = kind === 'prose' ? text.split(/[.!?](?=\s|$)/).find((one) => EXPECTS.test(one)) : undefined;
    if (sentence !== undefined) return sentence.trim();
  }
  return '';
}

/** Under headings, behind labels, or in a sentence of one who expects something. */
export function findExpectations(text: string): Expectations {
  const lines = toPlainLines(removeHtmlComments(text), 'verbatim');
  const sections = splitSections(lines);
  const read = (kind: 'expected' | 'actual'): string => {
    const found = sections.find(
      ({ heading, lines: below }) => classifyHeading(heading) === kind && below.some(isAnswer),
    );
    return (found?.lines.join('\n').trim() ?? '').slice(0, MAX_SAID);
  };
  return { expected: read('expected') || readExpectingSentence(lines).slice(0, MAX_SAID), actual: read('actual') };
}

function isNumbered(line: string): boolean {
  return /^ {0,3}\d{1,2}[.)]\s+\S/.test(line);
}

/**
 * Where a list is numbered, bullets are parts of its items. Prose above the first item and below the last is no step;
 * code is.
 */
function readListItems(lines: readonly string[]): readonly (readonly string[])[] {
  const marked = markCode(lines);
  const hasNumbers = marked.some(({ text, kind }) => kind === 'prose' && isNumbered(text));
  const starts = hasNumbers ? isNumbered : (line: string) => ITEM.test(line);
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
function joinBlocks(lines: readonly string[]): readonly (readonly string[])[] {
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

function cutStep(text: string): string {
  return text.length <= MAX_STEP
    ? text
    : `${text.slice(0, MAX_STEP)}\n… cut: ${text.length - MAX_STEP} more characters`;
}
