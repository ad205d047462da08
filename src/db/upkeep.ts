// Upkeep: does the database answer, and what is past its retention.

import { closeUnseen } from './closing-failures.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { eraseInvestigations } from './erasing.ts';
import { BATCH, inBatches } from './in-batches.ts';
import type { Trx } from './schema.ts';
import { sweepSessions } from './sessions.ts';
import type { Store } from './store.ts';
import { sweepFailures, sweepHeads, sweepSightings } from './sweep-checks.ts';
import {
  sweepDeliveries,
  sweepGoneHeads,
  sweepGoneProjects,
  sweepInstallations,
  sweepThreads,
} from './sweep-github.ts';
import { sweepSignIns } from './use-once.ts';

/** A failure that nobody has seen for so long is open no more: its check may have been renamed or taken away. */
const UNSEEN_MS = 30 * 24 * 60 * 60 * 1_000;

type Limits = Parameters<Store['sweep']>[0];

/** `forgetErased` is called after the last commit, to make what was erased unreadable on disk too. */
export function upkeepVerbs(
  database: Database,
  enqueuer: Enqueuer,
  forgetErased: () => Promise<void>,
): Pick<Store, 'check' | 'sweep'> {
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
    async check() {
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
