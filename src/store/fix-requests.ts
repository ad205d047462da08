// Someone with write asks for a pull request: of a thread, or of an Issue, which gets a thread where it has none.
import {
  EMPTY_RECORD,
  type FixRequest,
  type Person,
  type Subject,
  subjectKey,
  type Thread,
  type Trigger,
} from '../domain/thread.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';
import { nudgeThreads, recordColumns, threadFrom } from './thread-rows.ts';

interface Asked {
  readonly by: Person;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

export async function requestFix(trx: Trx, threadId: string, { by, now, enqueuer }: Asked): Promise<void> {
  const row = await trx
    .updateTable('threads')
    .set({ fix_request: JSON.stringify({ ...by, at: now } satisfies FixRequest), changed_at: now })
    .where('id', '=', threadId)
    .returning('id')
    .executeTakeFirst();
  if (!row) return;
  await writeAudit(trx, { at: now, accountId: onGithub(by), verb: 'fix.requested', subject: threadId });
  await nudgeThreads(trx, [threadId], { enqueuer, runAt: now });
}

/** Null: no such Issue. */
export async function requestFixOfIssue(
  trx: Trx,
  issueId: string,
  request: Asked & { readonly threadId: string },
): Promise<Thread | null> {
  const issue = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.project_id', 'issues.investigation_id', 'investigations.thread_id'])
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!issue) return null;
  const threadId = issue.thread_id ?? (await threadOfReport(trx, issue, request));
  await requestFix(trx, threadId, request);
  return threadFrom(await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirstOrThrow());
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
  await writeAudit(trx, { at: now, accountId: onGithub(by), verb: 'thread.opened', subject: id });
  return id;
}
