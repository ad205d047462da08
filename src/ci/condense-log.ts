// Condenses a log of any length: its start, its end, and the lines around what may say why it failed, in bounded
// memory.
import { type ClassifiedLine, LineClassifier, type LineKind, STAMP } from './classify-lines.ts';

/** Bytes that are read before other work gets a turn. */
const SLICE_BYTES = 64 * 1_024;
/**
 * A log in which every line looks like an error takes a minute for so much, which is as long as its download may take.
 */
const SEARCHED_CHARACTERS = 100_000_000;

/**
 * The log that comes in these chunks, in at most `room` bytes (1,000 or more). A log that fits is returned as it is.
 * Other work runs in between. Throws the signal's reason.
 */
export async function condenseLog(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  room: number,
  signal: AbortSignal,
): Promise<string> {
  let whole: Uint8Array[] = [];
  let length = 0;
  let condenser: LogCondenser | null = null;
  for await (const slice of readSlices(chunks, signal)) {
    length += slice.length;
    if (condenser === null && length <= room) {
      // A copy: who gave the chunk may use its memory again.
      whole.push(Uint8Array.from(slice));
      continue;
    }
    if (condenser === null) {
      condenser = new LogCondenser(room, SEARCHED_CHARACTERS);
      for await (const kept of readSlices(whole, signal)) condenser.push(kept);
      whole = [];
    }
    condenser.push(slice);
  }
  return condenser?.finish() ?? Buffer.concat(whole).toString();
}

/** The same for a text that is in memory already. */
export function condenseText(text: string, room: number, searchedCharacters = SEARCHED_CHARACTERS): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return text;
  const condenser = new LogCondenser(room, searchedCharacters);
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    condenser.push(bytes.subarray(from, from + SLICE_BYTES));
  }
  return condenser.finish();
}

async function* readSlices(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let sinceTurn = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      const slice = chunk.subarray(from, from + SLICE_BYTES);
      yield slice;
      sinceTurn += slice.length;
      if (sinceTurn < SLICE_BYTES) continue;
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
}

/** A log that starts like this was condensed before: its line numbers are no longer those of the original. */
const CUT = '[Cut from ';
const HEAD_LINES = 100;
/** No window reaches further back. */
const MAX_BEFORE = 24;
const MAX_LINE_CHARACTERS = 8 * 1_024;
const MAX_WINDOW_CHARACTERS = 16 * 1_024;
/** Lines that differ only in their numbers: so many are kept with their surroundings, and so many errors without. */
const MAX_ALIKE = 5;
const MAX_ALIKE_ERRORS = 100;
/** A step has failed where the runner says so among its last lines. */
const LAST_LINES = 12;
/** What a window costs in addition to its text: the object and the note about the lines cut before it. */
const WINDOW_COST = 96;
/** So many times the room is collected before the windows that matter least are dropped. */
const COLLECTED_ROOMS = 2;

/** Consecutive lines, as bytes: a part of a string would keep the whole chunk that it came from in memory. */
interface Window {
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly text: Uint8Array;
  readonly value: WindowValue;
  /** Number of the step that it is of, and whether that is known to have passed. */
  readonly step: number;
  hasPassed: boolean;
}

type WindowValue = 'step' | 'verdict' | 'error' | 'finding';

/** Lines that are kept around one. */
interface Reach {
  readonly before: number;
  readonly after: number;
  readonly value: WindowValue;
}

/** Errors more than 25 lines apart are not of one cause, see `find-cause.ts`: the windows keep them apart. */
const REACH: Readonly<Record<Exclude<LineKind, 'finding'>, Reach>> = {
  opening: { before: 0, after: 6, value: 'step' },
  part: { before: 0, after: 0, value: 'step' },
  marked: { before: 24, after: 2, value: 'verdict' },
  end: { before: 24, after: 2, value: 'error' },
  error: { before: 10, after: 20, value: 'error' },
  verdict: { before: 10, after: 20, value: 'verdict' },
  heading: { before: 10, after: 60, value: 'verdict' },
  listed: { before: 0, after: 12, value: 'verdict' },
};

interface OpenWindow {
  readonly line: number;
  readonly lines: string[];
  characters: number;
  /** Number of the last line that belongs to it. */
  through: number;
  value: WindowValue;
}

class LogCondenser {
  readonly #room: number;
  readonly #searchedCharacters: number;
  readonly #splitter: LineSplitter;
  readonly #classifier = new LineClassifier();
  readonly #tail: Tail;
  readonly #before: string[] = [];
  #windows: Window[] = [];
  #open: OpenWindow | null = { line: 1, lines: [], characters: 0, through: HEAD_LINES, value: 'step' };
  /** Bytes of all windows, and of those around errors in the current step. */
  #collected = 0;
  #ofStep = 0;
  #step = 0;
  #lastMarked = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #line = 0;
  #characters = 0;
  /** 0: every line was searched. */
  #lastSearched = 0;

  constructor(room: number, searchedCharacters: number) {
    this.#room = room;
    this.#searchedCharacters = searchedCharacters;
    this.#splitter = new LineSplitter(Math.min(MAX_LINE_CHARACTERS, Math.floor(room / 16)));
    this.#tail = new Tail(room);
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (const line of this.#splitter.push(chunk)) this.#add(line);
  }

  /** What was kept, with a note for each cut. */
  finish(): string {
    for (const line of this.#splitter.end()) this.#add(line);
    this.#close();
    this.#endStep();
    const windows = selectWindows(this.#windows, (3 * this.#room) / 4);
    const tail = this.#tail.lastLines(
      (31 * this.#room) / 32 - windows.reduce((sum, window) => sum + measureCost(window), 0),
    );
    const text = joinWindows(windows, tail, this.#line);
    if (text.startsWith(CUT)) return text;
    const unsearched =
      this.#lastSearched === 0 ? '' : `; nothing was looked for after line ${this.#lastSearched}, only the end is kept`;
    return `${CUT}${this.#bytes} bytes in ${this.#line} lines${unsearched}]\n${text}`;
  }

  #add(text: string): void {
    this.#line += 1;
    this.#tail.push(text);
    if (this.#open !== null && this.#line > this.#open.through) this.#close();
    const found = this.#isSearched(text) ? this.#classifier.classify(text) : null;
    if (found !== null) this.#keep(found, text);
    if (this.#open === null) {
      this.#before.push(text);
      if (this.#before.length > MAX_BEFORE) this.#before.shift();
      return;
    }
    this.#open.lines.push(text);
    this.#open.characters += text.length;
    if (this.#open.characters > MAX_WINDOW_CHARACTERS) {
      const { through, value } = this.#open;
      this.#close();
      if (through > this.#line) this.#open = { line: this.#line + 1, lines: [], characters: 0, through, value };
    }
  }

  #isSearched(text: string): boolean {
    this.#characters += text.length + 1;
    if (this.#characters <= this.#searchedCharacters) return true;
    if (this.#lastSearched === 0) this.#lastSearched = this.#line - 1;
    return false;
  }

  #keep({ kind, count }: ClassifiedLine, text: string): void {
    if (kind === 'finding') {
      // With the name of the file that may be on the line above.
      const above = this.#before.slice(-1);
      this.#collect(this.#line - above.length, [...above, text], 'finding');
      return;
    }
    if (kind === 'opening') {
      this.#close();
      this.#endStep();
    }
    if (kind === 'marked') {
      this.#lastMarked = this.#line;
      // That a step failed is kept even where there is no room for why.
      this.#collect(this.#line, [text], 'step');
    }
    const { before, after, value } = REACH[kind];
    const isBare = value !== 'step' && kind !== 'marked' && (count > MAX_ALIKE || this.#ofStep > this.#room / 4);
    if (isBare && value === 'error' && count > MAX_ALIKE_ERRORS) return;
    this.#widen(isBare ? { before: 0, after: value === 'verdict' ? 4 : 0, value } : { before, after, value });
  }

  #widen({ before, after, value }: Reach): void {
    const through = this.#line + after;
    // The start of a step is kept apart from the errors in it.
    if (this.#open !== null && (this.#open.value !== 'step' || value === 'step')) {
      this.#open.through = Math.max(this.#open.through, through);
      if (value === 'verdict') this.#open.value = value;
      return;
    }
    this.#close();
    const lines = before === 0 ? [] : this.#before.slice(-before);
    const characters = lines.reduce((sum, line) => sum + line.length, 0);
    this.#open = { line: this.#line - lines.length, lines, characters, through, value };
  }

  #close(): void {
    if (this.#open === null) return;
    const { line, lines, value } = this.#open;
    this.#open = null;
    this.#before.length = 0;
    if (lines.length > 0) this.#collect(line, lines, value);
  }

  #collect(line: number, lines: readonly string[], value: WindowValue): void {
    const text = new TextEncoder().encode(lines.join('\n'));
    const window = { line, text, value, step: this.#step, hasPassed: false };
    this.#windows.push(window);
    this.#collected += measureCost(window);
    if (value === 'verdict' || value === 'error') this.#ofStep += measureCost(window);
    if (this.#collected <= COLLECTED_ROOMS * this.#room) return;
    this.#windows = selectWindows(this.#windows, 1.25 * this.#room);
    this.#collected = this.#windows.reduce((sum, kept) => sum + measureCost(kept), 0);
  }

  #endStep(): void {
    const hasPassed = this.#line - this.#lastMarked > LAST_LINES;
    for (let at = this.#windows.length - 1; this.#windows[at]?.step === this.#step; at -= 1) {
      const window = this.#windows[at];
      if (window) window.hasPassed = hasPassed;
    }
    this.#lastMarked = Number.NEGATIVE_INFINITY;
    this.#step += 1;
    this.#ofStep = 0;
  }
}

function measureCost({ text }: Window): number {
  return text.length + WINDOW_COST;
}

/**
 * As many windows as fit, in their order. Steps that failed come before those that passed, verdicts before other
 * errors, and of these the first before later ones. Steps and findings get a small part each: the first and the last of
 * them.
 */
function selectWindows(windows: readonly Window[], room: number): Window[] {
  const chosen = new Set<Window>();
  let left = room;
  const choose = (candidates: readonly Window[], most: number) => {
    const least = Math.max(0, left - most);
    for (const window of candidates) {
      if (left - measureCost(window) < least) return;
      left -= measureCost(window);
      chosen.add(window);
    }
  };
  choose(orderFromBothEnds(windows.filter(({ value }) => value === 'step')), room / 7);
  choose(orderFromBothEnds(windows.filter(({ value }) => value === 'finding')), room / 12);
  for (const isOfPassed of [false, true]) {
    for (const wanted of ['verdict', 'error']) {
      choose(
        windows.filter(({ value, hasPassed }) => value === wanted && hasPassed === isOfPassed),
        room,
      );
    }
  }
  return windows.filter((window) => chosen.has(window));
}

/** The first, the last, the second, the last but one. */
function orderFromBothEnds(windows: readonly Window[]): readonly Window[] {
  return windows
    .map((_, index) => windows.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2))
    .filter((one) => one !== undefined);
}

/** Splits bytes into lines at LF, CR or CRLF; a line that is too long is cut where a word ends, with a note. */
class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #longest: number;
  #rest = '';
  /** Start of a line that is too long, and how many bytes of it were cut so far, while its end is looked for. */
  #cut: { readonly start: string; bytes: number } | null = null;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Uint8Array): readonly string[] {
    return this.#split(this.#decoder.decode(chunk, { stream: true }), false);
  }

  end(): readonly string[] {
    const lines = this.#split(this.#decoder.decode(), true);
    return this.#rest === '' && this.#cut === null ? lines : [...lines, this.#finishLine(this.#rest)];
  }

  #split(decoded: string, isEnd: boolean): readonly string[] {
    const text = this.#rest + decoded;
    // A line feed that belongs to the last carriage return may come with the next bytes.
    const held = !isEnd && text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\r|\n/);
    this.#rest = `${lines.pop() ?? ''}${held}`;
    const finished = lines.map((line) => this.#finishLine(line));
    if (this.#rest.length > 2 * this.#longest) this.#skipRest();
    return finished;
  }

  #skipRest(): void {
    const isReturn = this.#rest.endsWith('\r');
    const text = isReturn ? this.#rest.slice(0, -1) : this.#rest;
    const start = this.#cut === null ? cutAtWord(text, this.#longest) : '';
    this.#cut ??= { start, bytes: 0 };
    this.#cut.bytes += Buffer.byteLength(text.slice(start.length));
    this.#rest = isReturn ? '\r' : '';
  }

  #finishLine(text: string): string {
    const cut = this.#cut;
    this.#cut = null;
    if (cut === null && text.length <= this.#longest) return text;
    const start = cut?.start ?? cutAtWord(text, this.#longest);
    const bytes = cut === null ? Buffer.byteLength(text.slice(start.length)) : cut.bytes + Buffer.byteLength(text);
    return `${start} … ${bytes} bytes of this line cut`;
  }
}

/** So that half of a secret, which no rule recognises, is never shown. */
function cutAtWord(text: string, most: number): string {
  for (const borders of [' \t', ',;"\'{}']) {
    for (let length = most; length > most / 2; length -= 1) {
      if (borders.includes(text.charAt(length))) return text.slice(0, length);
    }
  }
  return '';
}

/** The last lines, in memory of little more than so many bytes. */
class Tail {
  readonly #room: number;
  /** Blocks of lines: a line by itself would cost more than its text. */
  readonly #blocks: Uint8Array[] = [];
  #bytes = 0;
  #lines: string[] = [];
  #characters = 0;

  constructor(room: number) {
    this.#room = room;
  }

  push(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#characters >= SLICE_BYTES) this.#pack();
  }

  /** As many whole lines as these bytes hold, in order. */
  lastLines(most: number): readonly string[] {
    this.#pack();
    const lines = Buffer.concat(this.#blocks).toString().split('\n').slice(0, -1);
    let bytes = 0;
    let first = lines.length;
    while (first > 0) {
      bytes += Buffer.byteLength(lines[first - 1] ?? '') + 1;
      if (bytes > most) break;
      first -= 1;
    }
    return lines.slice(first);
  }

  #pack(): void {
    if (this.#lines.length === 0) return;
    const block = new TextEncoder().encode(`${this.#lines.join('\n')}\n`);
    this.#blocks.push(block);
    this.#bytes += block.length;
    this.#lines = [];
    this.#characters = 0;
    for (let oldest = this.#blocks[0]; oldest && this.#bytes - oldest.length > this.#room; oldest = this.#blocks[0]) {
      this.#blocks.shift();
      this.#bytes -= oldest.length;
    }
  }
}

/** The kept lines in order, each once, with notes for what is cut between them; `total`: lines of the log. */
function joinWindows(windows: readonly Window[], tail: readonly string[], total: number): string {
  const kept = new Map<number, string>();
  for (const { line, text } of windows) {
    for (const [index, one] of Buffer.from(text).toString().split('\n').entries()) kept.set(line + index, one);
  }
  for (const [index, one] of tail.entries()) kept.set(total - tail.length + 1 + index, one);
  const parts: string[] = [];
  let next = 1;
  for (const run of findRuns(kept)) {
    const shown = dropHalfKeys(run, { isFirst: run.line === 1, isLast: run.line + run.lines.length > total });
    if (shown.lines.length === 0) continue;
    parts.push(describeCut(next, shown.line - 1), `${shown.lines.join('\n')}\n`);
    next = shown.line + shown.lines.length;
  }
  parts.push(describeCut(next, total));
  return parts.join('');
}

/** Lines whose numbers follow one another. */
interface Run {
  readonly line: number;
  readonly lines: string[];
}

function findRuns(kept: ReadonlyMap<number, string>): readonly Run[] {
  const runs: Run[] = [];
  for (const [number, text] of [...kept].sort(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    if (last && last.line + last.lines.length === number) last.lines.push(text);
    else runs.push({ line: number, lines: [text] });
  }
  return runs;
}

function describeCut(from: number, to: number): string {
  const count = to - from + 1;
  if (count <= 0) return '';
  return count === 1 ? `… 1 line cut (${from})\n` : `… ${count} lines cut (${from}–${to})\n`;
}

/** Half of a private key is one that no rule recognises; its lines are of no use to a reader anyway. */
const KEY_LINE = /^[\s"'`,;+\\|>*#n-]{0,80}([A-Za-z0-9+/]{16,}={0,2})[\s"'`,;+\\|n]{0,8}$/;

function dropHalfKeys(
  { line, lines }: Run,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Run {
  let [from, to] = [0, lines.length];
  while (!isFirst && from < to && isKeyLine(lines[from] ?? '')) from += 1;
  while (!isLast && to > from && isKeyLine(lines[to - 1] ?? '')) to -= 1;
  return { line: line + from, lines: lines.slice(from, to) };
}

function isKeyLine(raw: string): boolean {
  if (raw.length > 1_000) return false;
  const run =
    KEY_LINE.exec(
      raw
        .replace(/^\uFEFF/, '')
        .replace(STAMP, '')
        .trim(),
    )?.[1] ?? '';
  return run.endsWith('=') || (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
}
