// Whether an investigation has ended, in the words of the indexes that hold one half of them each: in others SQLite would not look there.
import { type SqlBool, sql } from 'kysely';
import type { InvestigationState } from '../core/investigation.ts';

/** Queued or running; columns of `investigations` alone may be named `state` where it stands. */
export const UNDER_WAY = sql<SqlBool>`state in ('queued', 'running')`;

const ENDED = sql<SqlBool>`state not in ('queued', 'running')`;

/** What goes without saying of a row in that state. */
export function halfOf(state: InvestigationState): typeof UNDER_WAY {
  return state === 'queued' || state === 'running' ? UNDER_WAY : ENDED;
}
