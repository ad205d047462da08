// Routes of the GitHub double: Actions runs, their jobs and the jobs' logs.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { minimalRepository } from './repository.ts';
import { type Answer, type Call, type JobState, notFound, paged, type Route, type RunState } from './state.ts';
import { simpleUser } from './user.ts';

type Run = RestEndpointMethodTypes['actions']['getWorkflowRun']['response']['data'];
type Job = RestEndpointMethodTypes['actions']['getJobForWorkflowRun']['response']['data'];

const CREATED = '2025-03-01T10:00:00Z';

interface FoundRun {
  readonly id: number;
  readonly run: RunState;
  readonly attempt: number;
}

export const actionsRoutes: readonly Route[] = [
  ...['', '\\/attempts\\/(\\d+)'].flatMap((attempt): Route[] => [
    {
      method: 'GET',
      path: new RegExp(`^\\/repos\\/([^/]+\\/[^/]+)\\/actions\\/runs\\/(\\d+)${attempt}$`),
      answer: (call) => withRun(call, (found) => ({ status: 200, body: runBody(call, found) })),
    },
    {
      method: 'GET',
      path: new RegExp(`^\\/repos\\/([^/]+\\/[^/]+)\\/actions\\/runs\\/(\\d+)${attempt}\\/jobs$`),
      answer: (call) =>
        withRun(call, (found) => {
          const jobs = found.run.attempts[found.attempt - 1] ?? [];
          return paged(call, jobs, (page) => ({
            total_count: jobs.length,
            jobs: page.map((job) => jobBody(call, found, job)),
          }));
        }),
    },
  ]),
  {
    method: 'GET',
    path: /^\/repos\/([^/]+\/[^/]+)\/actions\/jobs\/(\d+)$/,
    answer: (call) => {
      const found = findJob(call);
      return found === null ? notFound() : { status: 200, body: jobBody(call, found.found, found.job) };
    },
  },
  {
    method: 'GET',
    path: /^\/repos\/([^/]+\/[^/]+)\/actions\/jobs\/(\d+)\/logs$/,
    answer: (call) => logAnswer(call),
  },
];

function withRun(call: Call, answer: (found: FoundRun) => Answer): Answer {
  const [name = '', id, attempt] = call.params;
  const run = call.state.repositories.get(name)?.runs.get(Number(id));
  if (run === undefined) return notFound();
  const number = attempt === undefined ? run.attempts.length : Number(attempt);
  return number > run.attempts.length ? notFound() : answer({ id: Number(id), run, attempt: number });
}

function findJob({ state, params: [name = '', id] }: Call): { found: FoundRun; job: JobState } | null {
  for (const [runId, run] of state.repositories.get(name)?.runs ?? []) {
    for (const [at, jobs] of run.attempts.entries()) {
      const job = jobs.find((candidate) => candidate.id === Number(id));
      if (job !== undefined) return { found: { id: runId, run, attempt: at + 1 }, job };
    }
  }
  return null;
}

function logAnswer(call: Call): Answer {
  const found = findJob(call);
  if (found === null) return notFound();
  // Logs of public repositories, too, are for the signed-in only.
  if (!call.signedIn) return { status: 403, body: { message: 'Must have admin rights to Repository.', status: '403' } };
  if (found.job.log.kind === 'expired') {
    return { status: 410, body: { message: 'Gone', documentation_url: 'https://docs.github.com/rest', status: '410' } };
  }
  const path = `/logs/${found.job.id}?sig=${encodeURIComponent('a+b/c=')}`;
  call.state.storage.set(path, found.job.log.text);
  return { status: 302, headers: { location: `${call.storageUrl}${path}` } };
}

function runBody({ params: [name = ''], apiUrl }: Call, { id, run, attempt }: FoundRun): Run {
  const api = `${apiUrl}/repos/${name}/actions/runs/${id}`;
  const person = { name: 'Octo Cat', email: 'octocat@example.com' };
  const body = {
    id,
    name: run.workflow,
    node_id: `WFR_${id}`,
    check_suite_id: 42,
    check_suite_node_id: 'CS_42',
    head_branch: run.branch,
    head_sha: run.headSha,
    path: '.github/workflows/ci.yml',
    display_title: run.message,
    run_number: 7,
    event: 'push',
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: 99,
    url: api,
    html_url: `https://github.com/${name}/actions/runs/${id}`,
    pull_requests: [],
    created_at: CREATED,
    updated_at: CREATED,
    actor: simpleUser('octocat', apiUrl),
    run_attempt: attempt,
    referenced_workflows: [],
    run_started_at: CREATED,
    triggering_actor: simpleUser('octocat', apiUrl),
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    check_suite_url: `${apiUrl}/repos/${name}/check-suites/42`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: attempt > 1 ? `${api}/attempts/${attempt - 1}` : null,
    workflow_url: `${apiUrl}/repos/${name}/actions/workflows/99`,
    head_commit: {
      id: run.headSha,
      tree_id: run.headSha,
      message: run.message,
      timestamp: CREATED,
      author: person,
      committer: person,
    },
    repository: minimalRepository(name, apiUrl),
    head_repository: minimalRepository(run.headRepository ?? name, apiUrl),
  };
  // GitHub's own description leaves out that a deleted fork is null.
  return run.headRepository === null ? Object.assign(body, { head_repository: null }) : body;
}

function jobBody({ params: [name = ''], apiUrl }: Call, { id, run, attempt }: FoundRun, job: JobState): Job {
  const ended = job.conclusion === null ? null : CREATED;
  const step = { status: 'completed' as const, started_at: CREATED, completed_at: CREATED };
  return {
    id: job.id,
    run_id: id,
    workflow_name: run.workflow,
    head_branch: run.branch,
    run_url: `${apiUrl}/repos/${name}/actions/runs/${id}`,
    run_attempt: attempt,
    node_id: `CR_${job.id}`,
    head_sha: run.headSha,
    url: `${apiUrl}/repos/${name}/actions/jobs/${job.id}`,
    html_url: `https://github.com/${name}/actions/runs/${id}/job/${job.id}`,
    status: job.conclusion === null ? 'in_progress' : 'completed',
    conclusion: job.conclusion,
    created_at: CREATED,
    started_at: CREATED,
    completed_at: ended,
    name: job.name,
    steps: [
      { ...step, name: 'Set up job', conclusion: 'success', number: 1 },
      ...(job.failedStep === '' ? [] : [{ ...step, name: job.failedStep, conclusion: job.conclusion, number: 2 }]),
    ],
    check_run_url: `${apiUrl}/repos/${name}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 2,
    runner_group_name: 'GitHub Actions',
  };
}
