// One step of an investigation as one line of the terminal.
import type { RecordedStep } from '../db/store.ts';
import { displayWidth, printableLine, style, truncate } from './terminal.ts';

export interface Layout {
  readonly columns: number;
  readonly colour: boolean;
}

/** Fewer columns than this hold no part of a sentence that says something. */
const LEAST_MEANING = 24;

/** ` 3  what was asked · what it means`, cut to the columns. */
export function renderStep(step: RecordedStep, layout: Layout): string {
  const paint = style(layout.colour);
  const number = String(step.number).padStart(2);
  const room = Math.max(20, layout.columns - number.length - 2);
  const action = truncate(printableLine(step.action), room);
  const meaning = printableLine(step.analysis);
  const left = room - displayWidth(action) - 3;
  const rest = meaning !== '' && left >= LEAST_MEANING ? paint.dim(` · ${truncate(meaning, left)}`) : '';
  return `${paint.cyan(number)}  ${action}${rest}`;
}
