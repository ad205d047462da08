// Bytes of any number as lines, in memory of one mebibyte: whoever takes a line may look back at those before it.

/** What is told of each line, in order. Places are those of the buffer, and good until `moving` says otherwise. */
export interface LineSink {
  /** Its text stands between `from` and `to`; the next line begins at `next`. */
  line(from: number, to: number, next: number): void;
  /** A line too long to be kept: its beginning, cut where a word ends, with words for the rest and a line end. The next begins at `next`. */
  longLine(beginning: Buffer, from: number, next: number): void;
  /** Everything before `done` was told; soon all of it moves `by` bytes towards the beginning. */
  moving(done: number, by: number): void;
}

const SIZE = 1_024 * 1_024;
/** So much can be looked back at. */
const BACK = 256 * 1_024;
const LF = 0x0a;
const CR = 0x0d;

export class LineBuffer {
  readonly bytes = Buffer.allocUnsafe(SIZE);
  readonly #sink: LineSink;
  readonly #longest: number;
  #filled = 0;
  /** Where the line begins that is not told yet. */
  #at = 0;
  /** Of a line that is too long, while its end is looked for. */
  #skipped: { readonly beginning: Buffer; length: number } | null = null;

  /** `longest`: bytes of a line that is told whole. */
  constructor(sink: LineSink, longest: number) {
    this.#sink = sink;
    this.#longest = longest;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#filled === SIZE) this.#move();
      const to = Math.min(chunk.length, from + SIZE - this.#filled);
      this.bytes.set(chunk.subarray(from, to), this.#filled);
      this.#filled += to - from;
      from = to;
      this.#tell(false);
    }
  }

  /** What has no line end is a line as well. Returns where the last line ended. */
  end(): number {
    this.#tell(true);
    const { beginning, length } = this.#skipped ?? { beginning: null, length: 0 };
    if (beginning !== null) this.#sink.longLine(withRest(beginning, length), this.#at, this.#filled);
    else if (this.#at < this.#filled) this.#tellLine(this.#filled, this.#filled);
    this.#at = this.#filled;
    return this.#at;
  }

  #move(): void {
    const by = Math.max(0, this.#at - BACK);
    this.#sink.moving(this.#at, by);
    this.bytes.copyWithin(0, by, this.#filled);
    this.#filled -= by;
    this.#at -= by;
  }

  #tell(isEnd: boolean): void {
    const ends = new LineEnds(this.bytes.subarray(0, this.#filled), isEnd);
    for (let end = ends.from(this.#at); end; end = ends.from(this.#at)) this.#tellLine(end.to, end.next);
    this.#skipLong();
  }

  #tellLine(to: number, next: number): void {
    const from = this.#at;
    const skipped = this.#skipped;
    this.#skipped = null;
    this.#at = next;
    if (skipped) this.#sink.longLine(withRest(skipped.beginning, skipped.length + to - from), from, next);
    else if (to - from <= this.#longest) this.#sink.line(from, to, next);
    else this.#sink.longLine(withRest(this.#beginning(from), to - from), from, next);
  }

  /** Of a line that has become too long only its beginning is kept, until its end comes. A last carriage return may be that end. */
  #skipLong(): void {
    const isEnding = this.bytes[this.#filled - 1] === CR;
    const length = this.#filled - this.#at - (isEnding ? 1 : 0);
    if (this.#skipped === null && length <= this.#longest) return;
    this.#skipped ??= { beginning: this.#beginning(this.#at), length: 0 };
    this.#skipped.length += length;
    this.#at += length;
  }

  #beginning(from: number): Buffer {
    return Buffer.from(this.bytes.subarray(from, from + endOfWord(this.bytes, from, this.#longest)));
  }
}

/** Finds where lines end: each of the two signs is looked for no further than to the next one of its kind. */
class LineEnds {
  readonly #bytes: Buffer;
  readonly #isEnd: boolean;
  #lf = -2;
  #cr = -2;
  readonly #found = { to: 0, next: 0 };

  constructor(bytes: Buffer, isEnd: boolean) {
    this.#bytes = bytes;
    this.#isEnd = isEnd;
  }

  /** Null: it does not end here. What it returns is good until it is asked again. */
  from(at: number): { readonly to: number; readonly next: number } | null {
    const to = this.#next(at);
    if (to < 0) return null;
    const isReturn = this.#bytes[to] === CR;
    // A line feed that follows the carriage return may come with the next bytes.
    if (isReturn && to + 1 === this.#bytes.length && !this.#isEnd) return null;
    this.#found.to = to;
    this.#found.next = to + (isReturn && this.#bytes[to + 1] === LF ? 2 : 1);
    return this.#found;
  }

  #next(at: number): number {
    const first = this.#bytes[at];
    if (first === LF || first === CR) return at;
    if (this.#lf !== -1 && this.#lf < at) this.#lf = this.#bytes.indexOf(LF, at);
    if (this.#cr !== -1 && this.#cr < at) this.#cr = this.#bytes.indexOf(CR, at);
    if (this.#lf < 0) return this.#cr;
    return this.#cr < 0 ? this.#lf : Math.min(this.#lf, this.#cr);
  }
}

const SPACES = new Set([0x20, 0x09]);
/** Stand in no token: comma, semicolon, quotes, braces. */
const BORDERS = new Set([...Buffer.from(',;"\'{}')]);

/** How many bytes of a long line are kept, so that nothing is shown in half that would be known as a secret whole. */
function endOfWord(bytes: Uint8Array, from: number, most: number): number {
  for (const borders of [SPACES, BORDERS]) {
    for (let length = most; length > most / 2; length -= 1) if (borders.has(bytes[from + length] ?? 0)) return length;
  }
  return 0;
}

function withRest(beginning: Buffer, length: number): Buffer {
  return Buffer.concat([beginning, Buffer.from(` … ${length - beginning.length} bytes of this line cut\n`)]);
}
