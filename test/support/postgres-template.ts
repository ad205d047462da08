// The database that tests copy instead of migrating one each.

import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { openBoss } from '../../src/queue/open-boss.ts';

/** Brings an empty database to the schema of today, and leaves nobody connected to it. */
export async function fillTemplate(url: string): Promise<void> {
  await using boss = await openBoss({ url, log: createLog({ level: 'silent' }) });
  await using _store = await openPostgresStore({ url, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: boss.jobs });
}
