// The checks of a commit, sorted: which count by the project's rules, which are green or red, and how long the others
// are waited for.

import { createGlobMatcher } from 'causeway-paths';
import type { Check, CheckRules, Head, HeadPlace, NamedCheck } from '../../core/check/index.ts';
import type { JobResult } from '../../core/queue.ts';
import type { Look } from './look.ts';

/** A check that is red now, or the newest red run of one that has passed since at the same commit. */
export interface SuspectCheck {
  readonly check: Check;
  readonly isRed: boolean;
  /** Whether the same check passed at the same commit, earlier or later. */
  readonly passedHere: boolean;
}

export interface SortedChecks {
  /** How many count. */
  readonly counted: number;
  readonly waiting: readonly Check[];
  readonly green: readonly Check[];
  /** Those that are red now first. */
  readonly suspects: readonly SuspectCheck[];
  readonly leftOut: Head['leftOut'];
  /** When the last one ended; "": none has. */
  readonly endedAt: string;
}

const EXCLUDED = 'Excluded by the configuration of this repository (`checks` in `.github/causeway.yml`).';

export function sortChecks(
  checks: readonly NamedCheck[],
  { include, exclude }: Pick<CheckRules, 'include' | 'exclude'>,
): SortedChecks {
  const isCounted = ({ latest: { name } }: NamedCheck) =>
    (include.length === 0 || matchesCheckName(include, name)) && !matchesCheckName(exclude, name);
  const counted = checks.filter(isCounted);
  const latest = counted.map((check) => check.latest);
  const suspects = counted.flatMap(listSuspectChecks);
  const excluded = checks.filter((check) => check.latest.state === 'red' && !counted.includes(check));
  return {
    counted: counted.length,
    waiting: latest.filter(({ state }) => state === 'waiting'),
    green: latest.filter(({ state }) => state === 'green'),
    suspects: [...suspects.filter(({ isRed }) => isRed), ...suspects.filter(({ isRed }) => !isRed)],
    leftOut: excluded.map((check) => ({ name: check.latest.name, reason: EXCLUDED })),
    endedAt: latest.reduce((last, { endedAt }) => (endedAt > last ? endedAt : last), ''),
  };
}

/** Whether the rules name the branch of the place; of a pull request its base counts. */
export function isBranchCounted(place: HeadPlace, { branches }: Pick<CheckRules, 'branches'>): boolean {
  return (
    branches.length === 0 ||
    matchesCheckName(branches, place.kind === 'pull_request' ? place.base.branch : place.branch)
  );
}

/** A name is not a path: `*` in a pattern spans the slash of `ci / test` and of `release/1.x`. */
function matchesCheckName(globs: readonly string[], name: string): boolean {
  const replaceSlashes = (text: string) => text.replaceAll('/', '\u2044');
  return globs.some((glob) => createGlobMatcher(replaceSlashes(glob))(replaceSlashes(name)));
}

function listSuspectChecks({ latest, earlier }: NamedCheck): readonly SuspectCheck[] {
  if (latest.state === 'red') {
    return [{ check: latest, isRed: true, passedHere: earlier.some(({ state }) => state === 'green') }];
  }
  const before = latest.state === 'green' ? earlier.find(({ state }) => state === 'red') : undefined;
  return before === undefined ? [] : [{ check: before, isRed: false, passedHere: true }];
}

const MINUTE_MS = 60 * 1_000;
/** GitHub reports when checks end; polling covers what it does not report, and slows down the longer nothing moves. */
const FIRST_MS = 10 * MINUTE_MS;
const LAST_MS = 60 * MINUTE_MS;
/** Some checks wait for a person, or forever: once none has moved for so long, those that have ended are judged. */
const QUIET_MS = 15 * MINUTE_MS;
/** Checks that have not ended by then are only looked at when GitHub reports them. */
const POLLED_MS = 3 * 24 * 60 * MINUTE_MS;
const MOST_NAMES = 20;
const NAME_CHARACTERS = 100;

/** Whether nothing has moved for long while some checks are red already. */
export function isQuiet(look: Look, sorted: SortedChecks): boolean {
  return sorted.suspects.length > 0 && measureQuiet(look, sorted) >= QUIET_MS;
}

export function scheduleNextLook(look: Look, sorted: SortedChecks): JobResult {
  const quiet = measureQuiet(look, sorted);
  if (quiet >= POLLED_MS) return { kind: 'done' };
  const pause = Math.min(Math.max(quiet, FIRST_MS), LAST_MS);
  const isDueWhenQuiet = sorted.suspects.length > 0 && quiet < QUIET_MS;
  const wait = isDueWhenQuiet ? Math.min(pause, QUIET_MS - quiet) : pause;
  return { kind: 'later', runAt: new Date(look.services.now().getTime() + wait).toISOString() };
}

/** Each once, sorted. */
export function listWaitingNames(waiting: readonly Check[]): Head['stillWaiting'] {
  const names = waiting.map(({ name }) => name.slice(0, NAME_CHARACTERS).toWellFormed());
  return [...new Set(names)].toSorted().slice(0, MOST_NAMES);
}

/** Milliseconds since a check of this commit began or ended. */
function measureQuiet({ head, services }: Look, { waiting, green, suspects }: SortedChecks): number {
  const checks = [...waiting, ...green, ...suspects.map(({ check }) => check)];
  const moments = checks.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)]);
  const known = moments.filter((at) => !Number.isNaN(at));
  const last = known.length === 0 ? Date.parse(head.createdAt) : Math.max(...known);
  return services.now().getTime() - last;
}
