// Retention: what is past its time is erased in batches; and whether the database answers.
import { sweepSessions, sweepSignIns } from './accounts.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import {
  BATCH,
  eraseHeads,
  eraseInvestigations,
  eraseProjects,
  inBatches,
  removeHeadJobs,
  removePublishing,
} from './erase.ts';
import { closeUnseen } from './failures.ts';
import { ON_GITHUB } from './projects.ts';
import type { Trx } from './schema.ts';
import type { Store } from './store.ts';

/** A failure that nobody has seen for so long is open no more: its check may have been renamed or taken away. */
const UNSEEN_MS = 30 * 24 * 60 * 60 * 1_000;

type Limits = Parameters<Store['sweep']>[0];

/** `forgetErased` is called after the last commit, to make what was erased unreadable on disk too. */
export function createRetentionVerbs(
  database: Database,
  enqueuer: Enqueuer,
  forgetErased: () => Promise<void>,
): Pick<Store, 'checkWritable' | 'sweep'> {
  async function sweepChecks({ endedBefore, now }: Limits): Promise<number> {
    const of = { changedBefore: endedBefore, seenBefore: endedBefore, now, limit: BATCH };
    const unseenSince = new Date(Date.parse(now) - UNSEEN_MS).toISOString();
    await inBatches(database, (trx) => closeUnseen(trx, { ...of, unseenSince }));
    return (
      (await inBatches(database, (trx) => sweepHeads(trx, of, enqueuer))) +
      (await inBatches(database, (trx) => sweepGoneHeads(trx, of, enqueuer))) +
      (await inBatches(database, (trx) => sweepFailures(trx, of)))
    );
  }
  return {
    async checkWritable() {
      // A row that really changes: only that reaches the disk.
      await database.write((trx) =>
        trx
          .insertInto('health_checks')
          .values({ id: 1, count: 1 })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((expression) => ({ count: expression('health_checks.count', '+', 1) })),
          )
          .execute(),
      );
    },
    async sweep(limits) {
      await database.write((trx) => sweepRest(trx, limits));
      await inBatches(database, (trx) => sweepAudit(trx, limits));
      const checks = await sweepChecks(limits);
      const total =
        (await inBatches(database, (trx) => sweepInvestigations(trx, limits, enqueuer))) +
        (await inBatches(database, (trx) => sweepGoneProjects(trx, { now: limits.now, limit: BATCH }, enqueuer)));
      await database.write((trx) => sweepThreads(trx, limits.endedBefore, enqueuer));
      if (total + checks > 0) await forgetErased();
      return total;
    },
  };
}

async function sweepInvestigations(trx: Trx, { endedBefore }: Limits, enqueuer: Enqueuer): Promise<number> {
  const old = await trx
    .selectFrom('investigations')
    .select('id')
    .where('ended_at', '<', endedBefore)
    // The newest first: an Issue goes before the older one that it names, which then has nobody to pass anything on to.
    .orderBy('ended_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(BATCH)
    .execute();
  await eraseInvestigations(
    trx,
    old.map((row) => row.id),
    enqueuer,
  );
  return old.length;
}

/** From its beginning, in the order in which entries came: nothing else of the log is read. */
async function sweepAudit(trx: Trx, { endedBefore }: Limits): Promise<number> {
  const oldest = await trx.selectFrom('audit').select(['seq', 'at']).orderBy('seq').limit(BATCH).execute();
  const past = oldest.filter(({ at }) => at < endedBefore).map(({ seq }) => seq);
  if (past.length > 0) await trx.deleteFrom('audit').where('seq', 'in', past).execute();
  return past.length;
}

async function sweepRest(trx: Trx, { endedBefore, keysBefore, now }: Limits): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('created_at', '<', keysBefore).execute();
  await trx.deleteFrom('webhooks').where('created_at', '<', endedBefore).where('state', '=', 'delivered').execute();
  await sweepSightings(trx, endedBefore);
  await sweepDeliveries(trx, now);
  await sweepInstallations(trx, now);
  await sweepSessions(trx, now);
  await sweepSignIns(trx, now);
}

/** Up to `limit` heads that did not change since then, with their jobs; returns how many. */
async function sweepHeads(
  trx: Trx,
  { changedBefore, limit }: { readonly changedBefore: string; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  const old = trx.selectFrom('heads').select('seq').where('changed_at', '<', changedBefore).limit(limit);
  const swept = await trx.deleteFrom('heads').where('seq', 'in', old).returning('id').execute();
  await removeHeadJobs(trx, swept, enqueuer);
  return swept.length;
}

/** Up to `limit` failures that were closed, or seen for the last time, before then. Returns how many. */
async function sweepFailures(
  trx: Trx,
  { seenBefore, limit }: { readonly seenBefore: string; readonly limit: number },
): Promise<number> {
  const old = trx
    .selectFrom('failures')
    .select('seq')
    .where(({ or, and, eb }) =>
      or([eb('last_seen_at', '<', seenBefore), and([eb('state', '=', 'closed'), eb('closed_at', '<', seenBefore)])]),
    )
    .limit(limit);
  const swept = await trx.deleteFrom('failures').where('seq', 'in', old).returning('id').execute();
  return swept.length;
}

/** Of failures that go on, what is counted is kept; the single sightings and greens of long ago decide nothing. */
async function sweepSightings(trx: Trx, before: string): Promise<void> {
  await trx.deleteFrom('sightings').where('seen_at', '<', before).execute();
  await trx.deleteFrom('passing_checks').where('passed_at', '<', before).execute();
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long it is remembered that a delivery was handled, and what a project was that nobody gives us any more. */
const GONE_MS = 30 * DAY_MS;

/** One that was handled is kept so long that it is known when it comes again; one that still waits is kept for ever. */
async function sweepDeliveries(trx: Trx, now: string): Promise<void> {
  await trx
    .deleteFrom('deliveries')
    .where('received_at', '<', goneBefore(now))
    .where('state', '!=', 'waiting')
    .execute();
}

/** Nobody will ask about them any more, and no pull request of theirs is to be followed. */
async function sweepThreads(trx: Trx, changedBefore: string, enqueuer: Enqueuer): Promise<void> {
  const swept = await trx
    .deleteFrom('threads')
    .where('changed_at', '<', changedBefore)
    .where('pull_request_open', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('investigations').select('id').whereRef('investigations.thread_id', '=', 'threads.id'))),
    )
    .returning('id')
    .execute();
  await removePublishing(trx, swept, enqueuer);
}

/** Erases up to `limit` investigations of projects hidden long ago, in whatever state they are; returns how many. */
async function sweepGoneProjects(
  trx: Trx,
  { now, limit }: { readonly now: string; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  return eraseProjects(trx, { ids: await goneProjects(trx, now), limit }, enqueuer);
}

/** Erases up to `limit` heads of projects hidden long ago, with their jobs; returns how many. */
async function sweepGoneHeads(
  trx: Trx,
  { now, limit }: { readonly now: string; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  const gone = await goneProjects(trx, now);
  return gone.length === 0 ? 0 : eraseHeads(trx, { projectIds: gone, limit }, enqueuer);
}

async function goneProjects(trx: Trx, now: string): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('projects')
    .select('id')
    .where('place', 'like', ON_GITHUB)
    .where('hidden_at', '<', goneBefore(now))
    .execute();
  return rows.map((row) => row.id);
}

/** An installation is remembered as long as its projects. */
async function sweepInstallations(trx: Trx, now: string): Promise<void> {
  await trx.deleteFrom('installations').where('removed_at', '<', goneBefore(now)).execute();
}

function goneBefore(now: string): string {
  return new Date(Date.parse(now) - GONE_MS).toISOString();
}
