// The signs before checks and threads, drawn: not every machine has a font with them.
import { type Html, html } from './html.ts';

/** Lines in a square of 16. */
const CHECK = 'M3 8.5l3.5 3.5L13 4.5';
const CROSS = 'M4 4l8 8M12 4l-8 8';
const SQUARE = 'M5 5h6v6H5z';
const SLASHED = 'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M4 12l8-8';
const DOT = 'M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.5 8h1';
const RING = 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0M7.5 8h1';

const DRAWN: Readonly<Record<string, readonly [string, string]>> = {
  success: [CHECK, 'success'],
  neutral: [SQUARE, 'neutral'],
  skipped: [SLASHED, 'neutral'],
  stale: [SLASHED, 'neutral'],
  cancelled: [SLASHED, 'neutral'],
  failure: [CROSS, 'failure'],
  error: [CROSS, 'failure'],
  timed_out: [CROSS, 'failure'],
  action_required: [CROSS, 'failure'],
  open: [RING, 'open-icon'],
  closed: [CHECK, 'closed-icon'],
};

/** `success`, `failure`, `neutral`, or `waiting` for what is not done. */
export function kindOf(outcome: string): string {
  return DRAWN[outcome]?.[1] ?? 'waiting';
}

export function sign(outcome: string): Html {
  const [path, kind] = DRAWN[outcome] ?? [DOT, 'waiting'];
  return html`<svg class="sign ${kind}" role="img" aria-label="${outcome}" viewBox="0 0 16 16" width="16" height="16"><path d="${path}"/></svg>`;
}
