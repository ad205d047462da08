// The lines of a whole log, each read where somebody asks for it: most never are.
import { firstFrom, MAX_LINES, type Overview, type PlainLine, type PlainLines, plainLine } from './plain-lines.ts';
import { soughtLines } from './sought-lines.ts';

/** As `plainLines` reads it, with an overview of what is sought on which. */
export function logLines(log: string): PlainLines {
  return linesOf(log.replace(/^\uFEFF/, ''));
}

function linesOf(log: string): PlainLines {
  const lines = split(log);
  if (lines.length > MAX_LINES) return linesOf(lastOf(log));
  const sought = soughtLines(log, lines);
  if (sought === null) return lines;
  const { of, coloured } = sought;
  const overview: Overview = { of, holding: (words, from) => holding({ log, lines, coloured }, words, from) };
  return Object.assign(lines, { overview });
}

/** The last ones of too many lines, by stepping back over their ends: to make a line of each of four million took 400 MB. */
function lastOf(log: string): string {
  let [from, end, feed, back] = [log.length, log.length, log.length, log.length];
  for (let count = 0; count < MAX_LINES && end >= 0; count += 1) {
    if (feed >= end) feed = lastBefore(log, '\n', end);
    if (back >= end) back = lastBefore(log, '\r', end);
    end = Math.max(feed, back);
    from = end + 1;
    if (log.startsWith('\r\n', end - 1)) end -= 1;
  }
  return log.slice(from);
}

function lastBefore(log: string, sign: string, end: number): number {
  return end > 0 ? log.lastIndexOf(sign, end - 1) : -1;
}

/** No more of them than show that there are too many. */
function split(log: string): LogLine[] {
  const lines: LogLine[] = [];
  const feeds = new Places(log, '\n');
  const returns = new Places(log, '\r');
  for (let from = 0; ; ) {
    const to = Math.min(feeds.next(from), returns.next(from));
    lines.push(new LogLine(log, from, to));
    if (to === log.length || lines.length > MAX_LINES) return lines;
    from = log.startsWith('\r\n', to) ? to + 2 : to + 1;
  }
}

/** Where a sign stands, looked for once for each time that it does. */
class Places {
  readonly #log: string;
  readonly #sign: string;
  #place = -1;

  constructor(log: string, sign: string) {
    this.#log = log;
    this.#sign = sign;
  }

  /** From a place on, which never goes back; the end of the log: nowhere. */
  next(from: number): number {
    if (this.#place >= from) return this.#place;
    const place = this.#log.indexOf(this.#sign, from);
    this.#place = place < 0 ? this.#log.length : place;
    return this.#place;
  }
}

interface Searched {
  readonly log: string;
  readonly lines: readonly LogLine[];
  readonly coloured: Int32Array;
}

/** Of lines with colours all: what is no word in the log may be one of the line. */
function* holding({ log, lines, coloured }: Searched, words: string, from: number): Generator<number> {
  let next = firstFrom(coloured, from);
  let place = log.indexOf(words, lines[from]?.from ?? log.length);
  for (;;) {
    const held = place < 0 ? lines.length : lineAt(lines, place);
    const at = Math.min(held, coloured[next] ?? lines.length);
    if (at >= lines.length) return;
    yield at;
    if (at === coloured[next]) next += 1;
    if (at === held) place = log.indexOf(words, lines[held]?.to ?? log.length);
  }
}

/** Index of the line that a place is on. */
function lineAt(lines: readonly LogLine[], place: number): number {
  let [least, most] = [0, lines.length - 1];
  while (least < most) {
    const middle = (least + most) >> 1;
    if ((lines[middle]?.to ?? 0) < place) least = middle + 1;
    else most = middle;
  }
  return least;
}

class LogLine implements PlainLine {
  readonly from: number;
  readonly to: number;
  readonly #log: string;
  #plain: PlainLine | null = null;

  constructor(log: string, from: number, to: number) {
    this.#log = log;
    this.from = from;
    this.to = to;
  }

  get text(): string {
    return this.#read().text;
  }

  get mark(): PlainLine['mark'] {
    return this.#read().mark;
  }

  get step(): string {
    return this.#read().step;
  }

  #read(): PlainLine {
    this.#plain ??= plainLine(this.#log.slice(this.from, this.to));
    return this.#plain;
  }
}
