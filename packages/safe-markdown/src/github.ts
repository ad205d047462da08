// Untrusted Markdown as Markdown in which GitHub reads nothing: no mention, reference, link, HTML, image, or order to
// CI.

import { removeInvisible, sanitiseLine, sanitiseText, truncate } from 'causeway-visible-text';
import type { List, PhrasingContent, RootContent } from 'mdast';
import { parseInline, parseMarkdown } from './parse.ts';

const MAX_SPAN = 1_000;
const MAX_LINE = 2_000;
const MAX_WORD = 500;
/**
 * Languages that are only coloured. Others are not: GitHub draws `mermaid` and its like, and offers `suggestion` for
 * commit.
 */
const LANGUAGES = new Set(
  `bash bat c clojure console cpp cs csharp css csv dart diff dockerfile elixir erlang go graphql groovy haskell html http ini java
   javascript js json jsonc jsx julia kotlin less log lua make makefile nix objc ocaml perl php plaintext powershell properties proto
   python py r rb ruby rs rust sass scala scss sh shell sql svelte swift terraform text toml ts tsx txt typescript vb vue xml yaml yml zig zsh`
    .trim()
    .split(/\s+/),
);
/** Underlined headings and second lines of tables: they carry no word. */
const WORDLESS = /^[\s|:=*_+-]+$/;
const OPENING = '([{"\'“‘«*';
const CLOSING = '.,;:!?)]}"\'”’»…*';
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': '&#96;' };

/** The address of a piece of text such as `src/a.ts:12`, which then is a link; null for all other text. The caller answers for the address. */
export type SourceLinks = (text: string) => string | null;

const NO_LINKS: SourceLinks = () => null;

/**
 * At most `max` characters of the text (then ending in `…`), more of Markdown. Blocks of its own, to be set apart by
 * empty lines.
 */
export function sanitiseMarkdown(text: string, max: number, links: SourceLinks = NO_LINKS): string {
  return removeOrders(printBlocks(parseMarkdown(sanitiseText(text, max)).children, links, '\n\n'));
}

/**
 * As `sanitiseMarkdown`, without blocks: one line of Markdown, of at most `max` characters of the text (then ending in
 * `…`). Safe at the start of a line and after other text.
 */
export function sanitiseInline(text: string, max: number, links: SourceLinks = NO_LINKS): string {
  return removeOrders(printLines(parseInline(sanitiseLine(text, max)), links));
}

/** An item of a list. An empty one would turn the line above it into a heading. */
export function formatBullet(markdown: string): string {
  return `- ${markdown.trim() === '' ? '–' : markdown}`;
}

/** On one line; "" for a text without anything to see. At most 1,000 characters. */
export function formatCodeSpan(text: string): string {
  const line = removeOwnMarks(text.slice(0, 4 * MAX_SPAN))
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return '';
  const shown = line.length > MAX_SPAN ? `${truncate(line, MAX_SPAN - 1)}…` : line;
  const fence = '`'.repeat(findLongestRun(shown) + 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return removeOrders(`${fence}${pad}${shown}${pad}${fence}`);
}

/**
 * A code span for readers that are not GitHub: the text stays as it is, of any length, but for line feeds. What GitHub
 * shows is written by `formatCodeSpan`.
 */
export function formatInlineCode(text: string): string {
  const line = text.replaceAll('\n', ' ');
  const fence = '`'.repeat(findLongestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/**
 * A block without a line feed at its end; lines over 2,000 characters are cut, and say so. `info` outside of the known
 * languages is left out. A diff stays to the letter, since people apply it: it is part of no text that becomes the
 * message of a commit.
 */
export function formatFence(text: string, info: string): string {
  const lines = removeOwnMarks(text)
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/, '')
    .split('\n')
    .map((line) =>
      line.length > MAX_LINE ? `${truncate(line, MAX_LINE)}… [${line.length - MAX_LINE} characters cut]` : line,
    );
  const body = lines.join('\n');
  const fence = '`'.repeat(Math.max(3, findLongestRun(body) + 1));
  const language = info.toLowerCase();
  const block = `${fence}${LANGUAGES.has(language) ? language : ''}\n${body}\n${fence}`;
  return language === 'diff' ? block : removeOrders(block);
}

/**
 * Our own marks in comments are HTML comments, by which we find them again: what is quoted must not look like one, not
 * even in code.
 */
function removeOwnMarks(text: string): string {
  return removeInvisible(text).replace(/<!--(?=\s*causeway)/gi, '<!- -');
}

function findLongestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function printBlocks(blocks: readonly RootContent[], links: SourceLinks, between: string): string {
  return blocks
    .map((block) => printBlock(block, links))
    .filter((markdown) => markdown !== '')
    .join(between);
}

function printBlock(block: RootContent, links: SourceLinks): string {
  switch (block.type) {
    case 'code':
      return formatFence(block.value, block.lang ?? '');
    case 'list':
      return printList(block, links);
    case 'heading':
    case 'paragraph':
      return printLines(block.children, links);
    default:
      return '';
  }
}

function printList(list: List, links: SourceLinks): string {
  const items = list.children.map((item, index) => {
    const lead = list.ordered ? `${(list.start ?? 1) + index}. ` : '- ';
    const body = printBlocks(item.children, links, item.spread ? '\n\n' : '\n') || '–';
    return `${lead}${body.replace(/\n(?!\n)/g, `\n${' '.repeat(lead.length)}`)}`;
  });
  return items.join('\n');
}

interface TextPiece {
  readonly isCode: boolean;
  readonly text: string;
}

function printLines(nodes: readonly PhrasingContent[], links: SourceLinks): string {
  return toPieceLines(nodes)
    .filter((pieces) => !pieces.every(({ isCode, text }) => !isCode && WORDLESS.test(text)))
    .map((pieces) => printLine(pieces, links))
    .filter((line) => line !== '')
    .join('\n');
}

function toPieceLines(nodes: readonly PhrasingContent[]): TextPiece[][] {
  const lines: TextPiece[][] = [[]];
  for (const { isCode, text } of nodes.flatMap(toPieces)) {
    const [first = '', ...more] = isCode ? [text] : text.split('\n');
    lines.at(-1)?.push({ isCode, text: first });
    for (const line of more) lines.push([{ isCode, text: line }]);
  }
  return lines;
}

/** Bold is ours, to mark what matters. */
function toPieces(node: PhrasingContent): TextPiece[] {
  if (node.type === 'strong') return node.children.flatMap(toPieces);
  return node.type === 'text' || node.type === 'inlineCode'
    ? [{ isCode: node.type === 'inlineCode', text: node.value }]
    : [];
}

function printLine(pieces: readonly TextPiece[], links: SourceLinks): string {
  // A span of nothing that can be seen keeps apart what is on both of its sides.
  const parts = pieces.flatMap(({ isCode, text }) =>
    isCode ? [printCode(text, links) || ' '] : printWords(text, links),
  );
  const out: string[] = [];
  for (const part of parts) {
    // Two spans side by side would be one.
    if (part.startsWith('`') && out.at(-1)?.endsWith('`')) out.push(' ');
    if (part !== '') out.push(part);
  }
  const line = out.join('').trim();
  // What is shown is judged, however it came about.
  return isShownReadInto(line) ? formatCodeSpan(pieces.map(({ text }) => text).join('')) : guardStart(line);
}

function printWords(text: string, links: SourceLinks): readonly string[] {
  return text.split(/(\s+)/).flatMap((word) => printWord(word, links));
}

/** Brackets, quotation marks and stops around a word are not a part of it. */
function printWord(word: string, links: SourceLinks): readonly string[] {
  const short = word.length > MAX_WORD ? `${truncate(word, MAX_WORD - 1)}…` : word;
  let from = 0;
  let to = short.length;
  while (from < to && OPENING.includes(short.charAt(from))) from += 1;
  while (to > from && CLOSING.includes(short.charAt(to - 1))) to -= 1;
  const core = short.slice(from, to);
  if (!isReadInto(short) && links(core) === null) return [escapeMarks(short)];
  if (core === '') return [escapeMarks(short.slice(0, from)), printCode(short, links), ''];
  return [escapeMarks(short.slice(0, from)), printCode(core, links), escapeMarks(short.slice(to))];
}

function printCode(code: string, links: SourceLinks): string {
  const span = formatCodeSpan(code);
  if (span === '') return '';
  const address = links(code.trim());
  return address === null ? span : `[${span}](${address})`;
}

/**
 * A mark within a word, as in `foo_bar`, marks nothing. A `!` at the end could make a picture of the link that follows.
 */
function escapeMarks(text: string): string {
  return text.replace(
    /[&<>`\\*[\]~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|!$/gu,
    (mark) => ENTITIES[mark] ?? `\\${mark}`,
  );
}

/** What begins a heading, a list, a rule or a heading by underlining does so only as the first thing in a line. */
function guardStart(line: string): string {
  return line.replace(/^[#+=:-]/, '\\$&').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

/**
 * What GitHub reads into text outside of code: mentions, addresses of mail and packages, `$` of formulas, references,
 * addresses with or without a scheme, advisories, emoji by name. A word that holds one of them anywhere becomes code,
 * where GitHub reads nothing into it.
 */
const READ_INTO =
  /[@$]|#\d|:\/\/|www\.|\b(?:mailto|xmpp|tel|data|javascript):|\bGH-\d|\b(?:GHSA|CVE)-\w|:[a-z0-9_+-]+:/i;
const SHA = /(?<![0-9a-z])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,}(?![0-9a-z])/i;

function isReadInto(text: string): boolean {
  return READ_INTO.test(text) || SHA.test(text);
}

const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;
const LINK_END = /\]\([^()\s]*\)/g;
const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#96;': '`' };

/**
 * The same of a finished line of our own Markdown, as a reader sees it: words that were apart when they were judged may
 * have met.
 */
function isShownReadInto(line: string): boolean {
  const seen = line
    .replace(CODE, '\ufffc')
    .replace(LINK_END, ']')
    .replace(/&(?:amp|lt|gt|#96);/g, (entity) => CHARACTERS[entity] ?? entity)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return isReadInto(seen);
}

/** `[skip ci]`, `[no ci]`, `[actions skip]` and their like, of any service. */
const SKIPS = /\[(?=(?:skip|no)[ _-][\w -]{1,30}\]|\w[\w-]{0,20}[ _-]skip *\])/gi;
const CLOSES = String.raw`(?<![\p{L}\p{N}])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[^\p{L}\p{N}_]{0,100}`;
const CLOSES_NUMBER = new RegExp(String.raw`(${CLOSES}(?:[\w.-]{1,100}/[\w.-]{1,100})?(?<!&)#)(?=\d)`, 'giu');
const CLOSES_GH = new RegExp(String.raw`(${CLOSES}GH)-(?=\d)`, 'giu');
const CLOSES_ADDRESS = new RegExp(
  String.raw`(${CLOSES}https?://)(?=[^\s/]+/[^\s/]+/[^\s/]+/(?:issues|pull)/\d)`,
  'giu',
);
/** `Co-authored-by:`, `Signed-off-by:`, `on-behalf-of:` and `BREAKING CHANGE:` as the first words of a line. */
const TRAILER = /(?<=^[^\p{L}\p{N}\n]{0,100}[a-z-]{1,40}ed(?:-off)?)-(?=by\s*:)/gimu;
const BEHALF = /(?<=^[^\p{L}\p{N}\n]{0,100})on-behalf-of(?=\s*:)/gimu;
const BREAKING = /(?<=^[^\p{L}\p{N}\n]{0,100})BREAKING[ -]CHANGE(?=\s*:)/gimu;

/**
 * Finished Markdown without what CI and GitHub obey in the message of a commit, code or not: a squash merge takes over
 * the text of the pull request as it was typed. The words stay, with a space in them. What was broken once stays as it
 * is.
 */
function removeOrders(markdown: string): string {
  return markdown
    .replace(SKIPS, '[ ')
    .replace(/skip-checks(?=\s*:)/gi, 'skip checks')
    .replace(/NO_CI(?=\*)/gi, 'NO CI')
    .replace(CLOSES_NUMBER, '$1 ')
    .replace(CLOSES_GH, '$1 ')
    .replace(CLOSES_ADDRESS, '$1 ')
    .replace(TRAILER, ' ')
    .replace(BEHALF, 'on behalf of')
    .replace(BREAKING, 'breaking change');
}

/**
 * Untrusted text for places that render no code, such as titles and commit messages: one line of at most `max`
 * characters, cut at a word, in which GitHub and CI read nothing. A `label` gets into no commit, where CI obeys words in
 * brackets, and is shown as it is: it keeps those of code, with a space where Markdown would make a link of them, and stars.
 */
export function formatPlain(text: string, max: number, place: 'commit' | 'label' = 'commit'): string {
  const changeBrackets = place === 'label' ? partLinks : removeBrackets;
  const removeStars = (words: string) => (place === 'label' ? words : words.replaceAll('*', ''));
  const clean = (words: string) => removeTextMarks(removeStars(changeBrackets(words)));
  let plain = clean(sanitiseLine(text, 4 * max));
  // What is taken out of a word can leave another one that means something.
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = clean(plain);
  }
  if (plain.length <= max) return plain;
  const cut = truncate(plain, max - 1);
  const word = cut.replace(/(?<!\s)\s+\S*$/, '');
  return `${(word.length > max / 2 ? word : cut).trimEnd()}…`;
}

/** A colon makes a link of what is in brackets only where a line begins, and a second pair needs such a line. */
function partLinks(text: string): string {
  return text.replaceAll('](', '] (').replace(/^(\s{0,9}\[[^\]]{1,999}\])(?=:)/, '$1 ');
}

function removeBrackets(text: string): string {
  return text.replace(/[[{]/g, '(').replace(/[\]}]/g, ')');
}

function removeTextMarks(text: string): string {
  return text
    .replace(/`+|<!--|-->/g, '')
    .replace(/[<>]/g, ' ')
    .replace(/(?<=[\p{L}\p{N}])@/gu, ' at ')
    .replaceAll('@', '')
    .replace(/(?:[a-z][a-z0-9+.-]{0,30})?:\/\/+/gi, '')
    .replace(/www\./gi, '')
    .replace(/mailto:/gi, '')
    .replace(/([([{]?)\s{0,9}(?<!#)#+\s{0,9}(?=\d)/g, (_, bracket: string) => `${bracket || ' '}no. `)
    .replace(/\b(GH|GHSA|CVE)-/gi, '$1 ')
    .replace(/([\w-]-by)\s*:/gi, '$1')
    .replace(/skip-checks/gi, 'skip checks')
    .replace(/NO_CI/gi, 'no CI')
    .replace(/BREAKING[ -]CHANGE/gi, 'breaking change')
    .replace(/(fixup|squash|amend)!/gi, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
