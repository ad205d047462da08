// One made repository of the double in which people push, open pull requests, and CI says what it is told to say.
import type { GithubDouble } from '../github-double/double.ts';
import type { JobResult } from '../github-double/people/checks.ts';
import type { WorkflowRun } from '../github-double/state-checks.ts';
import { type MadeCause, madeCause } from './made-failures.ts';

/** What red jobs print, in turn, and why they are red. */
export type Red = Pick<JobResult, 'log' | 'annotations'>;

export interface RedRepository {
  readonly name: string;
  /** Without its owner. */
  readonly short: string;
  /** Another one each time. */
  cause(): MadeCause;
  /** A number that differs each time. */
  next(): number;
  /** `mara` pushes; to a branch that is new, from the default branch. */
  push(branch: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** By `mara`, who may write. Its number. */
  open(branch: string, isDraft?: boolean): Promise<number>;
  /** A run of Actions with so many jobs, of which the first ones are red, each of the next of these reasons. */
  run(sha: string, matrix: Matrix, reds?: readonly Red[]): Promise<WorkflowRun>;
  /** A person runs the red ones again, and they pass. */
  rerunGreen(run: WorkflowRun): Promise<void>;
}

export interface Matrix {
  readonly jobs: number;
  readonly red: number;
}

const SYSTEMS = ['ubuntu-24.04', 'ubuntu-22.04', 'windows-2025', 'macos-15', 'ubuntu-24.04-arm'];

/** `seed`: repositories that begin with another one have other matrices. */
export function redRepository({ people }: GithubDouble, name: string, seed = 0): RedRepository {
  let count = seed;
  let causes = 0;
  const next = () => (count += 1);
  return {
    name,
    short: name.split('/')[1] ?? '',
    next,
    cause: () => madeCause(causes++),
    push: (branch, files) => people.push(name, { by: 'mara', branch, files }),
    open: async (branch, isDraft = false) =>
      (await people.openPull(name, { by: 'mara', title: `Work on ${branch}`, head: branch, draft: isDraft })).number,
    run: (sha, { jobs, red }, reds = []) =>
      people.reportWorkflowRun(name, {
        sha,
        jobs: Array.from({ length: jobs }, (_, at) => {
          const why = at < red ? reds[at % reds.length] : undefined;
          if (why === undefined) return { name: jobName(at), conclusion: 'success' as const, log: '' };
          return { name: jobName(at), conclusion: 'failure' as const, failedStep: 'Run npm test', ...why };
        }),
      }),
    rerunGreen: async (run) => {
      await people.rerun(name, run, { by: 'mara' });
      const again = run.attempts.at(-1)?.filter(({ conclusion }) => conclusion === null) ?? [];
      for (const job of again) await people.finishJob(name, run, job.name, { conclusion: 'success', log: '' });
    },
  };
}

function jobName(at: number): string {
  return `test (${SYSTEMS[at % SYSTEMS.length]}, ${18 + 2 * Math.floor(at / SYSTEMS.length)})`;
}
