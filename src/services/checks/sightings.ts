// Red checks in the ledger of failures: recorded once each, with what is known of their failure, and closed when they
// are green.
import type { FailureHistory } from '../../ci/index.ts';
import {
  type Check,
  type Failure,
  type Finding,
  type HeadPlace,
  mayNameCommits,
  nameBareError,
  type Sighting,
  toCheckKey,
  type Verdict,
} from '../../core/check/index.ts';
import type { FailureStatistics, FailureStore } from '../../db/index.ts';
import type { Look } from './look.ts';
import type { Group } from './read-suspects.ts';
import type { SortedChecks } from './sort-checks.ts';

/** Where a check was seen. */
export type SeenAt = Pick<Sighting, 'sha' | 'branch' | 'pullRequest' | 'isOnDefault' | 'isTrusted'>;

export function toSeenAt(sha: string, place: HeadPlace): SeenAt {
  const seen = { sha, branch: place.branch, isOnDefault: place.kind === 'default' };
  if (place.kind !== 'pull_request') return { ...seen, pullRequest: null, isTrusted: seen.isOnDefault };
  // Someone with write access put it into the merge queue.
  const isTrusted = place.isQueue || (place.isTrusted && !place.isFork);
  return { ...seen, pullRequest: place.number, isTrusted };
}

/** Equal for the same red check: a run has a number, a status only its moment. */
export function makeSightingKey({ runId, name, endedAt, startedAt }: Check, sha: string): string {
  return runId === null ? `status ${name} ${sha} ${endedAt || startedAt}` : `run ${runId}`;
}

/** `at`: for a check that does not say when it ended. */
export function toSighting(check: Check, where: SeenAt, verdict: Verdict, at: string): Sighting {
  const key = makeSightingKey(check, where.sha);
  return { key, ...where, app: check.app, checkName: check.name, verdict, at: check.endedAt || check.startedAt || at };
}

export interface KnownFailure {
  readonly failure: Failure;
  readonly habits: FailureStatistics;
}

/** Null: it was never seen. `where`: what is judged now, which does not count. */
export async function readKnownFailure(
  store: FailureStore,
  projectId: string,
  fingerprint: string,
  where: SeenAt,
): Promise<KnownFailure | null> {
  const failure = await store.findFailureByFingerprint(projectId, fingerprint);
  if (failure === null) return null;
  return {
    failure,
    habits: await store.readFailureStatistics(failure.id, { isTrustedOnly: where.isTrusted, besides: where }),
  };
}

/** More failed tests than this at once are no chance. */
const MOST_TESTS = 5;

/** What is known of each test, in whatever company it failed; empty: too many, or nothing of one of them. */
export async function readTestHistories(
  { services: { store, redactor }, project }: Look,
  tests: readonly string[],
  where: SeenAt,
): Promise<readonly FailureHistory[]> {
  if (tests.length > MOST_TESTS) return [];
  const histories: FailureHistory[] = [];
  for (const test of await redactor.redactJson(tests)) {
    const { failureIds, shas } = await store.findFailuresOfTest(project.id, test);
    if (failureIds.length === 0) return [];
    // Strangers can have their own commits say anything of a test, and those do not count.
    const filter = { isTrustedOnly: where.isTrusted, shas, besides: where };
    const habits = await store.readFailureStatistics(failureIds, filter);
    histories.push({ ...countHabits(habits, where), isOpenOnDefault: false });
  }
  return histories;
}

/** `greenAt`: since when the check is green on the base; "" where it is not. From then on the base is not the cause. */
export function toHistory(known: KnownFailure | null, where: SeenAt, greenAt: string): FailureHistory | null {
  if (known === null) return null;
  const { failure, habits } = known;
  const isGreenSince = greenAt !== '' && Date.parse(greenAt) > (Date.parse(habits.lastOnDefaultAt) || 0);
  return {
    isOpenOnDefault: failure.state === 'open' && failure.isOnDefault && !isGreenSince,
    ...countHabits(habits, where),
  };
}

function countHabits({ heads: hits, ...habits }: FailureStatistics, { isOnDefault }: SeenAt) {
  // A failure that comes and goes in pull requests only may be caused by those.
  const isChance = !isOnDefault || habits.flakyOnDefault > 0;
  const { pullRequests, branches } = habits;
  return { hits, flakyHits: isChance ? habits.flakyHeads : 0, pullRequests, branches };
}

/** A group of red checks with its finding. */
export interface JudgedGroup {
  readonly group: Group;
  readonly finding: Finding;
}

/** The same once it is recorded. */
export interface Recorded extends JudgedGroup {
  readonly failure: Failure;
}

/** Recording the same finding again changes nothing. */
export async function recordFinding(look: Look, place: HeadPlace, { group, finding }: JudgedGroup): Promise<Recorded> {
  const { services, project, head } = look;
  const { store } = services;
  const where = toSeenAt(head.sha, place);
  const makeKey = ({ check }: Group['suspects'][number]) => makeSightingKey(check, head.sha);
  const { failure, standing, opening } = await store.recordSightings(
    {
      id: finding.failureId,
      projectId: project.id,
      fingerprint: group.fingerprint,
      headline: nameBareError(finding.excerpt) ?? finding.excerpt.headline,
      announcedAt: look.now(),
      redNow: group.suspects.filter(({ isRed }) => isRed).map(makeKey),
    },
    group.suspects.map(({ check }) => toSighting(check, where, finding.verdict, head.createdAt)),
  );
  const flaky = group.suspects.filter(({ passedHere }) => passedHere).map(makeKey);
  if (flaky.length > 0) await store.markFlaky(failure.id, flaky);
  // Recorded by an earlier look at this commit, it is known by now, and still new here.
  const isAgain = standing === 'known' && group.before !== null;
  const { range: _, ...found } = finding;
  const recorded = { ...found, failureId: failure.id, standing: isAgain ? finding.standing : standing, opening };
  // It is back since: what the failure is now, this commit has no part in.
  if (opening !== failure.opening) return { group, finding: keepRange(recorded, finding.range ?? null), failure };
  const range = await findSightingRange(look, place, { group, finding: recorded }, failure);
  if (range !== failure.range) await store.saveRange(failure.id, range);
  return { group, finding: keepRange(recorded, range), failure: { ...failure, range } };
}

/** What the finding says of its own time, whatever becomes of the failure later. */
function keepRange(finding: Finding, range: Failure['range']): Finding {
  return range === null || !mayNameCommits(finding.verdict) ? finding : { ...finding, range };
}

/** The commits that brought it to the default branch; null: unknown, or none did. */
async function findSightingRange(
  look: Look,
  place: HeadPlace,
  { group, finding }: JudgedGroup,
  { range }: Failure,
): Promise<Failure['range']> {
  const { sha } = look.head;
  if (place.kind !== 'default') return range;
  // What it was blamed on before the check passed at this very commit.
  if (!mayNameCommits(finding.verdict)) return range?.to === sha ? null : range;
  const isWanted = range === null || (finding.standing === 'regression' && range.to !== sha);
  const check = group.suspects.find(({ isRed }) => isRed)?.check;
  return isWanted && check !== undefined ? ((await readRangeSinceGreen(look, check)) ?? range) : range;
}

/** The commits since the check was last green on the default branch; null: unknown. */
async function readRangeSinceGreen(look: Look, check: Check): Promise<Failure['range']> {
  const { services, project, head, signal } = look;
  for (const { sha: from } of await services.store.listPassingChecks(project.id, check)) {
    // Later commits may be green by now; only ancestors count.
    if (from === head.sha || !(await look.isAncestor({ from, to: head.sha }))) continue;
    return await services.checks.readRange(project, { from, to: head.sha }, signal);
  }
  return null;
}

/** Questions about ancestors in one look; the tip of the branch contains all others and needs none. */
const MOST_ANCESTORS = 30;

/**
 * On the default branch a green check closes the failures that were seen in it; a pull request without red checks, all
 * that were seen there.
 */
export async function closeGreen(
  look: Look,
  place: HeadPlace,
  { suspects, waiting, green, endedAt }: SortedChecks,
  recorded: readonly Recorded[],
): Promise<void> {
  const { services, project, head } = look;
  const { store } = services;
  if (place.kind === 'pull_request') {
    const isGreen = waiting.length === 0 && suspects.length === 0 && !place.isQueue;
    if (isGreen) await store.closeFailuresOfPullRequest(project.id, place.number, endedAt || look.now());
    return;
  }
  // A check that passed only when it was run again at the same commit is not fixed.
  const flaky = new Set(suspects.map(({ check }) => toCheckKey(check)));
  const fixed = green.filter((check) => !flaky.has(toCheckKey(check)));
  if (place.kind !== 'default' || fixed.length === 0) return;
  const red = recorded.filter(({ group }) => group.suspects.some(({ isRed }) => isRed));
  const at = endedAt || head.createdAt;
  const seen = { sha: head.sha, checks: fixed, at, red: red.map(({ failure }) => failure.id) };
  const wanted = await store.listPossibleFixes(project.id, seen);
  const isKnown = ({ to }: { readonly to: string }) => place.isBehind !== true && to === head.sha;
  const contained = wanted.filter(isKnown);
  for (const ends of wanted.filter((one) => !isKnown(one)).slice(0, MOST_ANCESTORS)) {
    // A fork may have a branch of the same name: its green checks count only where this commit contains them.
    const isOurs = async () => ends.to === head.sha || (await look.isAncestor({ from: ends.to, to: head.sha }));
    if ((await look.isAncestor(ends)) && (await isOurs())) contained.push(ends);
  }
  await store.closeFixedFailures(project.id, { ...seen, contained }, look.now());
}
