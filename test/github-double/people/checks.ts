// What continuous integration reports: check runs of other Apps and commit statuses; and buttons that people press.
import { addCheckRun, changeCheckRun, tellCheckRun, tellSuite } from '../deeds/check-suites.ts';
import { addStatus } from '../deeds/statuses.ts';
import { readRefs } from '../git/read-objects.ts';
import { account, repository, timestamp } from '../lookup.ts';
import type { Repository, State } from '../state.ts';
import type { CheckRun, CheckSuite, CommitStatus, Conclusion } from '../state-checks.ts';
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

/** A run of GitHub Actions that begins. */
export interface StartedRun {
  readonly sha: string;
  /** Default `CI`. */
  readonly workflow?: string;
  /** Default `push`, of a fork's pull request `pull_request`. */
  readonly event?: string;
  /** Default: whoever pushed the commit. */
  readonly by?: string;
  /** Default: the branch that stands there, or the fork's. */
  readonly branch?: string;
  /** Names of its jobs, each once. */
  readonly jobs: readonly string[];
  /** `2026-03-01T10:00:00Z`, for runs of the past; default now. */
  readonly at?: string;
}

export interface JobResult extends Pick<ReportedCheck, 'output' | 'annotations'> {
  readonly conclusion: Conclusion;
  readonly failedStep?: string;
  /** As it lies on the storage, with or without the times of its lines; null: expired. */
  readonly log?: string | null;
  readonly at?: string;
}

export interface ReportedRun extends Omit<StartedRun, 'jobs'> {
  readonly jobs: readonly (JobResult & { readonly name: string })[];
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
export function annotated(given: NonNullable<ReportedCheck['annotations']>): CheckRun['annotations'] {
  const blank = { startColumn: null, endColumn: null, level: 'failure' as const, title: null, rawDetails: null };
  return given.map((one) => ({ ...blank, ...one, endLine: one.endLine ?? one.startLine }));
}

function botOf(state: State, run: CheckRun): number {
  return state.apps.get(run.appId)?.botId ?? 0;
}

/** The branch whose tip that commit is. */
export async function branchOf(found: Repository, sha: string): Promise<string | null> {
  const refs = await readRefs(found.gitDir, 'refs/heads/');
  return refs.find((ref) => ref.sha === sha)?.name.slice('refs/heads/'.length) ?? null;
}
