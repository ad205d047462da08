// What people or parsers say of the lines of a log, and whether a line is one of them.

/** As the index of the logs has it; see its own description. */
export interface LogEntry {
  readonly id: string;
  readonly source: string;
  /** Beside the index. */
  readonly log: string;
  readonly truth: Truth;
}

/** From line, to line: the error itself (E) or what belongs to it (C). */
type Range = readonly ['E' | 'C', number, number];

type Truth =
  | { readonly type: 'error-lines'; readonly annotator1?: readonly Range[]; readonly annotator2?: readonly Range[] }
  | { readonly type: 'key-line'; readonly line: number }
  | { readonly type: 'error-lines-parser'; readonly lines: readonly number[] }
  | { readonly type: 'failed-tests'; readonly status: string | null; readonly failed: readonly string[] | null };

/** `near`: in none, but the next one is at most 20 lines away. `none`: there is no truth about lines. */
export type Hit = 'error' | 'context' | 'near' | 'miss' | 'none';

const NEAR = 20;

/** `line` counts from 1; null: nothing was shown. */
export function hitOf(truth: Truth, line: number | null): Hit {
  const ranges = rangesOf(truth);
  if (ranges.length === 0) return 'none';
  if (line === null) return 'miss';
  const inside = ranges.filter(([, from, to]) => from <= line && line <= to);
  if (inside.some(([kind]) => kind === 'E')) return 'error';
  if (inside.length > 0) return 'context';
  return ranges.some(([, from, to]) => from - NEAR <= line && line <= to + NEAR) ? 'near' : 'miss';
}

function rangesOf(truth: Truth): readonly Range[] {
  switch (truth.type) {
    case 'error-lines':
      return [...(truth.annotator1 ?? []), ...(truth.annotator2 ?? [])];
    case 'key-line':
      return [['E', truth.line, truth.line]];
    case 'error-lines-parser':
      return truth.lines.map((line) => ['E', line, line] as const);
    case 'failed-tests':
      return [];
  }
}

/** Whether the log is of a job that passed, where the truth says so. */
export function hasPassed(truth: Truth): boolean {
  return truth.type === 'failed-tests' && truth.status === 'ok';
}
