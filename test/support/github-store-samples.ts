// Sample records of GitHub for tests of the store: an installation with a repository, people, threads, deliveries.
import type { GithubProject, Installation, InstalledRepository } from '../../src/core/project.ts';
import type { NewJob } from '../../src/core/queue.ts';
import {
  EMPTY_RECORD,
  type Person,
  type PostedComment,
  type PostedPullRequest,
  type ThreadRecord,
  type Trigger,
} from '../../src/core/thread.ts';
import type { NewDelivery } from '../../src/db/deliveries.ts';
import type { ThreadPart } from '../../src/db/reports.ts';
import type { Store } from '../../src/db/store.ts';

import { type Ground, NOW, SHA } from './store-samples.ts';

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

/** Jobs without the backfills that every new project begins with. */
export function butBackfills(jobs: readonly NewJob[]): readonly NewJob[] {
  return jobs.filter((job) => job.kind !== 'backfill');
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
