// Heads: noted when GitHub tells of their checks, found again by what they are the head of.
import type { Head } from '../core/head.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { headRows, headsFrom, newHeadRow } from './head-rows.ts';
import { organisationOfProject } from './job-places.ts';
import { saveHead, saveHeadRecord } from './save-head.ts';
import type { Reader, Trx } from './schema.ts';
import type { HeadStore } from './store.ts';

/** Of one thread or pull request: the newest tell enough. */
const MOST_HEADS = 20;

export function headVerbs(database: Database, enqueuer: Enqueuer): HeadStore {
  return {
    noteHead: (head, times) => database.write((trx) => noteHead(trx, head, { ...times, enqueuer })),
    head: (id) => database.read((reader) => oneHead(headRows(reader).where('heads.id', '=', id))),
    headOf: (projectId, sha) => database.read((reader) => headOf(reader, projectId, sha)),
    headOfPullRequest: (projectId, number) =>
      database.read((reader) =>
        oneHead(headRows(reader).where('heads.seq', '=', () => judgedOf(reader, projectId, number))),
      ),
    headsOfThread: (threadId) => database.read((reader) => headsOfThread(reader, threadId)),
    hasRed: (projectId, of) => database.read((reader) => hasRed(reader, projectId, of)),
    saveHead: (id, seen, now) => database.write((trx) => saveHead(trx, id, seen, { enqueuer, now })),
    saveHeadRecord: (id, record, now) => database.write((trx) => saveHeadRecord(trx, id, { record, now })),
  };
}

async function oneHead(rows: ReturnType<typeof headRows>): Promise<Head | null> {
  return headsFrom(await rows.execute())[0] ?? null;
}

function headOf(reader: Reader, projectId: string, sha: string): Promise<Head | null> {
  return oneHead(headRows(reader).where('heads.project_id', '=', projectId).where('heads.sha', '=', sha));
}

async function noteHead(
  trx: Trx,
  wanted: Parameters<HeadStore['noteHead']>[0],
  note: { readonly runAt: string; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<Head> {
  const { projectId, sha, branch } = wanted;
  const known = await headOf(trx, projectId, sha);
  const head = known ?? (await made(trx, wanted, note.now));
  const isNamed = head.branch === '' && branch !== '';
  if (isNamed) await trx.updateTable('heads').set({ branch }).where('id', '=', head.id).execute();
  const place = {
    group: projectId,
    urgency: 'automatic',
    organisation: await organisationOfProject(trx, projectId),
  } as const;
  await note.enqueuer.enqueue(trx, [{ kind: 'head', subject: head.id, runAt: note.runAt, ...place }]);
  return isNamed ? { ...head, branch } : head;
}

async function made(trx: Trx, wanted: Parameters<HeadStore['noteHead']>[0], now: string): Promise<Head> {
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
  return headsFrom(await headRows(reader).where('heads.seq', 'in', newest).execute());
}

async function hasRed(
  reader: Reader,
  projectId: string,
  { branch, pullRequests }: Parameters<HeadStore['hasRed']>[1],
): Promise<boolean> {
  const red = reader.selectFrom('heads').select('id').where('project_id', '=', projectId).where('is_red', '=', 1);
  // Two parts, since each of them is one look into an index of its own.
  const ofBranch = branch === '' ? null : red.where('branch', '=', branch);
  const ofNumbers = pullRequests.length === 0 ? null : red.where('pull_request', 'in', pullRequests);
  const either = ofBranch && ofNumbers ? ofBranch.unionAll(ofNumbers) : (ofBranch ?? ofNumbers);
  return (await either?.limit(1).executeTakeFirst()) !== undefined;
}
