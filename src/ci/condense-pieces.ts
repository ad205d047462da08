// What is kept of a long log, in so much room: of what a step says is wrong the first, of steps the first and the last.

import { countLines, lineEnd } from './condense-line-ends.ts';

/** Whole lines that follow one another. */
export interface Piece {
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly lines: number;
  readonly bytes: Uint8Array;
}

/** What a piece costs besides its bytes: the object, and the words for what was cut before it. */
const PIECE_COST = 96;

function costOf({ bytes }: Piece): number {
  return bytes.length + PIECE_COST;
}

/** What all of them cost. */
export function roomOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + costOf(piece), 0);
}

/** Pieces in order, with the room that they take. */
class Stack {
  #pieces: Piece[] = [];
  cost = 0;

  push(piece: Piece): void {
    this.#pieces.push(piece);
    this.cost += costOf(piece);
  }

  /** Lets the latest go; false: there is none. */
  drop(): boolean {
    const piece = this.#pieces.pop();
    if (piece) this.cost -= costOf(piece);
    return piece !== undefined;
  }

  take(): readonly Piece[] {
    const taken = this.#pieces;
    this.#pieces = [];
    this.cost = 0;
    return taken;
  }
}

/**
 * Lines that tell of failures. The first of a step win over those that come later in it, a tool's verdicts over other errors, steps that
 * failed over those that did not. No step takes more than three quarters of the room.
 */
export class TellingPieces {
  readonly #room: number;
  readonly #stepRoom: number;
  #isFull = false;
  readonly #errors = new Stack();
  readonly #verdicts = new Stack();
  readonly #passed = { errors: new Stack(), verdicts: new Stack() };
  readonly #failed = { errors: new Stack(), verdicts: new Stack() };

  constructor(room: number) {
    this.#room = room;
    this.#stepRoom = (3 * room) / 4;
  }

  /** Of the step so far, as a part of what a step may take. */
  get filled(): number {
    return this.#stepCost / this.#stepRoom;
  }

  /** Whether the verdicts of the step leave no room for another. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(piece: Piece, isVerdict: boolean): void {
    const cost = costOf(piece);
    while (isVerdict && this.#stepCost + cost > this.#stepRoom && this.#errors.drop());
    if (this.#stepCost + cost > this.#stepRoom) {
      this.#isFull = isVerdict;
      return;
    }
    while (this.#cost + cost > this.#room && (this.#passed.errors.drop() || this.#passed.verdicts.drop()));
    while (isVerdict && this.#cost + cost > this.#room && (this.#errors.drop() || this.#failed.errors.drop()));
    if (this.#cost + cost <= this.#room) (isVerdict ? this.#verdicts : this.#errors).push(piece);
  }

  closeStep(hasFailed: boolean): void {
    this.#isFull = false;
    const { errors, verdicts } = hasFailed ? this.#failed : this.#passed;
    for (const piece of this.#errors.take()) errors.push(piece);
    for (const piece of this.#verdicts.take()) verdicts.push(piece);
  }

  take(): readonly Piece[] {
    return this.#stacks.flatMap((stack) => stack.take());
  }

  get #stacks(): readonly Stack[] {
    const { errors, verdicts } = this.#passed;
    return [this.#errors, this.#verdicts, errors, verdicts, this.#failed.errors, this.#failed.verdicts];
  }

  get #stepCost(): number {
    return this.#errors.cost + this.#verdicts.cost;
  }

  get #cost(): number {
    const { errors, verdicts } = this.#passed;
    return this.#stepCost + errors.cost + verdicts.cost + this.#failed.errors.cost + this.#failed.verdicts.cost;
  }
}

/** Where steps begin and end: those that fill half of the room first, and the last ones. */
export class StepPieces {
  readonly #room: number;
  readonly #first: Piece[] = [];
  #last: Piece[] = [];
  /** Pieces of the last ones that were let go already. */
  #gone = 0;
  #firstCost = 0;
  #lastCost = 0;

  constructor(room: number) {
    this.#room = room / 2;
  }

  add(piece: Piece): void {
    const cost = costOf(piece);
    if (this.#last.length === 0 && this.#firstCost + cost <= this.#room) {
      this.#first.push(piece);
      this.#firstCost += cost;
      return;
    }
    this.#last.push(piece);
    this.#lastCost += cost;
    for (let oldest = this.#last[this.#gone]; oldest && this.#lastCost > this.#room; oldest = this.#last[this.#gone]) {
      this.#lastCost -= costOf(oldest);
      this.#gone += 1;
    }
    if (this.#gone > 1_000 && this.#gone * 2 > this.#last.length) {
      this.#last = this.#last.slice(this.#gone);
      this.#gone = 0;
    }
  }

  take(): readonly Piece[] {
    return [...this.#first, ...this.#last.slice(this.#gone)];
  }
}

/** The last bytes of all that was given, in memory of so many bytes. */
export class LastBytes {
  readonly #ring: Buffer;
  #at = 0;
  #length = 0;

  constructor(room: number) {
    this.#ring = Buffer.allocUnsafe(room);
  }

  push(bytes: Uint8Array): void {
    const room = this.#ring.length;
    const kept = bytes.length > room ? bytes.subarray(bytes.length - room) : bytes;
    const first = Math.min(kept.length, room - this.#at);
    this.#ring.set(kept.subarray(0, first), this.#at);
    this.#ring.set(kept.subarray(first), 0);
    this.#length += bytes.length;
    this.#at = (this.#at + kept.length) % room;
  }

  /** The last whole lines in so many bytes, of a log of so many lines. */
  piece(total: number, most: number): Piece {
    const bytes = this.#take(Math.floor(most));
    const lines = countLines(bytes);
    return { line: total - lines + 1, lines, bytes };
  }

  #take(most: number): Uint8Array {
    const all =
      this.#length < this.#ring.length
        ? this.#ring.subarray(0, this.#at)
        : Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]);
    if (this.#length <= Math.min(most, all.length)) return all;
    const last = all.subarray(Math.max(0, all.length - most));
    return last.subarray(lineEnd(last, 0));
  }
}
