// Sample records for tests of store and queue: an account with a project, reports, conclusions, and a clock.

import type { Account, TokenRecord } from '../../src/core/account.ts';
import { createId } from '../../src/core/ids.ts';
import type { Conclusion } from '../../src/core/issue.ts';
import type { Project } from '../../src/core/project.ts';
import type { Report } from '../../src/core/report.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import type { Acceptance, Accepted } from '../../src/db/reports.ts';
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
