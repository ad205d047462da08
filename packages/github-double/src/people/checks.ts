// What people and other Apps do with checks and Actions.
import {
  addCheckRun,
  addStatus,
  finishJob,
  headOf,
  type JobEnd,
  listFailedJobs,
  rerun,
  startRun,
  tellCheckRun,
  tellSuite,
} from '../deeds/check-suites.ts';
import { announce } from '../deeds/issues.ts';
import { listRefs } from '../git/read-objects.ts';
import { account, repository, timestamp } from '../lookup.ts';
import type {
  ActionsRun,
  CheckConclusion,
  CheckRun,
  CheckSuite,
  CommitStatus,
  GithubRepository,
  PendingJob,
  State,
  WorkflowJob,
} from '../state.ts';
import { zipFiles } from '../storage.ts';
import { accountVerbs } from './accounts.ts';

interface ReportedCheck {
  readonly sha: string;
  readonly name: string;
  /** Slug of the App that reports; default `github-actions`. */
  readonly app?: string;
  /** Null: queued. */
  readonly conclusion?: CheckConclusion | null;
  readonly output?: Partial<CheckRun['output']>;
  readonly annotations?: readonly (Pick<CheckRun['annotations'][number], 'path' | 'startLine' | 'message'> &
    Partial<CheckRun['annotations'][number]>)[];
  readonly detailsUrl?: string;
  readonly externalId?: string;
}

/** A run of GitHub Actions that begins. */
interface StartedRun {
  readonly sha: string;
  /** Default `CI`. */
  readonly workflow?: string;
  /** Of the workflow's file; default by its name. */
  readonly path?: string;
  /** Default `push`, of a fork's pull request `pull_request`. */
  readonly event?: string;
  /** Default: whoever pushed the commit. */
  readonly by?: string;
  /** Default: the branch that stands there, or the fork's. */
  readonly branch?: string;
  /** Names of its jobs, each once. */
  readonly jobs: readonly string[];
  /** Jobs that begin, or are skipped, when those that they need have ended. */
  readonly pending?: readonly PendingJob[];
  /** `2026-03-01T10:00:00Z`, for runs of the past; default now. */
  readonly at?: string;
}

export interface ReportedJob extends Pick<ReportedCheck, 'output' | 'annotations'> {
  readonly conclusion: CheckConclusion;
  readonly failedStep?: string;
  /** As it lies on the storage, with or without the times of its lines; null: expired. */
  readonly log?: string | null;
  /** By name: its files, or a zip archive as it is. */
  readonly artifacts?: Readonly<Record<string, Readonly<Record<string, string>> | Uint8Array>>;
  readonly at?: string;
}

export interface ReportedRun extends Omit<StartedRun, 'jobs'> {
  readonly jobs: readonly (ReportedJob & { readonly name: string })[];
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
      return addStatus(state, found, { ...base, ...given });
    },
    /** A person wants all checks of a suite again; only its App hears of it. */
    async rerequestSuite(name: string, suite: CheckSuite, by: string): Promise<void> {
      const news = { action: 'rerequested', senderId: account(state, by).id } as const;
      await tellSuite(state, repository(state, name), suite, news);
    },
  };
}

function checkFields(made: Partial<ReportedCheck>): Partial<CheckRun> {
  const conclusion = made.conclusion ?? null;
  const output = { title: null, summary: null, text: null, ...made.output };
  return {
    status: conclusion === null ? 'queued' : 'completed',
    conclusion,
    output,
    annotations: annotated(made.annotations ?? []),
    ...(made.detailsUrl === undefined ? {} : { detailsUrl: made.detailsUrl }),
    ...(made.externalId === undefined ? {} : { externalId: made.externalId }),
  };
}

/** Annotations with what was left out. */
function annotated(given: NonNullable<ReportedCheck['annotations']>): CheckRun['annotations'] {
  const blank = { startColumn: null, endColumn: null, level: 'failure' as const, title: null, rawDetails: null };
  return given.map((one) => ({ ...blank, ...one, endLine: one.endLine ?? one.startLine }));
}

/** The branch whose tip that commit is. */
export async function branchOf(found: GithubRepository, sha: string): Promise<string | null> {
  const refs = await listRefs(found.gitDir, 'refs/heads/');
  return refs.find((ref) => ref.sha === sha)?.name.slice('refs/heads/'.length) ?? null;
}

export type ActionsVerbs = ReturnType<typeof actionsVerbs>;

export function actionsVerbs(state: State) {
  const people = accountVerbs(state);
  const verbs = {
    /** A run whose jobs are in progress: check runs in a suite of its own. */
    async startRun(name: string, made: StartedRun): Promise<ActionsRun> {
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
    async finishJob(name: string, run: ActionsRun, job: string, result: ReportedJob): Promise<WorkflowJob> {
      const found = run.attempts.at(-1)?.find((one) => one.name === job && one.conclusion === null);
      if (found === undefined) throw new Error(`The run has no job ${job} in progress.`);
      await finishJob(state, repository(state, name), { run, job: found }, endOf(result));
      return found;
    },
    /** A run that is over at once. */
    async reportWorkflowRun(name: string, made: ReportedRun): Promise<ActionsRun> {
      const run = await verbs.startRun(name, { ...made, jobs: made.jobs.map((job) => job.name) });
      const at = made.at === undefined ? {} : { at: made.at };
      for (const { name: job, ...result } of made.jobs) await verbs.finishJob(name, run, job, { ...at, ...result });
      return run;
    },
    /** A person runs it again at the same commit: a new attempt, in progress, with what depends on its jobs. Default: those that failed. */
    async rerun(
      name: string,
      run: ActionsRun,
      again: { readonly by: string; readonly jobs?: 'all' | 'failed' | readonly string[]; readonly at?: string },
    ): Promise<ActionsRun> {
      const which = again.jobs ?? 'failed';
      const all = (run.attempts.at(-1) ?? []).map((job) => job.name);
      const jobs = typeof which !== 'string' ? which : which === 'all' ? all : listFailedJobs(run);
      const at = again.at === undefined ? {} : { at: again.at };
      await rerun(state, repository(state, name), run, { ...at, jobs, byId: account(state, again.by).id });
      return run;
    },
    /** Starts a workflow by hand, named by its file. Every input is text, and "" where it was not filled. */
    dispatch(
      name: string,
      {
        by,
        workflow,
        inputs,
      }: { readonly by: string; readonly workflow: string; readonly inputs: Record<string, string> },
    ): void {
      const found = repository(state, name);
      const parts = { inputs, ref: `refs/heads/${found.defaultBranch}`, workflow };
      const senderId = account(state, by).id;
      announce(state, found, { event: 'workflow_dispatch', action: null, parts, senderId });
    },
  };
  return verbs;
}

function endOf(result: ReportedJob): JobEnd {
  const { conclusion, failedStep = '', log = '' } = result;
  // What Actions remarks of itself when a step fails and the tool said nothing.
  const own = [{ path: '.github', startLine: 1, message: 'Process completed with exit code 1.' }];
  const annotations = annotated(result.annotations ?? (conclusion === 'failure' ? own : []));
  const at = result.at === undefined ? {} : { at: result.at };
  const output = { title: null, summary: null, text: null, ...result.output };
  const artifacts = Object.fromEntries(
    Object.entries(result.artifacts ?? {}).map(([name, files]) => [
      name,
      files instanceof Uint8Array ? files : zipFiles(files),
    ]),
  );
  return { conclusion, failedStep, log, annotations, output, artifacts, ...at };
}
