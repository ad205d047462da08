// What is kept of a log of any length: its steps, what stands around each sign of a failure, its first and its last lines.
import { AROUND, type Around } from './condense-around.ts';
import { type JudgedLine, LineJudge } from './condense-judge.ts';
import { LineBuffer, type LineSink } from './condense-lines.ts';
import { LookedAt } from './condense-looked.ts';
import { LastBytes, type Piece, roomOf, StepPieces, TellingPieces } from './condense-pieces.ts';
import { joinPieces } from './condense-text.ts';

/** Where a log begins so, its lines were cut before: their numbers are no longer those of the log. */
const CUT = '[Cut from ';
const MOST_BEFORE = 24;
const STARTS = 32;
/** Lines that differ in numbers alone: so many are kept with what stands around them. */
const MOST_ALIKE = 5;
/** And so many errors by themselves; of verdicts all, since their numbers may be all that tells two tests apart. */
const MOST_ERRORS = 100;
const LONGEST_LINE = 8 * 1_024;
const LONGEST_PIECE = 16 * 1_024;
/** A step has failed where the runner says so among its last lines. */
const LAST_LINES = 12;
/** Of the whole log: what it ran on. */
const HEAD_LINES = 100;
/** So much took 24 to 43 seconds of CPU where every line looks like an error: about the longest that one log may take. */
const LOOKED_AT = 200_000_000;

/** Give it the bytes of a log that has no room whole, in order; memory is that of the room and some mebibytes, whatever comes. */
export class LogCondenser implements LineSink {
  readonly #room: number;
  readonly #looked: LookedAt;
  readonly #lines: LineBuffer;
  readonly #judge = new LineJudge();
  readonly #telling: TellingPieces;
  readonly #steps: StepPieces;
  /** The last of them tell where nothing is called an error. */
  readonly #findings: StepPieces;
  readonly #last: LastBytes;
  #length = 0;
  /** Number of the line that comes next. */
  #line = 1;
  /** Where the last lines begin that may be kept with one that comes, the newest at `#line - 1`. */
  readonly #starts = new Int32Array(STARTS);
  #firstStart = 1;
  /** What is open to be kept: from a line and its place, through a line. */
  #open = { line: 1, at: 0, through: HEAD_LINES, rank: 0 };
  #marked = Number.NEGATIVE_INFINITY;
  /** Up to where the last bytes are kept. */
  #lastAt = 0;

  /** `room`: bytes of the text in the end, from 1,000 on. `lookedAt`: of the log; further on only the end is kept. */
  constructor(room: number, lookedAt = LOOKED_AT) {
    this.#room = room;
    this.#looked = new LookedAt(lookedAt);
    this.#lines = new LineBuffer(this, Math.min(LONGEST_LINE, Math.floor(room / 16)));
    this.#telling = new TellingPieces((5 * room) / 8);
    this.#steps = new StepPieces(room / 10);
    this.#findings = new StepPieces(room / 16);
    this.#last = new LastBytes(room);
  }

  push(chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#lines.push(chunk);
  }

  /** What was kept, with words for each cut. Ends it: nothing more may be given. */
  text(): string {
    const end = this.#lines.end();
    this.#close(end);
    this.#telling.closeStep(this.#hasFailed());
    this.#last.push(this.#lines.bytes.subarray(this.#lastAt, end));
    const total = this.#line - 1;
    const pieces = [...this.#steps.take(), ...this.#findings.take(), ...this.#telling.take()];
    const joined = joinPieces(
      [...pieces, this.#last.piece(total, this.#room - roomOf(pieces) - this.#room / 32)],
      total,
    );
    const text = joined.startsWith(CUT)
      ? joined
      : `${CUT}${this.#length} bytes in ${total} lines${this.#looked.note}]\n${joined}`;
    // What is no UTF-8 takes more room as text than it took as bytes.
    return Buffer.byteLength(text) > this.#room ? text.replace(/\ufffd+/g, '?') : text;
  }

  line(from: number, to: number, next: number): void {
    const judged = this.#looked.next(this.#line, next - from)
      ? this.#judge.judge(this.#lines.bytes, from, to, this.#telling.isFull)
      : null;
    if (this.#open.line > 0 && this.#line > this.#open.through) this.#close(from);
    this.#starts[this.#line % STARTS] = from;
    if (judged !== null && judged.kind !== 'nothing') this.#keepAround(judged, from, next);
    this.#line += 1;
    if (this.#open.line > 0 && next - this.#open.at > LONGEST_PIECE) this.#cut(next);
  }

  longLine(beginning: Buffer, from: number, next: number): void {
    this.#last.push(this.#lines.bytes.subarray(this.#lastAt, from));
    this.#last.push(beginning);
    this.#lastAt = next;
    if (this.#open.line > 0 && this.#line > this.#open.through) this.#close(from);
    const { kind } = this.#judge.judge(beginning, 0, beginning.length, this.#telling.isFull);
    const isOpen = this.#open.line > 0;
    const { through } = this.#open;
    const rank = kind === 'nothing' ? this.#open.rank : Math.max(this.#open.rank, AROUND[kind].rank);
    if (isOpen) this.#close(from);
    if (isOpen || kind !== 'nothing') this.#add({ line: this.#line, lines: 1, bytes: beginning }, rank);
    this.#line += 1;
    this.#firstStart = this.#line;
    if (isOpen && through >= this.#line) this.#open = { line: this.#line, at: next, through, rank };
  }

  moving(done: number, by: number): void {
    this.#last.push(this.#lines.bytes.subarray(this.#lastAt, done));
    this.#lastAt = done - by;
    this.#open.at -= by;
    for (let at = 0; at < STARTS; at += 1) this.#starts[at] = (this.#starts[at] ?? 0) - by;
  }

  #keepAround({ kind, count }: JudgedLine, from: number, next: number): void {
    if (kind === 'nothing') return;
    if (kind === 'finding') {
      this.#keepFinding(next);
      return;
    }
    if (kind === 'opening') this.#beginStep(from);
    if (kind === 'marked') this.#mark(from, next);
    const { before, after, rank } = AROUND[kind];
    const isBare = rank > 0 && kind !== 'marked' && (count > MOST_ALIKE || this.#telling.filled > 0.5);
    if (isBare && rank === 1 && count > MOST_ERRORS) return;
    this.#keep(isBare ? { before: 0, after: rank === 2 ? 4 : 0, rank } : { before, after, rank }, from);
  }

  #keepFinding(next: number): void {
    const first = Math.max(this.#firstStart, this.#line - AROUND.finding.before);
    const bytes = Buffer.from(this.#lines.bytes.subarray(this.#starts[first % STARTS] ?? 0, next));
    this.#findings.add({ line: first, lines: this.#line - first + 1, bytes });
  }

  /** That a step failed is kept even where there is no room for why. */
  #mark(from: number, next: number): void {
    this.#marked = this.#line;
    this.#steps.add({ line: this.#line, lines: 1, bytes: Buffer.from(this.#lines.bytes.subarray(from, next)) });
  }

  #keep({ before, after, rank }: Around, from: number): void {
    const through = this.#line + after;
    const isOpen = this.#open.line > 0;
    if (isOpen && (this.#open.rank > 0 || rank === 0)) {
      this.#open.through = Math.max(this.#open.through, through);
      this.#open.rank = Math.max(this.#open.rank, rank);
      return;
    }
    // Where a step begins is kept by itself.
    if (isOpen) this.#close(from);
    const first = Math.max(this.#firstStart, this.#line - Math.min(before, MOST_BEFORE));
    this.#open = {
      line: first,
      at: first === this.#line ? from : (this.#starts[first % STARTS] ?? from),
      through,
      rank,
    };
  }

  #beginStep(from: number): void {
    if (this.#open.line > 0) this.#close(from);
    this.#telling.closeStep(this.#hasFailed());
    this.#marked = Number.NEGATIVE_INFINITY;
  }

  #hasFailed(): boolean {
    return this.#line - this.#marked <= LAST_LINES;
  }

  /** What is open becomes a piece, and goes on with the next line. */
  #cut(next: number): void {
    const { through, rank } = this.#open;
    this.#close(next);
    if (through >= this.#line) this.#open = { line: this.#line, at: next, through, rank };
  }

  #close(to: number): void {
    const { line, at, rank } = this.#open;
    const bytes = Buffer.from(this.#lines.bytes.subarray(at, to));
    if (line > 0 && to > at) this.#add({ line, lines: this.#line - line, bytes }, rank);
    this.#firstStart = this.#line;
    this.#open = { line: 0, at: 0, through: 0, rank: 0 };
  }

  #add(piece: Piece, rank: number): void {
    if (rank === 0) this.#steps.add(piece);
    else this.#telling.add(piece, rank === 2);
  }
}
