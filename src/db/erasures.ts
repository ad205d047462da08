// What an operator has erased at somebody's request: an account, or a project with all that is its own.

import { OPERATOR, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { eraseAccount } from './erase-account.ts';
import { BATCH, inBatches } from './in-batches.ts';
import type { Trx } from './schema.ts';
import type { ErasedProject, ErasureStore } from './store.ts';
import { eraseHeads } from './sweep-checks.ts';
import { eraseProjects } from './sweep-github.ts';

/** `forgetErased` is called after the last commit, to make what was erased unreadable on disk too. */
export function erasureVerbs(database: Database, enqueuer: Enqueuer, forgetErased: () => Promise<void>): ErasureStore {
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
