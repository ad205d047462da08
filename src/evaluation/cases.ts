// Past problems with a known fix: which commit fixed which issue, what it changed, and whether the report gives it away.
import { diffLines, type Hunk, toLines } from 'causeway-diff';
import type { CommitMessage, Comparison, LineRange, Repository, SourceTree } from 'causeway-git-objects';
import { findSpans } from '../core/source/index.ts';

/** A report with the commit before its fix, and what the fix changed. */
export interface Case {
  /** `#123`; without an issue's number the fix's abbreviated sha. */
  readonly name: string;
  readonly title: string;
  readonly report: string;
  readonly base: string;
  readonly fix: string;
  /** Files of programs that are no tests and existed at the base. */
  readonly truth: readonly FixedFile[];
  readonly leaks: readonly Leak[];
}

export interface FixedFile {
  readonly path: string;
  /** Lines of the base; an insertion counts as the two lines around it. */
  readonly lines: readonly LineRange[];
  /** The innermost functions that hold such a line. */
  readonly functions: readonly (LineRange & { readonly name: string })[];
}

/** How the answer could be known from the report or the history before the fix. */
export type Leak =
  | 'names_commit'
  | 'names_pull_request'
  | 'holds_patch'
  | 'quotes_fix'
  | 'is_subject'
  | 'named_in_history';

const LEAKS: Readonly<Record<Leak, string>> = {
  names_commit: 'the text names the fixing commit',
  names_pull_request: 'the text names the pull request of the fix',
  holds_patch: 'the text holds a patch',
  quotes_fix: 'the text holds lines that the fix added',
  is_subject: 'the text is the message of the fix',
  named_in_history: 'an earlier commit names the issue',
};

export function describeLeak(leak: Leak): string {
  return LEAKS[leak];
}

/** Why a fix is not a case. */
export type Unfit = 'no_source_changed' | 'too_large' | 'unreadable';

const UNFIT: Readonly<Record<Unfit, string>> = {
  no_source_changed: 'changed no existing source file besides tests',
  too_large: 'changed too many files to be one fix',
  unreadable: 'could not be read in the repository',
};

export function describeUnfit(unfit: Unfit): string {
  return UNFIT[unfit];
}

// Which files count, deliberately apart from the product's own rule (triage/own-code.ts): a change there must not
// change what is measured.
const PROGRAM =
  /\.(?:[cm]?[jt]sx?|py[xi]?|java|kts?|go|rs|cs|rb|php|swift|scala|groovy|c|cc|cpp|cxx|h|hh|hpp|m|mm|vue|svelte)$/;
const TEST =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__)\/|(?:^|\/)(?:test_[^/]+\.py|conftest\.py|[^/]+[._-](?:tests?|spec|specs|e2e)\.[^/]+|[^/]*[a-z0-9](?:Tests?|IT|Spec|TestCase)\.(?:java|kt))$/;

/** Whether a fix could be counted there: a source file that is not a test. */
export function isCandidate(path: string): boolean {
  return PROGRAM.test(path) && !TEST.test(path);
}

/** A commit that fixed an issue. */
export interface Fix {
  readonly issue: number | null;
  readonly sha: string;
  /** Whose merge the commit is; null: none, or not known. */
  readonly pullRequest: number | null;
  /** How many commits before `sha` belong to the fix as well: a pull request that was rebased. */
  readonly earlier: number;
}

const CLOSING = /\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s{1,3}(?:issue\s)?(?:#|gh-)(\d{1,9})\b/gi;
const MENTION = /(?:^|[\s([,;:])(?:#|gh-)(\d{1,9})\b/gi;
/** What GitHub puts behind the subject of a squashed pull request. */
const SQUASHED = /\(#(\d{1,9})\)\s*$/;

/**
 * The fixes among these commits (newest first), one for each issue: the earliest commit that closes it by GitHub's
 * keywords, else the earliest that names it at all. `isIssue`: which numbers are issues; null: it is not known, so only
 * keywords count.
 */
export function findFixes(
  commits: readonly CommitMessage[],
  isIssue: ((number: number) => boolean) | null,
): readonly Fix[] {
  const naming = commits
    .filter(({ paths }) => paths.some(isCandidate))
    .flatMap((commit, age) => listNamed(commit).map((named) => ({ ...named, age })))
    .filter(({ fix, closes }) => (isIssue === null ? closes : isIssue(fix.issue)));
  const fixes = [...Map.groupBy(naming, ({ fix }) => fix.issue).values()].flatMap(
    (own) => own.findLast(({ closes }) => closes) ?? own.at(-1) ?? [],
  );
  return fixes.toSorted((a, b) => a.age - b.age).map(({ fix }) => fix);
}

/** The issues that the commit names, and whether by a keyword that closes them. */
function listNamed({ sha, message }: CommitMessage) {
  const closed = listMatchedNumbers(message, CLOSING);
  const pullRequest = readPullRequest(message);
  return [...new Set([...closed, ...listMatchedNumbers(message, MENTION)])].map((issue) => ({
    fix: { issue, sha, pullRequest: pullRequest === issue ? null : pullRequest, earlier: 0 },
    closes: closed.includes(issue),
  }));
}

function listMatchedNumbers(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(([, number]) => Number(number));
}

export function readPullRequest(message: string): number | null {
  const [, number] = SQUASHED.exec(message.split('\n', 1)[0] ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** The title and text of an issue. */
export interface ReportText {
  readonly title: string;
  readonly body: string;
  /** Whether it is the message of the fixing commit. */
  readonly isSubject: boolean;
}

const MOST_FILES = 20;

/** `repository` shows all commits: what the fix changed is read here, and never by an investigation. */
export async function buildCase(
  repository: Repository,
  fix: Fix,
  text: ReportText,
  signal: AbortSignal,
): Promise<Case | Unfit> {
  const comparison = await compareWithBase(repository, fix, signal);
  if (comparison === null) return 'unreadable';
  const measured = await measureFix(repository, fix, comparison, signal);
  if (typeof measured === 'string') return measured;
  const base = comparison.from;
  const report = `${text.title}\n\n${text.body}`.trim();
  const history =
    fix.issue === null ? [] : (await repository.tree(base).history({ issue: fix.issue, limit: 1 }, signal)).commits;
  const leaks: Leak[] = findTextLeaks(report, fix, measured.added);
  if (text.isSubject) leaks.push('is_subject');
  if (history.length > 0) leaks.push('named_in_history');
  const name = fix.issue === null ? fix.sha.slice(0, 10) : `#${fix.issue}`;
  return { name, title: text.title, report, base, fix: fix.sha, truth: measured.truth, leaks };
}

/** Null where there is no base, or its files were too many to list. */
async function compareWithBase(
  repository: Repository,
  { sha, earlier }: Fix,
  signal: AbortSignal,
): Promise<Comparison | null> {
  let comparison = await repository.tree(sha).compare(null, {}, signal);
  for (let left = earlier; left > 0 && comparison.from !== ''; left--) {
    comparison = await repository.tree(comparison.from).compare(null, {}, signal);
  }
  const base = comparison.from;
  if (base === '' || comparison.cut !== '') return null;
  return earlier === 0 ? comparison : await repository.tree(sha).compare(base, {}, signal);
}

async function measureFix(repository: Repository, { sha }: Fix, { from, files }: Comparison, signal: AbortSignal) {
  const existing = files
    .filter(({ status }) => status === 'modified' || status === 'deleted' || status === 'renamed')
    .map(({ path, previousPath, status }) => ({
      oldPath: status === 'renamed' ? previousPath : path,
      newPath: status === 'deleted' ? null : path,
    }))
    .filter(({ oldPath }) => isCandidate(oldPath));
  if (existing.length > MOST_FILES) return 'too_large';
  const [before, after] = [repository.tree(from), repository.tree(sha)];
  const changes: ReturnType<typeof measureChange>[] = [];
  for (const { oldPath, newPath } of existing) {
    const old = await readWholeFile(before, oldPath, signal);
    const now = newPath === null ? '' : await readWholeFile(after, newPath, signal);
    if (old === null || now === null) return 'unreadable';
    changes.push(measureChange(oldPath, { old, now }, await before.outline(oldPath, signal)));
  }
  const truth = changes.map(({ file }) => file).filter(({ lines }) => lines.length > 0);
  if (truth.length === 0) return 'no_source_changed';
  return { truth, added: changes.flatMap(({ added }) => added) };
}

async function readWholeFile(tree: SourceTree, path: string, signal: AbortSignal): Promise<string | null> {
  const read = await tree.read(path, {}, signal);
  return read.kind === 'text' && read.cut === '' ? read.text : null;
}

interface TextChange {
  readonly old: string;
  readonly now: string;
}

/** What became of one file, by lines of the base, and the lines that were added to it. */
function measureChange(path: string, { old, now }: TextChange, outline: Awaited<ReturnType<SourceTree['outline']>>) {
  const before = toLines(old).lines;
  const after = toLines(now).lines;
  const hunks = diffLines(before, after);
  const lines = hunks.map((hunk) => toReplacedRange(hunk, before.length));
  const functions = findSpans(path, old, outline).filter(({ kind }) => kind === 'function');
  // What is put between two functions is in neither.
  const changed = hunks.flatMap((hunk, at): readonly LineRange[] => {
    const { from, to } = lines[at] ?? { from: 0, to: 0 };
    return hunk.removed === 0 ? [{ from, to }] : [from, to].map((line) => ({ from: line, to: line }));
  });
  const holders = changed.flatMap(({ from, to }) => {
    const holding = functions.filter((span) => span.line <= from && to <= span.lastLine);
    return holding.toSorted((a, b) => a.lastLine - a.line - (b.lastLine - b.line)).slice(0, 1);
  });
  const named = [...new Set(holders)].map(({ owner, name, line, lastLine }) => ({
    name: owner === '' ? name : `${owner}.${name}`,
    from: line,
    to: lastLine,
  }));
  return {
    file: { path, lines, functions: named },
    added: hunks.flatMap((hunk) => after.slice(hunk.after, hunk.after + hunk.inserted)),
  };
}

/** `count`: lines of the base. */
function toReplacedRange({ before, removed }: Pick<Hunk, 'before' | 'removed'>, count: number): LineRange {
  if (removed > 0) return { from: before + 1, to: before + removed };
  return { from: Math.max(1, before), to: Math.max(1, Math.min(before + 1, count)) };
}

const SHA = /\b[0-9a-f]{7,40}\b/gi;
const PATCH = /^(?:diff --git |@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9})|^ {0,3}```(?:diff|patch)\b/m;
/** Shorter lines occur in any text. */
const TELLING_LINE = 12;
const TELLING_LINES = 2;

function findTextLeaks(report: string, { sha, pullRequest }: Fix, added: readonly string[]): Leak[] {
  const leaks: Leak[] = [];
  const named = report.match(SHA) ?? [];
  if (named.some((id) => sha.startsWith(id.toLowerCase()))) leaks.push('names_commit');
  if (pullRequest !== null && namesPullRequest(report, pullRequest)) leaks.push('names_pull_request');
  if (PATCH.test(report)) leaks.push('holds_patch');
  const lines = new Set(report.split('\n').map((line) => line.trim()));
  const telling = new Set(added.map((line) => line.trim()).filter((line) => line.length >= TELLING_LINE));
  if ([...telling].filter((line) => lines.has(line)).length >= TELLING_LINES) leaks.push('quotes_fix');
  return leaks;
}

function namesPullRequest(report: string, number: number): boolean {
  return [...report.matchAll(/(?:#|gh-|\/pull\/)(\d{1,9})\b/gi)].some(([, named]) => Number(named) === number);
}
