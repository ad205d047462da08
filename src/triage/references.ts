// The issues and pull requests that a report names by number, looked up in commit messages, source and tests.
import { cutText } from '../core/text.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { markCode } from './report-text.ts';

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

/** One step for all of them; none where the report names none. */
export async function recordReferences(lookups: Lookups, report: string): Promise<void> {
  const numbers = findIssueNumbers(report);
  if (numbers.length === 0) return;
  const found = await Promise.all(numbers.map((number) => describeNumber(lookups, number)));
  const isFound = found.some(({ length }) => length > 0);
  const lines = found.flatMap((each, index) => [
    `#${numbers[index]}:`,
    ...(each.length === 0 ? ['  nothing found'] : each),
  ]);
  await lookups.notebook.record({
    lookup: 'history',
    action: `look for ${numbers.map((number) => `#${number}`).join(', ')} in commit messages and files at ${shortenSha(lookups.tree.revision)}`,
    result: isFound ? lines.join('\n') : 'nothing found',
    analysis: isFound
      ? 'Commits and lines of files that name what the report refers to.'
      : 'No commit before this one and no file names what the report refers to.',
  });
}

async function describeNumber(lookups: Lookups, issue: number): Promise<readonly string[]> {
  const { tree, signal } = lookups;
  const pattern = `(?:#|\\bgh[-_]?|issues?[-_/ ]?|\\bpull/|\\bpr[-_ ])${issue}(?!\\d)`;
  const query = { pattern, regex: true, ignoreCase: true, paths: [], limit: 40 };
  const [history, search] = await Promise.all([
    attempt(lookups, `history of #${issue}`, () => tree.history({ issue, limit: COMMITS_SHOWN }, signal)),
    attempt(lookups, `search #${issue}`, () => tree.search(query, signal)),
  ]);
  const commits = (history?.commits ?? []).map(
    ({ sha, date, author, subject }) => `  ${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`,
  );
  const hits = (search?.hits ?? []).slice(0, LINES_SHOWN);
  return [...commits, ...hits.map(({ path, line, text }) => `  ${path}:${line}: ${cutText(text.trim(), 160)}`)];
}
