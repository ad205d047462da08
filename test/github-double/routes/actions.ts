// Routes of GitHub Actions: runs, their jobs, and the jobs' logs on the storage host.
import { fullName } from '../lookup.ts';
import { simpleCommit } from '../resources/commit.ts';
import { nodeId } from '../resources/node-id.ts';
import { pullsOfHead } from '../resources/pull.ts';
import { minimalRepository } from '../resources/repository.ts';
import { simpleUserOf } from '../resources/user.ts';
import { type Answer, notFound, ofRepository, ok, paged, type RepositoryCall, type Route, refused } from '../route.ts';
import type { WorkflowJob, WorkflowRun } from '../state-checks.ts';

const READ = [{ actions: 'read' }] as const;

interface Attempt {
  readonly run: WorkflowRun;
  readonly number: number;
}

export const actionsRoutes: readonly Route[] = [
  ofRepository('GET /actions/runs', READ, async (call) => {
    const { searchParams } = call.url;
    const is = (name: string, value: string | null) => !searchParams.has(name) || searchParams.get(name) === value;
    const all = [...call.repository.workflowRuns.values()].filter(
      (run) =>
        is('head_sha', run.headSha) &&
        is('branch', run.headBranch) &&
        (is('status', run.status) || is('status', run.conclusion)),
    );
    const page = paged(call, all.reverse());
    const bodies = (page.body as readonly WorkflowRun[]).map((run) =>
      runBody(call, { run, number: run.attempts.length }),
    );
    return { ...page, body: { total_count: all.length, workflow_runs: await Promise.all(bodies) } };
  }),
  ...['', '/attempts/{attempt_number}'].flatMap((rest) => [
    ofRepository(
      `GET /actions/runs/{run_id}${rest}`,
      READ,
      withAttempt(async (call, of) => ok(await runBody(call, of))),
    ),
    ofRepository(
      `GET /actions/runs/{run_id}${rest}/jobs`,
      READ,
      withAttempt((call, of) => {
        const jobs = of.run.attempts[of.number - 1] ?? [];
        return paged(call, jobs, (page) => ({
          total_count: jobs.length,
          jobs: page.map((job) => jobBody(call, of, job)),
        }));
      }),
    ),
  ]),
  ofRepository('GET /actions/jobs/{job_id}', READ, (call) => {
    const found = jobOf(call);
    return found === null ? notFound() : ok(jobBody(call, found.of, found.job));
  }),
  ofRepository('GET /actions/jobs/{job_id}/logs', READ, (call) => {
    const found = jobOf(call);
    if (found === null) return notFound();
    // Logs of public repositories, too, are for the signed-in only.
    if (call.caller.kind === 'none') return refused(403, 'Must have admin rights to Repository.');
    if (found.job.log === null) return refused(410, 'Gone');
    const signature = encodeURIComponent('a+b/c=');
    return {
      status: 302,
      headers: { location: `${call.state.urls.storage}/logs/${call.repository.id}/${found.job.id}?sig=${signature}` },
    };
  }),
];

function withAttempt(answer: (call: RepositoryCall, of: Attempt) => Answer | Promise<Answer>) {
  return (call: RepositoryCall): Answer | Promise<Answer> => {
    const run = call.repository.workflowRuns.get(Number(call.params['run_id']));
    const number = Number(call.params['attempt_number'] ?? run?.attempts.length);
    return run === undefined || number > run.attempts.length ? notFound() : answer(call, { run, number });
  };
}

function jobOf(call: RepositoryCall): { readonly of: Attempt; readonly job: WorkflowJob } | null {
  for (const run of call.repository.workflowRuns.values()) {
    for (const [at, jobs] of run.attempts.entries()) {
      const job = jobs.find((one) => one.id === Number(call.params['job_id']));
      if (job !== undefined) return { of: { run, number: at + 1 }, job };
    }
  }
  return null;
}

async function runBody(call: RepositoryCall, { run, number }: Attempt) {
  const { state, repository } = call;
  const name = fullName(state, repository);
  const api = `${state.urls.api}/repos/${name}/actions/runs/${run.id}`;
  const commit = await simpleCommit(repository, run.headSha);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', repository.id, run.id),
    check_suite_id: run.suiteId,
    check_suite_node_id: nodeId('CS', repository.id, run.suiteId),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    display_title: commit.message.split('\n')[0] ?? '',
    run_number: run.number,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.suiteId,
    url: api,
    html_url: `${state.urls.web}/${name}/actions/runs/${run.id}`,
    pull_requests: pullsOfHead(state, repository, run.headSha),
    created_at: run.createdAt,
    updated_at: run.createdAt,
    run_started_at: run.createdAt,
    actor: simpleUserOf(state, run.actorId),
    triggering_actor: simpleUserOf(state, run.actorId),
    run_attempt: number,
    referenced_workflows: [],
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    check_suite_url: `${state.urls.api}/repos/${name}/check-suites/${run.suiteId}`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: number > 1 ? `${api}/attempts/${number - 1}` : null,
    workflow_url: `${state.urls.api}/repos/${name}/actions/workflows/${run.suiteId}`,
    head_commit: commit,
    repository: minimalRepository(state, repository),
    head_repository: minimalRepository(state, repository),
  };
}

function jobBody({ state, repository }: RepositoryCall, { run, number }: Attempt, job: WorkflowJob) {
  const name = fullName(state, repository);
  const api = `${state.urls.api}/repos/${name}`;
  const at = run.createdAt;
  const step = { status: 'completed', started_at: at, completed_at: at };
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.headBranch,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: number,
    node_id: nodeId('CR', repository.id, job.id),
    head_sha: run.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${state.urls.web}/${name}/actions/runs/${run.id}/job/${job.id}`,
    status: job.conclusion === null ? 'in_progress' : 'completed',
    conclusion: job.conclusion,
    created_at: at,
    started_at: at,
    completed_at: job.conclusion === null ? null : at,
    name: job.name,
    steps: [
      { ...step, name: 'Set up job', conclusion: 'success', number: 1 },
      ...(job.failedStep === '' ? [] : [{ ...step, name: job.failedStep, conclusion: job.conclusion, number: 2 }]),
    ],
    check_run_url: `${api}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 2,
    runner_group_name: 'GitHub Actions',
  };
}
