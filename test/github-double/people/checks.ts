// What continuous integration reports: check runs of other Apps, commit statuses, workflow runs; and buttons that people press.
import { announce } from '../deeds/announce.ts';
import { addCheckRun, changeCheckRun, suiteFor, tellCheckRun } from '../deeds/check-suites.ts';
import { readRefs } from '../git/read-objects.ts';
import { account, fullName, repository, timestamp } from '../lookup.ts';
import { statusBody } from '../resources/check.ts';
import { commitBody } from '../resources/commit.ts';
import type { Repository, State } from '../state.ts';
import type { CheckRun, CommitStatus, Conclusion, WorkflowJob, WorkflowRun } from '../state-checks.ts';
import { accountVerbs } from './accounts.ts';

export interface ReportedCheck {
  readonly sha: string;
  readonly name: string;
  /** Slug of the App that reports; default `github-actions`. */
  readonly app?: string;
  /** Null: queued. */
  readonly conclusion?: Conclusion | null;
  readonly output?: Partial<CheckRun['output']>;
  readonly annotations?: readonly (Pick<CheckRun['annotations'][number], 'path' | 'startLine' | 'message'> &
    Partial<CheckRun['annotations'][number]>)[];
  readonly detailsUrl?: string;
  readonly externalId?: string;
}

export type CheckVerbs = ReturnType<typeof checkVerbs>;

export function checkVerbs(state: State) {
  const people = accountVerbs(state);
  return {
    /** A check run, queued or done at once. */
    async reportCheck(name: string, made: ReportedCheck): Promise<CheckRun> {
      const found = repository(state, name);
      const app = people.otherApp(made.app ?? 'github-actions');
      return addCheckRun(state, found, {
        ...checkFields(made),
        appId: app.id,
        headSha: made.sha,
        name: made.name,
        branch: await branchOf(found, made.sha),
        senderId: app.botId,
      });
    },
    async startCheck(name: string, run: CheckRun): Promise<void> {
      await changeCheckRun(state, repository(state, name), run, { status: 'in_progress', senderId: botOf(state, run) });
    },
    async finishCheck(name: string, run: CheckRun, done: Omit<ReportedCheck, 'sha' | 'name' | 'app'>): Promise<void> {
      await changeCheckRun(state, repository(state, name), run, { ...checkFields(done), senderId: botOf(state, run) });
    },
    /** A person presses a button of a check run. */
    async pressAction(name: string, run: CheckRun, identifier: string, by: string): Promise<void> {
      const news = { action: 'requested_action', senderId: account(state, by).id, identifier } as const;
      await tellCheckRun(state, repository(state, name), run, news);
    },
    async rerequestCheck(name: string, run: CheckRun, by: string): Promise<void> {
      await tellCheckRun(state, repository(state, name), run, {
        action: 'rerequested',
        senderId: account(state, by).id,
      });
    },
    async reportStatus(
      name: string,
      made: Pick<CommitStatus, 'sha' | 'state' | 'context'> & Partial<CommitStatus> & { readonly by?: string },
    ): Promise<CommitStatus> {
      const found = repository(state, name);
      const { by, ...given } = made;
      const creatorId = people.user(by ?? 'ci-service').id;
      const base = { id: state.nextId(), description: null, targetUrl: null, creatorId, createdAt: timestamp(state) };
      const status: CommitStatus = { ...base, ...given };
      found.statuses.push(status);
      await tellStatus(state, found, status);
      return status;
    },
    /** A run of GitHub Actions whose jobs are check runs as well. */
    async reportWorkflowRun(name: string, made: ReportedRun): Promise<WorkflowRun> {
      const found = repository(state, name);
      const app = people.otherApp('github-actions');
      const branch = await branchOf(found, made.sha);
      const suite = suiteFor(state, found, { appId: app.id, sha: made.sha, branch });
      const jobs: WorkflowJob[] = [];
      for (const job of made.jobs) {
        const more = { headSha: made.sha, appId: app.id, branch, senderId: app.botId };
        const check = await addCheckRun(state, found, { ...checkFields(job), ...more, name: job.name });
        jobs.push({
          id: check.id,
          name: job.name,
          conclusion: check.conclusion,
          failedStep: job.failedStep ?? '',
          log: job.log ?? '',
        });
      }
      const worst = made.jobs.find((job) => job.conclusion === 'failure')?.conclusion ?? 'success';
      const run: WorkflowRun = {
        id: state.nextId(),
        suiteId: suite.id,
        name: made.workflow ?? 'CI',
        path: '.github/workflows/ci.yml',
        event: made.event ?? 'push',
        headSha: made.sha,
        headBranch: branch ?? found.defaultBranch,
        number: found.workflowRuns.size + 1,
        actorId: app.botId,
        createdAt: timestamp(state),
        status: 'completed',
        conclusion: worst,
        attempts: [jobs],
      };
      found.workflowRuns.set(run.id, run);
      return run;
    },
  };
}

export interface ReportedRun {
  readonly sha: string;
  readonly workflow?: string;
  readonly event?: string;
  readonly jobs: readonly {
    readonly name: string;
    readonly conclusion: Conclusion;
    readonly failedStep?: string;
    readonly log?: string | null;
  }[];
}

function checkFields(made: Partial<ReportedCheck>): Partial<CheckRun> {
  const conclusion = made.conclusion ?? null;
  const output = { title: null, summary: null, text: null, ...made.output };
  const blank = {
    endLine: 0,
    startColumn: null,
    endColumn: null,
    level: 'failure' as const,
    title: null,
    rawDetails: null,
  };
  return {
    status: conclusion === null ? 'queued' : 'completed',
    conclusion,
    output,
    annotations: (made.annotations ?? []).map((one) => ({ ...blank, ...one, endLine: one.endLine ?? one.startLine })),
    ...(made.detailsUrl === undefined ? {} : { detailsUrl: made.detailsUrl }),
    ...(made.externalId === undefined ? {} : { externalId: made.externalId }),
  };
}

function botOf(state: State, run: CheckRun): number {
  return state.apps.get(run.appId)?.botId ?? 0;
}

/** The branch whose tip that commit is. */
export async function branchOf(found: Repository, sha: string): Promise<string | null> {
  const refs = await readRefs(found.gitDir, 'refs/heads/');
  return refs.find((ref) => ref.sha === sha)?.name.slice('refs/heads/'.length) ?? null;
}

async function tellStatus(state: State, found: Repository, status: CommitStatus): Promise<void> {
  const branches = (await readRefs(found.gitDir, 'refs/heads/')).filter((ref) => ref.sha === status.sha);
  const api = `${state.urls.api}/repos/${fullName(state, found)}/commits`;
  const parts = {
    ...statusBody(state, found, status),
    sha: status.sha,
    name: fullName(state, found),
    commit: await commitBody(state, found, status.sha),
    branches: branches.map(({ name, sha }) => ({
      name: name.slice('refs/heads/'.length),
      commit: { sha, url: `${api}/${sha}` },
      protected: false,
    })),
  };
  announce(state, found, { event: 'status', action: null, parts, senderId: status.creatorId });
}
