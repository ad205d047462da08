// The failed jobs of the past days, a page of workflow runs at a time.
import type { Check, PastCheck } from '../../core/check.ts';
import { ignoreRefused, ignoreUnknown } from '../clients/repository.ts';
import { ACTIONS, isRedConclusion } from './list-checks.ts';
import { type Inquiry, isTesting } from './workflow-runs.ts';

interface PastPage {
  readonly checks: readonly PastCheck[];
  readonly calls: number;
  /** Null: this was the last page. */
  readonly next: string | null;
}

const RUNS_PER_PAGE = 20;
const JOBS_PER_RUN = 100;
const CURSOR = /^(\d{1,4}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** At most 21 calls, and no more than `mostCalls`, after which the rest of the page is left out. */
export async function readPastChecks(
  inquiry: Inquiry,
  { since, cursor, mostCalls }: { readonly since: string; readonly cursor: string; readonly mostCalls: number },
): Promise<PastPage> {
  // Runs that start later would shift the pages, so the list ends where the first page began.
  const [, number = '1', until = formatSeconds(inquiry.deps.now())] = CURSOR.exec(cursor) ?? [];
  const page = Number(number);
  const created = `${formatSeconds(new Date(since))}..${until}`;
  const runs = await listFailedRuns(inquiry, created, page);
  const affordable = runs.filter(isTesting).slice(0, Math.max(0, mostCalls - 1));
  const checks: PastCheck[] = [];
  for (const run of affordable) checks.push(...(await readRedJobs(inquiry, run)));
  const next = runs.length < RUNS_PER_PAGE ? null : `${page + 1} ${until}`;
  return { checks, calls: 1 + affordable.length, next };
}

function formatSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

async function listFailedRuns({ read }: Inquiry, created: string, page: number) {
  const of = { status: 'failure', created, per_page: RUNS_PER_PAGE, page } as const;
  const found = await ignoreUnknown(
    read(({ rest }, place) => rest.actions.listWorkflowRunsForRepo({ ...place, ...of })),
  );
  return found?.workflow_runs ?? [];
}

type Run = Awaited<ReturnType<typeof listFailedRuns>>[number];

async function readRedJobs({ read, project }: Inquiry, run: Run): Promise<readonly PastCheck[]> {
  const of = { run_id: run.id, filter: 'latest', per_page: JOBS_PER_RUN } as const;
  const found = await ignoreRefused(
    read(({ rest }, place) => rest.actions.listJobsForWorkflowRun({ ...place, ...of })),
  );
  const { id, full_name: name } = run.head_repository ?? {};
  const branch = run.head_branch ?? '';
  // A fork's branch is named as GitHub does it: its `main` isn't ours.
  const isFork = id !== project.source.repositoryId && branch !== '';
  const place = {
    sha: run.head_sha,
    branch: isFork ? `${name?.split('/')[0] ?? 'unknown'}:${branch}` : branch,
    pullRequest: run.pull_requests?.[0]?.number ?? null,
  };
  return (found?.jobs ?? [])
    .filter(({ conclusion }) => isRedConclusion(conclusion))
    .map((job) => ({ ...place, check: toCheck(job) }));
}

interface Job {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly html_url: string | null;
}

function toCheck({ id, name, conclusion, started_at, completed_at, html_url }: Job): Check {
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
