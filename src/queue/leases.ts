// Leases: which claims still hold, prolonging them, and freeing the jobs of workers that are gone.
import type { Database } from '../db/database.ts';
import type { Trx } from '../db/schema.ts';
import { type Claim, FREE } from './claims.ts';
import { rebuildGroups, refreshGroup } from './job-groups.ts';
import type { LostClaim } from './job-source.ts';
import { RUNNING } from './running.ts';

/** Those of the claims that are worth nothing any more. */
export async function lostAmong(database: Database, held: readonly Claim[]): Promise<readonly LostClaim[]> {
  if (held.length === 0) return [];
  const ids = held.map((claim) => claim.id);
  const rows = await database.read((reader) =>
    reader.selectFrom('jobs').select(['id', 'generation', 'state']).where('id', 'in', ids).execute(),
  );
  const states = new Map(rows.map((row) => [row.id, row]));
  return held.flatMap((claim) => {
    const row = states.get(claim.id);
    if (row?.state === 'running' && row.generation === claim.generation) return [];
    return [{ claim, removed: row === undefined }];
  });
}

/** Prolongs the leases of an owner's jobs. */
export async function renew(
  database: Database,
  held: readonly Claim[],
  lease: { readonly owner: string; readonly leaseUntil: string },
): Promise<void> {
  if (held.length === 0) return;
  await database.write((trx) =>
    trx
      .updateTable('jobs')
      .set({ lease_until: lease.leaseUntil })
      .where(
        'id',
        'in',
        held.map((claim) => claim.id),
      )
      .where('owner', '=', lease.owner)
      .where('state', '=', 'running')
      .execute(),
  );
}

/** Makes every running job claimable at once, in its old place: right only where no other process can hold one. */
export function freeAll(database: Database): Promise<void> {
  return database.write(async (trx) => {
    await trx
      .updateTable('jobs')
      .set({ state: 'waiting', ...FREE })
      .where(RUNNING)
      .execute();
    await rebuildGroups(trx);
  });
}

/** Makes jobs claimable whose lease has run out, except those held here (a stopped clock is no lost lease). */
export async function freeExpired(database: Database, now: string, held: readonly Claim[]): Promise<void> {
  const expired = (reader: Pick<Trx, 'selectFrom'>) =>
    reader
      .selectFrom('jobs')
      .select(['seq', 'kind', 'group_key'])
      .where(RUNNING)
      .where('lease_until', '<', now)
      .where('id', 'not in', ['', ...held.map((claim) => claim.id)]);
  if ((await database.read((reader) => expired(reader).execute())).length === 0) return;
  await database.write(async (trx) => {
    for (const { seq, kind, group_key: group } of await expired(trx).execute()) {
      await trx
        .updateTable('jobs')
        .set({ state: 'waiting', owner: null, lease_until: null })
        .where('seq', '=', seq)
        .execute();
      await refreshGroup(trx, kind, group);
    }
  });
}
