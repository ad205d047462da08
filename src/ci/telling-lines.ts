// Which lines of a step may tell of a failure, by what is sought on them and by where they stand.
import type { TellingLine } from './find-cause.ts';
import { everyIndex, type PlainLines, soughtIn } from './plain-lines.ts';
import type { Step } from './steps.ts';

/** Mere words of trouble count among the last lines only: tests and tools print them all day long. */
const LAST_WORDS = 20;
const UNDER = 6;

/** What was found before a line, and where its step ends. */
export interface SoFar {
  readonly telling: readonly TellingLine[];
  readonly to: number;
}

interface Known {
  readonly named: ReadonlySet<number>;
  readonly telling: readonly TellingLine[];
}

/** Indexes of the lines that may tell of something. Which are under a heading shows as they are looked at. */
export function* mayTell(lines: PlainLines, { from, to }: Step, { named, telling }: Known): Generator<number> {
  const last = everyIndex(Math.max(from, to - LAST_WORDS), to);
  const sought = Int32Array.from(new Set([...soughtIn(lines, 'sign', from, to), ...named, ...last])).sort();
  for (let index = 0, at = from - 1; index < sought.length; ) {
    at = isUnderHeading(telling, at + 1) ? at + 1 : (sought[index] ?? to);
    if (at === sought[index]) index += 1;
    yield at;
  }
}

/** Whether words of trouble count there. */
export function mayTellWeakly(at: number, { telling, to }: SoFar): boolean {
  return at >= to - LAST_WORDS || isUnderHeading(telling, at);
}

/** What follows a heading is what it heads, in whatever words. */
function isUnderHeading(telling: readonly TellingLine[], at: number): boolean {
  const last = telling.at(-1);
  return last?.kind === 'verdict' && last.isHeading && at - last.at <= UNDER;
}
