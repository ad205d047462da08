// Accepts a report: cleaned of secrets, then stored together with its job, once.
import { newId } from '../domain/ids.ts';
import type { Report } from '../domain/report.ts';
import type { ThreadPart } from '../ports/github-store.ts';
import type { Queue } from '../ports/queue.ts';
import type { Accepted, InvestigationStore } from '../ports/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { reportFingerprint } from '../triage/fingerprint.ts';
import type { Changes } from './changes.ts';

export interface AcceptReportDeps {
  readonly store: Pick<InvestigationStore, 'accept'>;
  readonly queue: Pick<Queue, 'wake' | 'cancel'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly now: () => Date;
}

/** Same key and same body within 24 h: the same answer. `bodyHash` is over the body as it arrived. */
export interface Idempotency {
  readonly key: string;
  readonly bodyHash: string;
}

export interface AcceptOptions {
  readonly idempotency?: Idempotency | null;
  /** Where on GitHub the answer goes. */
  readonly thread?: ThreadPart | null;
}

/**
 * Stores the report and its job in one transaction and wakes the worker. When this resolves, the report is not lost any more.
 * NUL, which PostgreSQL refuses in text, becomes U+FFFD.
 */
export async function acceptReport(
  deps: AcceptReportDeps,
  report: Report,
  { idempotency = null, thread = null }: AcceptOptions = {},
): Promise<Accepted> {
  const text = await deps.redactor.redact(report.text.replaceAll('\0', '\uFFFD'));
  const reference = await deps.redactor.redact(report.reference.replaceAll('\0', '\uFFFD'));
  // A secret pasted here would come back in the words of the failure: no branch, tag or commit "…".
  const revision = await deps.redactor.redact(report.revision);
  const accepted = await deps.store.accept({
    investigationId: newId('inv'),
    report: { ...report, text, reference, revision },
    fingerprint: reportFingerprint(text),
    idempotency,
    thread,
    now: deps.now().toISOString(),
  });
  if (accepted.kind === 'accepted') {
    deps.changes.notify(accepted.runId);
    if (accepted.replacedRunId !== null) await deps.queue.cancel('run', accepted.replacedRunId);
  }
  deps.queue.wake();
  return accepted;
}
