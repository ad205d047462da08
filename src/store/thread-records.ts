// What stands on GitHub for a thread, and what the Issues of its investigations say of it.
import type { Issue } from '../domain/issue.ts';
import type { ThreadRecord } from '../domain/thread.ts';
import type { Trx } from './schema.ts';
import { recordColumns } from './thread-rows.ts';

/** What of `analysis.links` is learnt after the conclusion. */
export type LearntLinks = Partial<Pick<Issue['analysis']['links'], 'comment' | 'pullRequest'>>;

export async function saveThreadRecord(
  trx: Trx,
  threadId: string,
  { record, now }: { readonly record: ThreadRecord; readonly now: string },
): Promise<void> {
  await trx
    .updateTable('threads')
    .set({ ...recordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
  await saveLinks(trx, threadId, record);
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
  const kept = before.pullRequest === undefined ? {} : { pullRequest: before.pullRequest };
  return {
    ...(comment?.investigationId === issue.investigation_id && comment.url !== '' && { comment: comment.url }),
    ...kept,
    ...(pullRequest?.issueId === issue.id && { pullRequest: pullRequest.url }),
  };
}
