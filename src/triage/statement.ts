// The statement of the problem: the title, the first meaningful sentences and the errors, without boilerplate and logs.
import { type MarkedLine, markCode } from './code-fences.ts';
import { isLogLine, plainLines } from './plain-text.ts';
import { sections } from './sections.ts';
import { MAX_TITLE, type Signals } from './signals.ts';

const MAX_STATEMENT = 2_000;
const MAX_PROSE = 1_200;
const MAX_ERRORS = 3;
/** Longer blocks are logs or whole programs, not a statement. */
const MAX_CODE_LINES = 12;
/** Headings of templates whose content is not the problem. */
const ASIDE =
  /^(?:steps? |how )?to reproduce|^reproduc|^(?:system |your )?(?:info|environment|versions?)|^(?:pre-?flight )?checklist|^(?:full )?logs?\b|^additional (?:context|info)|^screenshots?|^(?:before|make sure|please|validations?)\b|^severity|^possible (?:fix|solution)|^workaround|^output of|^configuration|\bversions?$/i;
const BOILERPLATE =
  /^\s*[-*] \[[ xX]\]|^\s*_?no response_?\s*$|^\s*(?:thanks|thank you|cheers|hi|hello|hey|best regards)\b[^.]{0,60}$|^\s*(?:---+|===+|___+|\*\*\*+)\s*$|^\s*--- Log: .{1,300} ---\s*$|^\s*!\[[^\]]*\]\([^)]*\)\s*$|^\s*<summary>.{0,200}<\/summary>\s*$|^\s*<\/?(?:details|summary|img|br|p|div|sub|sup)[^>]*>\s*$/i;

/** At most 2,000 characters; never empty for a text that is not only white space. */
export function problemStatement(text: string, signals: Pick<Signals, 'title' | 'errors'>): string {
  const prose = problemProse(text, signals.title);
  const title = opensWith(prose, signals.title) ? '' : signals.title;
  const said = `${title}\n${prose}`;
  const errors = signals.errors
    .map(({ type, message }) => [type, message].filter((part) => part !== '').join(': '))
    .filter((error) => !said.includes(error))
    .slice(0, MAX_ERRORS);
  const parts = [title, prose, ...errors].filter((part) => part !== '');
  const statement = parts.join('\n\n') || text.trim();
  return statement.length <= MAX_STATEMENT ? statement : `${cutAtWord(statement, MAX_STATEMENT - 2)} …`;
}

/** Whole paragraphs up to 1,200 characters; the first one is cut where it alone is longer. */
function problemProse(text: string, title: string): string {
  const all = sections(plainLines(withoutComments(text)))
    .filter(({ heading }) => !ASIDE.test(heading))
    .flatMap(({ lines }) => paragraphs(lines))
    .map((paragraph) => withoutTitle(paragraph, title))
    .filter((paragraph) => paragraph !== '');
  const kept: string[] = [];
  let length = 0;
  for (const paragraph of all) {
    const cut = paragraph.length > MAX_PROSE ? `${cutAtWord(paragraph, MAX_PROSE)} …` : paragraph;
    length += cut.length;
    if (length > MAX_PROSE && kept.length > 0) break;
    kept.push(cut);
  }
  return kept.join('\n\n');
}

/** The paragraph without its first line or sentence, where that is the title over again. */
function withoutTitle(paragraph: string, title: string): string {
  const [first = '', ...rest] = paragraph.split('\n');
  const bare = first.replace(/^#{1,6}\s*/, '').trim();
  if (title === '' || bare === '') return paragraph;
  if (isSame(bare, title) || title.startsWith(bare)) return rest.join('\n').trim();
  const sentence = /^.+?[.!?…](?=\s)/.exec(bare)?.[0] ?? '';
  return isSame(sentence, title) ? [bare.slice(sentence.length).trim(), ...rest].join('\n') : paragraph;
}

/** Whether the text begins with the title and goes on from there, so that the title alone says nothing more. */
function opensWith(text: string, title: string): boolean {
  return (
    title !== '' &&
    spoken(text.slice(0, title.length * 2)).startsWith(spoken(title) + (title.length < MAX_TITLE ? ' ' : ''))
  );
}

function isSame(left: string, right: string): boolean {
  return spoken(left) === spoken(right);
}

/** The words alone: marks, quotes and capitals differ between a title and its repetition. */
function spoken(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Paragraphs of prose and short snippets of code; log lines, checklists, long blocks and questions without an answer are left out. */
function paragraphs(lines: readonly string[]): readonly string[] {
  const blocks = blocksOf(lines).filter((block) => block.length > 0);
  const isKept = (block: readonly MarkedLine[]): boolean =>
    block[0]?.kind === 'prose' || block.length <= MAX_CODE_LINES;
  return blocks
    .filter((block, index) => {
      const next = blocks[index + 1];
      const isAnswered = !isQuestion(block) || !next || (isKept(next) && !isQuestion(next));
      return isKept(block) && isAnswered;
    })
    .map((block) =>
      block
        .map(({ text }) => text.trimEnd())
        .join('\n')
        .trim(),
    )
    .filter((block) => block !== '');
}

function blocksOf(lines: readonly string[]): readonly (readonly MarkedLine[])[] {
  const blocks: MarkedLine[][] = [[]];
  for (const line of markCode(lines)) {
    const last = blocks.at(-1) ?? [];
    const isCode = line.kind !== 'prose';
    if (!isCode && line.text.trim() === '') blocks.push([]);
    else if (last.length > 0 && isCode !== (last[0]?.kind !== 'prose')) blocks.push([line]);
    else if (isCode || !isNoise(line.text)) last.push(line);
  }
  return blocks;
}

/** A template's question, alone in its paragraph: `- What went wrong?`. */
function isQuestion(block: readonly MarkedLine[]): boolean {
  const [only] = block;
  return (
    block.length === 1 &&
    only?.kind === 'prose' &&
    /^\s*(?:[-*+]\s|\d{1,2}[.)]\s|\*\*).{3,160}[?:]\**\s*$/.test(only.text)
  );
}

function isNoise(line: string): boolean {
  return BOILERPLATE.test(line) || isLogLine(line);
}

/** HTML comments hold the template's instructions, never the reporter's words. An unclosed one hides nothing. */
export function withoutComments(text: string): string {
  return text
    .split('<!--')
    .map((part, index) => {
      const end = index === 0 ? -1 : part.indexOf('-->');
      return end < 0 ? part : part.slice(end + 3);
    })
    .join('');
}

function cutAtWord(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(' ');
  return (space > length * 0.8 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd();
}
