// What was found at a head, and what stands on GitHub for it: two writers, each with columns of its own.
import type { Selectable } from 'kysely';
import type { Finding, HeadPlace, HeadRecord } from '../core/head.ts';
import { subjectKey } from '../core/thread.ts';
import { saveCheckRunLinks } from './check-links.ts';
import type { Moment } from './end-run.ts';
import { placeAfter } from './forgotten-since.ts';
import { findingText, headRecordColumns } from './head-rows.ts';
import { organisationOfProject } from './job-places.ts';
import type { HeadTable, Trx } from './schema.ts';
import type { HeadStore } from './store.ts';
import { nudgeThreads } from './thread-rows.ts';

type Seen = Parameters<HeadStore['saveHead']>[1];

/** What of a head decides on others. */
type Known = Pick<Selectable<HeadTable>, 'seq' | 'project_id' | 'branch' | 'pull_request'>;

export async function saveHead(trx: Trx, id: string, seen: Seen, { enqueuer, now }: Moment): Promise<void> {
  const { state } = seen;
  const place = placeAfter(seen.place, await storedPlace(trx, id));
  const head = await trx
    .updateTable('heads')
    .set({
      ...{ state, place: place && JSON.stringify(place), left_out: JSON.stringify(seen.leftOut) },
      still_waiting: JSON.stringify(seen.stillWaiting ?? []),
      ...{ ended_at: seen.endedAt, changed_at: now, ...redness(seen), ...pullRequestOf(seen) },
    })
    .where('id', '=', id)
    .returning(['seq', 'project_id', 'branch', 'pull_request'])
    .executeTakeFirst();
  if (!head) return;
  if (state === 'green') await forgetRed(trx, head);
  const before = await threadsOf(trx, id);
  await replaceFindings(trx, id, seen.findings);
  const concerned = [...before, ...(await threadsOf(trx, id)), await threadOfPullRequest(trx, head)];
  await nudgeThreads(trx, concerned, { enqueuer, runAt: now });
  const organisation = await organisationOfProject(trx, head.project_id);
  const job = { kind: 'check-run', subject: id, group: id, runAt: now, urgency: 'automatic', organisation } as const;
  await enqueuer.enqueue(trx, [job]);
}

async function storedPlace(trx: Trx, id: string): Promise<HeadPlace | null> {
  const row = await trx.selectFrom('heads').select('place').where('id', '=', id).executeTakeFirst();
  return row?.place ? JSON.parse(row.place) : null;
}

/** One that waits again, or is no head any more, stays what it was when it was last judged. */
function redness({ state }: Seen): Partial<Pick<HeadTable, 'is_red'>> {
  switch (state) {
    case 'red':
      return { is_red: 1 };
    case 'green':
    case 'ignored':
      return { is_red: 0 };
    case 'waiting':
    case 'superseded':
      return {};
  }
}

/** A head that has no place any more still belongs to the pull request that it was of. */
function pullRequestOf({ place }: Seen): Partial<Pick<HeadTable, 'pull_request'>> {
  if (place === null) return {};
  return { pull_request: place.kind === 'pull_request' ? place.number : null };
}

/** Once its pull request or branch is green again, nobody waits for that of an older head. */
async function forgetRed(trx: Trx, { seq, project_id, branch, pull_request }: Known): Promise<void> {
  await trx
    .updateTable('heads')
    .set({ is_red: 0 })
    .where('project_id', '=', project_id)
    .where('is_red', '=', 1)
    .where('seq', '<', seq)
    .where(({ or, and, eb }) =>
      or([
        eb('pull_request', '=', pull_request),
        and([eb('pull_request', 'is', null), eb('branch', '=', branch), eb('branch', '!=', '')]),
      ]),
    )
    .execute();
}

/** An investigation or a thread that was erased since the head was looked at is named no more. */
async function replaceFindings(trx: Trx, id: string, findings: readonly Finding[]): Promise<void> {
  await trx.deleteFrom('findings').where('head_id', '=', id).execute();
  for (const [number, finding] of findings.entries()) {
    const { investigationId, threadId, isOwnThread } = finding;
    await trx
      .insertInto('findings')
      .values(({ selectFrom }) => ({
        ...{ head_id: id, number, finding: findingText(finding), is_own: isOwnThread ? (1 as const) : (0 as const) },
        investigation_id: selectFrom('investigations').select('id').where('id', '=', investigationId),
        thread_id: selectFrom('threads').select('id').where('id', '=', threadId),
      }))
      .execute();
  }
}

async function threadsOf(trx: Trx, headId: string): Promise<readonly (string | null)[]> {
  const rows = await trx.selectFrom('findings').select('thread_id').where('head_id', '=', headId).execute();
  return rows.map((row) => row.thread_id);
}

async function threadOfPullRequest(trx: Trx, { project_id, pull_request: number }: Known): Promise<string | null> {
  if (number === null) return null;
  const row = await trx
    .selectFrom('threads')
    .select('id')
    .where('project_id', '=', project_id)
    .where('subject_key', '=', subjectKey({ kind: 'pull_request', number }))
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function saveHeadRecord(
  trx: Trx,
  id: string,
  { record, now }: { readonly record: HeadRecord; readonly now: string },
): Promise<void> {
  await trx
    .updateTable('heads')
    .set({ ...headRecordColumns(record), changed_at: now })
    .where('id', '=', id)
    .execute();
  if (record.checkRun) await saveCheckRunLinks(trx, id, record.checkRun.url);
}
