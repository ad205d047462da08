// `replay` in the terminal: the old answer and the new one side by side, then both changes.

import type { Diff } from 'causeway-diff';
import { toPrintable, toPrintableLine } from 'causeway-safe-markdown';
import { describeCost, describeOutcome, formatDollars, formatDuration, formatPercent } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import type { Proof } from '../core/proof/index.ts';
import { renderDiffLines } from './render.ts';
import { createStyle, padEnd, wrap } from './terminal.ts';

export interface Replay {
  readonly issueId: string;
  readonly project: string;
  /** Full sha that both answers are about. */
  readonly revision: string;
  readonly before: ReplayedAnswer;
  readonly after: ReplayedAnswer;
  /** US dollars of the replay, at the nominal price where the model has none. */
  readonly costUsd: number;
  readonly notes: readonly ReplayNote[];
}

export interface ReplayedAnswer {
  /** Null: none. */
  readonly model: string | null;
  readonly outcome: Outcome;
  readonly partial: boolean;
  readonly confidence: number | null;
  readonly rootCause: string;
  /** Best first. */
  readonly files: readonly string[];
  readonly diff: Diff;
  /** Names of the tools that the model called, turn by turn; null: not known. */
  readonly tools: readonly (readonly string[])[] | null;
  readonly steps: number;
  readonly turns: number;
  readonly tokens: number;
  /** US dollars; null: not known. */
  readonly costUsd: number | null;
  readonly seconds: number;
  /** Null: none was made. */
  readonly proof: Proof['state'] | null;
}

export type ReplayNote = 'transcript_gone' | 'without_check' | 'without_monitoring' | 'without_context';

const NOTES: Readonly<Record<ReplayNote, string>> = {
  transcript_gone:
    'The transcript of the old answer is gone, so what its model looked up is not shown: it is older than transcripts are kept, or the person who asked was erased.',
  without_check:
    'The old answer was about a failed check, the records of which are gone: what failed, and the commits since it was green, are not part of the replay.',
  without_context:
    'Another repository that the old answer rests on is no longer known, so no other repository was read.',
  without_monitoring: 'Monitoring systems were not asked: what they say today is of another time.',
};

const LABEL_COLUMNS = 12;
const GAP = 2;
const MAX_COLUMNS = 160;
const MAX_FILES = 5;

/** Ends with a line feed. */
export function renderReplay(replay: Replay, layout: { readonly columns: number; readonly colour: boolean }): string {
  const { before, after, project, revision, notes, costUsd } = replay;
  const columns = Math.min(layout.columns, MAX_COLUMNS);
  const width = Math.floor((columns - LABEL_COLUMNS - GAP) / 2);
  const paint = createStyle(layout.colour);
  const rows = [
    renderReplayRow('', [paint.bold('before'), paint.bold('replayed')], width),
    ...listReplayRows(before, after).map(([label, ...cells]) => renderReplayRow(label, cells, width)),
  ];
  const page = { columns, paint };
  const sections = [
    [paint.bold(`${toPrintableLine(project)} at ${revision.slice(0, 12)}`), ...rows.flat()],
    ...[
      ['Change before', before.diff],
      ['Change replayed', after.diff],
    ].map(([title, diff]) => renderDiff(title as string, diff as Diff, page)),
    [...notes.map((note) => NOTES[note]), describeReplayCost(costUsd)].flatMap((line) =>
      wrap(line, Math.min(columns, 100), ''),
    ),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function listReplayRows(before: ReplayedAnswer, after: ReplayedAnswer): readonly (readonly [string, string, string])[] {
  const row = (label: string, describe: (answer: ReplayedAnswer) => string) =>
    [label, describe(before), describe(after)] as const;
  return [
    row('model', ({ model }) => model ?? 'none'),
    row('outcome', ({ outcome, partial }) => `${describeOutcome(outcome)}${partial ? ', stopped early' : ''}`),
    row('confidence', ({ confidence }) => (confidence === null ? '–' : formatPercent(confidence))),
    row('cause', ({ rootCause }) => rootCause),
    row('files', ({ files }) => files.slice(0, MAX_FILES).join('\n') || '–'),
    row('proof', ({ proof }) => proof ?? 'none'),
    row('looked up', describeCalledTools),
    row('turns', ({ turns }) => String(turns)),
    row('tokens', ({ tokens }) => tokens.toLocaleString('en')),
    row('cost', ({ costUsd, model }) => describeCost({ model, usage: { costUsd } })),
    row('duration', ({ seconds }) => formatDuration(seconds)),
  ];
}

/** Such as `12 steps: search 3, read_files 2, conclude`. */
function describeCalledTools({ steps, tools }: ReplayedAnswer): string {
  const counts = Object.entries(Object.groupBy(tools?.flat() ?? [], (name) => name));
  const named = counts.map(([name, calls = []]) => (calls.length > 1 ? `${name} ${calls.length}` : name));
  return `${steps} steps${named.length === 0 ? '' : `: ${named.join(', ')}`}`;
}

function renderReplayRow(label: string, cells: readonly string[], width: number): string[] {
  const wrapped = cells.map((cell) =>
    toPrintable(cell)
      .split('\n')
      .flatMap((line) => wrap(line, width, ''))
      .flatMap((line) => breakLong(line, width)),
  );
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => {
    const [left = '', right = ''] = wrapped.map((lines) => lines[at] ?? '');
    return `${padEnd(at === 0 ? label : '', LABEL_COLUMNS)}${padEnd(left, width + GAP)}${right}`.trimEnd();
  });
}

/** A path that is too long for its column goes on below, where a folder ends if it can. */
function breakLong(line: string, width: number): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const at = rest.lastIndexOf('/', width - 1) + 1 || width;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}

function renderDiff(title: string, { files }: Diff, page: Parameters<typeof renderDiffLines>[1]): string[] {
  if (files.length === 0) return [`${page.paint.bold(title)}: none`];
  return [page.paint.bold(title), ...renderDiffLines(files, page).slice(1)];
}

function describeReplayCost(costUsd: number): string {
  if (costUsd === 0) return 'The replay cost nothing. Nothing was written to GitHub, and the new answer is not stored.';
  return `The replay cost ${formatDollars(costUsd)}, counted in BUDGET_REPOSITORY_MONTH and BUDGET_MONTH. Nothing was written to GitHub, and the new answer is not stored.`;
}
