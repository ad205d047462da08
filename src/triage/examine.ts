// A closer look at one suspect: the lines around the place, who last changed it, and the last commits to the file.
import { cutText } from '../core/cut-text.ts';
import type { BlameLine, CommitInfo, FileRead, HistoryResult } from '../core/source.ts';
import { definitionLine } from './enclosing-function.ts';
import { attempt, type Lookups, shortSha } from './lookups.ts';
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

/** Questions to git that are asked before anybody waits for their answers. */
interface Asked {
  readonly blame: Promise<readonly BlameLine[]> | null;
  readonly history: Promise<HistoryResult>;
}

/** One after the other, as their steps are recorded; git looks at all of them at once. */
export async function examineEach(
  lookups: Lookups,
  suspects: readonly RankedSuspect[],
  onExamined: (examined: Examined, index: number) => Promise<void>,
): Promise<readonly Examined[]> {
  const all = suspects.map((suspect) => ({ suspect, asked: ask(lookups, suspect) }));
  const examined: Examined[] = [];
  for (const [index, { suspect, asked }] of all.entries()) {
    const one = await examine(lookups, suspect, asked);
    examined.push(one);
    await onExamined(one, index);
  }
  return examined;
}

function ask({ tree, signal }: Lookups, { file, line }: RankedSuspect): Asked {
  const asked = {
    blame: line > 0 ? tree.blame(file, { from: line, to: line }, signal) : null,
    history: tree.history({ path: file, limit: COMMITS }, signal),
  };
  // Whoever waits for them hears of it.
  for (const answer of [asked.blame, asked.history]) answer?.catch(() => undefined);
  return asked;
}

async function examine(lookups: Lookups, suspect: RankedSuspect, { blame, history }: Asked): Promise<Examined> {
  const { code, readStep } =
    suspect.line > 0 ? await readAround(lookups, suspect) : await readFunction(lookups, suspect);
  const blamed = blame !== null && code !== '' ? await blameLine(lookups, suspect, blame) : null;
  return { suspect, code, readStep, blame: blamed, commits: await lastCommits(lookups, suspect.file, history) };
}

/** Where only the function is known: its first lines, none of which is the place. */
async function readFunction(lookups: Lookups, suspect: RankedSuspect): Promise<{ code: string; readStep: number }> {
  const { tree, signal } = lookups;
  const name = suspect.function.split(/[.#]/).at(-1) ?? '';
  const nothing = { code: '', readStep: 0 };
  if (name === '') return nothing;
  const outline = await attempt(lookups, `outline ${suspect.file}`, () => tree.outline(suspect.file, signal));
  const from = definitionLine(outline ?? [], name);
  if (from === 0) return nothing;
  const range = { from, to: from + 2 * AROUND };
  const action = `read ${suspect.file}:${range.from}-${range.to} at ${shortSha(tree.revision)}`;
  const read = await attempt(lookups, action, () => tree.read(suspect.file, { lines: range }, signal));
  if (read?.kind !== 'text') return nothing;
  const analysis = `\`${suspect.function}\` begins at line ${from}; the report does not give the exact line.`;
  await lookups.notebook.record({ action, result: numberedLines(read, 0), analysis });
  return nothing;
}

async function readAround(lookups: Lookups, suspect: RankedSuspect): Promise<{ code: string; readStep: number }> {
  const range = { from: Math.max(1, suspect.line - AROUND), to: suspect.line + AROUND };
  const at = shortSha(lookups.tree.revision);
  const action = `read ${suspect.file}:${range.from}-${range.to} at ${at}`;
  const read = await attempt(lookups, action, () => lookups.tree.read(suspect.file, { lines: range }, lookups.signal));
  if (read?.kind !== 'text') return { code: '', readStep: 0 };
  const code = (read.text.split('\n')[suspect.line - read.firstLine] ?? '').trim();
  const where = suspect.function === '' ? '' : `, in \`${suspect.function}\``;
  const readStep = await lookups.notebook.record({
    action,
    result: numberedLines(read, suspect.line),
    analysis:
      suspect.lineFrom === ''
        ? `Line ${suspect.line}${where} has the densest match with the report.`
        : `The report leads to line ${suspect.line} of this file${where}.`,
  });
  return { code, readStep };
}

function numberedLines({ text, firstLine, cut }: ReadText, marked: number): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  const width = String(firstLine + lines.length).length;
  const numbered = lines.map((line, index) => numberedLine(line, firstLine + index, marked, width));
  return [...numbered, cut].filter((line) => line !== '').join('\n');
}

function numberedLine(line: string, number: number, marked: number, width: number): string {
  return `${number === marked ? '>' : ' '} ${String(number).padStart(width)} | ${cutText(line, 300)}`;
}

async function blameLine(
  lookups: Lookups,
  suspect: RankedSuspect,
  blame: Promise<readonly BlameLine[]>,
): Promise<CommitInfo | null> {
  const action = `blame ${suspect.file}:${suspect.line} at ${shortSha(lookups.tree.revision)}`;
  const lines = await attempt(lookups, action, () => blame);
  if (!lines) return null;
  const line = known(lines[0], lookups);
  await lookups.notebook.record({
    action,
    result: line ? renderCommit(line) : 'nothing found',
    analysis: line
      ? `The line was last changed by ${shortSha(line.sha)} on ${line.date.slice(0, 10)}.`
      : unknownAuthor(lookups),
  });
  return line;
}

/** Where the history is cut off, git names the first commit that it has for everything older. */
function known(line: BlameLine | undefined, { repository }: Lookups): BlameLine | null {
  return line === undefined || (line.oldest && repository.shallow) ? null : line;
}

function unknownAuthor({ repository }: Lookups): string {
  return repository.shallow
    ? 'The line is older than the history here, which is cut off (shallow clone).'
    : 'Git names no commit for this line.';
}

async function lastCommits(
  lookups: Lookups,
  path: string,
  history: Promise<HistoryResult>,
): Promise<readonly CommitInfo[]> {
  const action = `history ${path} (last ${COMMITS}) at ${shortSha(lookups.tree.revision)}`;
  const found = await attempt(lookups, action, () => history);
  if (!found) return [];
  const newest = found.commits[0];
  await lookups.notebook.record({
    action,
    result: found.commits.length === 0 ? 'nothing found' : found.commits.map(renderCommit).join('\n'),
    analysis: newest
      ? `The file was last changed on ${newest.date.slice(0, 10)}.${shallowNote(lookups)}`
      : 'No commit to this file is known.',
  });
  return found.commits;
}

function shallowNote(lookups: Lookups): string {
  return lookups.repository.shallow
    ? ' The history here is cut off (shallow clone), so the true commit may be older.'
    : '';
}

function renderCommit({ sha, date, author, subject }: CommitInfo): string {
  return `${shortSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`;
}
