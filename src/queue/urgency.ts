// Which of two jobs comes first: a person waits for one, nobody for the other.
import type { Urgency } from '../core/queue.ts';

/**
 * Once none of a kind was begun for so long, an automatic job that has been due for as long goes before people's: one in ten minutes, as long
 * as one investigation may take (`INVESTIGATION_TIMEOUT_S`), so that people who never stop asking give up one slot and no more.
 */
export const OVERDUE_MS = 600_000;

/** That of a job which was asked for twice. */
export function moreUrgent(one: Urgency, other: Urgency): Urgency {
  return one === 'person' ? one : other;
}

/** As pg-boss has it, the higher the sooner. A job of the version before has 0 as a person's has. */
export function priorityOf(urgency: Urgency): number {
  return urgency === 'person' ? 0 : -1;
}
