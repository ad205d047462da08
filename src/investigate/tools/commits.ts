// The tools that ask git about commits: history, blame and compare.

import type {
  BlameLine,
  CommitInfo,
  Comparison,
  HistoryQuery,
  HistoryResult,
  Repository,
  SourceTree,
} from 'causeway-git-objects';
import { z } from 'zod';
import type { LookupFinding, Tool } from '../../core/report/index.ts';
import { nameBranch } from '../../core/source/index.ts';
import { GENERATED_GLOBS, isGenerated, ratePath } from './generated.ts';
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
  from: z
    .int()
    .min(1)
    .optional()
    .describe('With "path" and "to": only commits that touched these lines, with the change.'),
  to: z.int().min(1).optional(),
  text: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only commits that added, moved or removed this text, with the change.'),
  message: z.string().max(1_000).optional().describe('Only commits whose message contains this text.'),
  newer: z
    .boolean()
    .optional()
    .describe('Instead: commits of the default branch, or of the one that is checked out, that came after this one.'),
  limit: z.int().min(1).max(200).optional(),
});

type HistoryArguments = z.output<typeof HISTORY>;

export function defineHistoryTool(repository: Repository, tree: SourceTree): Tool {
  return defineTool({
    name: 'history',
    lookup: 'history',
    description:
      'Lists this commit and those before it, newest first: sha, date, author, subject. At most "limit" (default 20, at most 200) and 12 kB. Line numbers are those of the commit, before edits.',
    parameters: HISTORY,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: (given) => describeAtCommit(`history${describeHistoryCall(given)}`, tree.revision),
    execute: async (given, signal) => {
      const query = toQuery(given);
      const fault = explainQueryFault(query);
      if (fault !== '') return answerFailed(fault);
      const { commits, cut } = await (given.newer === true
        ? findNewer(repository, tree, query, signal)
        : tree.history(query, signal));
      const left = query.without === undefined ? '' : 'Generated files were not looked at ("path" does).';
      if (commits.length === 0) {
        const none = joinNotes(`No such commit${describeHistoryCall(given)}.`, cut, left);
        return cut.startsWith('Stopped') ? answerFailed(none) : answerNothing(none);
      }
      const changes = await showChanges(repository, tree, { query, commits }, signal);
      const shown = takeFittingLines([...commits.map(formatCommit), ...changes], MAX_RESULT_BYTES);
      const over = shown.length < commits.length + changes.length ? 'Cut at 12 kB: narrow by "path" or "message".' : '';
      return answerFound(shown.join('\n'), joinNotes(cut, over, left));
    },
  });
}

function isWritten(path: string): boolean {
  return !isGenerated(path);
}

function explainQueryFault({ lines, path, text }: HistoryQuery): string {
  if (lines === undefined) return '';
  if (path === undefined) return 'Lines need a "path".';
  return text === undefined ? '' : 'Give lines or "text", not both.';
}

const MAX_HUNK_LINES = 30;

/** What the two newest and the oldest of the commits did to the wanted lines or text, newest first; empty where none are. */
async function showChanges(
  repository: Repository,
  tree: SourceTree,
  { query, commits }: { readonly query: HistoryQuery; readonly commits: readonly CommitInfo[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = query.text === undefined ? await readWantedLines(tree, query, signal) : [query.text];
  if (wanted.length === 0) return [];
  const ends = [...new Set([commits[0], commits[1], commits.at(-1)])].filter((commit) => commit !== undefined);
  const shown: string[] = [];
  for (const { sha } of ends) {
    const { path = '', text } = query;
    const options = { path, patch: isWritten, ...(text !== undefined && { text }) };
    const { patch } = await repository.tree(sha).compare(null, options, signal);
    const hunks = findHunks(patch, wanted);
    if (hunks.length > 0) shown.push('', `In ${sha.slice(0, 10)}:`, ...hunks);
  }
  return shown;
}

/** The lines themselves, by which their change is found in a patch; short ones occur in every patch. */
async function readWantedLines(
  tree: SourceTree,
  { path, lines }: HistoryQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (path === undefined || lines === undefined) return [];
  const read = await tree.read(path, { lines }, signal);
  if (read.kind !== 'text') return [];
  return read.text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3);
}

/** The hunks that put in or take out a line with one of the texts, below the name of their file, up to 30 lines. */
function findHunks(patch: string, wanted: readonly string[]): readonly string[] {
  const shown: string[] = [];
  for (const file of patch.split(/^(?=diff --git )/m)) {
    const hunks = file
      .split(/^(?=@@ )/m)
      .slice(1)
      .filter((hunk) =>
        hunk.split('\n').some((line) => /^[+-]/.test(line) && wanted.some((text) => line.includes(text))),
      );
    const name = /^(?:\+\+\+ b|--- a)\/(.+)$/m.exec(file)?.[1] ?? '';
    if (hunks.length > 0)
      shown.push(...(name === '' ? [] : [name]), ...hunks.flatMap((hunk) => hunk.trimEnd().split('\n')));
  }
  return shown.length <= MAX_HUNK_LINES ? shown : [...shown.slice(0, MAX_HUNK_LINES), '…'];
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
  if (head === null) return { commits: [], cut: 'The newest commit is not known.' };
  if (head === tree.revision) return { commits: [], cut: 'This commit is the newest.' };
  const branch = repository.tree(head);
  const since = await branch.compare(tree.revision, {}, signal);
  if (since.commits.length === 0) return { commits: [], cut: `This commit has all of ${nameBranch(repository)}.` };
  const later = new Set(since.commits.map(({ sha }) => sha));
  const found = await branch.history({ ...query, limit: MAX_NEWER }, signal);
  const commits = found.commits.filter(({ sha }) => later.has(sha));
  const cut = since.cut === '' ? '' : `Only the newest 100 commits of ${nameBranch(repository)} were looked at.`;
  return { commits: commits.slice(0, query.limit ?? 20), cut };
}

function toQuery({ path = '', from, to, text, message, limit }: HistoryArguments): HistoryQuery {
  const plain = normalisePath(path);
  const first = from ?? to;
  return {
    ...(plain === '' ? {} : { path: plain }),
    ...(first === undefined ? {} : { lines: { from: from ?? 1, to: to ?? first } }),
    ...(text === undefined ? {} : { text }),
    ...(text === undefined || plain !== '' ? {} : { without: GENERATED_GLOBS }),
    ...(message === undefined ? {} : { message }),
    ...(limit === undefined && text === undefined ? {} : { limit: limit ?? MAX_BROUGHT }),
  };
}

/** Commits that are looked for by default where a text is: each costs a comparison. */
const MAX_BROUGHT = 10;

function describeHistoryCall({ path, from, to, text, message, limit, newer }: HistoryArguments): string {
  const lines = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? from ?? 1}`;
  const words = message === undefined ? '' : ` with ${quote(message)} in the message`;
  const which = newer === true ? ' after this commit' : '';
  const brought = text === undefined ? '' : ` that changed ${quote(text)}`;
  return `${which}${path === undefined ? '' : ` of ${path}`}${lines}${brought}${words}${limit === undefined ? '' : `, up to ${limit}`}`;
}

const MAX_BLAMED_LINES = 500;

const BLAME = z.strictObject({ path: PATH, from: z.int().min(1), to: z.int().min(1) });

export function defineBlameTool({ tree, mark }: EditedTree): Tool {
  return defineTool({
    name: 'blame',
    lookup: 'blame',
    description: `Names the commit that last changed each of the lines from–to (at most ${MAX_BLAMED_LINES}) of a file, as in the commit, before your edits.`,
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
      const shown = takeFittingLines(ranges.map(formatBlameRange), MAX_RESULT_BYTES);
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
    return `Nothing is shown after line ${last}; if the file has more, continue with "from": ${last + 1}.`;
  const count = shown.reduce((sum, { first, last: end }) => sum + end - first + 1, 0);
  return count < range.to - range.from + 1 ? 'Some lines are missing: git ran out of time.' : '';
}

function formatBlameRange({ first, last, commit }: BlameRange): string {
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
  files: z.boolean().optional().describe('Only which files changed.'),
  start: z.int().min(1).optional().describe('First line of the answer to show; continues a cut one.'),
});

type CompareArguments = z.output<typeof COMPARE>;

/** `edits`: the patch of what was edited so far, of one file or ("") of all; "" for nothing. */
export function defineCompareTool(
  repository: Repository,
  tree: SourceTree,
  edits: (path: string) => Promise<string>,
): Tool {
  return defineTool({
    name: 'compare',
    lookup: 'compare',
    description:
      'Shows what changed from another commit to this one, in one commit (with the tags that contain it), or by your own edits: commits, files, and the patch if it is short or "path" names a file. At most 12 kB; a cut answer says which "start" continues it.',
    parameters: COMPARE,
    example: { from: 'v1.2.0', path: 'src/app.ts' },
    action: (given) => describeAtCommit(describeCompare(given), tree.revision),
    execute: async (given, signal) => {
      if (given.edits !== true) return compareCommitsForTool(repository, tree, given, signal);
      const path = normalisePath(given.path ?? '');
      const patch = await edits(path);
      if (patch === '') return answerNothing(path === '' ? 'Nothing was edited yet.' : `${path} was not edited.`);
      return answerPage(patch.replace(/\n$/, '').split('\n'), given.start ?? 1, '');
    },
  });
}

function describeCompare({ from, commit, path, files, start, edits }: CompareArguments): string {
  const of = path === undefined ? (files === true ? ' files' : '') : ` ${path}`;
  const page = start === undefined ? '' : `, from line ${start}`;
  if (edits === true) return `compare the edits${of === '' ? '' : ` of${of}`} with the commit${page}`;
  const which = commit === undefined ? ` from ${quote(from ?? '')}` : ` in commit ${quote(commit)}`;
  return `compare${of}${which}${page}`;
}

async function compareCommitsForTool(
  repository: Repository,
  tree: SourceTree,
  { from, commit, path = '', files = false, start = 1 }: CompareArguments,
  signal: AbortSignal,
): Promise<LookupFinding> {
  const [named, other] = [commit, from].filter((each) => each !== undefined);
  if (named === undefined || other !== undefined) return answerFailed('Give one of "from", "commit" and "edits".');
  const sha = await repository.resolve(named, signal);
  if (sha === null) {
    return answerFailed(`There is no commit, branch or tag ${quote(named)}. The history lists commits.`);
  }
  const wanted = normalisePath(path);
  const options = wanted === '' ? { patch: files ? false : isWritten } : { path: wanted };
  const comparison =
    commit === undefined
      ? await tree.compare(sha, options, signal)
      : await repository.tree(sha).compare(null, options, signal);
  const lines = formatComparison(files ? { ...comparison, commits: [] } : comparison, wanted);
  if (lines.length === 0) {
    const which = wanted === '' ? 'Nothing' : `Nothing in ${wanted}`;
    const since = `${commit === undefined ? 'since' : 'in'} ${sha.slice(0, 10)}`;
    return answerNothing(`${which} changed ${since}. ${comparison.cut}`.trimEnd());
  }
  const tags = commit === undefined ? [] : await listTags(repository, sha, signal);
  return answerPage([...lines, ...tags], start, comparison.cut);
}

/** One line; none where it is not known. */
async function listTags(repository: Repository, sha: string, signal: AbortSignal): Promise<readonly string[]> {
  const tags = await repository.findTags(sha, signal);
  if (tags === null) return [];
  const [first, ...later] = tags;
  if (first === undefined) return ['No tag contains this commit.'];
  return [
    `Tags that contain it: ${first}${later.length === 0 ? '' : ` and ${formatCommitCount(later.length, 'later one')}`}.`,
  ];
}

function answerPage(lines: readonly string[], start: number, cut: string): LookupFinding {
  if (start > lines.length) return answerNothing(`The answer has ${lines.length} lines; there is no line ${start}.`);
  const shown = takeFittingLines(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const over = next <= lines.length ? `${lines.length - next + 1} more lines: continue with "start": ${next}.` : '';
  return answerFound(shown.join('\n'), joinNotes(cut, over));
}

/** Bytes of patches that are shown where no file was named. */
const MAX_PATCH_BYTES = 8_000;

/** Of a named file the patch is wanted; the commits between say less. */
function formatComparison({ commits, files, patch }: Comparison, path: string): readonly string[] {
  if (files.length === 0 && (path !== '' || commits.length === 0)) return [];
  const ordered = files.toSorted((a, b) => ratePath(a.path) - ratePath(b.path));
  const fileLines = ordered.map(({ path, status, previousPath }) =>
    previousPath === '' ? `${status} ${path}` : `${status} ${previousPath} to ${path}`,
  );
  if (path !== '') return patch === '' ? fileLines : [...fileLines, ...splitPatch(patch)];
  return [
    ...(commits.length > 0 ? [`${formatCommitCount(commits.length, 'commit')}:`, ...commits.map(formatCommit)] : []),
    `${formatCommitCount(files.length, 'file')}:`,
    ...fileLines,
    ...selectPatches(patch, files.filter(({ path: of }) => isGenerated(of)).length),
  ];
}

function splitPatch(patch: string): readonly string[] {
  return patch.replace(/\n$/, '').split('\n');
}

/** The patches that fit in, those of source first; how many are not shown, with the `generated` ones. */
function selectPatches(patch: string, generated: number): readonly string[] {
  if (patch === '') return [];
  const patches = patch
    .split(/^(?=diff --git )/m)
    .filter((each) => each !== '')
    .toSorted((a, b) => ratePatch(a) - ratePatch(b));
  let bytes = 0;
  const fitting = patches.filter((each) => {
    bytes += Buffer.byteLength(each);
    return bytes <= MAX_PATCH_BYTES;
  });
  const left = patches.length - fitting.length + generated;
  const note =
    left === 0 ? [] : [`${formatCommitCount(left, 'longer or generated patch')} not shown: name the file by "path".`];
  return [...fitting.flatMap(splitPatch), ...note];
}

function ratePatch(patch: string): number {
  return ratePath(/^diff --git .* b\/(.+)$/m.exec(patch)?.[1] ?? '');
}

function formatCommitCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : what.endsWith('patch') ? 'es' : 's'}`;
}
