// The checks of one commit except our own: check runs of every App, jobs of Actions, and commit statuses of other CI.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { keepBeginning } from 'causeway-visible-text';
import { type Check, type CheckExtent, ChecksCut, type NamedCheck, toCheckKey } from '../../core/check/index.ts';
import {
  type GithubClients,
  type GithubFailure,
  isOwnCheck,
  type Pages,
  type RepositoryCaller,
  readPages,
  recoverFrom,
} from '../clients/index.ts';
import { type Inquiry, readWorkflowRuns, recallRuns, selectTestingRuns } from './workflow-runs.ts';

type CheckRunData = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];

type Status = Pick<
  RestEndpointMethodTypes['repos']['listCommitStatusesForRef']['response']['data'][number],
  'id' | 'context' | 'state' | 'target_url' | 'description' | 'created_at' | 'updated_at'
>;

export const ACTIONS = 'github-actions';

const RED = new Set(['failure', 'timed_out', 'startup_failure']);
/**
 * It was stopped, skipped or given up, or a person has to act, which may never happen (such as signing an agreement):
 * that says nothing about the commit.
 */
const UNINFORMATIVE = new Set(['cancelled', 'skipped', 'stale', 'action_required']);
/** Someone has to do something before it can end. */
const UNDECIDED = new Set(['action_required', 'stale']);
const MAX_PAGES = 5;
const PART_BYTES = 16 * 1_024;

export function isRedConclusion(conclusion: string | null | undefined): boolean {
  return RED.has(conclusion ?? '');
}

/** Two calls for a commit with up to 100 check runs; a third where Actions isn't green, a fourth for a red status. */
export async function listChecks(
  inquiry: Inquiry,
  sha: string,
  extent: CheckExtent = 'first',
): Promise<readonly NamedCheck[]> {
  const { runs, statuses, isCut } = await readBoth(inquiry.deps, inquiry, { sha, filter: 'all' });
  if (isCut && extent === 'whole') throw new ChecksCut();
  const informative = runs.filter(
    ({ status, conclusion }) => status !== 'completed' || !UNINFORMATIVE.has(conclusion ?? ''),
  );
  const isAnyRed = statuses.some((status) => toStatusCheck(status, sha).state === 'red');
  const history = isAnyRed ? await readStatusHistory(inquiry, sha) : [];
  return [
    ...(await groupRuns(
      inquiry,
      sha,
      informative.toSorted((a, b) => b.id - a.id),
    )),
    ...statuses.map((status) => ({ latest: toStatusCheck(status, sha), earlier: listEarlier(status, history, sha) })),
  ];
}

/** The latest run of each check and status, in GitHub's order. A check that a person has to act on is waiting. */
export async function listLatestChecks(
  deps: { readonly clients: Pick<GithubClients, 'identity'> },
  at: { readonly read: RepositoryCaller; readonly signal: AbortSignal },
  sha: string,
): Promise<readonly Check[]> {
  const { runs, statuses } = await readBoth(deps, at, { sha, filter: 'latest' });
  return [
    ...runs
      .filter(({ conclusion }) => conclusion !== 'cancelled')
      .map((run) =>
        UNDECIDED.has(run.conclusion ?? '') ? { ...toCheck(run), state: 'waiting' as const } : toCheck(run),
      ),
    ...statuses.map((status) => toStatusCheck(status, sha)),
  ];
}

/** An installation may have granted the one without the other; without both there is nothing to say. */
async function readBoth(
  { clients }: { readonly clients: Pick<GithubClients, 'identity'> },
  { read, signal }: { readonly read: RepositoryCaller; readonly signal: AbortSignal },
  { sha: ref, filter }: { readonly sha: string; readonly filter: 'all' | 'latest' },
) {
  const identity = await clients.identity(signal);
  const refusals: GithubFailure[] = [];
  const checkRuns = await ignoreForbidden(refusals, async (page) => {
    const found = await read(({ rest }, place) => rest.checks.listForRef({ ...place, ref, filter, ...page }));
    return found.check_runs;
  });
  const statuses = await ignoreForbidden(refusals, async (page) => {
    const found = await read(({ rest }, place) => rest.repos.getCombinedStatusForRef({ ...place, ref, ...page }));
    return found.statuses;
  });
  if (refusals.length > 1) throw refusals[0];
  return {
    runs: checkRuns.items.filter((run) => !isOwnCheck(identity, run)),
    statuses: statuses.items,
    isCut: checkRuns.isCut || statuses.isCut,
  };
}

async function ignoreForbidden<T>(
  refusals: GithubFailure[],
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<Pages<T>> {
  return await recoverFrom<Pages<T>>(
    ['refused'],
    () => readPages(MAX_PAGES, read),
    (error) => {
      if (error.status !== 403) throw error;
      refusals.push(error);
      return { items: [], isCut: false };
    },
  );
}

/** `runs`: newest first. */
async function groupRuns(inquiry: Inquiry, sha: string, runs: readonly CheckRunData[]): Promise<readonly NamedCheck[]> {
  const workflows = await nameWorkflows(inquiry, sha, runs);
  const counted = runs.filter((run) => !isOfActions(run) || workflows === null || workflows.has(findSuite(run)));
  const byName = [...Map.groupBy(counted, (run) => toCheckKey(toCheck(run))).values()];
  return byName.map((named) =>
    workflows === null || !named.some(isOfActions) ? toNamedCheck(named) : chooseReddest(named, workflows),
  );
}

/**
 * Workflow and event of each suite of Actions that tests the commit. Other suites are missing, and all of them where we
 * may not read the runs. Null: all of Actions is green, so that the base of a pull request needs no further call.
 */
async function nameWorkflows(
  inquiry: Inquiry,
  sha: string,
  runs: readonly CheckRunData[],
): Promise<ReadonlyMap<number, string> | null> {
  const ofActions = runs.filter(isOfActions);
  const known = recallRuns(inquiry, sha);
  if (known === null && ofActions.every((run) => toCheck(run).state === 'green')) return null;
  const isWhole = ofActions.every((run) => known?.some(({ suiteId }) => suiteId === findSuite(run)));
  const started = known !== null && isWhole ? known : await readWorkflowRuns(inquiry, sha);
  return new Map(
    selectTestingRuns(inquiry, started).map(({ suiteId, workflowId, event }) => [suiteId, `${workflowId} ${event}`]),
  );
}

function isOfActions({ app }: Pick<CheckRunData, 'app'>): boolean {
  return app?.slug === ACTIONS;
}

function findSuite({ check_suite: suite }: CheckRunData): number {
  return suite?.id ?? 0;
}

const GRAVITY: readonly Check['state'][] = ['red', 'waiting', 'green'];

/** Jobs of two workflows, or of two events, may share a name: one's pass isn't the other's. Re-runs share a suite. */
function chooseReddest(named: readonly CheckRunData[], workflows: ReadonlyMap<number, string>): NamedCheck {
  const byWorkflow = Map.groupBy(named, (run) => workflows.get(findSuite(run)) ?? '');
  const all = [...byWorkflow.values()].map(toNamedCheck);
  const [reddest] = all.toSorted((a, b) => GRAVITY.indexOf(a.latest.state) - GRAVITY.indexOf(b.latest.state));
  return reddest ?? toNamedCheck(named);
}

function toNamedCheck(newestFirst: readonly CheckRunData[]): NamedCheck {
  const [latest, ...earlier] = newestFirst.map(toCheck);
  if (latest === undefined) throw new TypeError('A group of check runs is never empty.');
  return { latest, earlier: earlier.filter(({ state }) => state !== 'waiting') };
}

function toCheck(run: CheckRunData): Check {
  const { output } = run;
  const isWaiting = run.status !== 'completed';
  return {
    name: run.name,
    app: run.app?.slug ?? '',
    runId: run.id,
    state: isWaiting ? 'waiting' : isRedConclusion(run.conclusion) ? 'red' : 'green',
    conclusion: isWaiting ? '' : (run.conclusion ?? ''),
    startedAt: run.started_at ?? '',
    endedAt: isWaiting ? '' : (run.completed_at ?? ''),
    url: run.html_url ?? run.details_url ?? '',
    ...(run.details_url && !isOfActions(run) && { build: { url: run.details_url, sha: run.head_sha } }),
    title: boundText(output.title),
    summary: boundText(output.summary),
    text: boundText(output.text),
    annotations: output.annotations_count,
  };
}

/** Newest first. */
async function readStatusHistory({ read }: Inquiry, sha: string): Promise<readonly Status[]> {
  const all = await read(({ rest }, place) =>
    rest.repos.listCommitStatusesForRef({ ...place, ref: sha, per_page: 100 }),
  );
  return all.toSorted((a, b) => b.id - a.id);
}

function listEarlier(
  { id, context }: Pick<Status, 'id' | 'context'>,
  history: readonly Status[],
  sha: string,
): readonly Check[] {
  return history
    .filter((one) => one.context === context && one.id < id)
    .map((status) => toStatusCheck(status, sha))
    .filter(({ state }) => state !== 'waiting');
}

function toStatusCheck(status: Status, sha: string): Check {
  const isWaiting = status.state === 'pending';
  return {
    name: status.context,
    app: '',
    runId: null,
    state: isWaiting ? 'waiting' : status.state === 'success' ? 'green' : 'red',
    conclusion: isWaiting ? '' : status.state,
    startedAt: status.created_at,
    endedAt: isWaiting ? '' : status.updated_at,
    url: status.target_url ?? '',
    ...(status.target_url && { build: { url: status.target_url, sha } }),
    title: boundText(status.description),
    summary: '',
    text: '',
    annotations: 0,
  };
}

function boundText(text: string | null): string {
  return keepBeginning(text ?? '', PART_BYTES);
}
