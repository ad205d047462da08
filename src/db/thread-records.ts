// What stands on GitHub for a thread, and what the Issues of its investigations say of it.
import type { Issue } from '../core/issue.ts';
import type { CommandReply, ThreadRecord } from '../core/thread.ts';
import type { Enqueuer } from './enqueuer.ts';
import { withoutForgotten } from './forgotten-since.ts';
import type { Trx } from './schema.ts';
import { nudgeHeads } from './thread-nudges.ts';
import { nudgeThreads, recordColumns, threadFrom } from './thread-rows.ts';

/** What of `analysis.links` is learnt after the conclusion. */
export type LearntLinks = Partial<Pick<Issue['analysis']['links'], 'comment' | 'checkRun' | 'pullRequest'>>;

export async function saveThreadRecord(
  trx: Trx,
  threadId: string,
  saved: { readonly record: ThreadRecord; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<void> {
  const { now, enqueuer } = saved;
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const stored = threadFrom(row);
  const { reply } = stored.record;
  const record = { ...withoutForgotten(saved.record, stored), ...(reply && { reply }) };
  await trx
    .updateTable('threads')
    .set({ ...recordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
  await saveLinks(trx, threadId, record);
  if (shownOf(record) !== shownOf(stored.record)) await nudgeHeads(trx, [threadId], { enqueuer, runAt: now });
}

export async function noteReply(
  trx: Trx,
  threadId: string,
  { reply, now, enqueuer }: { readonly reply: CommandReply; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<void> {
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const record = { ...threadFrom(row).record, reply };
  await trx
    .updateTable('threads')
    .set({ ...recordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
  await nudgeThreads(trx, [threadId], { enqueuer, runAt: now, urgency: 'person' });
}

/** What check runs show of a thread: its pull request, or why there is none. */
function shownOf({ pullRequest, withheld }: ThreadRecord): string {
  const opened = pullRequest && [pullRequest.number, pullRequest.state];
  return JSON.stringify([opened, withheld && [withheld.investigationId, withheld.reason]]);
}

async function saveLinks(trx: Trx, threadId: string, record: ThreadRecord): Promise<void> {
  const issues = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.investigation_id', 'issues.links'])
    .where('investigations.thread_id', '=', threadId)
    .execute();
  for (const issue of issues) {
    const before: LearntLinks = issue.links === null ? {} : JSON.parse(issue.links);
    const links = JSON.stringify(linksAfter(before, issue, record));
    if (links === (issue.links ?? '{}')) continue;
    await trx.updateTable('issues').set({ links }).where('id', '=', issue.id).execute();
  }
}

/** There is one comment, so that it is the link of one Issue; an earlier pull request stays where it is, closed or merged. */
function linksAfter(
  before: LearntLinks,
  issue: { readonly id: string; readonly investigation_id: string },
  { comment, pullRequest }: ThreadRecord,
): LearntLinks {
  const { comment: _, ...kept } = before;
  return {
    ...(comment?.investigationId === issue.investigation_id && comment.url !== '' && { comment: comment.url }),
    ...kept,
    ...(pullRequest?.issueId === issue.id && { pullRequest: pullRequest.url }),
  };
}
