// Text held to a number of bytes, with words for what was cut.
import { MAX_REPORT_BYTES } from '../core/report.ts';

/** What a report may hold, in bytes of UTF-8. */
export const REPORT_BYTES = MAX_REPORT_BYTES;

/** Takes bytes of any number and keeps the last ones, in memory of twice the limit. */
export class Tail {
  readonly #limit: number;
  #kept: Uint8Array[] = [];
  #length = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    this.#kept.push(chunk);
    this.#length += chunk.byteLength;
    if (this.#length > this.#limit * 2) this.#trim();
  }

  /** The last whole lines, after words for what was left out. */
  text(): string {
    this.#trim();
    const all = Buffer.concat(this.#kept);
    if (this.#dropped === 0) return all.toString();
    const from = all.indexOf(0x0a) + 1;
    return `[The first ${this.#dropped + from} bytes of this log were left out]\n${all.subarray(from).toString()}`;
  }

  #trim(): void {
    if (this.#length <= this.#limit) return;
    const all = Buffer.concat(this.#kept);
    this.#dropped += all.length - this.#limit;
    this.#kept = [all.subarray(all.length - this.#limit)];
    this.#length = this.#limit;
  }
}
