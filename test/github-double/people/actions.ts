// GitHub Actions: runs that begin, jobs that end one by one, and people who run them again.
import { endWithoutJobs, finishJob, headOf, type JobEnd, rerun, startRun } from '../deeds/workflow-runs.ts';
import { account, repository } from '../lookup.ts';
import type { State } from '../state.ts';
import type { RunEnd, WorkflowJob, WorkflowRun } from '../state-checks.ts';
import { accountVerbs } from './accounts.ts';
import { annotated, branchOf, type JobResult, type ReportedRun, type StartedRun } from './checks.ts';

export type ActionsVerbs = ReturnType<typeof actionsVerbs>;

export function actionsVerbs(state: State) {
  const people = accountVerbs(state);
  const verbs = {
    /** A run whose jobs are in progress: check runs in a suite of its own. */
    async startRun(name: string, made: StartedRun): Promise<WorkflowRun> {
      const found = repository(state, name);
      const app = people.otherApp('github-actions');
      const head = await headOf(state, found, made.sha);
      const branch = made.branch ?? head?.branch ?? (await branchOf(found, made.sha)) ?? found.defaultBranch;
      const pusher = head?.repository.pushers.get(made.sha) ?? found.pushers.get(made.sha) ?? app.botId;
      return startRun(state, found, {
        ...made,
        appId: app.id,
        branch,
        headRepositoryId: head?.repository.id ?? found.id,
        workflow: made.workflow ?? 'CI',
        event: made.event ?? (head?.isOfFork === true ? 'pull_request' : 'push'),
        actorId: made.by === undefined ? pusher : people.user(made.by).id,
      });
    },
    /** A job of the run's last attempt ends; with the last one the suite and the run end too. */
    async finishJob(name: string, run: WorkflowRun, job: string, result: JobResult): Promise<WorkflowJob> {
      const found = run.attempts.at(-1)?.find((one) => one.name === job && one.conclusion === null);
      if (found === undefined) throw new Error(`The run has no job ${job} in progress.`);
      await finishJob(state, repository(state, name), { run, job: found }, endOf(result));
      return found;
    },
    /** A run that is over at once. */
    async reportWorkflowRun(name: string, made: ReportedRun): Promise<WorkflowRun> {
      const run = await verbs.startRun(name, { ...made, jobs: made.jobs.map((job) => job.name) });
      const at = made.at === undefined ? {} : { at: made.at };
      for (const { name: job, ...result } of made.jobs) await verbs.finishJob(name, run, job, { ...at, ...result });
      return run;
    },
    /** A run that ends without a job: its workflow is faulty, or it waits for somebody to approve a stranger's fork. */
    async reportRunWithoutJobs(name: string, made: Omit<StartedRun, 'jobs'>, how: RunEnd): Promise<WorkflowRun> {
      const run = await verbs.startRun(name, { ...made, jobs: [] });
      await endWithoutJobs(state, repository(state, name), run, how);
      return run;
    },
    /** A person runs it again at the same commit: a new attempt, in progress. Default: the jobs that failed. */
    async rerun(
      name: string,
      run: WorkflowRun,
      again: { readonly by: string; readonly jobs?: 'all' | 'failed' | readonly string[]; readonly at?: string },
    ): Promise<WorkflowRun> {
      const last = run.attempts.at(-1) ?? [];
      const which = again.jobs ?? 'failed';
      const isFailed = ({ conclusion }: WorkflowJob) => !['success', 'neutral', 'skipped'].includes(conclusion ?? '');
      const named = which === 'all' ? last : last.filter(isFailed);
      const jobs = typeof which === 'string' ? named.map((job) => job.name) : which;
      const at = again.at === undefined ? {} : { at: again.at };
      await rerun(state, repository(state, name), run, { ...at, jobs, byId: account(state, again.by).id });
      return run;
    },
    /** The logs of a run are gone after their retention time. */
    expireLogs(run: WorkflowRun): void {
      for (const job of run.attempts.flat()) job.log = null;
    },
  };
  return verbs;
}

function endOf(result: JobResult): JobEnd {
  const { conclusion, failedStep = '', log = '' } = result;
  // What Actions remarks of itself when a step fails and the tool said nothing.
  const own = [{ path: '.github', startLine: 1, message: 'Process completed with exit code 1.' }];
  const annotations = annotated(result.annotations ?? (conclusion === 'failure' ? own : []));
  const at = result.at === undefined ? {} : { at: result.at };
  const output = { title: null, summary: null, text: null, ...result.output };
  return { conclusion, failedStep, log, annotations, output, ...at };
}
