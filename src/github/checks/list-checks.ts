// All checks of one commit but our own: check runs of every App with those before them, and commit statuses of other CI.
import { type Check, checkKey, type NamedCheck } from '../../core/check.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { type Asking, ask, askPages } from './ask.ts';
import { type CheckRun, isOfActions, ofCheckRun, ofStatus, type Status, saysNothing } from './to-check.ts';
import { rememberedRuns, testingRuns, workflowRuns } from './workflow-runs.ts';

const PAGE = 100;
const MOST_PAGES = 5;

/** Two calls for a commit with up to 100 check runs; a third where Actions is not green, and a fourth where a status is red. */
export async function listChecks(asking: Asking, sha: string): Promise<readonly NamedCheck[]> {
  const refusals: GithubFailure[] = [];
  const runs = await unlessNotGranted(checkRuns(asking, sha), refusals);
  const statuses = await unlessNotGranted(namedStatuses(asking, sha), refusals);
  // An installation may have granted the one without the other; without both there is nothing to say.
  if (refusals.length > 1) throw refusals[0];
  return [...(await namedRuns(asking, sha, runs)), ...statuses];
}

async function unlessNotGranted<T>(asked: Promise<readonly T[]>, refusals: GithubFailure[]): Promise<readonly T[]> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 403 || error.kind !== 'refused') throw error;
    refusals.push(error);
    return [];
  }
}

/** Newest first. */
async function checkRuns(asking: Asking, sha: string): Promise<readonly CheckRun[]> {
  const { appId } = await asking.deps.clients.identity(asking.signal);
  const { items } = await askPages({ most: MOST_PAGES, size: PAGE }, async (page) => {
    const found = await ask(asking, ({ rest }, place) =>
      rest.checks.listForRef({ ...place, ref: sha, filter: 'all', per_page: PAGE, page }),
    );
    return found.check_runs;
  });
  const others = items.filter((run) => run.app?.id !== appId && !saysNothing(run));
  return others.toSorted((a, b) => b.id - a.id);
}

async function namedRuns(asking: Asking, sha: string, runs: readonly CheckRun[]): Promise<readonly NamedCheck[]> {
  const workflows = await workflowsOf(asking, sha, runs);
  const counted = runs.filter((run) => !isOfActions(run) || workflows === null || workflows.has(suiteOf(run)));
  const byName = [...Map.groupBy(counted, (run) => checkKey(ofCheckRun(run))).values()];
  return byName.map((named) =>
    workflows === null || !named.some(isOfActions) ? inTime(named) : reddest(named, workflows),
  );
}

/**
 * What each suite of Actions that tests the commit is about: a workflow and the event that started it. Those of others are not there, nor any
 * where we may not read the runs: who started them is not known then. Null: all of them are green, and it is not known of any; so of the base
 * of a pull request no more is asked.
 */
async function workflowsOf(
  asking: Asking,
  sha: string,
  runs: readonly CheckRun[],
): Promise<ReadonlyMap<number, string> | null> {
  const ofActions = runs.filter(isOfActions);
  const known = rememberedRuns(asking, sha);
  if (known === null && ofActions.every((run) => ofCheckRun(run).state === 'green')) return null;
  const isWhole = ofActions.every((run) => known?.some(({ suiteId }) => suiteId === suiteOf(run)));
  const started = known !== null && isWhole ? known : await workflowRuns(asking, sha);
  return new Map(
    testingRuns(asking, started).map(({ suiteId, workflowId, event }) => [suiteId, `${workflowId} ${event}`]),
  );
}

function suiteOf({ check_suite: suite }: CheckRun): number {
  return suite?.id ?? 0;
}

const GRAVITY: readonly Check['state'][] = ['red', 'waiting', 'green'];

/**
 * Jobs of two workflows, or of one workflow for two events, may have one name: the one's pass is no pass of the other. A person's re-run
 * stays within its suite.
 */
function reddest(named: readonly CheckRun[], workflows: ReadonlyMap<number, string>): NamedCheck {
  const apart = Map.groupBy(named, (run) => workflows.get(suiteOf(run)) ?? '');
  const all = [...apart.values()].map(inTime);
  return all.toSorted((a, b) => GRAVITY.indexOf(a.latest.state) - GRAVITY.indexOf(b.latest.state))[0] ?? inTime(named);
}

function inTime(newestFirst: readonly CheckRun[]): NamedCheck {
  const [latest, ...earlier] = newestFirst.map(ofCheckRun);
  if (latest === undefined) throw new TypeError('A group of check runs is never empty.');
  return { latest, earlier: earlier.filter(({ state }) => state !== 'waiting') };
}

async function namedStatuses(asking: Asking, sha: string): Promise<readonly NamedCheck[]> {
  const { items } = await askPages({ most: MOST_PAGES, size: PAGE }, async (page) => {
    const found = await ask(asking, ({ rest }, place) =>
      rest.repos.getCombinedStatusForRef({ ...place, ref: sha, per_page: PAGE, page }),
    );
    return found.statuses;
  });
  const isAnyRed = items.some((status) => ofStatus(status).state === 'red');
  const all = isAnyRed ? await everyStatus(asking, sha) : [];
  return items.map((status) => ({ latest: ofStatus(status), earlier: before(status, all) }));
}

/** Newest first. */
async function everyStatus(asking: Asking, sha: string): Promise<readonly Status[]> {
  const all = await ask(asking, ({ rest }, place) =>
    rest.repos.listCommitStatusesForRef({ ...place, ref: sha, per_page: PAGE }),
  );
  return all.toSorted((a, b) => b.id - a.id);
}

function before({ id, context }: Pick<Status, 'id' | 'context'>, all: readonly Status[]): readonly Check[] {
  return all
    .filter((one) => one.context === context && one.id < id)
    .map(ofStatus)
    .filter(({ state }) => state !== 'waiting');
}
