// Red checks of the past, from the runs of Actions that failed: a page of runs at a time, with the jobs of each.
import type { Check, PastCheck } from '../../core/check.ts';

import { GithubFailure } from '../clients/github-clients.ts';
import { type Asking, ask, unlessClosed, unlessUnknown } from './ask.ts';
import { ACTIONS, isRedConclusion } from './to-check.ts';
import { isTesting } from './workflow-runs.ts';

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
function cursorOf(text: string, now: Date): Cursor {
  const [, page, position, until] = CURSOR.exec(text) ?? [];
  if (page === undefined || position === undefined || until === undefined) {
    return { page: 1, position: 0, until: inSeconds(now) };
  }
  return { page: Number(page), position: Number(position), until };
}

function inSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

function textOf({ page, position, until }: Cursor): string {
  return `${page} ${position} ${until}`;
}

/** At most 21 calls, and no more than `mostCalls`. Where GitHub asks for patience amid a page, what was read so far is the page. */
export async function pastChecks(
  asking: Asking,
  { since, cursor, mostCalls }: { readonly since: string; readonly cursor: string; readonly mostCalls: number },
): Promise<PastPage> {
  const at = cursorOf(cursor, asking.deps.now());
  const runs = await failedRuns(asking, since, at);
  const checks: PastCheck[] = [];
  let { position } = at;
  let calls = 1;
  for (const run of runs.slice(position)) {
    if (!isTesting(run)) {
      position += 1;
      continue;
    }
    if (calls >= mostCalls) return { checks, calls, next: textOf({ ...at, position }) };
    const found = await redJobs(asking, run, position > at.position);
    calls += 1;
    if (found === null) return { checks, calls, next: textOf({ ...at, position }) };
    checks.push(...found);
    position += 1;
  }
  const isLast = runs.length < RUNS_PER_PAGE;
  return { checks, calls, next: isLast ? null : textOf({ ...at, page: at.page + 1, position: 0 }) };
}

async function failedRuns(asking: Asking, since: string, { page, until }: Cursor) {
  const created = `${inSeconds(new Date(since))}..${until}`;
  const found = await unlessUnknown(
    ask(asking, ({ rest }, place) =>
      rest.actions.listWorkflowRunsForRepo({ ...place, status: 'failure', created, per_page: RUNS_PER_PAGE, page }),
    ),
  );
  return found?.workflow_runs ?? [];
}

type Run = Awaited<ReturnType<typeof failedRuns>>[number];

/** Null: GitHub gave none, and what was read before is worth keeping. */
async function redJobs(asking: Asking, run: Run, isAmid: boolean): Promise<readonly PastCheck[] | null> {
  try {
    const found = await unlessClosed(
      ask(asking, ({ rest }, place) =>
        rest.actions.listJobsForWorkflowRun({ ...place, run_id: run.id, filter: 'latest', per_page: JOBS }),
      ),
    );
    const red = (found?.jobs ?? []).filter(({ conclusion }) => isRedConclusion(conclusion));
    return red.map((job) => ({ ...placeOf(asking, run), check: checkOf(job) }));
  } catch (error) {
    if (isAmid && error instanceof GithubFailure) return null;
    throw error;
  }
}

/** A fork's branch is named as GitHub does it: its `main` is not ours. */
function placeOf({ project }: Asking, run: Run): Omit<PastCheck, 'check'> {
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

function checkOf({ id, name, conclusion, started_at, completed_at, html_url }: Job): Check {
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
