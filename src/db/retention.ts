// Retention: what is past its time is erased in batches.
import { sweepSessions, sweepSignIns } from './accounts.ts';
import type { Database, Enqueuer } from './database.ts';
import { BATCH, deleteHeads, eraseHeads, eraseInvestigations, eraseProjects, repeatInBatches } from './erase.ts';
import { closeUnseen } from './failures.ts';
import { ON_GITHUB, type Trx } from './schema.ts';

interface RetentionLimits {
  readonly endedBefore: string;
  readonly keysBefore: string;
  readonly now: string;
}

/**
 * For this long a handled delivery is remembered, and a removed project or installation; an open failure that is not
 * seen is closed after it.
 */
const GONE_MS = 30 * 24 * 60 * 60 * 1_000;

export function createRetentionVerbs(database: Database) {
  const { jobs } = database;
  return {
    /** Deletes what is older than its retention. Returns the number of investigations erased. */
    async sweep({ endedBefore, keysBefore, now }: RetentionLimits): Promise<number> {
      const goneBefore = new Date(Date.parse(now) - GONE_MS).toISOString();
      const repeat = (eraseSome: (trx: Trx) => Promise<number>) => repeatInBatches(database, eraseSome);
      await database.write((trx) => sweepSmallTables(trx, { endedBefore, keysBefore, goneBefore, now }));
      await repeat((trx) => sweepAudit(trx, endedBefore));
      await repeat((trx) => closeUnseen(trx, jobs, { unseenSince: goneBefore, now, limit: BATCH }));
      const heads = await repeat((trx) => sweepHeads(trx, jobs, endedBefore));
      const failures = await repeat((trx) => sweepFailures(trx, endedBefore));
      // Looked up in each transaction: GitHub may list a repository again.
      const findGone = async (trx: Trx) => ({ ids: await listGoneProjects(trx, goneBefore), limit: BATCH });
      const goneHeads = await repeat(async (trx) => eraseHeads(trx, jobs, await findGone(trx)));
      const ended = await repeat((trx) => sweepInvestigations(trx, jobs, endedBefore));
      const gone = await repeat(async (trx) => eraseProjects(trx, jobs, await findGone(trx)));
      await database.write((trx) => sweepThreads(trx, jobs, endedBefore));
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
async function sweepAudit(trx: Trx, before: string): Promise<number> {
  const oldest = await trx.selectFrom('audit').select(['seq', 'at']).orderBy('seq').limit(BATCH).execute();
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

async function sweepInvestigations(trx: Trx, jobs: Enqueuer, endedBefore: string): Promise<number> {
  const old = await trx
    .selectFrom('investigations')
    .select('id')
    .where('ended_at', '<', endedBefore)
    // Newest first: an Issue goes before the older one that its `sameAs` names.
    .orderBy('ended_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(BATCH)
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
