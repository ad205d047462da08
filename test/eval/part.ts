// What a part of `npm run eval` is: what it is given, what it gives back. The runner prints, records and compares.

export interface EvalOptions {
  /** File of cases, one JSON object a line, already read; never empty. */
  readonly cases: readonly Case[];
  /** Folder of bare repositories; "" where none was given. */
  readonly repositories: string;
  /** Folder that the cases' logs are relative to; "" where none was given. */
  readonly logs: string;
  /** Folder where mirrors and other costly things are kept between runs. */
  readonly keep: string;
  /** A second system that is run beside the product's own; "" for none. */
  readonly baseline: '' | 'bm25';
  /** Notes down one case for `--json`; keys as the part likes, `id` always. */
  readonly emit: (row: Readonly<Record<string, unknown>> & { readonly id: string }) => void;
  /** A line about how far it is, for standard error. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One line of a file of cases. What it holds is read by the part, which says what is missing through `CaseError`. */
export interface Case {
  /** Number of the line in its file, from 1. */
  readonly line: number;
  readonly file: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One row of the part's table: a system's figures over a group of cases. Figures are shown with one digit, names with `MRR` with three. */
export interface Row {
  /** Such as `all`, `language python`, `source NAME`. */
  readonly group: string;
  /** `causeway` or the baseline's name. */
  readonly system: string;
  readonly n: number;
  readonly figures: Readonly<Record<string, number>>;
}

export interface PartResult {
  readonly rows: readonly Row[];
  /** What a reader must know beside the figures: what was skipped and why. */
  readonly notes: readonly string[];
}

export interface Part {
  readonly name: string;
  /** One line for the usage: what is measured, and which options it needs. */
  readonly says: string;
  /** Whether these cases are of its kind; asked where no part is named. */
  readonly fits: (cases: readonly Case[]) => boolean;
  readonly run: (options: EvalOptions) => Promise<PartResult>;
}

/** A fault in a file of cases, or in the options: told in one line, without a stack. */
export class EvalFault extends Error {}
