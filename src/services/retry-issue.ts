// Investigates the report of an Issue again, with what a person adds to it: what `/analyse retry` does on GitHub.

import { keepBeginning } from 'causeway-visible-text';
import type { Account } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import type { Issue } from '../core/issue/index.ts';
import { isAtLeast, keepNamed, type Person, type Project, type Role } from '../core/project/index.ts';
import { formatGuidance, MAX_REPORT_BYTES } from '../core/report/index.ts';
import type { Subject, Thread } from '../core/thread/index.ts';
import type { Acceptance, Store, ThreadPart } from '../db/index.ts';
import { type AcceptReportDeps, acceptReport } from './accept-report.ts';
import type { ProjectSettings } from './request-pull-request.ts';

export interface RetryDeps extends Omit<AcceptReportDeps, 'store'> {
  readonly store: Store;
  /** Throws `github_failed` where it cannot be read at the moment. */
  readonly settingsOf: (project: Project, signal: AbortSignal) => Promise<ProjectSettings>;
}

export interface RetryRequest {
  readonly issue: Issue;
  readonly project: Project;
  readonly account: Account;
  /** At least triage: the caller has checked it. */
  readonly role: Role;
  /** Whether a pull request may follow: not every token may open one. */
  readonly mayFix: boolean;
  /** At most MAX_GUIDANCE characters; "" for nothing. */
  readonly guidance: string;
  /** "" for none. */
  readonly callbackUrl: string;
  readonly idempotency: Acceptance['idempotency'];
}

export type Retried =
  | { readonly kind: 'accepted'; readonly investigationId: string }
  | { readonly kind: 'key_reused' }
  /** `reason`: for a person, with the repair. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The Issue is gone, or the account is not a person on GitHub. */
  | { readonly kind: 'absent' };

/** Throws `too_many_waiting` and `github_failed`. */
export async function retryIssue(deps: RetryDeps, request: RetryRequest, signal: AbortSignal): Promise<Retried> {
  const { store, now } = deps;
  const { issue, project, account, role, guidance, callbackUrl, idempotency } = request;
  const { investigationId, origin } = issue.analysis;
  const earlier = await store.findEarlierAnswer({ accountId: account.id, idempotency, now: now().toISOString() });
  if (earlier?.kind === 'repeated') return { kind: 'accepted', investigationId: earlier.investigationId };
  if (earlier !== null) return { kind: 'key_reused' };
  const report = await store.findReport(investigationId);
  if (report === null) return { kind: 'absent' };
  const planned = await planThread(deps, request, report.revision);
  if (planned.kind !== 'planned') return planned;
  const { investigation: current } = await deps.settingsOf(project, signal);
  const earlierScopes = (await store.findRunOfIssue(issue.id))?.settings.scopes ?? [];
  const settings = { ...current, scopes: keepNamed(current.scopes, earlierScopes) };
  const added = formatGuidance(account.login, guidance);
  const accepted = await acceptReport(
    deps,
    {
      ...report,
      projectId: project.id,
      accountId: account.id,
      origin,
      callbackUrl,
      settings,
      fresh: true,
      text: keepBeginning(report.text, MAX_REPORT_BYTES - SPARE_BYTES - Buffer.byteLength(added)),
      guidance: added,
      isTrusted: report.isTrusted && (guidance === '' || isAtLeast(role, 'write')),
    },
    { idempotency, thread: planned.thread, by: account },
  );
  return accepted.kind === 'key_reused' ? accepted : { kind: 'accepted', investigationId: accepted.investigationId };
}

/** For a note about what was cut. */
const SPARE_BYTES = 128;

type Planned =
  | { readonly kind: 'planned'; readonly thread: ThreadPart | null }
  | Extract<Retried, { readonly kind: 'refused' | 'absent' }>;

/** Where on GitHub the new answer goes: to the place of the old one. */
async function planThread(deps: RetryDeps, request: RetryRequest, revision: string): Promise<Planned> {
  const thread = await deps.store.findThreadOfIssue(request.issue.id);
  // An Issue of the API has only a pull request there, which stays with it.
  if (thread === null || thread.subject.kind === 'report') return { kind: 'planned', thread: null };
  const { githubId: id, login } = request.account;
  if (id === null) return { kind: 'absent' };
  const { subject } = thread;
  const commit = { projectId: request.project.id, revision };
  return subject.kind === 'failure'
    ? await planFailure(deps, { ...request, thread, failureId: subject.failureId, by: { id, login } }, commit)
    : await planSubject(deps, { ...request, thread, subject, by: { id, login } }, commit);
}

interface Planning extends RetryRequest {
  readonly thread: Thread;
  readonly by: Person;
}

interface RetriedCommit {
  readonly projectId: string;
  readonly revision: string;
}

/** A failure of the default branch: its check run shows the new answer. */
async function planFailure(
  { store }: RetryDeps,
  { issue, role, mayFix, thread, by, failureId }: Planning & { readonly failureId: string },
  { projectId, revision }: RetriedCommit,
): Promise<Planned> {
  const failure = await store.findFailure(failureId);
  if (failure === null || failure.state === 'closed') return { kind: 'refused', reason: PASSES };
  const refusal = await findNewerRevision(store, failure.investigationId, issue.analysis.investigationId);
  if (refusal !== null) return refusal;
  const head = await store.findHeadOfCommit(projectId, revision);
  const fixRequest = mayFix && isAtLeast(role, 'write') ? by : null;
  const again = { ...thread, kind: 'found', threadId: thread.id, failureId, isLead: true, fixRequest } as const;
  return { kind: 'planned', thread: { ...again, headId: head?.id ?? null } };
}

/** An issue or a pull request, as a comment there would have it. */
async function planSubject(
  { store, now }: RetryDeps,
  { issue, role, mayFix, guidance, thread, subject, by }: Planning & { readonly subject: NumberedSubject },
  { projectId, revision }: RetriedCommit,
): Promise<Planned> {
  const refusal = await findNewerRevision(store, thread.investigationId, issue.analysis.investigationId);
  if (refusal !== null) return refusal;
  const isIssue = subject.kind === 'issue';
  const head = isIssue ? null : await store.findHeadOfPullRequest(projectId, subject.number);
  if (head !== null && head.sha !== revision) return { kind: 'refused', reason: MOVED };
  const trigger = { kind: 'api', by, role, commentId: null, guidance, at: now().toISOString() } as const;
  const opens = { kind: 'opens', threadId: createId('thr'), subject, trigger, isSeen: false } as const;
  const fixRequest = isIssue && mayFix && isAtLeast(role, 'write') ? by : null;
  return { kind: 'planned', thread: { ...opens, fixRequest } };
}

type NumberedSubject = Extract<Subject, { readonly number: number }>;

const PASSES = 'The failure is closed: its check passes again, so there is nothing to analyse.';
const MOVED =
  'The pull request has newer commits. Comment "/analyse retry" there to have their failed checks analysed.';

/** A subject shows one answer: what follows a replaced one would replace the newer. */
async function findNewerRevision(store: Store, shown: string | null, own: string): Promise<Planned | null> {
  if (shown === null || shown === own) return null;
  const outcome = (await store.findInvestigation(shown))?.outcome;
  if (outcome === undefined) return null;
  const reason =
    outcome.state === 'concluded'
      ? `Another answer is shown instead of this one: analyse ${outcome.issueId} again.`
      : `A newer analysis replaced this one: see investigation ${shown} first.`;
  return { kind: 'refused', reason };
}
