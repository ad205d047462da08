// The issues and pull requests that a report names by number, and the commits that it blames, looked up in commit
// messages, source and tests.

import type { CommitInfo, SearchHit } from 'causeway-git-objects';
import { isLogLine, markCode } from 'causeway-log-lines';
import { cutText } from 'causeway-visible-text';
import type { IndexedCommit } from '../core/source/index.ts';
import type { Clue } from './clues.ts';
import { isListing } from './listing-lines.ts';
import { attempt, cutSubject, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile } from './own-code.ts';

/** A report that lists more is a list. */
const MAX_NUMBERS = 4;

const COMMITS_SHOWN = 3;

const LINES_SHOWN = 3;

const NUMBER =
  /(?:(?<![\w&/#])#|\bGH-|github\.com\/[\w.-]{1,100}\/[\w.-]{1,100}\/(?:issues|pull)\/|\b(?:issue|PR|pull request) #?)(\d{2,6})(?!\w|\.\d)/gi;

/** What only resembles the problem, or says more of it, has not caused it: `somewhat related to #967`, `see also #1646`. */
const RELATED =
  /\b(?:related to|similar to|see(?: also)?|duplicates?(?: of)?|same (?:as|issue as|problem as)|like|compare(?: to| with)?|cf\.?|reminds? me of|implemented(?: in)?|mentioned in|discussed in|look(?:ing|ed)? at|working on|found (?:in|by|with)|follow(?:ing)?[- ]?up (?:to|of|on|from)|split from|part of)\W{1,6}(?:(?:the|this|that|issues?|prs?|pull requests?|commits?|and)\s){0,3}[\s([`"'#]{0,4}(?:https?:\S{0,150})?$/i;

/** In the order of the text; those in code are colours, lines and examples, those of a log are its own. */
export function findIssueNumbers(report: string): readonly number[] {
  return [...findNumbers(report).keys()];
}

/** Each with whether it is named as more than something related. */
function findNumbers(report: string): ReadonlyMap<number, boolean> {
  const numbers = new Map<number, boolean>();
  for (const { text, kind } of markCode(report.split(/\r?\n/).slice(0, 2_000))) {
    if (kind === 'code' || kind === 'fence' || isLogLine(text) || isListing(text)) continue;
    const line = removeSpans(text.slice(0, 2_000));
    for (const { 1: digits, index } of line.matchAll(NUMBER)) {
      const isMeant = !RELATED.test(line.slice(Math.max(0, index - 200), index));
      numbers.set(Number(digits), isMeant || (numbers.get(Number(digits)) ?? false));
    }
  }
  return new Map([...numbers].slice(0, MAX_NUMBERS));
}

/** What stands in backticks is quoted: a number there is of an output. */
function removeSpans(line: string): string {
  return line.replace(/`[^`]{1,200}`/g, ' ');
}

/** Before an id in a path or after an option, as in `version.commit=1a2b3c4`: it is what is built. */
const OF_BUILD = /(?:=|(?<!\/commits?)[\\/]|(?:^|\s)--?[a-z][\w-]{0,40} )["']?$/;

/** A commit by its id: within a link, only in one to the commit itself. */
const SHA = /(?<![\w-])(?<!(?:blob|tree|blame|raw|src|compare|actions|jobs?)\/)[0-9a-f]{7,40}(?![\w-])/g;

/** What a sentence says of a commit that changed what happens. */
const BLAMED =
  /\b(?:since|after|before|prior to|until|caus(?:e[sd]?|ing)|brok(?:e|en)|break(?:s|ing)?|introduc\w{1,8}|regress\w{0,6}|refactor\w{0,6}|clean-?ups?|bisect\w{0,5}|culprit|offending|blam\w{1,4}|bad|due to|because|thanks to|revert\w{0,4}|reversion|chang(?:e[sd]?|ing)|remov\w{1,4}|added|adds|merged|start(?:s|ed|ing)|fix(?:e[sd])?|commits?)\b/i;

/** What stands before the commit that a build is of: it is the version in use, not what broke it. */
const IN_USE =
  /\b(?:version|build|built|compiled|rev(?:ision)?|head|nightly|canary|devel|installed|checked out|checkout|source|sha|hash|tested|tests? (?:on|with|at)|running|run|using|use|from|at|on)\b[\s:#@([`"'=]{0,4}(?:(?:git|the|latest|current)\s)?(?:commit|rev(?:ision)?|sha|hash)?[\s:#@([`"'=]{0,4}(?:https?:\S{0,120}\/)?$/i;

/** After a version in parentheses: `0.23.0 (871abd27)`, `2.8.0.dev0 (devel a4c9f57)`. */
const OF_VERSION = /\d\.\d[\w.+-]{0,20} \((?:\w{1,12} )?$/;

/** Fewer words are a field of a form. */
const LEAST_WORDS = 4;

/** Ids of commits that a sentence of the report says something of, in the order of the text. */
export function findBlamedCommits(report: string): readonly string[] {
  const found = new Set<string>();
  for (const { text, kind } of markCode(report.split(/\r?\n/).slice(0, 2_000))) {
    const line = text.slice(0, 2_000);
    if (
      kind !== 'prose' ||
      isLogLine(text) ||
      isListing(text) ||
      !BLAMED.test(line) ||
      countPlainWords(line) < LEAST_WORDS
    )
      continue;
    for (const { 0: sha, index } of line.matchAll(SHA)) {
      const before = line.slice(Math.max(0, index - 200), index);
      const isId = /\d/.test(sha) && /[a-f]/.test(sha);
      const isPassing = [IN_USE, OF_VERSION, RELATED, OF_BUILD].some((form) => form.test(before));
      if (isId && !isPassing) found.add(sha);
    }
  }
  return [...found].slice(0, MAX_NUMBERS);
}

function countPlainWords(line: string): number {
  return line
    .replace(/https?:\S+/g, ' ')
    .split(/\s+/)
    .filter((word) => /^[("'`[]{0,2}[a-z]{2,}/i.test(word)).length;
}

/** What was found of a number or a commit that the report names. */
export interface Reference {
  /** `#123`, or the beginning of a commit's id. */
  readonly name: string;
  /** Whether the report names it as more than something related. */
  readonly isMeant: boolean;
  readonly commits: readonly CommitInfo[];
  /** What the commit changed, where the report names a commit; empty otherwise. */
  readonly paths: readonly string[];
  readonly hits: readonly SearchHit[];
}

/** A commit that is not here is none of them: its id may be one of another repository. */
export async function findReferences(lookups: Lookups, report: string): Promise<readonly Reference[]> {
  const commits = findBlamedCommits(report).map((sha) => findCommit(lookups, sha));
  const numbers = [...findNumbers(report)].map(([number, isMeant]) => findReference(lookups, number, isMeant));
  return (await Promise.all([...commits, ...numbers])).filter((reference) => reference !== null);
}

/** A change of more files says little of each. */
const MOST_FILES = 8;

/** A change of so many files points at each of them. */
const SMALL = 4;

const CHANGED = 0.8;

/** The source files of the named commits, and of those that name the numbers in their message. */
export function createReferenceClues(
  references: readonly Reference[],
  history: readonly IndexedCommit[],
): readonly Clue[] {
  const paths = new Map(history.map((commit) => [commit.sha, commit.paths]));
  const clues = new Map<string, Clue>();
  // The commit of a pull request names the issue as well: it is said once, as what is meant if it is.
  for (const { name, isMeant, commits, paths: own } of references.toSorted(
    (a, b) => Number(b.isMeant) - Number(a.isMeant),
  )) {
    for (const { sha, subject } of commits) {
      const said = `${shortenSha(sha)} “${cutSubject(subject)}”`;
      const files = (paths.get(sha) ?? own).filter((path) => classifyFile(path) === 'source');
      if (files.length > MOST_FILES) continue;
      for (const path of files.filter((each) => !clues.has(`${sha} ${each}`))) {
        clues.set(`${sha} ${path}`, {
          kind: 'reference',
          path,
          line: 0,
          function: '',
          strength: CHANGED / Math.sqrt(files.length),
          ofFile: '',
          reason: `changed in ${said}${sha.startsWith(name) ? '' : ` for ${name}`}, which the report names`,
          ...(isMeant && files.length <= SMALL && { named: 'commit' as const }),
        });
      }
    }
  }
  return [...clues.values()];
}

/** One step for all that were found: a number that nothing here mentions may be one of another project. */
export async function recordReferences({ notebook, tree }: Lookups, references: readonly Reference[]): Promise<void> {
  const found = references.filter(({ commits, hits }) => commits.length + hits.length > 0);
  if (found.length === 0) return;
  await notebook.record({
    lookup: 'history',
    action: `look for ${found.map(({ name }) => name).join(', ')} in commit messages and files at ${shortenSha(tree.revision)}`,
    result: found.flatMap(describeReference).join('\n'),
    analysis: 'Commits and lines that mention what the report refers to.',
  });
}

function describeReference({ name, commits, hits }: Reference): readonly string[] {
  const lines = [
    ...commits.map(
      ({ sha, date, author, subject }) => `  ${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`,
    ),
    ...hits.map(({ path, line, text }) => `  ${path}:${line}: ${cutText(text.trimEnd(), 160)}`),
  ];
  return [`${name}:`, ...lines];
}

async function findReference(lookups: Lookups, number: number, isMeant: boolean): Promise<Reference> {
  const { tree, signal } = lookups;
  const pattern = `(?:#|\\bgh[-_]?|issues?[-_/ ]?|\\bpull/|\\bpr[-_ ])${number}(?!\\d)`;
  const query = { pattern, regex: true, ignoreCase: true, paths: [], limit: 40 };
  const [history, search] = await Promise.all([
    attempt(lookups, `history of #${number}`, () => tree.history({ issue: number, limit: COMMITS_SHOWN }, signal)),
    attempt(lookups, `search #${number}`, () => tree.search(query, signal)),
  ]);
  const hits = (search?.hits ?? []).slice(0, LINES_SHOWN);
  return { name: `#${number}`, isMeant, commits: history?.commits ?? [], paths: [], hits };
}

async function findCommit(lookups: Lookups, written: string): Promise<Reference | null> {
  const { repository, signal } = lookups;
  const sha = await repository.resolve(written, signal);
  if (sha === null) return null;
  const at = repository.tree(sha);
  // Its files are asked of git: the index has only the newest commits.
  const [found, changed] = await Promise.all([
    attempt(lookups, `history of ${shortenSha(sha)}`, () => at.history({ limit: 1 }, signal)),
    attempt(lookups, `changes of ${shortenSha(sha)}`, () => at.compare(null, {}, signal)),
  ]);
  const paths = (changed?.files ?? []).map(({ path }) => path);
  return { name: shortenSha(sha), isMeant: true, commits: found?.commits ?? [], paths, hits: [] };
}
