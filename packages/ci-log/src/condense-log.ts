// Condenses a log of any length, in bounded memory: its start, its end, its steps, and the parts of it with lines that
// may say why it failed. What it looks for, find-cause.ts looks for again in what is left, and better, with all lines at hand.
// Start and end alone do not do: of 137 real logs cut to 160 kB the first error or the fingerprint changed in 41, so in 8.
import { matchError } from './error-patterns.ts';
import { findFailedTests, findTestName, mayNameTestLast } from './failed-tests.ts';
import { findSteps, type LogLine, readLogLine } from './log-lines.ts';
import { isFinding } from './written-places.ts';

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

/**
 * A log that is in memory, in at most `room` bytes of UTF-8 (1,000 or more), as `condenseLog` does it with one that
 * comes in chunks. `searchedCharacters`: how many of its characters are searched for errors.
 */
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
const MAX_LINE_CHARACTERS = 8 * 1_024;
/** A part has at most so many lines, or so many after one that opens a step. */
const PART_LINES = 24;
const OPENING_LINES = 7;
/** Parts after a heading that its list may fill. */
const LIST_PARTS = 3;
/** Lines that differ only in their numbers: so many are kept with the parts around theirs, and so many at all. */
const MAX_ALIKE = 5;
const MAX_ALIKE_KEPT = 100;
/** A step has failed where the runner says so among its last lines. */
const LAST_LINES = 12;
/** What a part costs in addition to its text: the object and the note about the lines cut before it. */
const PART_COST = 96;
/** So many times the room is collected before the parts that matter least are dropped. */
const COLLECTED_ROOMS = 2;

/** What lines are kept for. `finding`: a place with a message, which counts where nothing is an error. */
type Value = 'none' | 'finding' | 'error' | 'verdict' | 'step';

const ORDER: readonly Value[] = ['none', 'finding', 'error', 'verdict', 'step'];

/** Consecutive lines, as bytes: a part of a string would keep the whole chunk that it came from in memory. */
interface LogPart {
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly lines: number;
  readonly text: Uint8Array;
  value: Value;
  /** Number of the step that it is of, and whether that is known to have passed. */
  readonly step: number;
  hasPassed: boolean;
}

class LogCondenser {
  readonly #room: number;
  readonly #searchedCharacters: number;
  readonly #splitter: LineSplitter;
  readonly #classifier = new LineClassifier();
  #parts: LogPart[] = [];
  #collected = 0;
  /** The part that grows. */
  #lines: string[] = [];
  #length = 0;
  #value: Value = 'step';
  #most = HEAD_LINES;
  /** Whether the parts next to it count as it does. */
  #isWide = false;
  /** So many parts that follow count at least as much. */
  #after: { value: Value; parts: number } = { value: 'none', parts: 0 };
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
    const chosen = selectParts(this.#parts, (3 * this.#room) / 4);
    // The last parts follow one another: no note comes between them.
    const shown = addLastParts(this.#parts, chosen, { room: (31 * this.#room) / 32, cost: 1 });
    const text = joinLogParts([...shown], this.#line);
    if (text.startsWith(CUT)) return text;
    const unsearched =
      this.#lastSearched === 0 ? '' : `; nothing was looked for after line ${this.#lastSearched}, only the end is kept`;
    return `${CUT}${this.#bytes} bytes in ${this.#line} lines${unsearched}]\n${text}`;
  }

  #add(text: string): void {
    const found = this.#isSearched(text) ? this.#classifier.classify(text) : null;
    if (found !== null) this.#raise(found);
    this.#line += 1;
    this.#lines.push(text);
    this.#length += text.length;
    if (found?.kind === 'marked') this.#lastMarked = this.#line;
    if (this.#lines.length >= this.#most || this.#length > this.#room / 32) this.#close();
  }

  #isSearched(text: string): boolean {
    this.#characters += text.length + 1;
    if (this.#characters <= this.#searchedCharacters) return true;
    if (this.#lastSearched === 0) this.#lastSearched = this.#line;
    return false;
  }

  #raise({ kind, count }: ClassifiedLine): void {
    const value = VALUES[kind];
    if (value === 'step') {
      this.#close();
      if (kind === 'opening') this.#endStep();
      // What was printed last before the runner says that the step failed.
      else if (kind === 'marked') this.#raisePrevious('verdict');
      this.#value = value;
      this.#most = kind === 'opening' ? OPENING_LINES : 1;
      return;
    }
    if (count > MAX_ALIKE_KEPT && value === 'error') return;
    if (this.#value === 'step') this.#close();
    if (ORDER.indexOf(value) > ORDER.indexOf(this.#value)) this.#value = value;
    if (kind === 'heading') this.#after = { value, parts: LIST_PARTS + 1 };
    this.#isWide ||= count <= MAX_ALIKE;
  }

  #raisePrevious(value: Value): void {
    const previous = this.#parts.at(-1);
    if (previous && ORDER.indexOf(previous.value) < ORDER.indexOf(value)) previous.value = value;
  }

  /** The part that grew is one of those that are collected. */
  #close(): void {
    const { value: own, lines, wide } = { value: this.#value, lines: this.#lines, wide: this.#isWide };
    this.#lines = [];
    this.#length = 0;
    this.#value = 'none';
    this.#most = PART_LINES;
    this.#isWide = false;
    if (lines.length === 0) return;
    if (wide && own !== 'finding') {
      this.#raisePrevious(own);
      if (this.#after.parts < 2) this.#after = { value: own, parts: 2 };
    }
    this.#after.parts -= 1;
    const value = this.#after.parts >= 0 && own === 'none' ? this.#after.value : own;
    const text = new TextEncoder().encode(lines.join('\n'));
    const line = this.#line - lines.length + 1;
    this.#parts.push({ line, lines: lines.length, text, value, step: this.#step, hasPassed: false });
    this.#collected += text.length + PART_COST;
    if (this.#collected > (COLLECTED_ROOMS + 1) * this.#room) this.#dropLeast();
  }

  #dropLeast(): void {
    const chosen = selectParts(this.#parts, 1.25 * this.#room);
    this.#parts = [...addLastParts(this.#parts, chosen, { room: 2.25 * this.#room, cost: PART_COST })];
    this.#collected = sumCosts(this.#parts);
  }

  #endStep(): void {
    const hasPassed = this.#line - this.#lastMarked >= LAST_LINES;
    for (let at = this.#parts.length - 1; this.#parts[at]?.step === this.#step; at -= 1) {
      Object.assign(this.#parts[at] ?? {}, { hasPassed });
    }
    this.#lastMarked = Number.NEGATIVE_INFINITY;
    this.#step += 1;
  }
}

function measureCost({ text }: LogPart): number {
  return text.length + PART_COST;
}

function sumCosts(parts: Iterable<LogPart>): number {
  let sum = 0;
  for (const part of parts) sum += measureCost(part);
  return sum;
}

/**
 * As many parts as fit. Steps that failed come before those that passed, verdicts before other errors, and of these the
 * first before later ones. Steps and findings get a small share each: the first and the last of them.
 */
function selectParts(parts: readonly LogPart[], room: number): ReadonlySet<LogPart> {
  const chosen = new Set<LogPart>();
  let left = room;
  const choose = (candidates: readonly LogPart[], most: number) => {
    const least = Math.max(0, left - most);
    for (const part of candidates) {
      if (left - measureCost(part) < least) return;
      left -= measureCost(part);
      chosen.add(part);
    }
  };
  choose(orderFromBothEnds(parts.filter(({ value }) => value === 'step')), room / 7);
  choose(orderFromBothEnds(parts.filter(({ value }) => value === 'finding')), room / 12);
  for (const isOfPassed of [false, true]) {
    for (const wanted of ['verdict', 'error']) {
      choose(
        parts.filter(({ value, hasPassed }) => value === wanted && hasPassed === isOfPassed),
        room,
      );
    }
  }
  return chosen;
}

/** The chosen parts and as many of the last ones as fit with them, in order; `cost`: of each besides its text. */
function addLastParts(
  parts: readonly LogPart[],
  chosen: ReadonlySet<LogPart>,
  { room, cost }: { readonly room: number; readonly cost: number },
): ReadonlySet<LogPart> {
  let left = room - sumCosts(chosen);
  let from = parts.length;
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at];
    if (part && !chosen.has(part)) left -= part.text.length + cost;
    if (left < 0) break;
    from = at;
  }
  return new Set(parts.filter((part, at) => at >= from || chosen.has(part)));
}

/** The first, the last, the second, the last but one. */
function orderFromBothEnds(parts: readonly LogPart[]): readonly LogPart[] {
  return parts
    .map((_, index) => parts.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2))
    .filter((one) => one !== undefined);
}

/** Splits bytes into lines at LF, CR or CRLF; a line that is too long is cut where a word ends, with a note. */
class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #longest: number;
  /** The line that grows: its start, and how many bytes of it were left out so far. */
  #rest = '';
  #cut = 0;
  /** A line feed that belongs to the last carriage return may come with the next bytes. */
  #isReturn = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Uint8Array): readonly string[] {
    const text = this.#takeReturn() + this.#decoder.decode(chunk, { stream: true });
    this.#isReturn = text.endsWith('\r');
    return this.#split(this.#isReturn ? text.slice(0, -1) : text);
  }

  end(): readonly string[] {
    const lines = this.#split(this.#takeReturn() + this.#decoder.decode());
    return this.#rest === '' ? lines : [...lines, this.#finishLine()];
  }

  #takeReturn(): string {
    const text = this.#isReturn ? '\r' : '';
    this.#isReturn = false;
    return text;
  }

  #split(text: string): readonly string[] {
    const finished: string[] = [];
    for (const [index, piece] of text.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) finished.push(this.#finishLine());
      this.#rest += piece;
      // One character more than may be shown says whether the last word ends there.
      const kept = this.#longest + 1;
      if (this.#rest.length <= kept) continue;
      this.#cut += Buffer.byteLength(this.#rest.slice(kept));
      this.#rest = this.#rest.slice(0, kept);
    }
    return finished;
  }

  #finishLine(): string {
    const [text, cut] = [this.#rest, this.#cut];
    this.#rest = '';
    this.#cut = 0;
    if (text.length <= this.#longest) return text;
    const start = cutAtWord(text, this.#longest);
    return `${start} … ${cut + Buffer.byteLength(text.slice(start.length))} bytes of this line cut`;
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

/** The parts in order, with notes for what is cut between them; `total`: lines of the log. */
function joinLogParts(parts: readonly LogPart[], total: number): string {
  const texts: string[] = [];
  let next = 1;
  for (const run of joinRuns(parts)) {
    const shown = dropHalfKeys(run, { isFirst: run.line === 1, isLast: run.line + run.lines.length > total });
    if (shown.lines.length === 0) continue;
    texts.push(describeCut(next, shown.line - 1), `${shown.lines.join('\n')}\n`);
    next = shown.line + shown.lines.length;
  }
  return [...texts, describeCut(next, total)].join('');
}

/** Lines whose numbers follow one another. */
interface ConsecutiveLines {
  readonly line: number;
  readonly lines: string[];
}

function joinRuns(parts: readonly LogPart[]): readonly ConsecutiveLines[] {
  const runs: ConsecutiveLines[] = [];
  for (const { line, text } of parts) {
    const lines = Buffer.from(text).toString().split('\n');
    const last = runs.at(-1);
    if (last && last.line + last.lines.length === line) last.lines.push(...lines);
    else runs.push({ line, lines });
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
  { line, lines }: ConsecutiveLines,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): ConsecutiveLines {
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

/** That GitHub Actions puts before each line. */
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z /;
/**
 * One expression for everything by which any table of this folder knows a failure or a step, except words of trouble,
 * which only count at the end of a step. A word too many costs time, one too few loses a cause: `condense-log.test.ts`
 * compares it with every table. Without it, logs of lines that all differ take six times as long.
 */
const MAY_MATTER = new RegExp(
  [
    'error|err!|fail|fatal|panic|exception|traceback|severe|critical|interrupt|sanitizer|not ok|undefined|unresolved',
    'segmentation|core dumped|sig(?:segv|abrt|bus|kill)|killed|not found|not recognized|no such|permission denied|connection refused',
    'no space|enospc|out ?of ?memory|could not|unable|broken|violation|offen[cs]e|issues?\\b|warnings?\\b|went wrong|timed out|time ?out|too ?many|time limit|reformat',
    'diff in |code style|\\[warn\\]|curl: \\(|-unexpected-|process-crash|exit(?:ed|ing)? (?:code|status|with)|(?:finished|ended|completed) with|lifecycle',
    'http|recipe for target|did not complete|problem|\\[junit\\]|={4}|_{3}|-{4} |<<< |methodsource|to see the full|re-run maven|for more info|\\[help ',
    'after correct|\\* (?:try:|get more)|> run with|test suite|tests: {2}|snapshots: |finished: |run with --',
    'was canceled|longer than|exceeded the max|no output|command took >|build stopped|\\*{3}|\\*\\* \\(',
    // Red
    '\\u001b\\[[\\d;]{0,12}[39]1[;m]',
    // Names of tests
    "\\] › |\\) (?:test|doctest|property) |#test_| \\[e\\]|rspec '?\\./|cucumber |^\\s{0,2}x |^\\s{0,12}\\d{1,5}\\) ",
    // Places without an error: `a.go:1:2: `, `A.java:[1,2] `, `a.ts(1,2): `, `a.js: line 1, `, rows under the name of a
    // file
    '━{3}|[\\w./\\\\-](?::\\[?|\\[)\\d|\\.\\w{1,10} {2,20}\\d|\\d\\): |: line \\d|\\w line \\d{1,6}[.,]| - warn|\\| warn|\\d {1,3}warn| {4}warn| warning \\(|\\d {1,2}(?:info|notice)',
    '^ {2}\\d{1,6} {3}|^(?:e: |e {3}|[×xX] )| e(?::| {2}) |[●✕✗✖✘❌❯×⨯⚠ℹ‼]',
    // Steps
    '##\\[|post job|post run|cleaning up|starting: |\\[pipeline\\]|travis_fold|section_(?:start|end)|the command "',
    '\\u001b\\[(?:32;1m|0K)\\$',
  ].join('|'),
  'i',
);

/** Whether a line may say anything of a failure or of a step. */
export function mayMatter(raw: string): boolean {
  return MAY_MATTER.test(raw.replace(STAMP, ''));
}

const LISTED = /^\s{0,12}\d{1,4}\) \S/;
/** Headings of lists of failures that say too little to be patterns of an error. */
const LIST_HEADING =
  /^(?:There (?:was|were) \d+ (?:failures?|errors?)|[Ff]ailures|(?:Failing|Errored) scenarios|The following tests FAILED): ?$/;
/** How many different lines are remembered; then the memory is cleared. */
const MAX_SHAPES = 5_000;
const MAX_SHAPE = 1_200;

/** `opening`: a step starts. `part`: a part of the log ends. `marked`: the runner says what ended the step. */
type LineKind = 'opening' | 'part' | 'marked' | 'heading' | 'verdict' | 'error' | 'finding';

const VALUES: Readonly<Record<LineKind, Value>> = {
  opening: 'step',
  part: 'step',
  marked: 'step',
  heading: 'verdict',
  verdict: 'verdict',
  error: 'error',
  finding: 'finding',
};

interface ClassifiedLine {
  readonly kind: LineKind;
  /** How many lines of the step were like it, including this one. */
  readonly count: number;
}

/** Says what a line is kept for. Lines that differ only in numbers are looked at once and counted by step. */
class LineClassifier {
  readonly #shapes = new Map<string, { readonly kind: LineKind | null; step: number; count: number }>();
  #step = 0;

  classify(raw: string): ClassifiedLine | null {
    if (!mayMatter(raw)) return null;
    const text = raw.slice(0, MAX_SHAPE);
    const key = text.replace(STAMP, '').replace(/\d+/g, (digits) => (digits === '0' ? '0' : '1'));
    const known = this.#shapes.get(key);
    if (known === undefined && this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    const shape = known ?? { kind: classifyLine(text), step: this.#step, count: 0 };
    // A copy: a part of a string would keep the whole chunk that it came from in memory.
    if (known === undefined) this.#shapes.set(Buffer.from(key).toString(), shape);
    const { kind } = shape;
    if (kind === null) return null;
    if (kind === 'opening') this.#step += 1;
    if (shape.step !== this.#step) Object.assign(shape, { step: this.#step, count: 0 });
    shape.count += 1;
    return { kind, count: shape.count };
  }
}

function classifyLine(raw: string): LineKind | null {
  const line = readLogLine(raw);
  if (isOpening(line)) return 'opening';
  if (line.mark === 'end' && !raw.includes('##[')) return 'part';
  if (line.mark === 'error') return 'marked';
  return line.mark === '' ? classifyOutput(line) : null;
}

/** One line is one step, which has a name only where the line opens it. */
function isOpening(line: LogLine): boolean {
  const mayOpen = line.step === '' && (line.mark === '' || line.mark === 'begin' || line.mark === 'shell');
  return mayOpen && findSteps([line])[0]?.name !== '';
}

function classifyOutput(line: LogLine): LineKind | null {
  const { text } = line;
  if (LIST_HEADING.test(text)) return 'heading';
  const match = matchError(text, false);
  const isVerdict = match?.kind === 'verdict';
  if (isVerdict && match.isHeading && findTestName(text) === null) return 'heading';
  if (isVerdict || findTestName(text) !== null || LISTED.test(text)) return 'verdict';
  if (match !== null && (match.kind !== 'weak' || line.isRed)) return 'error';
  // Some lines name a test only where no other line does.
  if (mayNameTestLast(line) && findFailedTests([line], 0, 1).length > 0) return 'verdict';
  return isFinding(text) ? 'finding' : null;
}
