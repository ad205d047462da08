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
    const passages = splitInstructions(read.text.slice(0, MAX_FILE));
    const isShort = read.text.length <= SHORT_FILE && passages.every(({ heading }) => heading === '');
    const text = joinPassages(isShort ? passages : selectConventions(passages, listNames(suspects)));
    if (text !== '') instructions.push({ path, text });
    const rule = findModelRule(passages);
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

interface Passage {
  readonly heading: string;
  readonly text: string;
}

/** A line of a heading: its own, or that which underlines the one before. */
const UNDERLINE = /^(?:=|-|~|\^){3,}\s*$/;

const IS_BETWEEN = /^(?:(?:=|-|~|\^){3,})?\s*$/;

/** Of a list that is indented no deeper than the text around it; what is deeper belongs to the point above. */
const POINT = /^ {0,3}(?:[-*+]|\d{1,3}[.)]|#\.) /;

/** Paragraphs, points of lists and blocks of code, each with the heading above it. */
function splitInstructions(text: string): readonly Passage[] {
  const passages: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  const all = removeInvisible(text).split('\n');
  const code = markInstructionCode(all);
  for (const [index, line] of all.entries()) {
    const { heading = '', lines = [] } = passages.at(-1) ?? {};
    const isCode = code[index] === true;
    const title = isCode ? '' : readInstructionHeading(line, all[index + 1] ?? '');
    const isBetween = title !== '' || (!isCode && IS_BETWEEN.test(line));
    if (isBetween) passages.push({ heading: title || heading, lines: [] });
    else if (lines.length > 0 && !isCode && POINT.test(line)) passages.push({ heading, lines: [line] });
    else lines.push(line);
  }
  return passages.flatMap(({ heading, lines }) => (lines.length === 0 ? [] : [{ heading, text: lines.join('\n') }]));
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
  /\b(?:tests?|testing|specs?|snapshots?|fixtures?|changelog|changes\.(?:md|rst)|news fragments?|changesets?|release notes|code style|coding style|style guide|format(?:ter|ting)?|prettier|eslint|biome|ruff|black|gofmt|rustfmt|docstrings?|jsdoc|type hints|naming|conventions?|indent\w*|comments?|imports?|public api|backwards?[- ]compatib\w+|generated)\b/i;

/** What says so of tests and changelog. */
const DEMAND =
  /\b(?:add|write|include|prefer|use|keep|follow|update|avoid|never|always|must|should|do not|don't)\b|\b(?:tests?|spec|changelog|news|changes)\//i;

/** What is about one's machine, one's first pull request, its form, or the people. */
const ASIDE =
  /\b(?:clone|fork|install|virtual environment|venv|code of conduct|newcomers?|first[- ]time|good first issue|discord|slack|sponsor|donat|security|licen[cs]e|cla\b|dco\b|sign(?:ed|ing)?[- ]?off|gpg|signed commits?|co-authored|conventional ?commits|commit (?:messages?|titles?|subjects?|formats?|conventions?)|titles?|emojis?|squash|rebase|translat)/i;

/** Of the way of a change to its merge: nothing that an edit can keep to. */
const PROCESS =
  /\b(?:pull requests?|PRs?|merge requests?|commit(?:s|ting|ted)?|push|branch(?:es)?|review(?:ers?|s)?|CI|release[sd]?|publish\w*|(?:an|open|linked) issue|filing|discussions?|skills?)\b/i;

/** How something is run, which the model cannot. */
const RUN =
  /\b(?:runs?|running|execut\w+|invoke|debug\w*)\b|^ {0,8}(?:\||\$)|^[^\n]{0,80}`(?:npm|yarn|pnpm|make|cargo|go|tox|bundle|just) /im;

const CHANGELOG = /\b(?:changelog|changesets?|news fragments?|changes\.(?:md|rst)|release notes)\b/i;

const LEAST_RELEVANCE = 3;

/** The most relevant passages that fit in, as they stand in the file. */
function selectConventions(passages: readonly Passage[], names: readonly string[]): readonly Passage[] {
  let left = MAX_KEPT;
  const kept = passages
    .map((passage) => ({ passage, relevance: rateRelevance(passage, names) }))
    .filter(({ relevance }) => relevance >= LEAST_RELEVANCE)
    .sort((a, b) => b.relevance - a.relevance)
    .filter(({ passage: { heading, text } }) => {
      const fits = heading.length + text.length + 3 <= left;
      if (fits) left -= heading.length + text.length + 3;
      return fits;
    });
  const chosen = new Set(kept.map(({ passage }) => passage));
  // What announces a list or a command says nothing without it.
  return passages.filter((passage, index) => {
    const isAlone = /:\s*$/.test(passage.text) && !chosen.has(passages[index + 1] ?? passage);
    return chosen.has(passage) && !isAlone;
  });
}

const CODE = /^\s*(?:```|~~~)/;

/** How much an edit of code can keep to it. */
function rateRelevance({ heading, text }: Passage, names: readonly string[]): number {
  if (ASIDE.test(heading) || ASIDE.test(text) || CODE.test(text) || /^\s*(?:<|\[[^\]]{1,40}\]:)/.test(text)) {
    return 0;
  }
  const isOfProcess = PROCESS.test(text) && !CHANGELOG.test(text);
  return (
    (CONVENTION.test(text) ? 2 : 0) +
    (CONVENTION.test(heading) ? 1 : 0) +
    (DEMAND.test(text) ? 1 : 0) +
    (names.some((name) => text.includes(name)) ? 2 : 0) -
    (isOfProcess ? 2 : 0) -
    (RUN.test(text) ? 1 : 0) -
    (RUN.test(heading) ? 1 : 0)
  );
}

/** Folders and names of the suspects, by which a passage speaks of them. */
function listNames(suspects: readonly string[]): readonly string[] {
  const parts = suspects.slice(0, MAX_SUSPECTS).flatMap((file) => file.split('/').slice(-2));
  return [...new Set(parts)].filter((part) => part.length >= 5);
}

/** A passage that does not fit in is left out whole. */
function joinPassages(passages: readonly Passage[]): string {
  let text = '';
  let last = '';
  for (const { heading, text: own } of passages) {
    const head = heading === last || heading === '' ? '' : `${heading}:\n`;
    const between = text === '' ? '' : head === '' && !POINT.test(own) ? '\n\n' : '\n';
    if (text.length + between.length + head.length + own.length > MAX_KEPT) continue;
    text += `${between}${head}${own}`;
    last = heading;
  }
  return text;
}

const MODEL =
  /\b(?:AI|A\.I\.|LLMs?|large language models?|language models?|generative|ChatGPT|Copilot|Claude|coding agents?)\b/;

const RULE =
  /\b(?:polic(?:y|ies)|must|must not|may not|not (?:allowed|accepted|permitted|welcome)|prohibit|forbid|ban(?:ned)?|reject|disclos|clos(?:e|ed)|declar|responsib|accountab|require|do not|don't|cannot|will not|refrain)/i;

/** How a pull request or commit is worded is not a reason to hold one back. */
const FORM = /\b(?:titles?|co-authored|emojis?)\b/i;

/** A file that is written for models is full of such words: only its own heading about contributions counts there. */
function findModelRule(passages: readonly Passage[]): string {
  const titled = passages.find(
    ({ heading, text }) =>
      MODEL.test(heading) && /polic|contribut|use|usage|generated|assist|disclos/i.test(heading) && RULE.test(text),
  );
  const stated = [...passages, ...joinLeads(passages)].find(
    ({ text }) =>
      MODEL.test(text) &&
      /\b(?:contribut|pull requests?|PRs?|patch|issues?|submi)/i.test(text) &&
      RULE.test(text) &&
      !FORM.test(text) &&
      !/:\s*$/.test(text) &&
      !CODE.test(text),
  );
  const found =
    titled === undefined
      ? [stated]
      : passages.slice(passages.indexOf(titled)).filter(({ heading }) => heading === titled.heading);
  const text = found.map((passage) => passage?.text ?? '').join(' ');
  return cutText(text.replace(/\s+/g, ' ').trim(), MAX_RULE);
}

/** Each point of a list with what announces the list, without which it says nothing: `We do not accept:`. */
function joinLeads(passages: readonly Passage[]): readonly Passage[] {
  let lead: Passage | null = null;
  return passages.map((passage) => {
    if (!POINT.test(passage.text)) lead = /:\s*$/.test(passage.text) ? passage : null;
    else if (lead?.heading === passage.heading)
      return { ...passage, text: `${lead.text} ${passage.text.replace(POINT, '')}` };
    return passage;
  });
}
