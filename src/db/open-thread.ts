// What an accepted report does to a thread: a person opens it, or opens it anew; a further attempt follows it.
import { CausewayError } from '../core/errors.ts';
import { failureOf } from '../core/reason.ts';
import { EMPTY_RECORD, type FixRequest, subjectKey, type ThreadRecord, triggerKey } from '../core/thread.ts';
import { onGithub, writeAudit } from './audit.ts';
import { cancel } from './cancelling.ts';
import type { Moment } from './end-run.ts';
import type { Trx } from './schema.ts';
import type { Acceptance, ThreadPart } from './store.ts';
import { recordColumns } from './thread-rows.ts';

type Opening = Extract<ThreadPart, { kind: 'opens' }>;
type Found = Extract<ThreadPart, { kind: 'found' }>;

const REPLACED = failureOf({ code: 'replaced' });

/** The id of the thread that the report belongs to, which is there from now on; null: of none. Throws `absent` where it follows one that is gone. */
export async function threadFor(trx: Trx, acceptance: Acceptance): Promise<string | null> {
  const { thread: part } = acceptance;
  if (part === null) return null;
  switch (part.kind) {
    case 'opens':
      return openThread(trx, acceptance, part);
    case 'found':
      return findThread(trx, acceptance, part);
    case 'follows':
      return followedThread(trx, acceptance, part.threadId);
  }
}

async function openThread(trx: Trx, { report, investigationId, now }: Acceptance, part: Opening): Promise<string> {
  const { trigger, fixRequest, isSeen } = part;
  const asked = {
    investigation_id: investigationId,
    trigger_json: JSON.stringify(trigger),
    changed_at: now,
    fix_request: fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest),
  };
  const { id } = await trx
    .insertInto('threads')
    .values({ ...newThread(report.projectId, part, now), ...asked })
    .onConflict((conflict) => conflict.columns(['project_id', 'subject_key']).doUpdateSet(asked))
    .returning('id')
    .executeTakeFirstOrThrow();
  if (isSeen) await noteSeen(trx, id, triggerKey(trigger));
  const about = { at: now, subject: id, projectId: report.projectId };
  await writeAudit(trx, { ...about, accountId: onGithub(trigger.by), verb: 'thread.opened' });
  if (fixRequest) await writeAudit(trx, { ...about, accountId: onGithub(fixRequest), verb: 'fix.requested' });
  return id;
}

function newThread(projectId: string, { threadId: id, subject }: Opening | Found, now: string) {
  const named = { id, project_id: projectId, subject_key: subjectKey(subject), subject: JSON.stringify(subject) };
  return { ...named, ...recordColumns(EMPTY_RECORD), created_at: now };
}

/** Nobody asked, so that what somebody asked for before stands, and what is in flight goes on. */
async function findThread(trx: Trx, { report, investigationId, now }: Acceptance, part: Found): Promise<string> {
  const { trigger, fixRequest } = part;
  const request = fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest);
  const found = { trigger_json: JSON.stringify(trigger), changed_at: now, ...(request && { fix_request: request }) };
  const { id, investigation_id: shown } = await trx
    .insertInto('threads')
    .values({
      ...newThread(report.projectId, part, now),
      ...{ investigation_id: investigationId, fix_request: request, ...found },
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'subject_key']).doUpdateSet(found))
    .returning(['id', 'investigation_id'])
    .executeTakeFirstOrThrow();
  if (part.isLead || !(await isThere(trx, shown))) {
    await trx.updateTable('threads').set({ investigation_id: investigationId }).where('id', '=', id).execute();
  }
  const about = { at: now, subject: id, projectId: report.projectId };
  await writeAudit(trx, { ...about, accountId: report.accountId, verb: 'thread.opened' });
  if (fixRequest) await writeAudit(trx, { ...about, accountId: onGithub(fixRequest), verb: 'fix.requested' });
  return id;
}

async function isThere(trx: Trx, investigationId: string): Promise<boolean> {
  const query = trx.selectFrom('investigations').select('id').where('id', '=', investigationId);
  return (await query.executeTakeFirst()) !== undefined;
}

/** What tells of the cause of a failure from now on, and where. To be called once the investigation is there. */
export async function linkFailure(
  trx: Trx,
  { thread: part, report, investigationId }: Acceptance,
  threadId: string | null,
): Promise<void> {
  if (part?.kind !== 'found') return;
  await trx
    .updateTable('failures')
    .set({ investigation_id: investigationId, thread_id: threadId })
    .where('id', '=', part.failureId)
    .where('project_id', '=', report.projectId)
    .execute();
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
    const result = await cancel(trx, { id, reason: REPLACED }, moment);
    if (result.kind === 'cancelled' && result.runEnded) ended = result.runId;
  }
  return ended;
}
