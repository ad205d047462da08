// What is past its retention of GitHub: deliveries, threads that nothing stands behind any more, projects that are gone.
import type { Enqueuer } from './enqueuer.ts';
import { eraseInvestigations } from './erasing.ts';
import { ON_GITHUB } from './project-rows.ts';
import type { Trx } from './schema.ts';
import { eraseHeads } from './sweep-checks.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long it is remembered that a delivery was handled, and what a project was that nobody gives us any more. */
const GONE_MS = 30 * DAY_MS;

/** One that was handled is kept so long that it is known when it comes again; one that still waits is kept for ever. */
export async function sweepDeliveries(trx: Trx, now: string): Promise<void> {
  await trx
    .deleteFrom('deliveries')
    .where('received_at', '<', goneBefore(now))
    .where('state', '!=', 'waiting')
    .execute();
}

/** Nobody will ask about them any more, and no pull request of theirs is to be followed. */
export async function sweepThreads(trx: Trx, changedBefore: string, enqueuer: Enqueuer): Promise<void> {
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
export async function sweepGoneProjects(
  trx: Trx,
  { now, limit }: { readonly now: string; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  return eraseProjects(trx, { ids: await goneProjects(trx, now), limit }, enqueuer);
}

/** Erases up to `limit` investigations of these projects, and where there are fewer the projects; returns how many. Their heads went before. */
export async function eraseProjects(
  trx: Trx,
  { ids, limit }: { readonly ids: readonly string[]; readonly limit: number },
  enqueuer: Enqueuer,
): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await trx
    .selectFrom('investigations')
    .select('id')
    .where('project_id', 'in', ids)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  await eraseInvestigations(
    trx,
    rows.map((row) => row.id),
    enqueuer,
  );
  if (rows.length < limit) await eraseEmptied(trx, ids, enqueuer);
  return rows.length;
}

/** Erases up to `limit` heads of projects hidden long ago, with their jobs; returns how many. */
export async function sweepGoneHeads(
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

async function eraseEmptied(trx: Trx, ids: readonly string[], enqueuer: Enqueuer): Promise<void> {
  const threads = await trx.deleteFrom('threads').where('project_id', 'in', ids).returning('id').execute();
  await removePublishing(trx, threads, enqueuer);
  await enqueuer.remove(trx, 'backfill', ids);
  await trx.deleteFrom('projects').where('id', 'in', ids).execute();
}

async function removePublishing(
  trx: Trx,
  threads: readonly { readonly id: string }[],
  enqueuer: Enqueuer,
): Promise<void> {
  await enqueuer.remove(
    trx,
    'publish',
    threads.map((row) => row.id),
  );
}

/** An installation is remembered as long as its projects. */
export async function sweepInstallations(trx: Trx, now: string): Promise<void> {
  await trx.deleteFrom('installations').where('removed_at', '<', goneBefore(now)).execute();
}

function goneBefore(now: string): string {
  return new Date(Date.parse(now) - GONE_MS).toISOString();
}
