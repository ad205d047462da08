// Someone with write asks for a pull request: of a thread, or of an Issue, which gets a thread where it has none.
import {
  EMPTY_RECORD,
  type FixRequest,
  type Person,
  type Subject,
  subjectKey,
  type Thread,
  type Trigger,
} from '../core/thread.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';
import type { FixOfIssue } from './store.ts';
import { nudgeShown } from './thread-nudges.ts';
import { recordColumns, threadFrom } from './thread-rows.ts';

interface Asked {
  readonly by: Person;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

export async function requestFix(
  trx: Trx,
  threadId: string,
  request: FixRequest,
  { now, enqueuer }: Pick<Asked, 'now' | 'enqueuer'>,
): Promise<void> {
  const row = await trx
    .updateTable('threads')
    .set({ fix_request: JSON.stringify(request), changed_at: now })
    .where('id', '=', threadId)
    .returning('project_id')
    .executeTakeFirst();
  if (!row) return;
  const by = { accountId: onGithub(request), projectId: row.project_id };
  await writeAudit(trx, { ...by, at: now, verb: 'fix.requested', subject: threadId });
  await nudgeShown(trx, [threadId], { enqueuer, runAt: now, urgency: 'person' });
}

/** Null: no such Issue. */
export async function requestFixOfIssue(
  trx: Trx,
  issueId: string,
  request: Asked & { readonly threadId: string },
): Promise<FixOfIssue | null> {
  const issue = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.project_id', 'issues.investigation_id', 'investigations.thread_id'])
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!issue) return null;
  const threadId = issue.thread_id ?? (await threadOfReport(trx, issue, request));
  const thread = await threadBy(trx, threadId);
  if (thread.investigationId !== issue.investigation_id) return supersededBy(trx, thread);
  const reason = freshRefusal(thread, request.now);
  if (reason !== null) return { kind: 'withheld', reason };
  await requestFix(trx, threadId, { ...request.by, at: request.now }, request);
  return { kind: 'requested', thread: await threadBy(trx, threadId) };
}

async function threadBy(trx: Trx, id: string): Promise<Thread> {
  return threadFrom(await trx.selectFrom('threads').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

async function supersededBy(trx: Trx, { investigationId }: Thread): Promise<FixOfIssue> {
  const query = trx.selectFrom('issues').select('id').where('investigation_id', '=', investigationId);
  const newer = await query.executeTakeFirst();
  return { kind: 'superseded', investigationId, issueId: newer?.id ?? null };
}

/** So long a refusal is worth telling instead of asking GitHub the same again. */
const REFUSED_MS = 10 * 60_000;

function freshRefusal({ record, fixRequest, investigationId }: Thread, now: string): string | null {
  const { withheld, pullRequest } = record;
  if (withheld?.investigationId !== investigationId || pullRequest?.state === 'open' || fixRequest === null)
    return null;
  return Date.parse(now) - Date.parse(fixRequest.at) < REFUSED_MS ? withheld.reason : null;
}

/** A thread without a place of its own on GitHub. Who asks has write, or would not have come this far. */
async function threadOfReport(
  trx: Trx,
  issue: { readonly id: string; readonly project_id: string; readonly investigation_id: string },
  { by, threadId: id, now }: Asked & { readonly threadId: string },
): Promise<string> {
  const subject: Subject = { kind: 'report', issueId: issue.id };
  const trigger: Trigger = { kind: 'api', by, role: 'write', commentId: null, guidance: '', at: now };
  await trx
    .insertInto('threads')
    .values({
      ...{ id, project_id: issue.project_id, investigation_id: issue.investigation_id },
      ...{ subject_key: subjectKey(subject), subject: JSON.stringify(subject), trigger_json: JSON.stringify(trigger) },
      ...{ fix_request: null, ...recordColumns(EMPTY_RECORD), created_at: now, changed_at: now },
    })
    .execute();
  await trx.updateTable('investigations').set({ thread_id: id }).where('id', '=', issue.investigation_id).execute();
  const { project_id: projectId } = issue;
  await writeAudit(trx, { at: now, accountId: onGithub(by), verb: 'thread.opened', subject: id, projectId });
  return id;
}
