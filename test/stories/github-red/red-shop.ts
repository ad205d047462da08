// Our own pull request in a shop whose checks say what a test makes them say.

import type { GithubIssue, ReportedRun } from 'causeway-github-double';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import type { GithubStage } from '../../support/github-stage.ts';

export interface RedShop {
  readonly desk: Desk;
  readonly pull: GithubIssue;
  /** The commit that the pull request stands at now. */
  head(): string;
  /** A run of Actions on the head whose jobs end so, in the order of their names. */
  checks(jobs: Readonly<Record<string, 'success' | 'failure'>>, more?: { sha?: string; log?: string }): Promise<void>;
  /** Waits for a head other than `before`, and for rest. */
  nextHead(before: string): Promise<string>;
  /** Texts of our comments on the pull request, as people see them. */
  said(): readonly string[];
  /** Commits of the branch beyond its base, the newest first. */
  commits(): Promise<readonly string[]>;
}

/** A shop whose bug is found and mended in a draft pull request, on which nothing has been said yet. */
export async function openRedShop(stage: GithubStage, name: string, config?: string): Promise<RedShop> {
  const desk = await openDesk(stage, name, config === undefined ? {} : { config });
  desk.label('mara');
  const pull = await desk.pull();
  await desk.comment(`#${pull.number}`);
  await stage.rest();
  const head = () => pull.pull?.headSha ?? '';
  return {
    desk,
    pull,
    head,
    checks: async (jobs, { sha = head(), log = 'npm test\n' } = {}) => {
      const made: ReportedRun = {
        sha,
        jobs: Object.entries(jobs).map(([job, conclusion]) => ({ name: job, conclusion, log, failedStep: 'npm test' })),
      };
      await stage.double.people.reportWorkflowRun(name, made);
      await stage.rest();
    },
    nextHead: async (before) => {
      await stage.until('a further commit', () => head() !== before);
      await stage.rest();
      return head();
    },
    said: () => stage.ourComments(name, pull.number).map(({ body }) => desk.shown(body).text),
    commits: async () => {
      const range = `refs/heads/main..refs/heads/${pull.pull?.headRef}`;
      return (await stage.double.git(name, 'rev-list', range)).split('\n').filter((line) => line !== '');
    },
  };
}
