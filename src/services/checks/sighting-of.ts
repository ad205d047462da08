// A red check as the ledger keeps it. Pure.
import type { Check, Verdict } from '../../core/check.ts';
import type { Sighting } from '../../core/failure.ts';
import type { HeadPlace } from '../../core/head.ts';

/** Where a check was seen. */
export interface SeenAt {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly isOnDefault: boolean;
  readonly isTrusted: boolean;
}

export function seenAt(sha: string, place: HeadPlace): SeenAt {
  return {
    ...{ sha, branch: place.branch, isOnDefault: place.kind === 'default', isTrusted: isTrusted(place) },
    pullRequest: place.kind === 'pull_request' ? place.number : null,
  };
}

/** Whoever puts a pull request into the merge queue stands behind it. */
function isTrusted(place: HeadPlace): boolean {
  if (place.kind !== 'pull_request') return place.kind === 'default';
  return place.isQueue || (place.isTrusted && !place.isFork);
}

/** Equal for the same red check, whoever tells of it: a run has a number, a status only its moment. */
export function sightingKey({ runId, name, endedAt, startedAt }: Check, sha: string): string {
  return runId === null ? `status ${name} ${sha} ${endedAt || startedAt}` : `run ${runId}`;
}

/** `at`: of a check that does not say when it ended. */
export function sightingOf(check: Check, where: SeenAt, verdict: Verdict, at: string): Sighting {
  const key = sightingKey(check, where.sha);
  return { key, ...where, app: check.app, checkName: check.name, verdict, at: check.endedAt || check.startedAt || at };
}
