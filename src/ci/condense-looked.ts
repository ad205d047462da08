// How far into a long log lines are looked at one by one.

/** Counts the bytes of lines, up to a limit. */
export class LookedAt {
  readonly #most: number;
  #seen = 0;
  /** 0: all lines were. */
  #last = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the next line, of that number and so many bytes, is still looked at. */
  next(line: number, bytes: number): boolean {
    this.#seen += bytes;
    if (this.#seen <= this.#most) return true;
    if (this.#last === 0) this.#last = line - 1;
    return false;
  }

  /** In words, to follow others; "" where every line was looked at. */
  get note(): string {
    return this.#last === 0 ? '' : `; nothing was looked for after line ${this.#last}, only the end is kept`;
  }
}
