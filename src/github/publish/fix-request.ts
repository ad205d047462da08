// Which request for a pull request it is: one that was refused once is not tried again, but the next one is.
import type { FixRequest, PostedPullRequest, Thread, ThreadRecord } from '../../core/thread.ts';
import type { LivePullRequest } from './outbox.ts';

type Withheld = NonNullable<ThreadRecord['withheld']>;

export function refusal(thread: Thread, reason: string): Withheld {
  return { investigationId: thread.investigationId, reason, request: requestKey(thread) };
}

/** Why the present request was refused, in words; null: it was not, or somebody has asked anew since. */
export function refusedFor(thread: Thread, withheld: ThreadRecord['withheld']): string | null {
  if (withheld?.investigationId !== thread.investigationId) return null;
  return withheld.request === requestKey(thread) ? withheld.reason : null;
}

/** Who stands behind a pull request that was opened: a later trigger changes nothing about that. */
export function personBehind({ requestedBy }: PostedPullRequest, { fixRequest }: Thread): FixRequest | null {
  return requestedBy ?? fixRequest;
}

/** ISO 8601. GitHub's clock may be ahead of ours, by which requests are dated: it was closed when we see that it is, at the latest. */
export function closingTime({ closedAt }: Pick<LivePullRequest, 'closedAt'>, now: Date): string {
  return new Date(Math.min(Date.parse(closedAt ?? now.toISOString()), now.getTime())).toISOString();
}

/** Whether somebody asks for it anew that was closed unmerged; a request made while it was open was for that one. */
export function isAskedAgain({ fixRequest }: Thread, { state, requestedBy, closedAt }: PostedPullRequest): boolean {
  if (state !== 'closed' || fixRequest === null || requestedBy === undefined) return false;
  return [requestedBy.at, closedAt ?? requestedBy.at].every((at) => Date.parse(fixRequest.at) > Date.parse(at));
}

/** Tells one request of a thread from the next. */
export function requestKey({ fixRequest }: Thread): string {
  return fixRequest === null ? '' : `${fixRequest.id} ${fixRequest.at}`;
}
