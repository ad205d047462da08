// A closer look at one suspect: the lines around the place, who last changed it, and the last commits to the file.

import type {
  BlameLine,
  CommitInfo,
  FileRead,
  HistoryResult,
  Symbol as OutlineSymbol,
  SourceTree,
} from '../core/source.ts';
import { cutText } from '../core/text.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import type { RankedSuspect } from './rank-suspects.ts';

const AROUND = 6;

const COMMITS = 3;

type ReadText = Extract<FileRead, { readonly kind: 'text' }>;

/** What was found at a suspect's place; "" and null where there is nothing. */
export interface Examined {
  readonly suspect: RankedSuspect;
  /** The line itself, trimmed. */
  readonly code: string;
  /** Number of the step that shows the line; 0: none does. */
  readonly readStep: number;
  readonly blame: CommitInfo | null;
  /** Newest first. */
  readonly commits: readonly CommitInfo[];
}

/** Lookups of git that run before their results are awaited. */
interface StartedLookups {
  readonly blame: Promise<readonly BlameLine[]> | null;
  readonly history: Promise<HistoryResult>;
}

/** One after the other, as their steps are recorded; git looks at all of them at once. */
export async function examineEach(
  lookups: Lookups,
  suspects: readonly RankedSuspect[],
  onExamined: (examined: Examined, index: number) => Promise<void>,
): Promise<readonly Examined[]> {
  const all = suspects.map((suspect) => ({ suspect, asked: startLookups(lookups, suspect) }));
  const examined: Examined[] = [];
  for (const [index, { suspect, asked }] of all.entries()) {
    const one = await examine(lookups, suspect, asked);
    examined.push(one);
    await onExamined(one, index);
  }
  return examined;
}

function startLookups({ tree, signal }: Lookups, { file, line }: RankedSuspect): StartedLookups {
  const asked = {
    blame: line > 0 ? tree.blame(file, { from: line, to: line }, signal) : null,
    history: tree.history({ path: file, limit: COMMITS }, signal),
  };
  // The caller that awaits them gets the error.
  for (const answer of [asked.blame, asked.history]) answer?.catch(() => undefined);
  return asked;
}

async function examine(
  lookups: Lookups,
  suspect: RankedSuspect,
  { blame, history }: StartedLookups,
): Promise<Examined> {
  const { code, readStep } =
    suspect.line > 0 ? await readAround(lookups, suspect) : await readFunction(lookups, suspect);
  const blamed = blame !== null && code !== '' ? await describeBlame(lookups, suspect, blame) : null;
  return { suspect, code, readStep, blame: blamed, commits: await recordLastCommits(lookups, suspect.file, history) };
}

/** Where only the function is known: its first lines, none of which is the place. */
async function readFunction(lookups: Lookups, suspect: RankedSuspect): Promise<{ code: string; readStep: number }> {
  const { tree, signal } = lookups;
  const name = suspect.function.split(/[.#]/).at(-1) ?? '';
  const nothing = { code: '', readStep: 0 };
  if (name === '') return nothing;
  const outline = await attempt(lookups, `outline ${suspect.file}`, () => tree.outline(suspect.file, signal));
  const from = findDefinitionLine(outline ?? [], name);
  if (from === 0) return nothing;
  const range = { from, to: from + 2 * AROUND };
  const action = `read ${suspect.file}:${range.from}-${range.to} at ${shortenSha(tree.revision)}`;
  const read = await attempt(lookups, action, () => tree.read(suspect.file, { lines: range }, signal));
  if (read?.kind !== 'text') return nothing;
  const analysis = `\`${suspect.function}\` begins at line ${from}; the report does not give the exact line.`;
  await lookups.notebook.record({ action, result: formatNumberedLines(read, 0), analysis });
  return nothing;
}

async function readAround(lookups: Lookups, suspect: RankedSuspect): Promise<{ code: string; readStep: number }> {
  const range = { from: Math.max(1, suspect.line - AROUND), to: suspect.line + AROUND };
  const at = shortenSha(lookups.tree.revision);
  const action = `read ${suspect.file}:${range.from}-${range.to} at ${at}`;
  const read = await attempt(lookups, action, () => lookups.tree.read(suspect.file, { lines: range }, lookups.signal));
  if (read?.kind !== 'text') return { code: '', readStep: 0 };
  const code = (read.text.split('\n')[suspect.line - read.firstLine] ?? '').trim();
  const where = suspect.function === '' ? '' : `, in \`${suspect.function}\``;
  const readStep = await lookups.notebook.record({
    action,
    result: formatNumberedLines(read, suspect.line),
    analysis:
      suspect.lineFrom === ''
        ? `Line ${suspect.line}${where} has the densest match with the report.`
        : `The report leads to line ${suspect.line} of this file${where}.`,
  });
  return { code, readStep };
}

function formatNumberedLines({ text, firstLine, cut }: ReadText, marked: number): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  const width = String(firstLine + lines.length).length;
  const numbered = lines.map((line, index) => formatNumberedLine(line, firstLine + index, marked, width));
  return [...numbered, cut].filter((line) => line !== '').join('\n');
}

function formatNumberedLine(line: string, number: number, marked: number, width: number): string {
  return `${number === marked ? '>' : ' '} ${String(number).padStart(width)} | ${cutText(line, 300)}`;
}

async function describeBlame(
  lookups: Lookups,
  suspect: RankedSuspect,
  blame: Promise<readonly BlameLine[]>,
): Promise<CommitInfo | null> {
  const action = `blame ${suspect.file}:${suspect.line} at ${shortenSha(lookups.tree.revision)}`;
  const lines = await attempt(lookups, action, () => blame);
  if (!lines) return null;
  const line = describeCommit(lines[0], lookups);
  await lookups.notebook.record({
    lookup: 'blame',
    action,
    result: line ? renderCommit(line) : 'nothing found',
    analysis: line
      ? `The line was last changed by ${shortenSha(line.sha)} on ${line.date.slice(0, 10)}.`
      : describeUnknownAuthor(lookups),
  });
  return line;
}

/** Where the history is cut off, git names the first commit that it has for everything older. */
function describeCommit(line: BlameLine | undefined, { repository }: Lookups): BlameLine | null {
  return line === undefined || (line.oldest && repository.shallow) ? null : line;
}

function describeUnknownAuthor({ repository }: Lookups): string {
  return repository.shallow
    ? 'The line is older than the history here, which is cut off (shallow clone).'
    : 'Git names no commit for this line.';
}

async function recordLastCommits(
  lookups: Lookups,
  path: string,
  history: Promise<HistoryResult>,
): Promise<readonly CommitInfo[]> {
  const action = `history ${path} (last ${COMMITS}) at ${shortenSha(lookups.tree.revision)}`;
  const found = await attempt(lookups, action, () => history);
  if (!found) return [];
  const newest = found.commits[0];
  await lookups.notebook.record({
    lookup: 'history',
    action,
    result: found.commits.length === 0 ? 'nothing found' : found.commits.map(renderCommit).join('\n'),
    analysis: newest
      ? `The file was last changed on ${newest.date.slice(0, 10)}.${describeShallow(lookups)}`
      : 'No commit to this file is known.',
  });
  return found.commits;
}

function describeShallow(lookups: Lookups): string {
  return lookups.repository.shallow
    ? ' The history here is cut off (shallow clone), so the true commit may be older.'
    : '';
}

function renderCommit({ sha, date, author, subject }: CommitInfo): string {
  return `${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`;
}

/** Lines of the patch shown on each side of the line. */
const LINES_AROUND_CHANGE = 15;

/** Records the part of the blamed commit's patch that brought the line; nothing where that commit made the file. */
export async function showBlamedChange(lookups: Lookups, { suspect, code, blame }: Examined): Promise<void> {
  if (blame === null || code === '') return;
  const action = `compare ${suspect.file} in commit ${shortenSha(blame.sha)}`;
  const changed = await attempt(lookups, action, () =>
    lookups.repository.tree(blame.sha).compare(null, { path: suspect.file }, lookups.signal),
  );
  const shown = changed === null ? [] : cutAroundLine(changed.patch, code);
  if (shown.length === 0) return;
  await lookups.notebook.record({
    lookup: 'compare',
    action,
    result: shown.map((line) => cutText(line, 300)).join('\n'),
    analysis: `${shortenSha(blame.sha)} (${blame.date.slice(0, 10)}) changed line ${suspect.line}.`,
  });
}

/** The lines around the one that was added, within its hunk; empty where it is not in the patch or the file was new. */
function cutAroundLine(patch: string, code: string): readonly string[] {
  const lines = patch.split('\n');
  if (lines.some((line) => line.startsWith('new file mode '))) return [];
  const at = lines.findIndex((line) => line.startsWith('+') && line.slice(1).trim() === code);
  if (at === -1) return [];
  const head = lines.slice(0, at).findLastIndex((line) => line.startsWith('@@'));
  const end = lines.findIndex((line, index) => index > at && (line.startsWith('@@') || line.startsWith('diff ')));
  const last = end === -1 ? lines.length - 1 : end;
  const from = Math.max(head, at - LINES_AROUND_CHANGE);
  return lines.slice(from, Math.min(last, at + LINES_AROUND_CHANGE + 1));
}

/** The line of `to` that reads like line `line` of `from`: the nearest with equal text; 0 where there is none. Lines of one word or less are not carried. */
export async function carryLine(
  line: number,
  from: { readonly tree: SourceTree; readonly path: string },
  to: { readonly tree: SourceTree; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const old = await from.tree.read(from.path, { lines: { from: line, to: line } }, signal);
  const now = await to.tree.read(to.path, {}, signal);
  if (old.kind !== 'text' || now.kind !== 'text') return 0;
  const wanted = (old.text.split('\n')[0] ?? '').trim();
  return isInformativeLine(wanted) ? findNearestLine(now.text.split('\n'), wanted, line) : 0;
}

/** Whether a line says enough to be known again: two words or more. */
export function isInformativeLine(text: string): boolean {
  return /\w\W+\w/.test(text);
}

/** Number (from 1) of the line with this trimmed text that is nearest to line `near`; 0 where there is none. */
export function findNearestLine(lines: readonly string[], wanted: string, near: number): number {
  return lines.reduce((nearest, text, index) => {
    const line = index + 1;
    if (text.trim() !== wanted) return nearest;
    return nearest === 0 || Math.abs(line - near) < Math.abs(nearest - near) ? line : nearest;
  }, 0);
}

/** The last function or class that begins at or before the line; "" where the outline has neither. */
export function findEnclosingFunction(outline: readonly OutlineSymbol[], line: number): string {
  if (line <= 0) return '';
  const before = outline.filter((symbol) => symbol.line <= line).sort((a, b) => b.line - a.line);
  return before.find(({ kind }) => kind === 'function' || kind === 'class')?.name ?? '';
}

/** Line where the function is defined; 0 where the outline does not have it, or has it more than once. */
export function findDefinitionLine(outline: readonly OutlineSymbol[], name: string): number {
  const same = outline.filter((symbol) => symbol.name === name);
  return same.length === 1 ? (same[0]?.line ?? 0) : 0;
}
