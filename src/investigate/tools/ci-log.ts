// The tool that reads and searches the text that came with the report: a log of a failed CI run, or the report itself.
import { z } from 'zod';
import type { Tool } from '../../core/report/index.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  formatNumberedLines,
  MAX_RESULT_BYTES,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

const TAIL = 100;
const MAX_HITS = 200;
const MAX_LINE = 1_000;
const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** GitHub puts the time before every line: about twelve tokens that tell nothing. */
const STAMP = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

const PARAMETERS = z.strictObject({
  find: z.string().min(1).max(500).optional().describe('Only lines that contain this text, in any case.'),
  from: z.int().min(1).optional().describe('First line, from 1.'),
  to: z.int().min(1).optional().describe('Last line, inclusive.'),
});

type CiLogArguments = z.output<typeof PARAMETERS>;

export function defineCiLogTool(log: string | null): Tool {
  let split: readonly string[] | undefined;
  return defineTool({
    name: 'ci_log',
    source: 'log',
    description: `Reads the whole text that came with the report: the CI log, or the report itself if its copy above is cut. Shows lines from–to or those that contain "find"; without either, the last ${TAIL}. At most ${MAX_HITS} hits and 12 kB; a cut answer says where to continue.`,
    parameters: PARAMETERS,
    example: { find: 'error' },
    action: (given) => `ci_log${describeQuery(given)}`,
    execute: async (given) => {
      if (log === null) return answerNothing('No text came with the report.');
      // A log of many megabytes is taken apart only if it is read at all.
      split ??= splitLog(log);
      const lines = split;
      if (lines.length === 0) return answerNothing('The text is empty.');
      return given.find === undefined ? readRange(lines, given) : findLines(lines, given.find, given);
    },
  });
}

function describeQuery({ find, from, to }: CiLogArguments): string {
  const range = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? 'end'}`;
  if (find === undefined) return range === '' ? `: the last ${TAIL} lines` : range;
  return `: find ${quote(find)}${range === '' ? '' : ` in${range}`}`;
}

function splitLog(log: string): readonly string[] {
  const lines = log.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(STAMP, '').replaceAll(COLOURS, ''));
}

function readRange(lines: readonly string[], { from, to }: CiLogArguments) {
  const whole = from === undefined && to === undefined;
  const first = whole ? Math.max(1, lines.length - TAIL + 1) : (from ?? 1);
  const last = Math.min(to ?? lines.length, lines.length);
  if (first > lines.length) return answerNothing(`The text has ${lines.length} lines; there is no line ${first}.`);
  if (last < first) return answerFailed(`The range ends before it starts: ${first}–${last}.`);
  const rows = formatNumberedLines(lines.slice(first - 1, last), first, MAX_LINE);
  // The end of a log says most, so without a range its beginning is cut.
  const shown = whole
    ? takeFittingLines(rows.toReversed(), MAX_RESULT_BYTES).toReversed()
    : takeFittingLines(rows, MAX_RESULT_BYTES);
  const start = whole ? last - shown.length + 1 : first;
  const end = start + shown.length - 1;
  const notes = [
    whole && start > 1 ? `Lines 1–${start - 1} are not shown: ask for a range or "find".` : '',
    end < last ? `Cut after line ${end}: continue with "from": ${end + 1}.` : '',
  ];
  const cut = notes.filter((note) => note !== '').join(' ');
  return answerFound(`Text of the report, lines ${start}–${end} of ${lines.length}:\n${shown.join('\n')}`, cut);
}

function findLines(lines: readonly string[], text: string, { from = 1, to }: CiLogArguments) {
  const sought = text.toLowerCase();
  const hits = lines.flatMap((line, index) => {
    const within = index + 1 >= from && index + 1 <= (to ?? lines.length);
    return within && line.toLowerCase().includes(sought) ? [index] : [];
  });
  if (hits.length === 0) return answerNothing(`No line of the text contains ${quote(text)} (${lines.length} lines).`);
  const shown = takeFittingLines(
    hits
      .slice(0, MAX_HITS)
      .flatMap((index) => formatNumberedLines([cutAroundHit(lines[index] ?? '', sought)], index + 1, MAX_LINE)),
    MAX_RESULT_BYTES,
  );
  const next = hits[shown.length];
  const cut = next === undefined ? '' : `${hits.length - shown.length} more hits: continue with "from": ${next + 1}.`;
  return answerFound(shown.join('\n'), cut);
}

/** Of a long line the part with the hit: logs in JSON have lines of many thousand characters. */
function cutAroundHit(line: string, sought: string): string {
  if (line.length <= MAX_LINE) return line;
  const at = line.toLowerCase().indexOf(sought);
  const from = Math.max(0, at - MAX_LINE / 4);
  const to = Math.min(line.length, from + MAX_LINE / 2 + sought.length);
  return `… (character ${from + 1} of ${line.length}) ${line.slice(from, to)} …`;
}
