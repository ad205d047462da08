// Retention: what is past its time is erased in batches.
import { sweepSessions, sweepSignIns } from './accounts.ts';
import type { Database, Enqueuer } from './database.ts';
import { BATCH, deleteHeads, eraseHeads, eraseInvestigations, eraseProjects, repeatInBatches } from './erase.ts';
import { closeUnseen } from './failures.ts';
import { eraseForeignProofs } from './foreign-proofs.ts';
import { sweepKnownIssues } from './known-issues.ts';
import { ON_GITHUB, type Trx } from './schema.ts';

interface RetentionLimits {
  readonly endedBefore: string;
  readonly keysBefore: string;
  readonly now: string;
}

/** Moments of a clock that cannot be compared with another. */
interface DoubtfulLimits extends Pick<RetentionLimits, 'endedBefore' | 'now'> {
  /** When this process began: what was stored since then says nothing of its clock. */
  readonly began: string;
  /** By more than a day while this process ran. */
  readonly hasJumped: boolean;
}

/**
 * For this long a handled delivery is remembered, and a removed project or installation; an open failure that is not
 * seen is closed after it.
 */
const GONE_MS = 30 * 24 * 60 * 60 * 1_000;

const HOUR_MS = 60 * 60 * 1_000;
/** When records were last erased slowly; as long as more of them are past. */
const SLOW_MARK = 'erased_slowly';

export function createRetentionVerbs(database: Database) {
  const { jobs } = database;
  /** The mark, and whether anything is past while the clock is in doubt: it jumped, or nothing new is younger than 30 days. */
  async function readDoubt({ endedBefore, now, began, hasJumped }: DoubtfulLimits) {
    return await database.read(async (reader) => {
      const marks = reader.selectFrom('service_marks').select('set_at').where('name', '=', SLOW_MARK);
      const mark = (await marks.executeTakeFirst())?.set_at ?? null;
      const investigations = reader.selectFrom('investigations');
      const known = investigations.select('created_at').where('created_at', '<', began).orderBy('seq', 'desc').limit(1);
      const entries = reader.selectFrom('audit').select('at').where('at', '<', began).orderBy('seq', 'desc').limit(1);
      const newest = (await known.executeTakeFirst())?.created_at ?? (await entries.executeTakeFirst())?.at ?? now;
      const isOld = newest < new Date(Date.parse(now) - GONE_MS).toISOString();
      if (!isOld && !hasJumped && mark === null) return { mark, isHeld: false };
      const ended = await investigations.select('id').where('ended_at', '<', endedBefore).limit(1).executeTakeFirst();
      const noted = await reader.selectFrom('audit').select('at').orderBy('seq').limit(1).executeTakeFirst();
      return { mark, isHeld: ended !== undefined || (noted !== undefined && noted.at < endedBefore) };
    });
  }
  /** A tenth of the rows that there are, but at least one, or the last would stay for ever. */
  async function eraseTenth(
    table: 'audit' | 'investigations',
    eraseSome: (trx: Trx, limit: number) => Promise<number>,
  ): Promise<number> {
    const { count } = await database.read((reader) =>
      reader
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    );
    const most = Math.max(1, Math.floor(Number(count) / 10));
    for (let erased = 0; ; ) {
      const limit = Math.min(BATCH, most - erased);
      const some = limit === 0 ? 0 : await database.write((trx) => eraseSome(trx, limit));
      erased += some;
      if (some < BATCH) return erased;
    }
  }
  return {
    /** Whether records that are past are held back, since the clock may be wrong. */
    isHeldBack: async (limits: DoubtfulLimits): Promise<boolean> => (await readDoubt(limits)).isHeld,
    /**
     * Where the clock may be wrong: erases the oldest tenth of the investigations that there are, and of the audit log,
     * at most once an hour, restarts included, and nothing else. Returns how many investigations; null where nothing
     * is held back: then `sweep` may do the rest.
     */
    async eraseSlowly(limits: DoubtfulLimits): Promise<number | null> {
      const { endedBefore, now } = limits;
      const { mark, isHeld } = await readDoubt(limits);
      if (!isHeld) {
        if (mark !== null) {
          await database.write((trx) => trx.deleteFrom('service_marks').where('name', '=', SLOW_MARK).execute());
        }
        return null;
      }
      if (mark !== null && Math.abs(Date.parse(now) - Date.parse(mark)) < HOUR_MS) return 0;
      // Before anything is erased: a process that ends in between erases less.
      await database.write((trx) =>
        trx
          .insertInto('service_marks')
          .values({ name: SLOW_MARK, set_at: now })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ set_at: now }))
          .execute(),
      );
      await eraseTenth('audit', (trx, limit) => sweepAudit(trx, endedBefore, limit));
      const erased = await eraseTenth('investigations', (trx, limit) =>
        sweepInvestigations(trx, jobs, { endedBefore, from: 'oldest', limit }),
      );
      if (erased > 0) await database.forgetErased();
      return erased;
    },
    /** Deletes what is older than its retention. Returns the number of investigations erased. */
    async sweep({ endedBefore, keysBefore, now }: RetentionLimits): Promise<number> {
      const goneBefore = new Date(Date.parse(now) - GONE_MS).toISOString();
      const repeat = (eraseSome: (trx: Trx) => Promise<number>) => repeatInBatches(database, eraseSome);
      await database.write((trx) => sweepSmallTables(trx, { endedBefore, keysBefore, goneBefore, now }));
      await repeat((trx) => sweepAudit(trx, endedBefore, BATCH));
      await repeat((trx) => closeUnseen(trx, jobs, { unseenSince: goneBefore, now, limit: BATCH }));
      const heads = await repeat((trx) => sweepHeads(trx, jobs, endedBefore));
      await database.write((trx) => eraseForeignProofs(trx, jobs, { endedBefore }));
      const failures = await repeat((trx) => sweepFailures(trx, endedBefore));
      // Looked up in each transaction: GitHub may list a repository again.
      const findGone = async (trx: Trx) => ({ ids: await listGoneProjects(trx, goneBefore), limit: BATCH });
      const goneHeads = await repeat(async (trx) => eraseHeads(trx, jobs, await findGone(trx)));
      // Newest first: an Issue goes before the older one that its `sameAs` names.
      const past = { endedBefore, from: 'newest', limit: BATCH } as const;
      const ended = await repeat((trx) => sweepInvestigations(trx, jobs, past));
      const gone = await repeat(async (trx) => eraseProjects(trx, jobs, await findGone(trx)));
      await database.write((trx) => sweepThreads(trx, jobs, endedBefore));
      await database.write((trx) => sweepKnownIssues(trx, jobs, endedBefore));
      if (heads + failures + goneHeads + ended + gone > 0) await database.forgetErased();
      return ended + gone;
    },
  };
}

async function sweepSmallTables(
  trx: Trx,
  { endedBefore, keysBefore, goneBefore, now }: RetentionLimits & { readonly goneBefore: string },
): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('created_at', '<', keysBefore).execute();
  // Those of callers that failed go with their investigation.
  await trx
    .deleteFrom('webhooks')
    .where('created_at', '<', endedBefore)
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'delivered'),
        and([eb('subscription_id', 'is not', null), eb('state', 'in', ['dead', 'stopped'])]),
      ]),
    )
    .execute();
  // Failures keep their counts.
  await trx.deleteFrom('sightings').where('seen_at', '<', endedBefore).execute();
  await trx.deleteFrom('passing_checks').where('passed_at', '<', endedBefore).execute();
  await trx.deleteFrom('deliveries').where('received_at', '<', goneBefore).where('state', '!=', 'waiting').execute();
  await trx.deleteFrom('installations').where('removed_at', '<', goneBefore).execute();
  await sweepSessions(trx, now);
  await sweepSignIns(trx, now);
}

/** From the oldest entry on, in the order of their numbers. */
async function sweepAudit(trx: Trx, before: string, limit: number): Promise<number> {
  const oldest = await trx.selectFrom('audit').select(['seq', 'at']).orderBy('seq').limit(limit).execute();
  const past = oldest.filter(({ at }) => at < before).map(({ seq }) => seq);
  if (past.length > 0) await trx.deleteFrom('audit').where('seq', 'in', past).execute();
  return past.length;
}

async function sweepHeads(trx: Trx, jobs: Enqueuer, changedBefore: string): Promise<number> {
  const old = await trx.selectFrom('heads').select('id').where('changed_at', '<', changedBefore).limit(BATCH).execute();
  const ids = old.map((row) => row.id);
  return await deleteHeads(trx, jobs, ids);
}

/** Failures that were closed, or seen for the last time, before then. */
async function sweepFailures(trx: Trx, before: string): Promise<number> {
  const old = trx
    .selectFrom('failures')
    .select('seq')
    .where(({ or, and, eb }) =>
      or([eb('last_seen_at', '<', before), and([eb('state', '=', 'closed'), eb('closed_at', '<', before)])]),
    )
    .limit(BATCH);
  return (await trx.deleteFrom('failures').where('seq', 'in', old).returning('id').execute()).length;
}

interface PastInvestigations {
  readonly endedBefore: string;
  readonly from: 'newest' | 'oldest';
  readonly limit: number;
}

async function sweepInvestigations(
  trx: Trx,
  jobs: Enqueuer,
  { endedBefore, from, limit }: PastInvestigations,
): Promise<number> {
  const order = from === 'newest' ? 'desc' : 'asc';
  const old = await trx
    .selectFrom('investigations')
    .select('id')
    .where('ended_at', '<', endedBefore)
    .orderBy('ended_at', order)
    .orderBy('seq', order)
    .limit(limit)
    .execute();
  const ids = old.map((row) => row.id);
  await eraseInvestigations(trx, jobs, ids);
  return ids.length;
}

async function listGoneProjects(trx: Trx, goneBefore: string): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('projects')
    .select('id')
    .where('place', 'like', ON_GITHUB)
    .where('hidden_at', '<', goneBefore)
    .execute();
  return rows.map((row) => row.id);
}

/** Threads without an open pull request and without investigations. */
async function sweepThreads(trx: Trx, jobs: Enqueuer, changedBefore: string): Promise<void> {
  const swept = await trx
    .deleteFrom('threads')
    .where('changed_at', '<', changedBefore)
    .where('pull_request_open', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('investigations').select('id').whereRef('investigations.thread_id', '=', 'threads.id'))),
    )
    .returning('id')
    .execute();
  const ids = swept.map((row) => row.id);
  await jobs.remove(trx, 'publish', ids);
}
