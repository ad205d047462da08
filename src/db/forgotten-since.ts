// What was forgotten of people while a job had a record or a head in hand stays forgotten when it writes that back.
import type { HeadPlace } from '../core/head.ts';
import type { PostedPullRequest, Thread, ThreadRecord } from '../core/thread.ts';

/**
 * Without whoever the stored thread names nowhere any more. Somebody who asked, and whose request was replaced by another's in that moment, is
 * left out too: the other one stands behind the pull request then.
 */
export function withoutForgotten(record: ThreadRecord, stored: Thread): ThreadRecord {
  const { withheld, pullRequest } = record;
  const known = knownIn(stored);
  return {
    ...record,
    withheld: withheld && !known(requesterOf(withheld)) ? { ...withheld, request: '' } : withheld,
    pullRequest: pullRequest?.requestedBy && !known(pullRequest.requestedBy.id) ? unasked(pullRequest) : pullRequest,
  };
}

function knownIn({ trigger, fixRequest, record }: Thread): (id: number | null) => boolean {
  const stands = [trigger.by.id, fixRequest?.id, record.pullRequest?.requestedBy?.id, requesterOf(record.withheld)];
  return (id) => id === null || stands.includes(id);
}

/** GitHub's number of whoever was refused; null: nobody asked. */
function requesterOf(withheld: ThreadRecord['withheld']): number | null {
  const number = withheld?.request.split(' ')[0] ?? '';
  return number === '' ? null : Number(number);
}

export function unasked({ requestedBy: _, ...pullRequest }: PostedPullRequest): PostedPullRequest {
  return pullRequest;
}

/** Nobody stands behind the head any more, whatever GitHub says of it later. */
export function forgottenPlace(place: HeadPlace): HeadPlace {
  if (place.kind === 'default') return { ...place, pushedBy: null, isForgotten: true };
  if (place.kind === 'pull_request') return { ...place, author: null, isForgotten: true };
  return place;
}

/** As it was seen, without whoever was forgotten at the same place. */
export function placeAfter(seen: HeadPlace | null, stored: HeadPlace | null): HeadPlace | null {
  if (seen === null || stored === null || !isForgotten(stored) || !isSamePlace(seen, stored)) return seen;
  return forgottenPlace(seen);
}

function isForgotten(place: HeadPlace): boolean {
  return place.kind !== 'branch' && place.isForgotten === true;
}

function isSamePlace(one: HeadPlace, other: HeadPlace): boolean {
  if (one.kind !== 'pull_request' || other.kind !== 'pull_request') return one.kind === other.kind;
  return one.number === other.number;
}
