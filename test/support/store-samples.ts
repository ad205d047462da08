// Sample records for tests of store and queue: accounts, projects, reports, threads, checks, and a clock.
import type { Account, TokenRecord } from '../../src/core/account/account.ts';
import type { Sighting } from '../../src/core/check/failure.ts';
import { EMPTY_EXCERPT, type Finding, type HeadPlace, type HeadRecord } from '../../src/core/check/head.ts';
import { createId } from '../../src/core/ids.ts';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import type { Forecast } from '../../src/core/past.ts';
import type { Person } from '../../src/core/project/person.ts';
import type { GithubProject, Installation, InstalledRepository, Project } from '../../src/core/project/project.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { NewJob } from '../../src/core/queue.ts';
import type { Report } from '../../src/core/report/report.ts';
import {
  EMPTY_RECORD,
  type PostedComment,
  type PostedPullRequest,
  type ThreadRecord,
  type Trigger,
} from '../../src/core/thread/thread.ts';
import type { NewDelivery } from '../../src/db/deliveries.ts';
import type { CheckId, FailureStore } from '../../src/db/failures.ts';
import type { HeadStore } from '../../src/db/heads.ts';
import type { Acceptance, Accepted, ThreadPart } from '../../src/db/reports.ts';
import type { Run } from '../../src/db/runs.ts';
import type { Store } from '../../src/db/store.ts';

export const SHA = 'a'.repeat(40);

export const NOW = '2026-11-20T10:00:00.000Z';

/** An ISO time `seconds` after `NOW`. */
export function at(seconds: number): string {
  return new Date(Date.parse(NOW) + seconds * 1000).toISOString();
}

export interface Ground {
  readonly account: Account;
  readonly project: Project;
}

/** One account and one project. */
export async function ground(store: Store): Promise<Ground> {
  const account = await store.ensureAccount({ login: 'local', githubId: null, signingSecret: 'whsec_first', now: NOW });
  const [project] = await store.syncProjects([{ name: 'local/app', source: { kind: 'path', path: '/srv/app' } }], NOW);
  return { account, project: project! };
}

export function other(store: Store): Promise<Account> {
  return store.ensureAccount({ login: 'other', githubId: null, signingSecret: 'whsec_other', now: NOW });
}

export function acceptance(
  { account, project }: Ground,
  changes: Partial<Report> & Partial<Pick<Acceptance, 'fingerprint' | 'idempotency' | 'thread' | 'now'>> = {},
): Acceptance {
  const { fingerprint = 'same', idempotency = null, thread = null, now = NOW, ...report } = changes;
  return {
    investigationId: createId('inv'),
    fingerprint,
    idempotency,
    thread,
    now,
    report: {
      projectId: project.id,
      accountId: account.id,
      origin: 'api',
      text: 'TypeError: x is undefined',
      reference: '',
      revision: '',
      callbackUrl: '',
      isTrusted: true,
      settings: DEFAULT_SETTINGS,
      fresh: false,
      ...report,
    },
  };
}

/** Accepts and insists that it was. */
export async function accepted(store: Store, wanted: Acceptance): Promise<Extract<Accepted, { kind: 'accepted' }>> {
  const answer = await store.accept(wanted);
  if (answer.kind !== 'accepted') throw new Error(`expected accepted, got ${answer.kind}`);
  return answer;
}

export async function started(store: Store, runId: string, now = NOW): Promise<Run> {
  const run = await store.startRun(runId, now);
  if (!run) throw new Error('the run could not be started');
  return run;
}

export function conclusion(changes: Partial<Conclusion> = {}): Conclusion {
  return {
    problem: 'x is undefined',
    rootCause: 'x is never set',
    stepsToReproduce: [],
    solutionSteps: [{ stepNumber: 1, description: 'set x' }],
    changeSet: { base: SHA, files: [] },
    investigationSteps: [{ action: 'search x', result: 'found', analysis: 'there' }],
    analysis: {
      revision: SHA,
      outcome: 'facts_only',
      partial: false,
      reason: '',
      verdict: null,
      confidence: null,
      suspects: [],
      citations: [],
      guards: [],
      questions: [],
      model: null,
      usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: 1 },
      links: { comment: null, checkRun: null, pullRequest: null },
    },
    ...changes,
  };
}

export function token(accountId: string, changes: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: createId('tok'),
    accountId,
    name: 'ci',
    scopes: ['issues:read', 'projects:read'],
    projectIds: null,
    createdAt: NOW,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    ...changes,
  };
}

export const WRITER: Person = { id: 7, login: 'mona' };

export const TRIAGER: Person = { id: 8, login: 'tria' };

export function installation(changes: Partial<Installation> = {}): Installation {
  return {
    id: 500,
    owner: { id: 50, login: 'octo', kind: 'organization' },
    permissions: { contents: 'write', metadata: 'read' },
    isSuspended: false,
    ...changes,
  };
}

export function repository(id: number, fullName: string, changes: Partial<InstalledRepository> = {}) {
  return {
    id,
    fullName,
    cloneUrl: `https://github.test/${fullName}.git`,
    isPrivate: true,
    isArchived: false,
    defaultBranch: 'main',
    ...changes,
  };
}

/** An account and a project of GitHub. */
export async function githubGround(store: Store): Promise<Ground & { readonly project: GithubProject }> {
  const account = await store.ensureAccount({ ...WRITER, githubId: WRITER.id, signingSecret: 'whsec_m', now: NOW });
  await store.syncInstallation(installation(), [repository(1, 'octo/shop')], NOW);
  const project = await store.findProjectOfRepository(1);
  if (project === null) throw new Error('the repository is no project');
  return { account, project };
}

/** Jobs without the backfills that every new project begins with, and the looks that every answer leads to. */
export function butBackfills(jobs: readonly NewJob[]): readonly NewJob[] {
  return jobs.filter((job) => job.kind !== 'backfill' && job.kind !== 'outcome');
}

export function trigger(changes: Partial<Trigger> = {}): Trigger {
  return { kind: 'label', by: TRIAGER, role: 'triage', commentId: null, guidance: '', at: NOW, ...changes };
}

type Opening = Extract<ThreadPart, { kind: 'opens' }>;

export function opening(threadId: string, changes: Partial<Opening> = {}): Opening {
  return {
    kind: 'opens',
    threadId,
    subject: { kind: 'issue', number: 12 },
    trigger: trigger(),
    fixRequest: null,
    isSeen: false,
    ...changes,
  };
}

export function record(changes: Partial<ThreadRecord> = {}): ThreadRecord {
  return { ...EMPTY_RECORD, ...changes };
}

export function comment(investigationId: string, id = 900): PostedComment {
  const url = `https://github.test/octo/shop/issues/12#issuecomment-${id}`;
  return { id, url, investigationId, shows: 'result', digest: 'd', at: NOW };
}

export function pullRequest(issueId: string, changes: Partial<PostedPullRequest> = {}): PostedPullRequest {
  return {
    number: 31,
    url: 'https://github.test/octo/shop/pull/31',
    nodeId: 'PR_1',
    branch: 'causeway/issue-12-abc',
    base: 'main',
    headSha: SHA,
    issueId,
    state: 'open',
    checks: 'waiting',
    attempts: [],
    handedOver: null,
    ...changes,
  };
}

export function delivery(id: string, changes: Partial<NewDelivery> = {}): NewDelivery {
  const place = { group: 'octo/shop', isUrgent: false, urgency: 'person', installationId: 500 } as const;
  return { id, event: 'issues', body: `{"id":"${id}"}`, meaning: `meaning of ${id}`, ...place, ...changes };
}

export type PullRequestPlace = Extract<HeadPlace, { kind: 'pull_request' }>;

type Seen = Parameters<HeadStore['saveHead']>[1];

type Found = Extract<ThreadPart, { kind: 'found' }>;

export const ON_MAIN: HeadPlace = { kind: 'default', branch: 'main', pushedBy: WRITER };

export function inPullRequest(number: number, changes: Partial<PullRequestPlace> = {}): HeadPlace {
  return {
    ...{ kind: 'pull_request', number, branch: 'topic', base: { branch: 'main', sha: 'b'.repeat(40) }, sha: SHA },
    ...{ isQueue: false, isFork: false, isDraft: false, author: WRITER, isTrusted: true },
    ...changes,
  };
}

export function finding(failureId: string, changes: Partial<Finding> = {}): Finding {
  return {
    failureId,
    checks: [{ name: 'test', runId: 77, url: 'https://github.test/octo/shop/runs/77', isRed: true }],
    verdict: 'code',
    reasons: [{ code: 'touched', paths: ['cart.ts'] }],
    standing: 'new',
    excerpt: { ...EMPTY_EXCERPT, headline: 'TypeError: x is undefined', lines: ['TypeError: x is undefined'] },
    places: [{ path: 'src/cart.ts', line: 3, message: 'x is undefined' }],
    ...{ investigationId: null, threadId: null, isOwnThread: false, notBegun: { code: 'no_pull_request' } },
    ...changes,
  };
}

export function seenAs(state: Seen['state'], changes: Partial<Seen> = {}): Seen {
  return { state, place: inPullRequest(5), findings: [], leftOut: [], endedAt: NOW, ...changes };
}

export function withCheckRun(url = 'https://github.test/octo/shop/runs/1'): HeadRecord {
  const checkRun = { id: 1, url, status: 'completed', digest: 'd', annotations: 1, at: NOW } as const;
  return { checkRun, held: null };
}

/** A red check of the default branch. */
export function sighting(key: string, changes: Partial<Sighting> = {}): Sighting {
  return {
    ...{ key, sha: SHA, branch: 'main', pullRequest: null, isOnDefault: true, checkName: 'test', verdict: 'code' },
    ...{ app: 'github-actions', isTrusted: true, at: NOW, ...changes },
  };
}

/** A check of the App that sightings are of. */
export function ofActions(name: string): CheckId {
  return { app: 'github-actions', name };
}

/** The same in a pull request. */
export function inBranch(key: string, pullRequest: number | null, changes: Partial<Sighting> = {}): Sighting {
  return sighting(key, { branch: 'topic', pullRequest, isOnDefault: false, ...changes });
}

/** A failure that is known by its id, recorded from these sightings. */
export function recorded(
  store: FailureStore,
  projectId: string,
  sightings: readonly Sighting[],
  id = 'fal_1',
): ReturnType<FailureStore['recordSightings']> {
  return recordedAgain(store, projectId, sightings, { id });
}

/** The same of checks some of which are red at that moment, by their keys. */
export function recordedAgain(
  store: FailureStore,
  projectId: string,
  sightings: readonly Sighting[],
  { id = 'fal_1', redNow = [] }: { readonly id?: string; readonly redNow?: readonly string[] },
): ReturnType<FailureStore['recordSightings']> {
  const named = { id, projectId, fingerprint: `print of ${id}`, headline: `TypeError of ${id}` };
  return store.recordSightings(redNow.length === 0 ? named : { ...named, redNow }, sightings);
}

export function found(failureId: string, changes: Partial<Found> = {}): Found {
  return {
    ...{ kind: 'found', threadId: 'thr_1', subject: { kind: 'pull_request', number: 5 }, failureId, isLead: true },
    ...{ trigger: trigger({ kind: 'checks', by: WRITER, role: 'write' }), fixRequest: null },
    ...changes,
  };
}

/** Of a project with nothing in its last days. */
export function emptyForecast(changes: Partial<Forecast> = {}): Forecast {
  const none = { checks: 0, tests: 0, listed: [] };
  return {
    ...{
      from: at(-14 * 86_400),
      until: NOW,
      runs: 0,
      unreadChecks: 0,
      unreadRuns: 0,
      investigations: 0,
      usd: 0,
      usdEach: 0.15,
    },
    groups: { code: none, flaky: none, base_broken: none, infrastructure: none, inconclusive: none },
    issues: { labels: ['analyse'], opened: 0, labelled: [] },
    ...changes,
  };
}
