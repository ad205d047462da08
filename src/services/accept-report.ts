// Accepts a report: cleaned of secrets, then stored together with its job, once.
import type { Account } from '../core/account.ts';
import { createId } from '../core/ids.ts';
import type { Report } from '../core/report.ts';
import type { Accepted, Store, ThreadPart } from '../db/store.ts';
import { addLogContext } from '../log.ts';

import type { Redactor } from '../redact/redactor.ts';
import { computeReportFingerprint } from '../triage/fingerprint.ts';
import type { Changes } from './changes.ts';

export interface AcceptReportDeps {
  readonly store: Pick<Store, 'accept'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly now: () => Date;
}

/** Same key and same body within 24 h: the same answer. `bodyHash` is over the body as it arrived. */
interface Idempotency {
  readonly key: string;
  readonly bodyHash: string;
}

/** Reports that a person has handed in and that have not ended, in one project: at a minute each, and two at a time, ten minutes for whoever comes after them. */
const MOST_WAITING = 20;

export interface AcceptOptions {
  readonly idempotency?: Idempotency | null;
  /** Where on GitHub the answer goes. */
  readonly thread?: ThreadPart | null;
  /** Whoever hands it in by call or form; they wait in line with others unless they are the machine's one user. Absent: what an event on GitHub began. */
  readonly by?: Account | null;
}

/**
 * Stores the report and its job in one transaction and wakes the worker. When this resolves, the report is not lost any more.
 * NUL, which PostgreSQL refuses in text, becomes U+FFFD. Throws `too_many_waiting`.
 */
export async function acceptReport(
  deps: AcceptReportDeps,
  report: Report,
  { idempotency = null, thread = null, by = null }: AcceptOptions = {},
): Promise<Accepted> {
  const text = await deps.redactor.redact(report.text.replaceAll('\0', '\uFFFD'));
  const guidance = await deps.redactor.redact((report.guidance ?? '').replaceAll('\0', '\uFFFD'));
  const reference = await deps.redactor.redact(report.reference.replaceAll('\0', '\uFFFD'));
  // A secret pasted here would come back in the words of the failure: no branch, tag or commit "…".
  const revision = await deps.redactor.redact(report.revision);
  const accepted = await deps.store.accept({
    investigationId: createId('inv'),
    report: { ...report, text, guidance, reference, revision },
    fingerprint: computeReportFingerprint(text + guidance),
    idempotency,
    thread,
    mostWaiting: by === null || by.githubId === null ? null : MOST_WAITING,
    now: deps.now().toISOString(),
  });
  if (accepted.kind === 'accepted') {
    addLogContext({ investigation: accepted.investigationId, run: accepted.runId });
    deps.changes.notify(accepted.runId);
  }
  return accepted;
}
