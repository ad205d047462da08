// The checks of a commit, sorted: which count by the project's rules, are green or suspect, and how long those that have not ended are waited for.
import type { Check, CheckRules, NamedCheck } from '../../core/check.ts';
import type { Head, HeadPlace } from '../../core/head.ts';
import { createGlobMatcher } from '../../core/paths.ts';
import type { JobResult } from '../../core/queue.ts';
import { type Look, saveSeen } from './look.ts';

/** A red check: one that is red now, or the newest red run of one that has passed since at the same commit. */
export interface Suspect {
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
  readonly suspects: readonly Suspect[];
  readonly leftOut: Head['leftOut'];
  /** When the last one ended; "": none has. */
  readonly endedAt: string;
}

const EXCLUDED = 'The configuration of this repository leaves it out (`checks` in `.github/causeway.yml`).';

export function sortChecks(
  checks: readonly NamedCheck[],
  rules: Pick<CheckRules, 'include' | 'exclude'>,
): SortedChecks {
  const isCounted = createNameFilter(rules);
  const counted = checks.filter(({ latest }) => isCounted(latest.name));
  const latest = counted.map((check) => check.latest);
  const suspects = counted.flatMap(findSuspect);
  return {
    counted: counted.length,
    waiting: latest.filter(({ state }) => state === 'waiting'),
    green: latest.filter(({ state }) => state === 'green'),
    suspects: [...suspects.filter(({ isRed }) => isRed), ...suspects.filter(({ isRed }) => !isRed)],
    leftOut: checks
      .filter((check) => check.latest.state === 'red' && !counted.includes(check))
      .map((check) => ({ name: check.latest.name, reason: EXCLUDED })),
    endedAt: latest.reduce((last, { endedAt }) => (endedAt > last ? endedAt : last), ''),
  };
}

/** Whether a place's branch (of a pull request: its base) is one that the rules name. */
export function isBranchCounted(place: HeadPlace, { branches }: Pick<CheckRules, 'branches'>): boolean {
  return (
    branches.length === 0 ||
    createNameMatcher(branches)(place.kind === 'pull_request' ? place.base.branch : place.branch)
  );
}

function createNameFilter({ include, exclude }: Pick<CheckRules, 'include' | 'exclude'>): (name: string) => boolean {
  const isIncluded = include.length === 0 ? () => true : createNameMatcher(include);
  const isExcluded = createNameMatcher(exclude);
  return (name) => isIncluded(name) && !isExcluded(name);
}

/** A name is no path: `*` in a pattern spans the slash of `ci / test` and of `release/1.x`. */
function createNameMatcher(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.map((glob) => createGlobMatcher(replaceSlashes(glob)));
  return (name) => matchers.some((matches) => matches(replaceSlashes(name)));
}

function replaceSlashes(text: string): string {
  return text.replaceAll('/', '\u2044');
}

function findSuspect({ latest, earlier }: NamedCheck): readonly Suspect[] {
  if (latest.state === 'red') {
    return [{ check: latest, isRed: true, passedHere: earlier.some(({ state }) => state === 'green') }];
  }
  const before = latest.state === 'green' ? earlier.find(({ state }) => state === 'red') : undefined;
  return before === undefined ? [] : [{ check: before, isRed: false, passedHere: true }];
}

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
  return sorted.suspects.length > 0 && measureQuiet(look, sorted) >= QUIET_MS;
}

/** What was found before stays until it is quiet. */
export async function saveWaiting(look: Look, place: HeadPlace, sorted: Sorted): Promise<JobResult> {
  const { findings } = look.head;
  const { leftOut } = sorted;
  await saveSeen(look, { state: 'waiting', place, findings, leftOut, stillWaiting: [], endedAt: '' });
  return scheduleNextLook(look, sorted);
}

/** When GitHub tells, else after a while, but not for ever. */
export function scheduleNextLook(look: Look, sorted: Sorted): JobResult {
  const quiet = measureQuiet(look, sorted);
  if (quiet >= PATIENCE_MS) return { kind: 'done' };
  const pause = Math.min(Math.max(quiet, FIRST_MS), LAST_MS);
  const isDueWhenQuiet = sorted.suspects.length > 0 && quiet < QUIET_MS;
  const wait = isDueWhenQuiet ? Math.min(pause, QUIET_MS - quiet) : pause;
  return { kind: 'later', runAt: new Date(look.deps.now().getTime() + wait).toISOString() };
}

/** Each once, in their order. */
export function listNames(waiting: readonly Check[]): Head['stillWaiting'] {
  const names = waiting.map(({ name }) => name.slice(0, NAME_CHARACTERS).toWellFormed());
  return [...new Set(names)].toSorted().slice(0, MOST_NAMES);
}

/** Milliseconds since a check of this commit began or ended; a person may begin one anew days later. */
function measureQuiet({ head, deps }: Look, { waiting, green, suspects }: Sorted): number {
  const checks = [...waiting, ...green, ...suspects.map(({ check }) => check)];
  const told = checks.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)]);
  const moves = told.filter((at) => !Number.isNaN(at));
  const last = moves.length === 0 ? Date.parse(head.createdAt) : Math.max(...moves);
  return deps.now().getTime() - last;
}
