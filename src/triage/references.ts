// The issues and pull requests that a report names by number, looked up in commit messages, source and tests.

import type { CommitInfo, SearchHit } from 'causeway-git-objects';
import { markCode } from 'causeway-log-lines';
import { cutText } from 'causeway-visible-text';
import type { IndexedCommit } from '../core/source/index.ts';
import type { Clue } from './clues.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile } from './own-code.ts';

/** A report that lists more is a list. */
const MAX_NUMBERS = 4;

const COMMITS_SHOWN = 3;

const LINES_SHOWN = 3;

const NUMBER =
  /(?:(?<![\w&/#])#|\bGH-|github\.com\/[\w.-]{1,100}\/[\w.-]{1,100}\/(?:issues|pull)\/|\b(?:issue|PR|pull request) #?)(\d{2,6})(?!\w|\.\d)/gi;

/** In the order of the text; those in code are colours, lines and examples. */
export function findIssueNumbers(report: string): readonly number[] {
  const numbers = new Set<number>();
  for (const { text, kind } of markCode(report.split(/\r?\n/).slice(0, 2_000))) {
    if (kind === 'code' || kind === 'fence') continue;
    for (const [, digits] of text.slice(0, 2_000).matchAll(NUMBER)) numbers.add(Number(digits));
  }
  return [...numbers].slice(0, MAX_NUMBERS);
}

/** What was found of a number that the report names. */
export interface Reference {
  readonly number: number;
  readonly commits: readonly CommitInfo[];
  readonly hits: readonly SearchHit[];
}

export async function findReferences(lookups: Lookups, report: string): Promise<readonly Reference[]> {
  return Promise.all(findIssueNumbers(report).map((number) => findReference(lookups, number)));
}

/** A change of more files says little of each. */
const MOST_FILES = 8;

const CHANGED = 0.8;

/** The source files of the commits that name the numbers in their message. */
export function createReferenceClues(
  references: readonly Reference[],
  history: readonly IndexedCommit[],
): readonly Clue[] {
  const paths = new Map(history.map((commit) => [commit.sha, commit.paths]));
  return references.flatMap(({ number, commits }) =>
    commits.flatMap(({ sha }) => {
      const files = (paths.get(sha) ?? []).filter((path) => classifyFile(path) === 'source');
      if (files.length > MOST_FILES) return [];
      return files.map((path) => ({
        kind: 'reference' as const,
        path,
        line: 0,
        function: '',
        strength: CHANGED / Math.sqrt(files.length),
        reason: `changed in ${shortenSha(sha)} for #${number}, which the report names`,
      }));
    }),
  );
}

/** One step for all of them; none where the report names none. */
export async function recordReferences({ notebook, tree }: Lookups, references: readonly Reference[]): Promise<void> {
  if (references.length === 0) return;
  const isFound = references.some(({ commits, hits }) => commits.length + hits.length > 0);
  await notebook.record({
    lookup: 'history',
    action: `look for ${references.map(({ number }) => `#${number}`).join(', ')} in commit messages and files at ${shortenSha(tree.revision)}`,
    result: isFound ? references.flatMap(describeReference).join('\n') : 'nothing found',
    analysis: isFound
      ? 'Commits and lines of files that name what the report refers to.'
      : 'No commit before this one and no file names what the report refers to.',
  });
}

function describeReference({ number, commits, hits }: Reference): readonly string[] {
  const lines = [
    ...commits.map(
      ({ sha, date, author, subject }) => `  ${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`,
    ),
    ...hits.map(({ path, line, text }) => `  ${path}:${line}: ${cutText(text.trim(), 160)}`),
  ];
  return [`#${number}:`, ...(lines.length === 0 ? ['  nothing found'] : lines)];
}

async function findReference(lookups: Lookups, number: number): Promise<Reference> {
  const { tree, signal } = lookups;
  const pattern = `(?:#|\\bgh[-_]?|issues?[-_/ ]?|\\bpull/|\\bpr[-_ ])${number}(?!\\d)`;
  const query = { pattern, regex: true, ignoreCase: true, paths: [], limit: 40 };
  const [history, search] = await Promise.all([
    attempt(lookups, `history of #${number}`, () => tree.history({ issue: number, limit: COMMITS_SHOWN }, signal)),
    attempt(lookups, `search #${number}`, () => tree.search(query, signal)),
  ]);
  return { number, commits: history?.commits ?? [], hits: (search?.hits ?? []).slice(0, LINES_SHOWN) };
}
