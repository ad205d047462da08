// What an accepted report does to a thread: a person opens it, or opens it anew; a further attempt follows it.
import { CausewayError, type FailureReason } from '../domain/errors.ts';
import { EMPTY_RECORD, type FixRequest, subjectKey, type ThreadRecord, triggerKey } from '../domain/thread.ts';
import type { ThreadPart } from '../ports/github-store.ts';
import type { Acceptance } from '../ports/store.ts';
import { onGithub, writeAudit } from './audit.ts';
import { cancel } from './cancelling.ts';
import type { Moment } from './end-run.ts';
import type { Trx } from './schema.ts';
import { recordColumns } from './thread-rows.ts';

type Opening = Extract<ThreadPart, { kind: 'opens' }>;

const REPLACED: FailureReason = {
  code: 'cancelled',
  detail: 'A newer request on the same subject took the place of this investigation.',
};

/** The id of the thread that the report belongs to, which is there from now on; null: of none. Throws `absent` where it follows one that is gone. */
export async function threadFor(trx: Trx, acceptance: Acceptance): Promise<string | null> {
  const { thread: part } = acceptance;
  if (part === null) return null;
  return part.kind === 'opens' ? openThread(trx, acceptance, part) : followedThread(trx, acceptance, part.threadId);
}

async function openThread(trx: Trx, { report, investigationId, now }: Acceptance, part: Opening): Promise<string> {
  const { subject, trigger, fixRequest, isSeen } = part;
  const asked = {
    investigation_id: investigationId,
    trigger_json: JSON.stringify(trigger),
    changed_at: now,
    fix_request: fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest),
  };
  const { id } = await trx
    .insertInto('threads')
    .values({
      ...{ id: part.threadId, project_id: report.projectId, subject_key: subjectKey(subject) },
      ...{ subject: JSON.stringify(subject), ...asked, ...recordColumns(EMPTY_RECORD) },
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'subject_key']).doUpdateSet(asked))
    .returning('id')
    .executeTakeFirstOrThrow();
  if (isSeen) await noteSeen(trx, id, triggerKey(trigger));
  await writeAudit(trx, { at: now, accountId: onGithub(trigger.by), verb: 'thread.opened', subject: id });
  if (fixRequest)
    await writeAudit(trx, { at: now, accountId: onGithub(fixRequest), verb: 'fix.requested', subject: id });
  return id;
}

/** Beside the publisher's own writes: whatever it has in hand it reads anew with the job that this acceptance enqueues. */
async function noteSeen(trx: Trx, id: string, seen: string): Promise<void> {
  const { record } = await trx.selectFrom('threads').select('record').where('id', '=', id).executeTakeFirstOrThrow();
  const noted: ThreadRecord = { ...JSON.parse(record), seen };
  await trx
    .updateTable('threads')
    .set({ record: JSON.stringify(noted) })
    .where('id', '=', id)
    .execute();
}

async function followedThread(trx: Trx, { report, now }: Acceptance, threadId: string): Promise<string> {
  const row = await trx
    .updateTable('threads')
    .set({ changed_at: now })
    .where('id', '=', threadId)
    .where('project_id', '=', report.projectId)
    .returning('id')
    .executeTakeFirst();
  if (row) return row.id;
  throw new CausewayError('absent', `The thread ${threadId} is gone: a further attempt has nothing to follow.`);
}

/**
 * Cancels what is in flight in a thread but for the investigation that takes its place. Returns the run that nobody waits for any more
 * and whose job is gone; null where somebody does, be it the new investigation itself.
 */
export async function replaceOthers(
  trx: Trx,
  { threadId, investigationId }: { readonly threadId: string; readonly investigationId: string },
  moment: Moment,
): Promise<string | null> {
  const inFlight = await trx
    .selectFrom('investigations')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', 'in', ['queued', 'running'])
    .where('id', '!=', investigationId)
    .orderBy('seq')
    .execute();
  let ended: string | null = null;
  for (const { id } of inFlight) {
    const result = await cancel(trx, id, REPLACED, moment);
    if (result.kind === 'cancelled' && result.runEnded) ended = result.runId;
  }
  return ended;
}
