// The checks of a commit, sorted: which count by the project's rules, which wait, are green, or are to be looked into. Pure.
import type { Check, CheckRules, NamedCheck } from '../../core/check.ts';
import type { Head, HeadPlace } from '../../core/head.ts';
import { globMatcher } from '../../core/paths.ts';

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
  const isCounted = nameFilter(rules);
  const counted = checks.filter(({ latest }) => isCounted(latest.name));
  const latest = counted.map((check) => check.latest);
  const suspects = counted.flatMap(suspectOf);
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
    branches.length === 0 || namesOneOf(branches)(place.kind === 'pull_request' ? place.base.branch : place.branch)
  );
}

function nameFilter({ include, exclude }: Pick<CheckRules, 'include' | 'exclude'>): (name: string) => boolean {
  const isIncluded = include.length === 0 ? () => true : namesOneOf(include);
  const isExcluded = namesOneOf(exclude);
  return (name) => isIncluded(name) && !isExcluded(name);
}

/** A name is no path: `*` in a pattern spans the slash of `ci / test` and of `release/1.x`. */
function namesOneOf(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.map((glob) => globMatcher(unslashed(glob)));
  return (name) => matchers.some((matches) => matches(unslashed(name)));
}

function unslashed(text: string): string {
  return text.replaceAll('/', '\u2044');
}

function suspectOf({ latest, earlier }: NamedCheck): readonly Suspect[] {
  if (latest.state === 'red') {
    return [{ check: latest, isRed: true, passedHere: earlier.some(({ state }) => state === 'green') }];
  }
  const before = latest.state === 'green' ? earlier.find(({ state }) => state === 'red') : undefined;
  return before === undefined ? [] : [{ check: before, isRed: false, passedHere: true }];
}
