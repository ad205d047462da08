// What a project's own files say to those who change its code: what is about tests, style and changelog, for the model;
// and a rule about contributions made with a model, for people.

import type { Repository } from 'causeway-git-objects';
import { cutText, removeInvisible } from 'causeway-visible-text';
import type { Brief } from '../investigate/index.ts';

/** Most important first. */
const FILES = [
  'AGENTS.md',
  'CLAUDE.md',
  '.github/copilot-instructions.md',
  ...['', '.github/', 'docs/'].flatMap((folder) => ['md', 'rst', 'txt'].map((end) => `${folder}CONTRIBUTING.${end}`)),
];

/** Those that a folder may have as well. */
const FOLDER_FILES = ['AGENTS.md', 'CLAUDE.md', 'CONTRIBUTING.md'];

/** Suspects whose folders are looked at. */
const MAX_SUSPECTS = 3;

/** Characters of a file that are looked at. */
const MAX_FILE = 60_000;

/** Characters that the brief gets of one file; of the configured ones, which a maintainer wrote for this, more. */
const MAX_KEPT = 1_500;

/** A file without headings that is this short is kept whole. */
const SHORT_FILE = 500;

const MAX_CONFIGURED = 2_000;

const MAX_RULE = 300;

/** A rule of the project about changes that were made with a model, and the file that has it. */
interface ModelRule {
  readonly path: string;
  readonly text: string;
}

interface Instructions {
  readonly instructions: Brief['instructions'];
  /** Null: no such rule was found. */
  readonly modelRule: ModelRule | null;
}

/**
 * From the default branch: anyone may have written the commit that is investigated. The files nearest to the suspects
 * come first, then those of the whole repository.
 */
export async function readInstructions(
  configured: string,
  repository: Repository,
  suspects: readonly string[],
  signal: AbortSignal,
): Promise<Instructions> {
  const own = configured.slice(0, MAX_CONFIGURED);
  const instructions = own === '' ? [] : [{ path: '.github/causeway.yml (instructions)', text: own }];
  const head = await repository.resolve('', signal);
  if (head === null) return { instructions, modelRule: null };
  const tree = repository.tree(head);
  const files = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  let modelRule: ModelRule | null = null;
  for (const path of [...listFolderFiles(suspects), ...FILES].filter((each) => files.has(each))) {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') continue;
    const paragraphs = splitInstructions(read.text.slice(0, MAX_FILE));
    const isShort = read.text.length <= SHORT_FILE && paragraphs.every(({ heading }) => heading === '');
    const text = isShort ? joinParagraphs(paragraphs) : selectConventions(paragraphs);
    if (text !== '') instructions.push({ path, text });
    const rule = findModelRule(paragraphs);
    if (rule !== '') modelRule ??= { path, text: rule };
  }
  return { instructions, modelRule };
}

/** In the folders above the suspects, the nearest first. */
function listFolderFiles(suspects: readonly string[]): readonly string[] {
  const folders = suspects.slice(0, MAX_SUSPECTS).flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  });
  return [...new Set(folders)].flatMap((folder) => FOLDER_FILES.map((name) => `${folder}/${name}`));
}

interface Paragraph {
  readonly heading: string;
  readonly text: string;
}

/** A line of a heading: its own, or that which underlines the one before. */
const UNDERLINE = /^(?:=|-|~|\^){3,}\s*$/;

const IS_BETWEEN = /^(?:(?:=|-|~|\^){3,})?\s*$/;

/** The texts between blank lines, each with the heading above it; a block of code is one. */
function splitInstructions(text: string): readonly Paragraph[] {
  const paragraphs: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  const all = removeInvisible(text).split('\n');
  const code = markInstructionCode(all);
  for (const [index, line] of all.entries()) {
    const last = paragraphs.at(-1);
    const isCode = code[index] === true;
    const title = isCode ? '' : readInstructionHeading(line, all[index + 1] ?? '');
    if (title === '' && (isCode || !IS_BETWEEN.test(line))) last?.lines.push(line);
    else paragraphs.push({ heading: title || (last?.heading ?? ''), lines: [] });
  }
  return paragraphs.flatMap(({ heading, lines }) => (lines.length === 0 ? [] : [{ heading, text: lines.join('\n') }]));
}

/** Which lines are in a block of code. */
function markInstructionCode(lines: readonly string[]): readonly boolean[] {
  let isCode = false;
  return lines.map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    return isCode;
  });
}

function readInstructionHeading(line: string, next: string): string {
  if (line.trim() !== '' && UNDERLINE.test(next)) return line.trim();
  return /^#{1,6} (.{1,200})$/.exec(line)?.[1] ?? '';
}

/** What an edit has to keep to. */
const CONVENTION =
  /\b(?:tests?|testing|unit tests?|changelog|changes\.(?:md|rst)|news fragments?|changesets?|release notes|code style|coding style|style guide|lint(?:er|ing)?|format(?:ter|ting)?|prettier|eslint|biome|ruff|black|gofmt|rustfmt|clippy|docstrings?|type hints|naming|conventions?)\b/i;

/** What is about one's machine, one's first pull request, or the people. */
const ASIDE =
  /\b(?:clone|fork|install|virtual environment|venv|code of conduct|newcomers?|first[- ]time|good first issue|discord|slack|sponsor|donat|licen[cs]e|cla\b|translat)/i;

function selectConventions(paragraphs: readonly Paragraph[]): string {
  return joinParagraphs(
    paragraphs.filter(
      ({ heading, text }) =>
        (CONVENTION.test(heading) || CONVENTION.test(text)) &&
        !ASIDE.test(heading) &&
        !ASIDE.test(text) &&
        text.length < 1_200,
    ),
  );
}

function joinParagraphs(paragraphs: readonly Paragraph[]): string {
  const lines: string[] = [];
  let last = '';
  let left = MAX_KEPT;
  for (const { heading, text } of paragraphs) {
    const piece = heading === last || heading === '' ? text : `${heading}:\n${text}`;
    if (piece.length > left) continue;
    lines.push(piece);
    left -= piece.length;
    last = heading;
  }
  return lines.join('\n');
}

const MODEL =
  /\b(?:AI|A\.I\.|LLMs?|large language models?|language models?|generative|ChatGPT|Copilot|Claude|agents?)\b/;

const RULE =
  /\b(?:polic(?:y|ies)|must|must not|may not|not (?:allowed|accepted|permitted|welcome)|prohibit|forbid|ban(?:ned)?|reject|disclos|clos(?:e|ed)|declar|responsib|accountab|require|do not|don't|cannot|will not|refrain)/i;

/** A file that is written for models is full of such words: only its own heading about contributions counts there. */
function findModelRule(paragraphs: readonly Paragraph[]): string {
  const titled = paragraphs.find(
    ({ heading, text }) =>
      MODEL.test(heading) && /polic|contribut|use|usage|generated|assist|disclos/i.test(heading) && RULE.test(text),
  );
  const stated = paragraphs.find(
    ({ text }) =>
      MODEL.test(text) && /\b(?:contribut|pull requests?|PRs?|patch|issues?|submi)/i.test(text) && RULE.test(text),
  );
  const found = titled ?? stated;
  return found === undefined ? '' : cutText(found.text.replace(/\s+/g, ' ').trim(), MAX_RULE);
}
