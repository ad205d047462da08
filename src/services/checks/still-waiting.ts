// How long is waited for checks that have not ended, and when the others are judged without them.
import type { Check } from '../../core/check.ts';
import type { Head, HeadPlace } from '../../core/head.ts';
import type { JobResult } from '../../core/queue.ts';
import type { Look } from './deps.ts';
import { keepSeen } from './keep-head.ts';
import type { SortedChecks } from './sort-checks.ts';

const MINUTE_MS = 60 * 1_000;
/** GitHub tells when checks end; looking is for what it does not tell, and less often the longer nothing moves. */
const FIRST_MS = 10 * MINUTE_MS;
const LAST_MS = 60 * MINUTE_MS;
/** Some checks wait for a person, or for ever: once none has moved for so long, what has ended is told of. */
const QUIET_MS = 15 * MINUTE_MS;
/** Checks that have not ended by then are only looked at again when GitHub tells. */
const PATIENCE_MS = 3 * 24 * 60 * MINUTE_MS;
const MOST_NAMES = 20;
const NAME_CHARACTERS = 100;

type Sorted = Pick<SortedChecks, 'waiting' | 'green' | 'suspects' | 'leftOut'>;

/** Whether nothing has moved for long, and something is to be told of what has ended. */
export function isQuiet(look: Look, sorted: Sorted): boolean {
  return sorted.suspects.length > 0 && quietFor(look, sorted) >= QUIET_MS;
}

/** What was found before stays until it is quiet. */
export async function waitFor(look: Look, place: HeadPlace, sorted: Sorted): Promise<JobResult> {
  const { findings } = look.head;
  const { leftOut } = sorted;
  await keepSeen(look, { state: 'waiting', place, findings, leftOut, stillWaiting: [], endedAt: '' });
  return lookedAtAgain(look, sorted);
}

/** When GitHub tells, else after a while, but not for ever. */
export function lookedAtAgain(look: Look, sorted: Sorted): JobResult {
  const quiet = quietFor(look, sorted);
  if (quiet >= PATIENCE_MS) return { kind: 'done' };
  const pause = Math.min(Math.max(quiet, FIRST_MS), LAST_MS);
  const isDueWhenQuiet = sorted.suspects.length > 0 && quiet < QUIET_MS;
  const wait = isDueWhenQuiet ? Math.min(pause, QUIET_MS - quiet) : pause;
  return { kind: 'later', runAt: new Date(look.deps.now().getTime() + wait).toISOString() };
}

/** Each once, in their order. */
export function namesOf(waiting: readonly Check[]): Head['stillWaiting'] {
  const names = waiting.map(({ name }) => name.slice(0, NAME_CHARACTERS).toWellFormed());
  return [...new Set(names)].toSorted().slice(0, MOST_NAMES);
}

/** Milliseconds since a check of this commit began or ended; a person may begin one anew days later. */
function quietFor({ head, deps }: Look, { waiting, green, suspects }: Sorted): number {
  const checks = [...waiting, ...green, ...suspects.map(({ check }) => check)];
  const told = checks.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)]);
  const moves = told.filter((at) => !Number.isNaN(at));
  const last = moves.length === 0 ? Date.parse(head.createdAt) : Math.max(...moves);
  return deps.now().getTime() - last;
}
