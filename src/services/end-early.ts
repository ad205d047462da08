// What a person may do to stop or erase: cancel an investigation, erase an Issue.

import { createFailureReason, type EndReason } from '../core/reason.ts';
import type { Cancelled, Store } from '../db/store.ts';
import type { Changes } from './changes.ts';

export interface CancelDeps {
  readonly store: Pick<Store, 'cancel'>;
  readonly changes: Changes;
  readonly now: () => Date;
}

/**
 * Cancels one caller's investigation; the run behind it stops only when nobody else waits for it. `by`: id of the account that wished it;
 * absent where none did, and the caller's own stands in the audit log.
 */
export async function cancelInvestigation(
  deps: CancelDeps,
  id: string,
  reason: EndReason = { code: 'cancelled' },
  by?: string,
): Promise<Cancelled> {
  const result = await deps.store.cancel(id, createFailureReason(reason), deps.now().toISOString(), by);
  if (result.kind !== 'cancelled') return result;
  deps.changes.notify(result.runId);
  return result;
}

/** Erases an Issue and all that stands behind it alone. False: there is no such Issue. `by`: as above. */
export function eraseIssue(
  { store, now }: { readonly store: Store; readonly now: () => Date },
  id: string,
  by?: string,
): Promise<boolean> {
  return store.eraseIssue(id, now().toISOString(), by);
}
