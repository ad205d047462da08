// Runs of Actions whose jobs end green or red, with a rest behind them, or with the model's answers held back.
import type { JobResult, ReportedRun } from '../github-double/people/checks.ts';
import type { WorkflowRun } from '../github-double/state.ts';
import { type Failing, testLog } from './github-red-logs.ts';
import type { RedModel } from './github-red-model.ts';
import type { GithubStage } from './github-stage.ts';

/** How a job ends: green, red of a cause of the shop's, or as it is given. */
type JobEnd = 'success' | Failing | JobResult;
export type JobEnds = Readonly<Record<string, JobEnd>>;

export interface RedRuns {
  /** A run of Actions on that commit whose jobs end so, in their order. */
  report(sha: string, jobs: JobEnds, more?: Partial<Omit<ReportedRun, 'jobs' | 'sha'>>): Promise<WorkflowRun>;
  /** The same, then rest. */
  readonly run: RedRuns['report'];
  /** The same up to the first question to the model, whose answers wait until they are let go; then rest. */
  runHeld(sha: string, jobs: JobEnds): Promise<{ readonly run: WorkflowRun; release(): Promise<void> }>;
}

/** `model`: null where the stage has none, and nothing can be held. */
export function redRuns(stage: GithubStage, model: RedModel | null, name: string): RedRuns {
  const runs: RedRuns = {
    report: (sha, jobs, more = {}) => {
      const ends = Object.entries(jobs).map(([job, end]) => ({ name: job, ...resultOf(end) }));
      return stage.double.people.reportWorkflowRun(name, { ...more, sha, jobs: ends });
    },
    run: async (...reported) => {
      const run = await runs.report(...reported);
      await stage.rest();
      return run;
    },
    runHeld: async (sha, jobs) => {
      if (model === null) throw new Error('no model, no question that can be held');
      const { asked, release } = model.hold(`Repository ${name}, commit`);
      const [run] = await Promise.all([runs.report(sha, jobs), asked]);
      const rest = () => {
        release();
        return stage.rest();
      };
      return { run, release: rest };
    },
  };
  return runs;
}

export function resultOf(end: JobEnd): JobResult {
  if (end === 'success') return { conclusion: 'success', log: 'ok\n' };
  if ('conclusion' in end) return end;
  return { conclusion: 'failure', failedStep: 'npm test', log: testLog(end) };
}
