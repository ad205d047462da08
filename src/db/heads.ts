// Heads: commits whose checks are judged together, with their findings and the check run that stands on GitHub for them.

import type { Selectable } from 'kysely';
import { EMPTY_HEAD_RECORD, type Finding, type Head, type HeadPlace, type HeadRecord } from '../core/head.ts';
import { toSubjectKey } from '../core/thread.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { placeAfter } from './forgotten-since.ts';
import type { Moment } from './runs.ts';
import type { HeadTable, Reader, Trx } from './schema.ts';
import type { HeadStore } from './store.ts';
import { type LearntLinks, nudgeThreads } from './threads.ts';

/** Of one thread or pull request: the newest tell enough. */
const MOST_HEADS = 20;

export function createHeadVerbs(database: Database, enqueuer: Enqueuer): HeadStore {
  return {
    ensureHead: (head, times) => database.write((trx) => noteHead(trx, head, { ...times, enqueuer })),
    findHead: (id) => database.read((reader) => oneHead(readHeadRows(reader).where('heads.id', '=', id))),
    findHeadOfCommit: (projectId, sha) => database.read((reader) => headOf(reader, projectId, sha)),
    findHeadOfPullRequest: (projectId, number) =>
      database.read((reader) =>
        oneHead(readHeadRows(reader).where('heads.seq', '=', () => judgedOf(reader, projectId, number))),
      ),
    listHeadsOfThread: (threadId) => database.read((reader) => headsOfThread(reader, threadId)),
    hasRedHead: (projectId, of) => database.read((reader) => hasRed(reader, projectId, of)),
    saveHead: (id, seen, now) => database.write((trx) => saveHead(trx, id, seen, { enqueuer, now })),
    saveHeadRecord: (id, record, now) => database.write((trx) => saveHeadRecord(trx, id, { record, now })),
  };
}

async function oneHead(rows: ReturnType<typeof readHeadRows>): Promise<Head | null> {
  return toHeads(await rows.execute())[0] ?? null;
}

function headOf(reader: Reader, projectId: string, sha: string): Promise<Head | null> {
  return oneHead(readHeadRows(reader).where('heads.project_id', '=', projectId).where('heads.sha', '=', sha));
}

async function noteHead(
  trx: Trx,
  wanted: Parameters<HeadStore['ensureHead']>[0],
  note: { readonly runAt: string; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<Head> {
  const { projectId, sha, branch } = wanted;
  const known = await headOf(trx, projectId, sha);
  const head = known ?? (await made(trx, wanted, note.now));
  const isNamed = head.branch === '' && branch !== '';
  if (isNamed) await trx.updateTable('heads').set({ branch }).where('id', '=', head.id).execute();
  const place = { group: projectId, urgency: 'automatic' } as const;
  await note.enqueuer.enqueue(trx, [{ kind: 'head', subject: head.id, runAt: note.runAt, ...place }]);
  return isNamed ? { ...head, branch } : head;
}

async function made(trx: Trx, wanted: Parameters<HeadStore['ensureHead']>[0], now: string): Promise<Head> {
  await trx.insertInto('heads').values(newHeadRow(wanted, now)).execute();
  const head = await headOf(trx, wanted.projectId, wanted.sha);
  if (head === null) throw new Error('a head that was just made is not there');
  return head;
}

/** The newest that was judged. */
function judgedOf(reader: Reader, projectId: string, number: number) {
  return reader
    .selectFrom('heads as judged')
    .select('judged.seq')
    .where('judged.project_id', '=', projectId)
    .where('judged.pull_request', '=', number)
    .where('judged.state', 'in', ['red', 'green'])
    .orderBy('judged.seq', 'desc')
    .limit(1);
}

async function headsOfThread(reader: Reader, threadId: string): Promise<readonly Head[]> {
  const newest = () =>
    reader
      .selectFrom('heads as named')
      .innerJoin('findings as naming', 'naming.head_id', 'named.id')
      .select('named.seq')
      .distinct()
      .where('naming.thread_id', '=', threadId)
      .orderBy('named.seq', 'desc')
      .limit(MOST_HEADS);
  return toHeads(await readHeadRows(reader).where('heads.seq', 'in', newest).execute());
}

async function hasRed(
  reader: Reader,
  projectId: string,
  { branch, pullRequests }: Parameters<HeadStore['hasRedHead']>[1],
): Promise<boolean> {
  const red = reader.selectFrom('heads').select('id').where('project_id', '=', projectId).where('is_red', '=', 1);
  // Two parts, since each of them is one look into an index of its own.
  const ofBranch = branch === '' ? null : red.where('branch', '=', branch);
  const ofNumbers = pullRequests.length === 0 ? null : red.where('pull_request', 'in', pullRequests);
  const either = ofBranch && ofNumbers ? ofBranch.unionAll(ofNumbers) : (ofBranch ?? ofNumbers);
  return (await either?.limit(1).executeTakeFirst()) !== undefined;
}

/** To be narrowed with `where('heads.seq', …)` or the like; a head without findings is one row. */
function readHeadRows(reader: Reader) {
  return reader
    .selectFrom('heads')
    .leftJoin('findings', 'findings.head_id', 'heads.id')
    .select([
      ...(['heads.id', 'heads.project_id', 'heads.sha', 'heads.branch', 'heads.state', 'heads.place'] as const),
      ...(['heads.left_out', 'heads.still_waiting', 'heads.ended_at', 'heads.record'] as const),
      ...(['heads.created_at', 'heads.changed_at'] as const),
      ...(['findings.finding', 'findings.is_own', 'findings.investigation_id', 'findings.thread_id'] as const),
    ])
    .orderBy('heads.seq', 'desc')
    .orderBy('findings.number');
}

type Row = Awaited<ReturnType<ReturnType<typeof readHeadRows>['executeTakeFirstOrThrow']>>;

/** The heads in the order of their rows. */
function toHeads(rows: readonly Row[]): readonly Head[] {
  const heads = new Map<string, Head>();
  for (const row of rows) {
    const head = heads.get(row.id) ?? toHead(row);
    const finding = toFinding(row);
    heads.set(row.id, finding ? { ...head, findings: [...head.findings, finding] } : head);
  }
  return [...heads.values()];
}

function toHead(row: Row): Head {
  const place: HeadPlace | null = row.place === null ? null : JSON.parse(row.place);
  const leftOut: Head['leftOut'] = JSON.parse(row.left_out);
  const stillWaiting: Head['stillWaiting'] = JSON.parse(row.still_waiting);
  const record: HeadRecord = JSON.parse(row.record);
  return {
    ...{ id: row.id, projectId: row.project_id, sha: row.sha, branch: row.branch, state: row.state, place },
    ...{ findings: [], leftOut, stillWaiting, endedAt: row.ended_at, record },
    ...{ createdAt: row.created_at, changedAt: row.changed_at },
  };
}

/** Whatever names others: they may be erased. */
type Named = 'investigationId' | 'threadId' | 'isOwnThread';

function toFinding(row: Row): Finding | null {
  if (row.finding === null) return null;
  const kept: Omit<Finding, Named> = JSON.parse(row.finding);
  const { investigation_id: investigationId, thread_id: threadId } = row;
  return { ...kept, investigationId, threadId, isOwnThread: row.is_own === 1 && threadId !== null };
}

/** A finding without whom it names. */
function findingText(finding: Finding): string {
  const { investigationId: _, threadId: __, isOwnThread: ___, ...kept } = finding;
  return JSON.stringify(kept satisfies Omit<Finding, Named>);
}

/** The columns that hold a record. */
export function headRecordColumns(record: HeadRecord): Pick<HeadTable, 'record' | 'is_held'> {
  return { record: JSON.stringify(record), is_held: record.held === null ? 0 : 1 };
}

/** The row of a head that nothing is known of yet. */
function newHeadRow(
  head: { readonly id: string; readonly projectId: string; readonly sha: string; readonly branch: string },
  now: string,
): Omit<HeadTable, 'seq'> {
  return {
    ...{ id: head.id, project_id: head.projectId, sha: head.sha, branch: head.branch, state: 'waiting', is_red: 0 },
    ...{ pull_request: null, place: null, left_out: '[]', still_waiting: '[]', ended_at: '' },
    ...headRecordColumns(EMPTY_HEAD_RECORD),
    ...{ created_at: now, changed_at: now },
  };
}

/** For the Issues that are there: those to come ask with `linksOfChecks`. */
async function saveCheckRunLinks(trx: Trx, headId: string, url: string): Promise<void> {
  const issues = await trx
    .selectFrom('issues')
    .innerJoin('findings', 'findings.investigation_id', 'issues.investigation_id')
    .select(['issues.id', 'issues.links'])
    .where('findings.head_id', '=', headId)
    .where('findings.is_own', '=', 1)
    .execute();
  for (const { id, links } of issues) {
    const before: LearntLinks = links === null ? {} : JSON.parse(links);
    if (before.checkRun === url) continue;
    const after: LearntLinks = { ...before, checkRun: url };
    await trx
      .updateTable('issues')
      .set({ links: JSON.stringify(after) })
      .where('id', '=', id)
      .execute();
  }
}

/** The links that an Issue of the investigation is born with; null: none. */
export async function linksOfChecks(trx: Trx, investigationId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('findings')
    .innerJoin('heads', 'heads.id', 'findings.head_id')
    .select('heads.record')
    .where('findings.investigation_id', '=', investigationId)
    .where('findings.is_own', '=', 1)
    .orderBy('heads.seq')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const { checkRun }: HeadRecord = JSON.parse(row.record);
  return checkRun && JSON.stringify({ checkRun: checkRun.url } satisfies LearntLinks);
}

type Seen = Parameters<HeadStore['saveHead']>[1];

/** What of a head decides on others. */
type Known = Pick<Selectable<HeadTable>, 'seq' | 'project_id' | 'branch' | 'pull_request'>;

async function saveHead(trx: Trx, id: string, seen: Seen, { enqueuer, now }: Moment): Promise<void> {
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
  const job = { kind: 'check-run', subject: id, group: id, runAt: now, urgency: 'automatic' } as const;
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
    .where('subject_key', '=', toSubjectKey({ kind: 'pull_request', number }))
    .executeTakeFirst();
  return row?.id ?? null;
}

async function saveHeadRecord(
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

/** The page is chosen from the index before a record is read. */
export async function heldHeads(reader: Reader, projectId: string, limit: number): Promise<readonly Head[]> {
  const page = reader
    .selectFrom('heads as held')
    .select('held.seq')
    .where('held.project_id', '=', projectId)
    .where('held.is_held', '=', 1)
    .orderBy('held.seq', 'desc')
    .limit(limit);
  return toHeads(
    await readHeadRows(reader)
      .where('heads.seq', 'in', () => page)
      .execute(),
  );
}
