// The tool that tells which commit last changed lines.
import { z } from 'zod';
import type { BlameLine } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { type EditedTree, normalisePath } from './edited-tree.ts';
import { explainNoText } from './read-files.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  formatCommit,
  MAX_RESULT_BYTES,
  PATH,
  takeFittingLines,
} from './tool-kit.ts';

const MAX_LINES = 500;

const PARAMETERS = z.strictObject({ path: PATH, from: z.int().min(1), to: z.int().min(1) });

export function defineBlameTool({ tree, mark }: EditedTree): Tool {
  return defineTool({
    name: 'blame',
    lookup: 'blame',
    description: `Tells which commit last changed each of the lines from–to (at most ${MAX_LINES}) of a file, as the commit has it, before edits.`,
    parameters: PARAMETERS,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: ({ path, from, to }) => describeAtCommit(`blame ${path} lines ${from}–${to}`, tree.revision),
    execute: async (given, signal) => {
      const path = normalisePath(given.path);
      const { from } = given;
      if (given.to < from) return answerFailed(`The range ends before it starts: ${from}–${given.to}.`);
      const to = Math.min(given.to, from + MAX_LINES - 1);
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
  asked: { readonly from: number; readonly to: number },
): string {
  const last = shown.at(-1)?.last ?? asked.from;
  if (last < asked.to)
    return `Nothing is shown after line ${last}; if the file has more, go on with "from": ${last + 1}.`;
  const count = shown.reduce((sum, range) => sum + range.last - range.first + 1, 0);
  return count < asked.to - asked.from + 1 ? 'Some lines are missing: git ran out of time.' : '';
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
