// Routes of GitHub Actions: runs, their jobs, and logs of a job or a whole run on the storage host.
import { cancelRun, listFailedJobs, rerun } from '../deeds/check-suites.ts';
import { type Attempt, artifactBody, jobBody, runBody, workflowBody } from '../resources/check.ts';
import { simpleUser } from '../resources/user.ts';
import {
  type Answer,
  actorId,
  notFound,
  ofRepository,
  paged,
  type RepositoryCall,
  type Route,
  refused,
} from '../route.ts';
import type { ActionsRun, WorkflowJob } from '../state.ts';
import { listWorkflowFiles } from '../workflow-starts.ts';

const READ = [{ actions: 'read' }] as const;
/** GitHub shows no more of a list that is searched. */
const MOST_FOUND = 1_000;
const SEARCHES = ['actor', 'branch', 'check_suite_id', 'created', 'event', 'head_sha', 'status'];

export const actionsRoutes: readonly Route[] = [
  ofRepository('GET /actions/workflows', READ, async (call) => {
    const { repository, state } = call;
    const ran = [...repository.workflowRuns.values()].map(({ path, name }) => ({ path, name }));
    // Those of other branches, too, once they have run.
    const all = [...new Map([...ran, ...(await listWorkflowFiles(repository))].map((one) => [one.path, one])).values()];
    const bodies = all.map((one, index) => workflowBody(state, repository, { ...one, workflowId: index + 1 }));
    return paged(call, bodies, (workflows) => ({ total_count: all.length, workflows }));
  }),
  ofRepository('POST /actions/runs/{run_id}/cancel', [{ actions: 'write' }], async (call) => {
    const run = call.repository.workflowRuns.get(Number(call.params['run_id']));
    if (run === undefined) return notFound();
    const isCancelled = await cancelRun(call.state, call.repository, run);
    return isCancelled ? { status: 202, body: {} } : refused(409, 'Cannot cancel a workflow run that is completed.');
  }),
  // Of rulesets, only what they require to run.
  ofRepository('GET /rules/branches/{branch}', [], (call) => {
    const rules = call.repository.requiredWorkflows
      .filter(({ branch }) => branch === decodeURIComponent(call.params['branch'] ?? ''))
      .map(({ repositoryId, path }) => ({
        type: 'workflows' as const,
        parameters: { workflows: [{ repository_id: repositoryId, path, ref: 'refs/heads/main' }] },
        ...{ ruleset_source_type: 'Organization', ruleset_source: 'octo', ruleset_id: 1 },
      }));
    return paged(call, rules);
  }),
  ofRepository('GET /actions/runs', READ, answerWorkflowRuns),
  ...['', '/attempts/{attempt_number}'].flatMap((rest) => [
    ofRepository(`GET /actions/runs/{run_id}${rest}/jobs`, READ, withAttempt(jobsOf)),
    ofRepository(
      `GET /actions/runs/{run_id}${rest}`,
      READ,
      withAttempt(async ({ state, repository }, of) => ({ status: 200, body: await runBody(state, repository, of) })),
    ),
  ]),
  ofRepository('GET /actions/jobs/{job_id}', READ, (call) => {
    const found = jobOf(call);
    return found === null
      ? notFound()
      : { status: 200, body: jobBody(call.state, call.repository, found.run, found.job) };
  }),
  ofRepository('POST /actions/jobs/{job_id}/rerun', [{ actions: 'write' }], async (call) => {
    const found = jobOf(call);
    if (found === null) return notFound();
    if (found.run.status !== 'completed') return refused(403, 'This workflow is already running');
    await rerun(call.state, call.repository, found.run, { jobs: [found.job.name], byId: actorId(call.caller) });
    return { status: 201, body: {} };
  }),
  ofRepository('POST /actions/runs/{run_id}/rerun-failed-jobs', [{ actions: 'write' }], async (call) => {
    const run = call.repository.workflowRuns.get(Number(call.params['run_id']));
    if (run === undefined) return notFound();
    if (run.status !== 'completed') return refused(403, 'This workflow is already running');
    const jobs = listFailedJobs(run);
    if (jobs.length === 0) return refused(403, 'The workflow run has no failed jobs');
    await rerun(call.state, call.repository, run, { jobs, byId: actorId(call.caller) });
    return { status: 201, body: {} };
  }),
  ofRepository('GET /actions/runs/{run_id}/approvals', READ, ({ state, repository, params }) => {
    const run = repository.workflowRuns.get(Number(params['run_id']));
    if (run === undefined) return notFound();
    const body = (run.approvals ?? []).flatMap(({ byId, environment: name }) => {
      const by = state.accounts.get(byId);
      const environments = [{ id: 1, name }];
      return by === undefined ? [] : [{ environments, state: 'approved', user: simpleUser(state, by), comment: '' }];
    });
    return { status: 200, body };
  }),
  ofRepository('GET /actions/runs/{run_id}/artifacts', READ, (call) => {
    const run = call.repository.workflowRuns.get(Number(call.params['run_id']));
    if (run === undefined) return notFound();
    return paged(call, run.artifacts, (page) => ({
      total_count: run.artifacts.length,
      artifacts: page.map((artifact) => artifactBody(call.state, call.repository, run, artifact)),
    }));
  }),
  ofRepository('GET /actions/artifacts/{artifact_id}/{archive_format}', READ, (call) => {
    const id = Number(call.params['artifact_id']);
    const found = [...call.repository.workflowRuns.values()]
      .flatMap((run) => run.artifacts)
      .find((one) => one.id === id);
    if (found === undefined || call.params['archive_format'] !== 'zip') return notFound();
    if (found.isExpired) return refused(410, 'Artifact has expired');
    return {
      status: 302,
      headers: { location: `${call.state.urls.storage}/artifacts/${call.repository.id}/${id}?sig=a` },
    };
  }),
  ofRepository('GET /actions/jobs/{job_id}/logs', READ, (call) => {
    const found = jobOf(call);
    if (found === null) return notFound();
    const path = `logs/${call.repository.id}/${found.job.id}`;
    return toStorage(call, [found.job], { isRunning: found.job.conclusion === null, path });
  }),
];

/** Sent on to the storage host for a minute; while it runs there is nothing there, and after the retention time no more. */
function toStorage(
  call: RepositoryCall,
  jobs: readonly WorkflowJob[],
  { isRunning, path }: { readonly isRunning: boolean; readonly path: string },
): Answer {
  // Logs of public repositories, too, are for the signed-in only.
  if (call.caller.kind === 'none') return refused(403, 'Must have admin rights to Repository.');
  if (isRunning) return notFound();
  if (jobs.every((job) => job.log === null)) return refused(410, 'Gone');
  const signature = encodeURIComponent('a+b/c=');
  return { status: 302, headers: { location: `${call.state.urls.storage}/${path}?sig=${signature}` } };
}

async function answerWorkflowRuns(call: RepositoryCall): Promise<Answer> {
  const { searchParams } = call.url;
  const found = [...call.repository.workflowRuns.values()]
    .filter((run) => isWanted(call, run))
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  const shown = SEARCHES.some((name) => searchParams.has(name)) ? found.slice(0, MOST_FOUND) : found;
  const page = paged(call, shown);
  const bodies = (page.body as readonly ActionsRun[]).map(async (run) => {
    const body = await runBody(call.state, call.repository, { run, number: run.attempts.length });
    return searchParams.get('exclude_pull_requests') === 'true' ? { ...body, pull_requests: [] } : body;
  });
  return { ...page, body: { total_count: found.length, workflow_runs: await Promise.all(bodies) } };
}

function isWanted({ state, url }: RepositoryCall, run: ActionsRun): boolean {
  const is = (name: string, ...values: readonly (string | number | null | undefined)[]) => {
    const wanted = url.searchParams.get(name);
    return wanted === null || values.some((value) => value !== undefined && String(value) === wanted);
  };
  return (
    is('head_sha', run.headSha) &&
    is('branch', run.headBranch) &&
    is('event', run.event) &&
    is('check_suite_id', run.suiteId) &&
    is('actor', state.accounts.get(run.actorId)?.login) &&
    is('status', run.status, run.conclusion) &&
    matchesDate(url.searchParams.get('created'), run.createdAt)
  );
}

/** GitHub's search for dates: `>=2026-01-01`, `<2026-02-01T10:00:00Z`, `2026-01-01..2026-01-31`, one day. */
function matchesDate(wanted: string | null, at: string): boolean {
  if (wanted === null) return true;
  const [, sign = '', date = ''] = /^(>=|<=|>|<)?(.*)$/.exec(wanted) ?? [];
  const [from = '', to] = date.split('..');
  const cut = (text: string, like: string) => text.slice(0, Math.min(like.length, 19));
  const order = (like: string) => cut(at, like).localeCompare(cut(like, like));
  if (to !== undefined) return (from === '*' || order(from) >= 0) && (to === '*' || order(to) <= 0);
  const compared = order(from);
  return sign === ''
    ? compared === 0
    : sign.startsWith('>')
      ? compared > 0 || isEqual(sign, compared)
      : compared < 0 || isEqual(sign, compared);
}

function isEqual(sign: string, compared: number): boolean {
  return sign.endsWith('=') && compared === 0;
}

/** `filter=all` has the jobs of earlier attempts too; a numbered attempt has its own alone. */
function jobsOf(call: RepositoryCall, { run, number }: Attempt): Answer {
  const isAll = call.params['attempt_number'] === undefined && call.url.searchParams.get('filter') === 'all';
  const jobs = isAll ? [...new Set(run.attempts.flat())] : (run.attempts[number - 1] ?? []);
  return paged(call, jobs, (page) => ({
    total_count: jobs.length,
    jobs: page.map((job) => jobBody(call.state, call.repository, run, job)),
  }));
}

function withAttempt(answer: (call: RepositoryCall, of: Attempt) => Answer | Promise<Answer>) {
  return (call: RepositoryCall): Answer | Promise<Answer> => {
    const run = call.repository.workflowRuns.get(Number(call.params['run_id']));
    const number = Number(call.params['attempt_number'] ?? run?.attempts.length);
    return run === undefined || !(number >= 1 && number <= run.attempts.length)
      ? notFound()
      : answer(call, { run, number });
  };
}

function jobOf({ params, repository }: RepositoryCall): { readonly run: ActionsRun; readonly job: WorkflowJob } | null {
  for (const run of repository.workflowRuns.values()) {
    const job = run.attempts.flat().find((one) => one.id === Number(params['job_id']));
    if (job !== undefined) return { run, job };
  }
  return null;
}
