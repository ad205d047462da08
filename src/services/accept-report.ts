// Reports and Issues as callers handle them: accepted once and stored with their job, cancelled, erased.

import type { Redactor } from 'causeway-redact';
import type { Account } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import { createFailureReason, type EndReason } from '../core/reason.ts';
import type { Report } from '../core/report/index.ts';
import type { Accepted, Cancelled, Store, ThreadPart } from '../db/index.ts';
import { addLogContext } from '../log.ts';
import { computeReportFingerprint } from '../triage/index.ts';
import type { Changes } from './follow.ts';

export interface AcceptReportDeps {
  readonly store: Pick<Store, 'accept'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly now: () => Date;
}

/**
 * Unfinished reports that people have submitted to one project: at a minute each, two at a time, the next one waits ten
 * minutes.
 */
const MOST_WAITING = 20;

export interface AcceptOptions {
  /** Same key and same body within 24 h: the same answer. `bodyHash` is over the body as it arrived. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | null;
  /** Where on GitHub the answer goes. */
  readonly thread?: ThreadPart | null;
  /** Who submits it by call or form and so takes a place in the queue; absent: an event on GitHub. */
  readonly by?: Account | null;
}

/**
 * Stores the report, redacted, and its job in one transaction. When this resolves, the report cannot be lost. Throws
 * `too_many_waiting`.
 */
export async function acceptReport(
  deps: AcceptReportDeps,
  report: Report,
  { idempotency = null, thread = null, by = null }: AcceptOptions = {},
): Promise<Accepted> {
  // PostgreSQL refuses NUL in text.
  const clean = (text: string) => deps.redactor.redact(text.replaceAll('\0', '\uFFFD'));
  const text = await clean(report.text);
  const guidance = await clean(report.guidance ?? '');
  const reference = await clean(report.reference);
  // An error message quotes a revision that does not exist.
  const revision = await deps.redactor.redact(report.revision);
  const accepted = await deps.store.accept({
    investigationId: createId('inv'),
    report: { ...report, text, guidance, reference, revision },
    fingerprint: computeReportFingerprint(text + guidance),
    idempotency,
    thread,
    // Local mode has one user.
    mostWaiting: by === null || by.githubId === null ? null : MOST_WAITING,
    now: deps.now().toISOString(),
  });
  if (accepted.kind === 'accepted') {
    addLogContext({ investigation: accepted.investigationId, run: accepted.runId });
    deps.changes.notify(accepted.runId);
  }
  return accepted;
}

export interface CancelDeps {
  readonly store: Pick<Store, 'cancel'>;
  readonly changes: Changes;
  readonly now: () => Date;
}

/**
 * Cancels one caller's investigation; its run stops once no other caller waits for it. `by`: the account that cancels,
 * for the audit log; absent: the caller's own.
 */
export async function cancelInvestigation(
  { store, changes, now }: CancelDeps,
  id: string,
  reason: EndReason = { code: 'cancelled' },
  by?: string,
): Promise<Cancelled> {
  const result = await store.cancel(id, createFailureReason(reason), now().toISOString(), by);
  if (result.kind === 'cancelled') changes.notify(result.runId);
  return result;
}

/** Erases an Issue and all that only it needs. False: there is no such Issue. `by`: as above. */
export function eraseIssue(
  { store, now }: { readonly store: Store; readonly now: () => Date },
  id: string,
  by?: string,
): Promise<boolean> {
  return store.eraseIssue(id, now().toISOString(), by);
}
