// A run of inserted or deleted lines often fits at several neighbouring places; this picks the one that reads best.
import type { Hunk } from './line-diff.ts';

const TAB = 8;

/** The same edits, where a pure insertion or deletion lies at the best of its equal places; never touching another hunk. */
export function slideHunks(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): Hunk[] {
  const out: Hunk[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const previous = out.at(-1);
    const next = hunks[index + 1];
    const lowest = previous === undefined ? 0 : previous.before + previous.removed + 1;
    const highest = next === undefined ? before.length : next.before - 1;
    // Lines of the hunk lie on one side only; `room` is how far it may move up and down before it meets another hunk.
    const room = { up: hunk.before - lowest, down: highest - hunk.before - hunk.removed };
    if (hunk.removed === 0) out.push(moved(hunk, bestShift(after, hunk.after, hunk.inserted, room)));
    else if (hunk.inserted === 0) out.push(moved(hunk, bestShift(before, hunk.before, hunk.removed, room)));
    else out.push(hunk);
  }
  return out;
}

function moved(hunk: Hunk, shift: number): Hunk {
  return { ...hunk, before: hunk.before + shift, after: hunk.after + shift };
}

interface Room {
  readonly up: number;
  readonly down: number;
}

/** How far to move the run of `count` lines at `start`; of equally good places the lowest. */
function bestShift(lines: readonly string[], start: number, count: number, room: Room): number {
  let shift = 0;
  while (shift < room.down && lines[start + shift] === lines[start + shift + count]) shift++;
  let best = shift;
  let bestCost = cost(lines, start + shift);
  while (shift > -room.up && lines[start + shift - 1] === lines[start + shift + count - 1]) {
    shift--;
    const here = cost(lines, start + shift);
    if (here < bestCost) {
      best = shift;
      bestCost = here;
    }
  }
  return best;
}

/** Low where the run begins like a block: at little indentation, and after or with a blank line. */
function cost(lines: readonly string[], start: number): number {
  const first = lines[start] ?? '';
  const breaks = isBlank(lines[start - 1] ?? '') || isBlank(first);
  return 2 * indentation(first) + (breaks ? 0 : 1);
}

/** Here and in `indentation` the 200 keeps a line of 2 MB of spaces from being read through at every place. */
function isBlank(line: string): boolean {
  return /^\s{0,200}$/.test(line);
}

function indentation(line: string): number {
  if (isBlank(line)) return 0;
  const [lead = ''] = /^[ \t]{0,200}/.exec(line) ?? [];
  return lead.length + lead.replaceAll(' ', '').length * (TAB - 1);
}
