// The checks of one commit but our own, and the red ones of the past: check runs of every App, jobs of Actions, and commit statuses of other CI.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type Check, type NamedCheck, type PastCheck, toCheckKey } from '../../core/check.ts';
import { keepBeginning } from '../../core/text.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import {
  type Asking,
  ask,
  askPages,
  ignoreClosed,
  ignoreUnknown,
  isTesting,
  readWorkflowRuns,
  recallRuns,
  selectTestingRuns,
} from './ask.ts';

type CheckRun = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];

type Status = Pick<
  RestEndpointMethodTypes['repos']['listCommitStatusesForRef']['response']['data'][number],
  'id' | 'context' | 'state' | 'target_url' | 'description' | 'created_at' | 'updated_at'
>;

export const ACTIONS = 'github-actions';

const RED = new Set(['failure', 'timed_out', 'startup_failure']);

/**
 * Somebody stopped it, it was not to run, GitHub gave it up, or a person has to act, which may never happen (such as signing an agreement):
 * of the commit that says nothing.
 */
const SAYS_NOTHING = new Set(['cancelled', 'skipped', 'stale', 'action_required']);

const PART_BYTES = 16 * 1_024;

function isRedConclusion(conclusion: string | null | undefined): boolean {
  return RED.has(conclusion ?? '');
}

function saysNothing({ status, conclusion }: Pick<CheckRun, 'status' | 'conclusion'>): boolean {
  return status === 'completed' && SAYS_NOTHING.has(conclusion ?? '');
}

function isOfActions({ app }: Pick<CheckRun, 'app'>): boolean {
  return app?.slug === ACTIONS;
}

function toCheck(run: CheckRun): Check {
  const { output } = run;
  const state = toState(run);
  return {
    name: run.name,
    app: run.app?.slug ?? '',
    runId: run.id,
    state,
    conclusion: state === 'waiting' ? '' : (run.conclusion ?? ''),
    startedAt: run.started_at ?? '',
    endedAt: state === 'waiting' ? '' : (run.completed_at ?? ''),
    url: run.html_url ?? run.details_url ?? '',
    title: boundText(output.title),
    summary: boundText(output.summary),
    text: boundText(output.text),
    annotations: output.annotations_count,
  };
}

function toState({ status, conclusion }: CheckRun): Check['state'] {
  if (status !== 'completed') return 'waiting';
  return isRedConclusion(conclusion) ? 'red' : 'green';
}

function toStatusCheck(status: Status): Check {
  const isOpen = status.state === 'pending';
  return {
    name: status.context,
    app: '',
    runId: null,
    state: isOpen ? 'waiting' : status.state === 'success' ? 'green' : 'red',
    conclusion: isOpen ? '' : status.state,
    startedAt: status.created_at,
    endedAt: isOpen ? '' : status.updated_at,
    url: status.target_url ?? '',
    title: boundText(status.description),
    summary: '',
    text: '',
    annotations: 0,
  };
}

function boundText(text: string | null): string {
  return keepBeginning(text ?? '', PART_BYTES);
}

const PAGE = 100;

const MOST_PAGES = 5;

/** Two calls for a commit with up to 100 check runs; a third where Actions is not green, and a fourth where a status is red. */
export async function listChecks(asking: Asking, sha: string): Promise<readonly NamedCheck[]> {
  const refusals: GithubFailure[] = [];
  const runs = await ignoreRefusal(readCheckRuns(asking, sha), refusals);
  const statuses = await ignoreRefusal(readStatuses(asking, sha), refusals);
  // An installation may have granted the one without the other; without both there is nothing to say.
  if (refusals.length > 1) throw refusals[0];
  return [...(await groupRuns(asking, sha, runs)), ...statuses];
}

async function ignoreRefusal<T>(asked: Promise<readonly T[]>, refusals: GithubFailure[]): Promise<readonly T[]> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 403 || error.kind !== 'refused') throw error;
    refusals.push(error);
    return [];
  }
}

/** Newest first. */
async function readCheckRuns(asking: Asking, sha: string): Promise<readonly CheckRun[]> {
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

async function groupRuns(asking: Asking, sha: string, runs: readonly CheckRun[]): Promise<readonly NamedCheck[]> {
  const workflows = await readWorkflows(asking, sha, runs);
  const counted = runs.filter((run) => !isOfActions(run) || workflows === null || workflows.has(findSuite(run)));
  const byName = [...Map.groupBy(counted, (run) => toCheckKey(toCheck(run))).values()];
  return byName.map((named) =>
    workflows === null || !named.some(isOfActions) ? toNamedCheck(named) : chooseReddest(named, workflows),
  );
}

/**
 * What each suite of Actions that tests the commit is about: a workflow and the event that started it. Those of others are not there, nor any
 * where we may not read the runs: who started them is not known then. Null: all of them are green, and it is not known of any; so the base
 * of a pull request needs no further call.
 */
async function readWorkflows(
  asking: Asking,
  sha: string,
  runs: readonly CheckRun[],
): Promise<ReadonlyMap<number, string> | null> {
  const ofActions = runs.filter(isOfActions);
  const known = recallRuns(asking, sha);
  if (known === null && ofActions.every((run) => toCheck(run).state === 'green')) return null;
  const isWhole = ofActions.every((run) => known?.some(({ suiteId }) => suiteId === findSuite(run)));
  const started = known !== null && isWhole ? known : await readWorkflowRuns(asking, sha);
  return new Map(
    selectTestingRuns(asking, started).map(({ suiteId, workflowId, event }) => [suiteId, `${workflowId} ${event}`]),
  );
}

function findSuite({ check_suite: suite }: CheckRun): number {
  return suite?.id ?? 0;
}

const GRAVITY: readonly Check['state'][] = ['red', 'waiting', 'green'];

/**
 * Jobs of two workflows, or of one workflow for two events, may have one name: the one's pass is no pass of the other. A person's re-run
 * stays within its suite.
 */
function chooseReddest(named: readonly CheckRun[], workflows: ReadonlyMap<number, string>): NamedCheck {
  const apart = Map.groupBy(named, (run) => workflows.get(findSuite(run)) ?? '');
  const all = [...apart.values()].map(toNamedCheck);
  return (
    all.toSorted((a, b) => GRAVITY.indexOf(a.latest.state) - GRAVITY.indexOf(b.latest.state))[0] ?? toNamedCheck(named)
  );
}

function toNamedCheck(newestFirst: readonly CheckRun[]): NamedCheck {
  const [latest, ...earlier] = newestFirst.map(toCheck);
  if (latest === undefined) throw new TypeError('A group of check runs is never empty.');
  return { latest, earlier: earlier.filter(({ state }) => state !== 'waiting') };
}

async function readStatuses(asking: Asking, sha: string): Promise<readonly NamedCheck[]> {
  const { items } = await askPages({ most: MOST_PAGES, size: PAGE }, async (page) => {
    const found = await ask(asking, ({ rest }, place) =>
      rest.repos.getCombinedStatusForRef({ ...place, ref: sha, per_page: PAGE, page }),
    );
    return found.statuses;
  });
  const isAnyRed = items.some((status) => toStatusCheck(status).state === 'red');
  const all = isAnyRed ? await readEveryStatus(asking, sha) : [];
  return items.map((status) => ({ latest: toStatusCheck(status), earlier: listEarlier(status, all) }));
}

/** Newest first. */
async function readEveryStatus(asking: Asking, sha: string): Promise<readonly Status[]> {
  const all = await ask(asking, ({ rest }, place) =>
    rest.repos.listCommitStatusesForRef({ ...place, ref: sha, per_page: PAGE }),
  );
  return all.toSorted((a, b) => b.id - a.id);
}

function listEarlier({ id, context }: Pick<Status, 'id' | 'context'>, all: readonly Status[]): readonly Check[] {
  return all
    .filter((one) => one.context === context && one.id < id)
    .map(toStatusCheck)
    .filter(({ state }) => state !== 'waiting');
}

interface PastPage {
  readonly checks: readonly PastCheck[];
  readonly calls: number;
  readonly next: string | null;
}

/** Where to go on: how many runs of how many pages are done, of those that began before `until`. */
interface Cursor {
  readonly page: number;
  readonly position: number;
  readonly until: string;
}

const RUNS_PER_PAGE = 20;

const JOBS = 100;

const CURSOR = /^(\d{1,4}) (\d{1,2}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** "" begins. Runs that come later move nothing: the list ends when it was begun. */
function parseCursor(text: string, now: Date): Cursor {
  const [, page, position, until] = CURSOR.exec(text) ?? [];
  if (page === undefined || position === undefined || until === undefined) {
    return { page: 1, position: 0, until: formatSeconds(now) };
  }
  return { page: Number(page), position: Number(position), until };
}

function formatSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

function formatCursor({ page, position, until }: Cursor): string {
  return `${page} ${position} ${until}`;
}

/** At most 21 calls, and no more than `mostCalls`. Where GitHub asks for patience amid a page, what was read so far is the page. */
export async function readPastChecks(
  asking: Asking,
  { since, cursor, mostCalls }: { readonly since: string; readonly cursor: string; readonly mostCalls: number },
): Promise<PastPage> {
  const at = parseCursor(cursor, asking.deps.now());
  const runs = await readFailedRuns(asking, since, at);
  const checks: PastCheck[] = [];
  let { position } = at;
  let calls = 1;
  for (const run of runs.slice(position)) {
    if (!isTesting(run)) {
      position += 1;
      continue;
    }
    if (calls >= mostCalls) return { checks, calls, next: formatCursor({ ...at, position }) };
    const found = await readRedJobs(asking, run, position > at.position);
    calls += 1;
    if (found === null) return { checks, calls, next: formatCursor({ ...at, position }) };
    checks.push(...found);
    position += 1;
  }
  const isLast = runs.length < RUNS_PER_PAGE;
  return { checks, calls, next: isLast ? null : formatCursor({ ...at, page: at.page + 1, position: 0 }) };
}

async function readFailedRuns(asking: Asking, since: string, { page, until }: Cursor) {
  const created = `${formatSeconds(new Date(since))}..${until}`;
  const found = await ignoreUnknown(
    ask(asking, ({ rest }, place) =>
      rest.actions.listWorkflowRunsForRepo({ ...place, status: 'failure', created, per_page: RUNS_PER_PAGE, page }),
    ),
  );
  return found?.workflow_runs ?? [];
}

type Run = Awaited<ReturnType<typeof readFailedRuns>>[number];

/** Null: GitHub gave none, and what was read before is worth keeping. */
async function readRedJobs(asking: Asking, run: Run, isAmid: boolean): Promise<readonly PastCheck[] | null> {
  try {
    const found = await ignoreClosed(
      ask(asking, ({ rest }, place) =>
        rest.actions.listJobsForWorkflowRun({ ...place, run_id: run.id, filter: 'latest', per_page: JOBS }),
      ),
    );
    const red = (found?.jobs ?? []).filter(({ conclusion }) => isRedConclusion(conclusion));
    return red.map((job) => ({ ...toPastPlace(asking, run), check: jobToCheck(job) }));
  } catch (error) {
    if (isAmid && error instanceof GithubFailure) return null;
    throw error;
  }
}

/** A fork's branch is named as GitHub does it: its `main` is not ours. */
function toPastPlace({ project }: Asking, run: Run): Omit<PastCheck, 'check'> {
  const branch = run.head_branch ?? '';
  const { id, full_name: name } = run.head_repository ?? {};
  const isFork = id !== project.source.repositoryId;
  const owner = name?.split('/')[0] ?? 'unknown';
  return {
    sha: run.head_sha,
    branch: isFork && branch !== '' ? `${owner}:${branch}` : branch,
    pullRequest: run.pull_requests?.[0]?.number ?? null,
  };
}

interface Job {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly html_url: string | null;
}

function jobToCheck({ id, name, conclusion, started_at, completed_at, html_url }: Job): Check {
  return {
    name,
    app: ACTIONS,
    runId: id,
    state: 'red',
    conclusion: conclusion ?? '',
    startedAt: started_at,
    endedAt: completed_at ?? '',
    url: html_url ?? '',
    ...{ title: '', summary: '', text: '', annotations: 0 },
  };
}
