// What is past its retention of checks: heads with their excerpts, failures with their headlines, single sightings and greens.
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';

/** Up to `limit` heads that did not change since then, with their jobs; returns how many. */
export async function sweepHeads(
  trx: Trx,
  { changedBefore, limit }: { readonly changedBefore: string; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  const old = trx.selectFrom('heads').select('seq').where('changed_at', '<', changedBefore).limit(limit);
  const swept = await trx.deleteFrom('heads').where('seq', 'in', old).returning('id').execute();
  await removeHeadJobs(trx, swept, enqueuer);
  return swept.length;
}

/** Up to `limit` heads of these projects, likewise. */
export async function eraseHeads(
  trx: Trx,
  { projectIds, limit }: { readonly projectIds: readonly string[]; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  const some = trx.selectFrom('heads').select('seq').where('project_id', 'in', projectIds).limit(limit);
  const erased = await trx.deleteFrom('heads').where('seq', 'in', some).returning('id').execute();
  await removeHeadJobs(trx, erased, enqueuer);
  return erased.length;
}

async function removeHeadJobs(trx: Trx, heads: readonly { readonly id: string }[], enqueuer: Enqueuer): Promise<void> {
  const ids = heads.map((row) => row.id);
  await enqueuer.remove(trx, 'head', ids);
  await enqueuer.remove(trx, 'check-run', ids);
}

/** Up to `limit` failures that were closed, or seen for the last time, before then. Returns how many. */
export async function sweepFailures(
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
export async function sweepSightings(trx: Trx, before: string): Promise<void> {
  await trx.deleteFrom('sightings').where('seen_at', '<', before).execute();
  await trx.deleteFrom('passing_checks').where('passed_at', '<', before).execute();
}
