// What a comparison is: something that people feel or operators pay for, measured beside something else in the same run.

/** What the ratio of ours to the other must keep to, or, where nothing else does the same, our own figure. */
export type Aim =
  | { readonly kind: 'ratio-at-most'; readonly limit: number }
  | { readonly kind: 'ratio-at-least'; readonly limit: number }
  | { readonly kind: 'at-most'; readonly limit: number }
  | { readonly kind: 'at-least'; readonly limit: number };

/** Both measured one right after the other, in the unit of its row. */
export interface Round {
  readonly ours: number;
  readonly other: number;
}

/** A row of the table. A page keeps one row for each `what`. */
export interface Row {
  /** What is measured, with its size: `POST of an Issue, 64 connections`. */
  readonly what: string;
  /** What it is held against: `bare hono with one insert`. */
  readonly against: string;
  /** Of both figures: `ms`, `MB`, `MB/s`, `a second`, `tokens`, `%`. */
  readonly unit: string;
  readonly rounds: readonly Round[];
  readonly aim: Aim;
}

/** A comparison checks what it has timed and throws where that is wrong: a fast wrong answer is no figure. */
export interface Comparison {
  /** As in `npm run bench -- NAME`. */
  readonly name: string;
  /** A line for the list of names. */
  readonly about: string;
  /** `rounds`: how often each row is measured. Rows are given as they are ready. `say` tells whoever waits. */
  measure(options: { readonly rounds: number; readonly say: (text: string) => void }): AsyncIterable<Row>;
}
