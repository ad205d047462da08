// Heads: commits with checks that are judged together, their findings, and their check run on GitHub.
import type { Selectable } from 'kysely';
import {
  EMPTY_HEAD_RECORD,
  type Failure,
  type Finding,
  type Head,
  type HeadPlace,
  type HeadRecord,
} from '../core/check/index.ts';
import { toSubjectKey } from '../core/thread/index.ts';
import type { Database, Enqueuer } from './database.ts';
import { followVerdicts } from './outcomes.ts';
import { removeOverrides, withOverrides } from './overrides.ts';
import type { HeadTable, Reader, Trx } from './schema.ts';
import { enqueuePublish, type LearntLinks } from './threads.ts';

interface NewHead {
  readonly id: string;
  readonly projectId: string;
  readonly sha: string;
  readonly branch: string;
}

interface JudgedHead extends Pick<Head, 'state' | 'place' | 'findings' | 'leftOut' | 'endedAt'> {
  /** Absent: none. */
  readonly stillWaiting?: Head['stillWaiting'];
}

/**
 * How people name checks: by a pull request, by a commit's sha or its beginning, or by the number of a run, as the
 * address of a check has it: a check run's own, that of its job or that of its workflow run.
 */
export type HeadName = { readonly pullRequest: number } | { readonly sha: string } | { readonly run: string };

export type HeadStore = ReturnType<typeof createHeadVerbs>;

/** The newest heads of a thread that are listed. */
const MOST_HEADS = 20;

export function createHeadVerbs(database: Database) {
  const { jobs } = database;
  return {
    /**
     * The head of that commit, created with state `waiting` (and `id`) if it is missing; its `head` job is due at
     * `runAt`, or earlier if it already was. The branch is stored if none was known.
     */
    ensureHead: (head: NewHead, times: { readonly runAt: string; readonly now: string }): Promise<Head> =>
      database.write((trx) => ensureHead(trx, jobs, head, times)),
    findHead: (id: string): Promise<Head | null> =>
      database.read((reader) => findHead(reader, selectHeads(reader).where('heads.id', '=', id))),
    findHeadOfCommit: (projectId: string, sha: string): Promise<Head | null> =>
      database.read((reader) => findHeadOfCommit(reader, projectId, sha)),
    /** The newest head of a pull request with judged checks (`red` or `green`). */
    findHeadOfPullRequest: (projectId: string, number: number): Promise<Head | null> =>
      database.read((reader) => {
        const judged = reader
          .selectFrom('heads as judged')
          .select('judged.seq')
          .where('judged.project_id', '=', projectId)
          .where('judged.pull_request', '=', number)
          .where('judged.state', 'in', ['red', 'green'])
          .orderBy('judged.seq', 'desc')
          .limit(1);
        return findHead(
          reader,
          selectHeads(reader).where('heads.seq', '=', () => judged),
        );
      }),
    /**
     * The newest head of a pull request of whose checks something was known then: at least that they pass. Null: there is
     * none.
     */
    findHeadSeen: (projectId: string, number: number, at: string): Promise<Head | null> =>
      database.read((reader) => {
        const seen = reader
          .selectFrom('heads as seen')
          .select('seen.seq')
          .where('seen.project_id', '=', projectId)
          .where('seen.pull_request', '=', number)
          .where('seen.created_at', '<=', at)
          .where(({ or, eb, exists, selectFrom }) =>
            or([
              eb('seen.state', '=', 'green'),
              exists(selectFrom('findings').select('head_id').whereRef('findings.head_id', '=', 'seen.id')),
            ]),
          )
          .orderBy('seen.seq', 'desc')
          .limit(1);
        return findHead(
          reader,
          selectHeads(reader).where('heads.seq', '=', () => seen),
        );
      }),
    /** The newest head that this names; of a pull request a superseded one only where it has no other. */
    findNamedHead: (projectId: string, name: HeadName): Promise<Head | null> =>
      database.read((reader) => findNamedHead(reader, projectId, name)),
    /** The newest findings of a failure with an investigation of their own pull request, newest first, at most 100. */
    listInvestigated: (failure: Failure): Promise<readonly InvestigatedFinding[]> =>
      database.read((reader) => listInvestigated(reader, failure)),
    /** Heads with a finding of this thread, newest first, at most 20. */
    listHeadsOfThread: (threadId: string): Promise<readonly Head[]> =>
      database.read(async (reader) => {
        const newest = reader
          .selectFrom('heads as named')
          .innerJoin('findings as naming', 'naming.head_id', 'named.id')
          .select('named.seq')
          .distinct()
          .where('naming.thread_id', '=', threadId)
          .orderBy('named.seq', 'desc')
          .limit(MOST_HEADS);
        const rows = await selectHeads(reader)
          .where('heads.seq', 'in', () => newest)
          .execute();
        return await withOverrides(reader, toHeads(rows));
      }),
    /**
     * Whether a red head of this branch, or of one of these pull requests, is stored: only then a green one matters.
     */
    hasRedHead: (
      projectId: string,
      of: { readonly branch: string; readonly pullRequests: readonly number[] },
    ): Promise<boolean> => database.read((reader) => hasRedHead(reader, projectId, of)),
    /**
     * What was found at a head. Enqueues its `check-run` job, and the `publish` jobs of the threads of its pull
     * request, of its findings and of its former findings.
     */
    saveHead: (id: string, judged: JudgedHead, now: string): Promise<void> =>
      database.write((trx) => saveHead(trx, jobs, id, { ...judged, now })),
    /**
     * Stores what is on GitHub for it, and updates `analysis.links.checkRun` of the Issues of its own investigations.
     */
    saveHeadRecord: (id: string, record: HeadRecord, now: string): Promise<void> =>
      database.write(async (trx) => {
        const columns = { ...toHeadRecordColumns(record), changed_at: now };
        await trx.updateTable('heads').set(columns).where('id', '=', id).execute();
        if (record.checkRun) await saveCheckRunLinks(trx, id, record.checkRun.url);
      }),
    /** What was found of each failure when it was last seen, by the failure's id; none where its head is gone. */
    findLastFindings: (
      failures: readonly Pick<Failure, 'id' | 'projectId' | 'lastSeen'>[],
    ): Promise<ReadonlyMap<string, LastFinding>> => database.read((reader) => findLastFindings(reader, failures)),
    /** What was found at heads since then, the newest first, at most so many heads; `before`: the last one of those before. */
    listRecentFindings: (projectId: string, page: RecentPage): Promise<readonly Head[]> =>
      database.read((reader) => listRecentFindings(reader, projectId, page)),
    /** Jobs that were run again since then; `since`: ISO 8601. */
    countReruns: (projectId: string, since: string): Promise<number> =>
      database.read(async (reader) => {
        const rows = await reader
          .selectFrom('heads')
          .innerJoin('findings', 'findings.head_id', 'heads.id')
          .select('findings.finding')
          .where('heads.project_id', '=', projectId)
          .where('heads.changed_at', '>=', since)
          .where('findings.finding', 'like', '%"rerun":%')
          .execute();
        return rows.filter(({ finding }) => ((JSON.parse(finding) as FindingText).rerun?.at ?? '') >= since).length;
      }),
    /** A person wants the head looked at again. GitHub waits for our check run, so that it is written in any case. */
    rerequestHead: (id: string, now: string): Promise<void> =>
      database.write(async (trx) => {
        const row = await trx
          .selectFrom('heads')
          .select(['record', 'project_id'])
          .where('id', '=', id)
          .executeTakeFirst();
        if (!row) return;
        const { checkRun, ...others }: HeadRecord = JSON.parse(row.record);
        const record: HeadRecord = { ...others, checkRun: checkRun && { ...checkRun, digest: '' } };
        const changed = { rerequested_at: now, changed_at: now, record: JSON.stringify(record) };
        await trx.updateTable('heads').set(changed).where('id', '=', id).execute();
        const job = { subject: id, runAt: now, urgency: 'person' } as const;
        await jobs.enqueue(trx, [
          { ...job, kind: 'head', group: row.project_id },
          { ...job, kind: 'check-run', group: id },
        ]);
      }),
    /** Heads with a check run that was held back (mode `observe`), newest first. */
    listHeldHeads: (projectId: string, limit: number): Promise<readonly Head[]> =>
      database.read(async (reader) => {
        const held = reader
          .selectFrom('heads as held')
          .select('held.seq')
          .where('held.project_id', '=', projectId)
          .where('held.is_held', '=', 1)
          .orderBy('held.seq', 'desc')
          .limit(limit);
        const rows = await selectHeads(reader)
          .where('heads.seq', 'in', () => held)
          .execute();
        return await withOverrides(reader, toHeads(rows));
      }),
  };
}

interface RecentPage {
  /** ISO 8601. */
  readonly since: string;
  /** Id of a head. */
  readonly before?: string;
  readonly limit: number;
}

async function listRecentFindings(
  reader: Reader,
  projectId: string,
  { since, before, limit }: RecentPage,
): Promise<readonly Head[]> {
  let recent = reader
    .selectFrom('heads as recent')
    .select('recent.seq')
    .where('recent.project_id', '=', projectId)
    .where('recent.created_at', '>=', since)
    .where((expression) =>
      expression.exists(
        expression.selectFrom('findings as any').select('any.number').whereRef('any.head_id', '=', 'recent.id'),
      ),
    )
    .orderBy('recent.seq', 'desc')
    .limit(limit);
  if (before !== undefined) {
    const last = await reader.selectFrom('heads').select('seq').where('id', '=', before).executeTakeFirst();
    if (last === undefined) return [];
    recent = recent.where('recent.seq', '<', last.seq);
  }
  return toHeads(
    await selectHeads(reader)
      .where('heads.seq', 'in', () => recent)
      .execute(),
  );
}

/** A finding with the pull request that it was investigated for. */
export interface InvestigatedFinding {
  readonly pullRequest: number;
  /** The pull request was closed or merged since, as far as that is known. */
  readonly isClosed: boolean;
  readonly finding: Finding & { readonly investigationId: string };
}

const MOST_INVESTIGATED = 100;

async function listInvestigated(
  reader: Reader,
  { id, projectId, pullRequests }: Failure,
): Promise<readonly InvestigatedFinding[]> {
  if (pullRequests.length === 0) return [];
  const rows = await selectHeads(reader)
    .where('heads.project_id', '=', projectId)
    .where('heads.pull_request', 'in', pullRequests)
    .where('findings.is_own', '=', 1)
    .where('findings.investigation_id', 'is not', null)
    .where('findings.finding', 'like', `%"failureId":"${id}"%`)
    .limit(MOST_INVESTIGATED)
    .execute();
  return toHeads(rows).flatMap(({ place, findings }) => {
    if (place?.kind !== 'pull_request') return [];
    const { number: pullRequest, isClosed = false } = place;
    return findings.flatMap((finding) => {
      const { failureId, investigationId } = finding;
      if (failureId !== id || investigationId === null) return [];
      return [{ pullRequest, isClosed, finding: { ...finding, investigationId } }];
    });
  });
}

/**
 * Has heads looked at again that are linked to one of these investigations of another pull request: if it found nothing,
 * they are investigated themselves.
 */
export async function enqueueSharingHeads(
  trx: Trx,
  jobs: Enqueuer,
  investigationIds: readonly string[],
  runAt: string,
): Promise<void> {
  if (investigationIds.length === 0) return;
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'heads.project_id'])
    .distinct()
    .where('findings.investigation_id', 'in', investigationIds)
    .where('findings.is_own', '=', 0)
    .where('findings.finding', 'like', '%"sharedFrom":%')
    .where('findings.finding', 'not like', '%"sharedFrom":null%')
    .where('heads.state', 'in', ['red', 'waiting'])
    .execute();
  const urgency = 'automatic' as const;
  await jobs.enqueue(
    trx,
    heads.map(({ id, project_id: group }) => ({ kind: 'head' as const, subject: id, group, runAt, urgency })),
  );
}

/** What is shown of a failure. */
export type LastFinding = Pick<Finding, 'excerpt' | 'testFile' | 'leaning'>;

async function findLastFindings(
  reader: Reader,
  failures: readonly Pick<Failure, 'id' | 'projectId' | 'lastSeen'>[],
): Promise<ReadonlyMap<string, LastFinding>> {
  const shas = new Map(failures.map(({ id, lastSeen }) => [id, lastSeen.sha]));
  if (shas.size === 0) return new Map();
  const rows = await reader
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.sha', 'findings.finding'])
    .where('heads.project_id', 'in', [...new Set(failures.map(({ projectId }) => projectId))])
    .where('heads.sha', 'in', [...new Set(shas.values())])
    .execute();
  const found = rows.flatMap(({ sha, finding }) => {
    const { failureId, excerpt, testFile, leaning }: FindingText = JSON.parse(finding);
    const last = { excerpt, ...(testFile !== undefined && { testFile }), ...(leaning !== undefined && { leaning }) };
    return shas.get(failureId) === sha ? [[failureId, last] as const] : [];
  });
  return new Map(found);
}

async function ensureHead(
  trx: Trx,
  jobs: Enqueuer,
  wanted: NewHead,
  { runAt, now }: { readonly runAt: string; readonly now: string },
): Promise<Head> {
  const { projectId, sha, branch } = wanted;
  const head = (await findHeadOfCommit(trx, projectId, sha)) ?? (await createHead(trx, wanted, now));
  const isNamed = head.branch === '' && branch !== '';
  if (isNamed) await trx.updateTable('heads').set({ branch }).where('id', '=', head.id).execute();
  await jobs.enqueue(trx, [{ kind: 'head', subject: head.id, group: projectId, runAt, urgency: 'automatic' }]);
  return isNamed ? { ...head, branch } : head;
}

async function createHead(trx: Trx, { id, projectId, sha, branch }: NewHead, now: string): Promise<Head> {
  await trx
    .insertInto('heads')
    .values({
      id,
      project_id: projectId,
      sha,
      branch,
      state: 'waiting',
      is_red: 0,
      pull_request: null,
      place: null,
      left_out: '[]',
      still_waiting: '[]',
      ended_at: '',
      ...toHeadRecordColumns(EMPTY_HEAD_RECORD),
      rerequested_at: '',
      created_at: now,
      changed_at: now,
    })
    .execute();
  const head = await findHeadOfCommit(trx, projectId, sha);
  if (head === null) throw new Error('a head that was just created is missing');
  return head;
}

/** To be narrowed by the caller; a head without findings is one row. */
function selectHeads(reader: Reader) {
  return reader
    .selectFrom('heads')
    .leftJoin('findings', 'findings.head_id', 'heads.id')
    .selectAll('heads')
    .select(['findings.finding', 'findings.is_own', 'findings.investigation_id', 'findings.thread_id'])
    .orderBy('heads.seq', 'desc')
    .orderBy('findings.number');
}

type HeadRow = Awaited<ReturnType<ReturnType<typeof selectHeads>['execute']>>[number];

async function findHead(reader: Reader, query: ReturnType<typeof selectHeads>): Promise<Head | null> {
  return (await withOverrides(reader, toHeads(await query.execute())))[0] ?? null;
}

function findHeadOfCommit(reader: Reader, projectId: string, sha: string): Promise<Head | null> {
  return findHead(reader, selectHeads(reader).where('heads.project_id', '=', projectId).where('heads.sha', '=', sha));
}

/** Runs are looked for in the newest heads only: nothing but the findings themselves has their addresses. */
const MOST_SEARCHED = 1_000;

async function findNamedHead(reader: Reader, projectId: string, name: HeadName): Promise<Head | null> {
  const named = reader.selectFrom('heads as named').select('named.seq').where('named.project_id', '=', projectId);
  if ('sha' in name) {
    const newest = named.where('named.sha', 'like', `${name.sha}%`).orderBy('named.seq', 'desc').limit(1);
    return await findHead(
      reader,
      selectHeads(reader).where('heads.seq', '=', () => newest),
    );
  }
  if ('pullRequest' in name) {
    const newest = named
      .where('named.pull_request', '=', name.pullRequest)
      .orderBy(({ eb }) => eb.case().when('named.state', '=', 'superseded').then(eb.lit(1)).else(eb.lit(0)).end())
      .orderBy('named.seq', 'desc')
      .limit(1);
    return await findHead(
      reader,
      selectHeads(reader).where('heads.seq', '=', () => newest),
    );
  }
  const newest = named.orderBy('named.seq', 'desc').limit(MOST_SEARCHED);
  const rows = await reader
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'findings.finding'])
    .where('heads.seq', 'in', () => newest)
    .where('findings.finding', 'like', `%${name.run}%`)
    .orderBy('heads.seq', 'desc')
    .execute();
  const { id } = rows.find(({ finding }) => hasRun(JSON.parse(finding), name.run)) ?? {};
  return id === undefined ? null : await findHead(reader, selectHeads(reader).where('heads.id', '=', id));
}

/** Such as `…/actions/runs/17/job/99`. */
function hasRun({ checks }: FindingText, run: string): boolean {
  const isOf = (parts: readonly string[]) =>
    parts.some((part, at) => part === run && ['runs', 'job'].includes(parts[at - 1] ?? ''));
  return checks.some(({ runId, url }) => String(runId) === run || isOf(url.split('/')));
}

/** In the order of their rows. */
function toHeads(rows: readonly HeadRow[]): readonly Head[] {
  return [...Map.groupBy(rows, (row) => row.id).values()].flatMap(([row, ...others]) => {
    if (row === undefined) return [];
    return [
      {
        id: row.id,
        projectId: row.project_id,
        sha: row.sha,
        branch: row.branch,
        state: row.state,
        place: row.place === null ? null : JSON.parse(row.place),
        findings: [row, ...others].flatMap(toFinding),
        leftOut: JSON.parse(row.left_out),
        stillWaiting: JSON.parse(row.still_waiting),
        endedAt: row.ended_at,
        record: JSON.parse(row.record),
        rerequestedAt: row.rerequested_at,
        createdAt: row.created_at,
        changedAt: row.changed_at,
      },
    ];
  });
}

/** What a finding names is stored in columns: it may be erased. What people said of it is stored with them. */
type FindingText = Omit<Finding, 'investigationId' | 'threadId' | 'isOwnThread' | 'override' | 'lapsed'>;

function toFinding(row: HeadRow): readonly Finding[] {
  if (row.finding === null) return [];
  const text: FindingText = JSON.parse(row.finding);
  const { investigation_id: investigationId, thread_id: threadId } = row;
  return [{ ...text, investigationId, threadId, isOwnThread: row.is_own === 1 && threadId !== null }];
}

/** The columns that hold a record. */
export function toHeadRecordColumns(record: HeadRecord) {
  return { record: JSON.stringify(record), is_held: record.held === null ? (0 as const) : (1 as const) };
}

async function hasRedHead(
  reader: Reader,
  projectId: string,
  { branch, pullRequests }: { readonly branch: string; readonly pullRequests: readonly number[] },
): Promise<boolean> {
  const red = reader.selectFrom('heads').select('id').where('project_id', '=', projectId).where('is_red', '=', 1);
  // Two queries, each of which has an index.
  if (branch !== '' && (await red.where('branch', '=', branch).limit(1).executeTakeFirst())) return true;
  if (pullRequests.length === 0) return false;
  return (await red.where('pull_request', 'in', pullRequests).limit(1).executeTakeFirst()) !== undefined;
}

/** For Issues that exist; later ones get it by `findCheckRunLink`. */
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
    const changed = JSON.stringify({ ...before, checkRun: url } satisfies LearntLinks);
    await trx.updateTable('issues').set({ links: changed }).where('id', '=', id).execute();
  }
}

/** The links of a new Issue of the investigation; null: none. */
export async function findCheckRunLink(trx: Trx, investigationId: string): Promise<string | null> {
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

async function saveHead(
  trx: Trx,
  jobs: Enqueuer,
  id: string,
  judged: JudgedHead & { readonly now: string },
): Promise<void> {
  const { state, now } = judged;
  const stored = await trx.selectFrom('heads').select('place').where('id', '=', id).executeTakeFirst();
  const place = keepErased(judged.place, stored?.place ? JSON.parse(stored.place) : null);
  const head = await trx
    .updateTable('heads')
    .set({
      state,
      // A head that waits again, or was superseded, keeps what it was when it was last judged.
      ...(state === 'red' && { is_red: 1 }),
      ...((state === 'green' || state === 'ignored') && { is_red: 0 }),
      place: place && JSON.stringify(place),
      // A head that has no place any more still belongs to its former pull request.
      ...(place !== null && { pull_request: place.kind === 'pull_request' ? place.number : null }),
      left_out: JSON.stringify(judged.leftOut),
      still_waiting: JSON.stringify(judged.stillWaiting ?? []),
      ended_at: judged.endedAt,
      changed_at: now,
    })
    .where('id', '=', id)
    .returning(['seq', 'project_id', 'sha', 'branch', 'pull_request'])
    .executeTakeFirst();
  if (!head) return;
  if (state === 'green') await clearRedHeads(trx, head);
  const before = await listThreadsOfHead(trx, id);
  await replaceFindings(trx, id, judged.findings);
  const { project_id: projectId, sha } = head;
  if (state === 'red') await followVerdicts(trx, jobs, { id, projectId, sha, findings: judged.findings }, now);
  const after = await listThreadsOfHead(trx, id);
  await enqueuePublish(trx, jobs, [...before, ...after, await findPullRequestThread(trx, head)], { runAt: now });
  await jobs.enqueue(trx, [{ kind: 'check-run', subject: id, group: id, runAt: now, urgency: 'automatic' }]);
}

type SavedHead = Pick<Selectable<HeadTable>, 'seq' | 'project_id' | 'branch' | 'pull_request'>;

/** Once a pull request or branch is green again, its older heads are red no more. */
async function clearRedHeads(trx: Trx, { seq, project_id, branch, pull_request }: SavedHead): Promise<void> {
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

/** An investigation or a thread that was erased since is not named. */
async function replaceFindings(trx: Trx, id: string, findings: readonly Finding[]): Promise<void> {
  await trx.deleteFrom('findings').where('head_id', '=', id).execute();
  for (const [number, { investigationId, threadId, isOwnThread, ...text }] of findings.entries()) {
    await trx
      .insertInto('findings')
      .values(({ selectFrom }) => ({
        head_id: id,
        number,
        finding: JSON.stringify(removeOverrides(text) satisfies FindingText),
        is_own: isOwnThread ? 1 : 0,
        investigation_id: selectFrom('investigations').select('id').where('id', '=', investigationId),
        thread_id: selectFrom('threads').select('id').where('id', '=', threadId),
      }))
      .execute();
  }
}

async function listThreadsOfHead(trx: Trx, headId: string): Promise<readonly (string | null)[]> {
  const rows = await trx.selectFrom('findings').select('thread_id').where('head_id', '=', headId).execute();
  return rows.map((row) => row.thread_id);
}

async function findPullRequestThread(trx: Trx, { project_id, pull_request }: SavedHead): Promise<string | null> {
  if (pull_request === null) return null;
  const row = await trx
    .selectFrom('threads')
    .select('id')
    .where('project_id', '=', project_id)
    .where('subject_key', '=', toSubjectKey({ kind: 'pull_request', number: pull_request }))
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The place without its person, marked so that no later answer of GitHub brings the name back. */
export function erasePersonFromPlace(place: HeadPlace): HeadPlace {
  if (place.kind === 'default') return { ...place, pushedBy: null, isForgotten: true };
  if (place.kind === 'pull_request') return { ...place, author: null, isForgotten: true };
  return place;
}

/** The place as it was found now, without the person who was erased at the same place. */
function keepErased(found: HeadPlace | null, stored: HeadPlace | null): HeadPlace | null {
  if (found === null || stored === null || stored.kind === 'branch' || stored.isForgotten !== true) return found;
  const isSame =
    found.kind === 'pull_request' && stored.kind === 'pull_request'
      ? found.number === stored.number
      : found.kind === stored.kind;
  return isSame ? erasePersonFromPlace(found) : found;
}
