// Erasing: an Issue's investigation with all that hangs on it, a project with all that is its own, or a person; runs that another caller shares stay.

import type { HeadRecord } from '../core/head.ts';
import { OPERATOR, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { eraseAccount } from './erase-account.ts';
import { headRecordColumns } from './heads.ts';
import type { Trx } from './schema.ts';
import type { ErasedProject, ErasureStore } from './store.ts';
import { recordColumns, toThread } from './threads.ts';

/** Erases investigations that have ended, their Issues and undelivered webhooks, and runs (with steps) left without any. */
export async function eraseInvestigations(trx: Trx, ids: readonly string[], enqueuer: Enqueuer): Promise<void> {
  if (ids.length === 0) return;
  await eraseWebhooks(trx, ids, enqueuer);
  await forgetHeldHeads(trx, ids);
  const issues = await trx.selectFrom('issues').select('id').where('investigation_id', 'in', ids).execute();
  // Issues go with their investigation (on delete cascade).
  const erased = await trx
    .deleteFrom('investigations')
    .where('id', 'in', ids)
    .returning(['run_id', 'thread_id'])
    .execute();
  const left = await trx
    .deleteFrom('runs')
    .where('id', 'in', [...new Set(erased.map((row) => row.run_id))])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('investigations').select('id').whereRef('investigations.run_id', '=', 'runs.id'))),
    )
    .returning('id')
    .execute();
  await enqueuer.remove(
    trx,
    'run',
    left.map((row) => row.id),
  );
  await passOn(
    trx,
    issues.map((row) => row.id),
  );
  await forgetThreads(trx, erased);
}

/** What a person wrote to a thread goes with the investigation that it asked for, as does what was made of that. */
async function forgetThreads(trx: Trx, erased: readonly { readonly thread_id: string | null }[]): Promise<void> {
  const ids = [...new Set(erased.map((row) => row.thread_id))].filter((id) => id !== null);
  if (ids.length === 0) return;
  const left = await trx
    .selectFrom('threads')
    .selectAll()
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('investigations').select('id').whereRef('investigations.id', '=', 'threads.investigation_id'),
        ),
      ),
    )
    .execute();
  for (const row of left) {
    const { trigger, record } = toThread(row);
    const forgotten = JSON.stringify({ ...trigger, guidance: '' });
    await trx
      .updateTable('threads')
      .set({ trigger_json: forgotten, ...recordColumns({ ...record, withheld: null, held: null }) })
      .where('id', '=', row.id)
      .execute();
  }
}

/** What would be shown of an erased Issue, whichever of the thread's it was: its job makes it anew. */
export async function forgetShown(trx: Trx, threadId: string, now: string): Promise<void> {
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const { record } = toThread(row);
  await trx
    .updateTable('threads')
    .set({ ...recordColumns({ ...record, held: null }), changed_at: now })
    .where('id', '=', threadId)
    .execute();
}

/** Of those that named an erased Issue as the one they were answered from, the oldest left stands for itself and for the others. */
async function passOn(trx: Trx, erased: readonly string[]): Promise<void> {
  if (erased.length === 0) return;
  const heirs = await trx
    .selectFrom('issues')
    .select((expression) => ['same_as', expression.fn.min('seq').as('seq')])
    .where('same_as', 'in', erased)
    .groupBy('same_as')
    .execute();
  for (const { same_as: gone, seq } of heirs) {
    const heir = trx.updateTable('issues').set({ same_as: null }).where('seq', '=', seq).returning('id');
    const { id } = await heir.executeTakeFirstOrThrow();
    await trx.updateTable('issues').set({ same_as: id }).where('same_as', '=', gone).execute();
  }
}

/** That a webhook was delivered may be known; where to, and how that went, may not: an address can hold a token of the caller's. */
async function eraseWebhooks(trx: Trx, investigationIds: readonly string[], enqueuer: Enqueuer): Promise<void> {
  const rows = await trx
    .updateTable('webhooks')
    .set({ url: '' })
    .where('investigation_id', 'in', investigationIds)
    .returning('id')
    .execute();
  const webhookIds = rows.map((row) => row.id);
  await enqueuer.remove(trx, 'webhook', webhookIds);
  if (webhookIds.length > 0) await trx.deleteFrom('webhook_attempts').where('webhook_id', 'in', webhookIds).execute();
  await trx
    .deleteFrom('webhooks')
    .where('investigation_id', 'in', investigationIds)
    .where('state', '!=', 'delivered')
    .execute();
}

/** Up to `limit` heads of these projects, with their jobs; returns how many. */
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

export async function removeHeadJobs(
  trx: Trx,
  heads: readonly { readonly id: string }[],
  enqueuer: Enqueuer,
): Promise<void> {
  const ids = heads.map((row) => row.id);
  await enqueuer.remove(trx, 'head', ids);
  await enqueuer.remove(trx, 'check-run', ids);
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

async function eraseEmptied(trx: Trx, ids: readonly string[], enqueuer: Enqueuer): Promise<void> {
  const threads = await trx.deleteFrom('threads').where('project_id', 'in', ids).returning('id').execute();
  await removePublishing(trx, threads, enqueuer);
  await enqueuer.remove(trx, 'backfill', ids);
  await trx.deleteFrom('projects').where('id', 'in', ids).execute();
}

export async function removePublishing(
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

/** To be called while the investigations are still there. The head's `check-run` job makes anew what is left to be shown. */
async function forgetHeldHeads(trx: Trx, investigationIds: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('heads')
    .select(['id', 'record'])
    .where('is_held', '=', 1)
    .where('id', 'in', (query) =>
      query.selectFrom('findings').select('head_id').where('investigation_id', 'in', investigationIds),
    )
    .execute();
  for (const { id, record } of rows) {
    const known: HeadRecord = JSON.parse(record);
    await trx
      .updateTable('heads')
      .set(headRecordColumns({ ...known, held: null }))
      .where('id', '=', id)
      .execute();
  }
}

/** Erased per transaction. */
export const BATCH = 200;

/** `eraseSome` erases up to BATCH and returns how many; it is called until it finds fewer. Returns how many there were. */
export async function inBatches(database: Database, eraseSome: (trx: Trx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const erased = await database.write(eraseSome);
    total += erased;
    if (erased < BATCH) return total;
  }
}

/** `forgetErased` is called after the last commit, to make what was erased unreadable on disk too. */
export function createErasureVerbs(
  database: Database,
  enqueuer: Enqueuer,
  forgetErased: () => Promise<void>,
): ErasureStore {
  return {
    async eraseAccount(loginOrNumber, now) {
      const erased = await database.write((trx) => eraseAccount(trx, loginOrNumber, { enqueuer, now }));
      if (erased !== null) await forgetErased();
      return erased;
    },
    async eraseProject(idOrName, now) {
      const found = await database.write((trx) => hideAndCount(trx, idOrName, now));
      if (found === null) return null;
      const ids = [found.id];
      const limit = BATCH;
      await inBatches(database, async (trx) => {
        await hide(trx, found.id, now);
        return eraseHeads(trx, { projectIds: ids, limit }, enqueuer);
      });
      await inBatches(database, async (trx) => {
        await hide(trx, found.id, now);
        const erased = await eraseProjects(trx, { ids, limit }, enqueuer);
        const entry = { at: now, accountId: OPERATOR, verb: 'project.erased_by_operator', subject: found.id } as const;
        if (erased < limit) await writeAudit(trx, entry);
        return erased;
      });
      await forgetErased();
      return found;
    },
  };
}

/** Hidden first: nobody hands anything in for what is being erased, and where this is cut short nobody is shown a half. */
async function hideAndCount(trx: Trx, idOrName: string, now: string): Promise<ErasedProject | null> {
  const rows = await trx
    .selectFrom('projects')
    .select(['id', 'hidden_at'])
    .where((or) => or.or([or('id', '=', idOrName), or('name_lower', '=', idOrName.toLowerCase())]))
    .orderBy('id')
    .execute();
  const row = rows.find(({ hidden_at: hiddenAt }) => hiddenAt === null) ?? rows[0];
  if (row === undefined) return null;
  await hide(trx, row.id, now);
  return {
    id: row.id,
    investigations: await countOf(trx, 'investigations', row.id),
    issues: await countOf(trx, 'issues', row.id),
    threads: await countOf(trx, 'threads', row.id),
    heads: await countOf(trx, 'heads', row.id),
    failures: await countOf(trx, 'failures', row.id),
  };
}

/** In every batch: as long as GitHub lists the repository, it may have been shown again since the last one. */
async function hide(trx: Trx, id: string, now: string): Promise<void> {
  const project = trx.updateTable('projects').set({ hidden_at: now }).where('id', '=', id);
  await project.where('hidden_at', 'is', null).execute();
}

async function countOf(
  trx: Trx,
  table: 'investigations' | 'issues' | 'threads' | 'heads' | 'failures',
  projectId: string,
): Promise<number> {
  const { count } = await trx
    .selectFrom(table)
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
