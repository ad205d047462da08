// The tools that ask git about commits: history, blame and compare.
import { z } from 'zod';
import type { Finding, Tool } from '../core/evidence.ts';
import type { BlameLine, Comparison, HistoryQuery, HistoryResult, Repository, SourceTree } from '../core/source.ts';

import type { EditedTree } from './overlay.ts';
import { explainNoText } from './read-files.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  formatCommit,
  joinNotes,
  MAX_RESULT_BYTES,
  normalisePath,
  PATH,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

const HISTORY = z.strictObject({
  path: PATH.optional().describe('Only commits that touched this file or folder.'),
  from: z.int().min(1).optional().describe('With "path" and "to": only commits that touched these lines.'),
  to: z.int().min(1).optional(),
  message: z.string().max(1_000).optional().describe('Only commits whose message holds this text.'),
  newer: z.boolean().optional().describe('Instead: commits of the default branch that came after this one.'),
  limit: z.int().min(1).max(200).optional(),
});

type HistoryArguments = z.output<typeof HISTORY>;

export function defineHistoryTool(repository: Repository, tree: SourceTree): Tool {
  return defineTool({
    name: 'history',
    lookup: 'history',
    description:
      'Lists the commits that lead to this one, newest first: sha, date, author, subject. At most "limit" (default 20, at most 200) and 12 kB. Line numbers are those of the commit, before edits.',
    parameters: HISTORY,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: (given) => describeAtCommit(`history${describeHistory(given)}`, tree.revision),
    execute: async (given, signal) => {
      const query = toQuery(given);
      if (query.lines !== undefined && query.path === undefined) return answerFailed('Lines need a "path".');
      const { commits, cut } = await (given.newer === true
        ? findNewer(repository, tree, query, signal)
        : tree.history(query, signal));
      if (commits.length === 0) {
        const none = `No such commit${describeHistory(given)}. ${cut}`.trimEnd();
        return cut.startsWith('Stopped') ? answerFailed(none) : answerNothing(none);
      }
      const shown = takeFittingLines(commits.map(formatCommit), MAX_RESULT_BYTES);
      const over = shown.length < commits.length ? 'Cut at 12 kB: narrow by "path" or "message".' : '';
      return answerFound(shown.join('\n'), joinNotes(cut, over));
    },
  });
}

/** At most so many newer commits are looked at. */
const MAX_NEWER = 200;

/** What the default branch has and this commit has not: where a fault may be fixed already. */
async function findNewer(
  repository: Repository,
  tree: SourceTree,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryResult> {
  const head = await repository.resolve('', signal);
  if (head === null || head === tree.revision) return { commits: [], cut: 'This commit is the newest.' };
  const branch = repository.tree(head);
  const since = await branch.compare(tree.revision, {}, signal);
  const later = new Set(since.commits.map(({ sha }) => sha));
  const found = await branch.history({ ...query, limit: MAX_NEWER }, signal);
  const commits = found.commits.filter(({ sha }) => later.has(sha));
  const cut = since.cut === '' ? '' : 'Only the newest 100 commits of the default branch were looked at.';
  return { commits: commits.slice(0, query.limit ?? 20), cut };
}

function toQuery({ path = '', from, to, message, limit }: HistoryArguments): HistoryQuery {
  const plain = normalisePath(path);
  const first = from ?? to;
  return {
    ...(plain === '' ? {} : { path: plain }),
    ...(first === undefined ? {} : { lines: { from: from ?? 1, to: to ?? first } }),
    ...(message === undefined ? {} : { message }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function describeHistory({ path, from, to, message, limit, newer }: HistoryArguments): string {
  const lines = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? from ?? 1}`;
  const words = message === undefined ? '' : ` with ${quote(message)} in the message`;
  const which = newer === true ? ' after this commit' : '';
  return `${which}${path === undefined ? '' : ` of ${path}`}${lines}${words}${limit === undefined ? '' : `, up to ${limit}`}`;
}

const MAX_BLAMED_LINES = 500;

const BLAME = z.strictObject({ path: PATH, from: z.int().min(1), to: z.int().min(1) });

export function defineBlameTool({ tree, mark }: EditedTree): Tool {
  return defineTool({
    name: 'blame',
    lookup: 'blame',
    description: `Tells which commit last changed each of the lines from–to (at most ${MAX_BLAMED_LINES}) of a file, as the commit has it, before edits.`,
    parameters: BLAME,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: ({ path, from, to }) => describeAtCommit(`blame ${path} lines ${from}–${to}`, tree.revision),
    execute: async (given, signal) => {
      const path = normalisePath(given.path);
      const { from } = given;
      if (given.to < from) return answerFailed(`The range ends before it starts: ${from}–${given.to}.`);
      const to = Math.min(given.to, from + MAX_BLAMED_LINES - 1);
      const lines = await tree.blame(path, { from, to }, signal);
      if (lines.length === 0) {
        const read = await tree.read(path, { lines: { from: 1, to: 1 } }, signal);
        if (read.kind !== 'text') return answerFailed(explainNoText(path, read));
        return answerNothing(`${path} has ${read.totalLines} lines at this commit; there is no line ${from}.`);
      }
      const ranges = groupByCommit(lines);
      const shown = takeFittingLines(ranges.map(formatRange), MAX_RESULT_BYTES);
      const edited = mark(path) === '' ? '' : 'Line numbers are those of the commit, before your edits.\n';
      return answerFound(`${edited}${shown.join('\n')}`, describeMissingLines(ranges.slice(0, shown.length), given));
    },
  });
}

/** Lines may be missing since they do not exist, were too many, or git ran out of time. */
function describeMissingLines(
  shown: readonly BlameRange[],
  range: { readonly from: number; readonly to: number },
): string {
  const last = shown.at(-1)?.last ?? range.from;
  if (last < range.to)
    return `Nothing is shown after line ${last}; if the file has more, go on with "from": ${last + 1}.`;
  const count = shown.reduce((sum, { first, last: end }) => sum + end - first + 1, 0);
  return count < range.to - range.from + 1 ? 'Some lines are missing: git ran out of time.' : '';
}

function formatRange({ first, last, commit }: BlameRange): string {
  return `${first === last ? `line ${first}` : `lines ${first}–${last}`}: ${formatCommit(commit)}${commit.oldest ? ' (the oldest commit known here)' : ''}`;
}

interface BlameRange {
  readonly first: number;
  readonly last: number;
  readonly commit: BlameLine;
}

/** Neighbouring lines of one commit in one. */
function groupByCommit(lines: readonly BlameLine[]): readonly BlameRange[] {
  const ranges: BlameRange[] = [];
  for (const line of lines) {
    const previous = ranges.at(-1);
    if (previous?.commit.sha === line.sha && previous.last + 1 === line.line) {
      ranges[ranges.length - 1] = { ...previous, last: line.line };
    } else {
      ranges.push({ first: line.line, last: line.line, commit: line });
    }
  }
  return ranges;
}

const COMPARE = z.strictObject({
  from: z.string().min(1).max(300).optional().describe('Sha (7 digits or more), branch or tag to compare with.'),
  commit: z.string().min(1).max(300).optional().describe('Instead of "from": only what this one commit changed.'),
  edits: z.boolean().optional().describe('Instead of "from": your own edits so far, as one patch.'),
  path: PATH.optional().describe('Only this file, with its patch.'),
  start: z.int().min(1).optional().describe('Begin with this line of the answer, to go on after a cut.'),
});

type CompareArguments = z.output<typeof COMPARE>;

/** `edits`: the patch of what was edited so far, "" for nothing. */
export function defineCompareTool(repository: Repository, tree: SourceTree, edits: () => Promise<string>): Tool {
  return defineTool({
    name: 'compare',
    lookup: 'compare',
    description:
      'What changed from another commit to this one, or in one commit: commits and files, or with "path" the patch of one file; or your own edits. At most 12 kB; the answer says with which "start" to go on.',
    parameters: COMPARE,
    example: { from: 'v1.2.0', path: 'src/app.ts' },
    action: (given) => describeAtCommit(describeCompare(given), tree.revision),
    execute: async (given, signal) => {
      if (given.edits !== true) return compareCommits(repository, tree, given, signal);
      const patch = await edits();
      if (patch === '') return answerNothing('Nothing was edited yet.');
      return answerPage(patch.replace(/\n$/, '').split('\n'), given.start ?? 1, '');
    },
  });
}

function describeCompare({ from, commit, path, start, edits }: CompareArguments): string {
  if (edits === true) return `compare the edits with the commit${start === undefined ? '' : `, from line ${start}`}`;
  const of = path === undefined ? '' : ` ${path}`;
  const which = commit === undefined ? ` from ${quote(from ?? '')}` : ` in commit ${quote(commit)}`;
  return `compare${of}${which}${start === undefined ? '' : `, from line ${start}`}`;
}

async function compareCommits(
  repository: Repository,
  tree: SourceTree,
  { from, commit, path = '', start = 1 }: CompareArguments,
  signal: AbortSignal,
): Promise<Finding> {
  const named = commit ?? from;
  if (named === undefined || (commit !== undefined && from !== undefined)) {
    return answerFailed('Give one of "from", "commit" and "edits".');
  }
  const sha = await repository.resolve(named, signal);
  if (sha === null) {
    return answerFailed(`There is no commit, branch or tag ${quote(named)}. The history lists commits.`);
  }
  const wanted = normalisePath(path);
  const options = wanted === '' ? {} : { path: wanted };
  const comparison =
    commit === undefined
      ? await tree.compare(sha, options, signal)
      : await repository.tree(sha).compare(null, options, signal);
  const lines = wanted !== '' && comparison.files.length === 0 ? [] : formatComparison(comparison);
  if (lines.length > 0) return answerPage(lines, start, comparison.cut);
  const which = wanted === '' ? 'Nothing' : `Nothing in ${wanted}`;
  const since = `${commit === undefined ? 'since' : 'in'} ${sha.slice(0, 10)}`;
  return answerNothing(`${which} changed ${since}. ${comparison.cut}`.trimEnd());
}

function answerPage(lines: readonly string[], start: number, cut: string): Finding {
  if (start > lines.length) return answerNothing(`The answer has ${lines.length} lines; there is no line ${start}.`);
  const shown = takeFittingLines(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const over = next <= lines.length ? `${lines.length - next + 1} more lines: go on with "start": ${next}.` : '';
  return answerFound(shown.join('\n'), joinNotes(cut, over));
}

/** With a patch, the patch is what was requested; the commits between say less. */
function formatComparison({ commits, files, patch }: Comparison): readonly string[] {
  const fileLines = files.map(({ path, status, previousPath }) =>
    previousPath === '' ? `${status} ${path}` : `${status} ${previousPath} to ${path}`,
  );
  if (patch !== '') return [...fileLines, ...patch.replace(/\n$/, '').split('\n')];
  if (commits.length + files.length === 0) return [];
  return [
    `${formatCount(commits.length, 'commit')}:`,
    ...commits.map(formatCommit),
    `${formatCount(files.length, 'file')}:`,
    ...fileLines,
  ];
}

function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
