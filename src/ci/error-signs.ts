// What a line of a log shows of a failure, by the table of signs.
import { ERROR_SIGNS, type SignKind, TELLING } from './error-sign-table.ts';

export interface Sign {
  readonly kind: SignKind;
  /** A rule under a heading, which tells nobody anything by itself. */
  readonly isHeading: boolean;
  /** What a tool lists as wrong begins here; before it the same words may stand for less. */
  readonly isOpening: boolean;
}

/** Ant puts the name of the task before what a tool prints. */
const ANT_TASK = /^ {2,12}\[(?!junit)\w{1,20}\] /;

const HARMLESS = ERROR_SIGNS.filter(({ kind }) => kind === 'harmless').flatMap(({ patterns }) => patterns);

/** What a line shows; null: nothing. `isMarked`: the runner itself calls it an error. */
export function signOf(printed: string, isMarked: boolean): Sign | null {
  const text = printed.replace(ANT_TASK, '');
  if (!isMarked && !TELLING.some((pattern) => pattern.test(text))) return null;
  const row = ERROR_SIGNS.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)));
  if (isMarked && (!row || row.kind === 'weak' || row.kind === 'harmless'))
    return { kind: 'error', isHeading: false, isOpening: false };
  if (!row || row.kind === 'harmless') return null;
  return { kind: row.kind, isHeading: row.isHeading ?? false, isOpening: row.isOpening ?? false };
}

/** Whether tools print such a line when all is well, with words of trouble in it or not. */
export function isHarmless(text: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(text));
}
