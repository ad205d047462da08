// What sightings make of a failure: made, counted, moved, opened anew. Pure.
import type { Failure, Sighting } from '../core/failure.ts';
import type { Finding } from '../core/head.ts';
import { moment } from './failure-rows.ts';
import type { Moved } from './moved-sightings.ts';

/** Of the names that a failure was seen under, the newest tell enough. */
const MOST_NAMES = 20;

/** The oldest first. */
export function inOrder(sightings: readonly Sighting[]): readonly Sighting[] {
  return sightings.toSorted((a, b) => (moment(a.at) < moment(b.at) ? -1 : 1));
}

/** A failure that nothing is known of yet but where it was seen first. */
export function newFailure(
  named: Pick<Failure, 'id' | 'projectId' | 'fingerprint' | 'headline'>,
  first: Sighting,
): Failure {
  const { id, projectId, fingerprint, headline } = named;
  return {
    ...{ id, projectId, fingerprint, headline, state: 'open', opening: 1, isOnDefault: false },
    ...{ hits: 0, flakyHits: 0, firstSeen: first, lastSeen: first },
    ...{ checkNames: [], branches: [], pullRequests: [] },
    ...{ investigationId: null, threadId: null, closed: null, range: null },
  };
}

/**
 * The failure after sightings that were not counted before, in whatever order they come. `keepsResult`: opened anew, it is still told of by
 * what was begun for it before.
 */
export function afterSightings(failure: Failure, fresh: readonly Sighting[], keepsResult: boolean): Failure {
  const opened = openedBy(failure, fresh).length > 0 ? openedAnew(failure, keepsResult) : failure;
  return inOrder(fresh).reduce(afterOne, opened);
}

/**
 * The failure after sightings were found to be of the default branch, or of a live pull request, by now. The end of the pull request that they
 * were of was none of theirs, and what was begun for it goes on: it is one commit.
 */
export function afterMove(failure: Failure, moved: readonly Moved[]): Failure {
  const goesOn = failure.closed?.by === 'pull_request' && moved.some(({ isLive }) => isLive);
  const open: Failure = goesOn && failure.state === 'closed' ? { ...failure, state: 'open', closed: null } : failure;
  return moved.reduce((after, { sighting }) => movedTo(after, sighting), open);
}

function movedTo(failure: Failure, sighting: Sighting): Failure {
  if (sighting.isOnDefault) {
    return { ...failure, isOnDefault: failure.isOnDefault || isOfNow(failure, sighting) };
  }
  const { key, pullRequest } = sighting;
  return {
    ...failure,
    // Whose it was first is said by its pull request.
    firstSeen: failure.firstSeen.key === key ? sighting : failure.firstSeen,
    lastSeen: failure.lastSeen.key === key ? sighting : failure.lastSeen,
    pullRequests: pullRequest === null ? failure.pullRequests : withName(failure.pullRequests, pullRequest, true),
  };
}

/** Where it was seen before, anybody may have had a hand in its words: those of the default branch are the branch's own. */
export function withHeadline(before: Failure, after: Failure, headline: string): Failure {
  const wasThere = before.isOnDefault && before.opening === after.opening;
  return after.isOnDefault && !wasThere ? { ...after, headline } : after;
}

const RELAPSE_MS = 24 * 60 * 60 * 1_000;

/** The pull request that the sightings open the failure anew in, soon after it was over there; null: none, or several. */
export function relapsedIn(failure: Failure, fresh: readonly Sighting[]): number | null {
  const opening = openedBy(failure, fresh);
  const number = opening[0]?.pullRequest ?? null;
  const { closed } = failure;
  if (closed?.by !== 'pull_request') return null;
  const isSoon = ({ at }: Sighting) => Date.parse(at) - Date.parse(closed.at) <= RELAPSE_MS;
  return opening.every((sighting) => sighting.pullRequest === number && isSoon(sighting)) ? number : null;
}

function openedBy(failure: Failure, fresh: readonly Sighting[]): readonly Sighting[] {
  return fresh.filter((sighting) => opensAnew(failure, sighting));
}

/** Whether the sighting is of the failure as it is, or would be opened anew: what was seen before its end is not. */
export function isOfNow({ closed }: Failure, { at }: Sighting): boolean {
  return closed === null || moment(at) > moment(closed.at);
}

function opensAnew(failure: Failure, sighting: Sighting): boolean {
  return failure.state === 'closed' && isOfNow(failure, sighting);
}

/** Its pull request was closed or green, and said nothing of the base: only a green default branch makes it a regression. */
export function standingOf(
  failure: Failure,
  fresh: readonly Sighting[],
  told: Finding['standing'] | null,
): Finding['standing'] {
  if (openedBy(failure, fresh).length > 0) return failure.closed?.by === 'green' ? 'regression' : 'new';
  if (told !== null) return told;
  return failure.hits === 0 ? 'new' : 'known';
}

function openedAnew(failure: Failure, keepsResult: boolean): Failure {
  const forgotten = {
    range: null,
    isOnDefault: false,
    ...(keepsResult ? {} : { investigationId: null, threadId: null }),
  };
  return { ...failure, state: 'open', opening: failure.opening + 1, ...forgotten };
}

function afterOne(failure: Failure, sighting: Sighting): Failure {
  const isNewest = moment(sighting.at) >= moment(failure.lastSeen.at);
  const isOldest = moment(sighting.at) < moment(failure.firstSeen.at);
  const { pullRequest, branch } = sighting;
  return {
    ...failure,
    hits: failure.hits + 1,
    isOnDefault: failure.isOnDefault || (sighting.isOnDefault && isOfNow(failure, sighting)),
    firstSeen: isOldest ? sighting : failure.firstSeen,
    lastSeen: isNewest ? sighting : failure.lastSeen,
    checkNames: withName(failure.checkNames, sighting.checkName, isNewest),
    branches: branch === '' ? failure.branches : withName(failure.branches, branch, isNewest),
    pullRequests: pullRequest === null ? failure.pullRequests : withName(failure.pullRequests, pullRequest, isNewest),
  };
}

/** The newest stands first; one of the past comes behind those that are there. */
function withName<T>(names: readonly T[], name: T, isNewest: boolean): readonly T[] {
  if (!isNewest && names.includes(name)) return names;
  const others = names.filter((other) => other !== name);
  return (isNewest ? [name, ...others] : [...others, name]).slice(0, MOST_NAMES);
}
