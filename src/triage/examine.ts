// A closer look at one suspect: the lines around the place, who last changed it, and the last commits to the file.
import { cutText } from '../domain/cut-text.ts';
import type { Suspect } from '../domain/issue.ts';
import type { BlameLine, CommitInfo, HistoryResult } from '../ports/source.ts';
import { attempt, type Lookups, shortSha } from './lookups.ts';

const AROUND = 6;
const COMMITS = 3;

/** What was found at a suspect's place; "" and null where there is nothing. */
export interface Examined {
  readonly suspect: Suspect;
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
  suspects: readonly Suspect[],
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

function ask({ tree, signal }: Lookups, { file, line }: Suspect): Asked {
  const asked = {
    blame: line > 0 ? tree.blame(file, { from: line, to: line }, signal) : null,
    history: tree.history({ path: file, limit: COMMITS }, signal),
  };
  // Whoever waits for them hears of it.
  for (const answer of [asked.blame, asked.history]) answer?.catch(() => undefined);
  return asked;
}

async function examine(lookups: Lookups, suspect: Suspect, { blame, history }: Asked): Promise<Examined> {
  const { code, readStep } = suspect.line > 0 ? await readAround(lookups, suspect) : { code: '', readStep: 0 };
  const blamed = blame !== null && code !== '' ? await blameLine(lookups, suspect, blame) : null;
  return { suspect, code, readStep, blame: blamed, commits: await lastCommits(lookups, suspect.file, history) };
}

async function readAround(lookups: Lookups, suspect: Suspect): Promise<{ code: string; readStep: number }> {
  const range = { from: Math.max(1, suspect.line - AROUND), to: suspect.line + AROUND };
  const at = shortSha(lookups.tree.revision);
  const action = `read ${suspect.file}:${range.from}-${range.to} at ${at}`;
  const read = await attempt(lookups, action, () => lookups.tree.read(suspect.file, { lines: range }, lookups.signal));
  if (read?.kind !== 'text') return { code: '', readStep: 0 };
  const lines = read.text.split('\n');
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  const code = (lines[suspect.line - read.firstLine] ?? '').trim();
  const width = String(read.firstLine + lines.length).length;
  const numbered = lines.map((line, index) => numberedLine(line, read.firstLine + index, suspect.line, width));
  const where = suspect.function === '' ? '' : `, in \`${suspect.function}\``;
  const readStep = await lookups.notebook.record({
    action,
    result: [...numbered, read.cut].filter((line) => line !== '').join('\n'),
    analysis: isNamed(suspect)
      ? `Line ${suspect.line} is the place that the facts name in this file${where}.`
      : `Nothing names line ${suspect.line}${where}; words of the report stand closest together there.`,
  });
  return { code, readStep };
}

/** Words and paths alone name no line. */
function isNamed({ reasons }: Suspect): boolean {
  return !reasons.every((reason) =>
    /^(?:holds the words?\b|its path shares\b|was changed by\b|holds .{1,200} which the failing test uses)/.test(
      reason,
    ),
  );
}

function numberedLine(line: string, number: number, marked: number, width: number): string {
  return `${number === marked ? '>' : ' '} ${String(number).padStart(width)} | ${cutText(line, 300)}`;
}

async function blameLine(
  lookups: Lookups,
  suspect: Suspect,
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
