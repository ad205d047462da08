// Which request for a pull request it is: one that was refused once is not tried again, but the next one is.
import type { Thread, ThreadRecord } from '../../domain/thread.ts';

type Withheld = NonNullable<ThreadRecord['withheld']>;

export function refusal(thread: Thread, reason: string): Withheld {
  return { investigationId: thread.investigationId, reason, request: requestKey(thread) };
}

/** Why the present request was refused, in words; null: it was not, or somebody has asked anew since. */
export function refusedFor(thread: Thread, withheld: ThreadRecord['withheld']): string | null {
  if (withheld?.investigationId !== thread.investigationId) return null;
  return withheld.request === requestKey(thread) ? withheld.reason : null;
}

function requestKey({ fixRequest }: Thread): string {
  return fixRequest === null ? '' : `${fixRequest.id} ${fixRequest.at}`;
}
