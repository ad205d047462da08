// What runs cost: set aside before a call, settled after it, never more than the limits together.

import type { Database } from './database.ts';
import { requireLease } from './lease.ts';
import type { Trx } from './schema.ts';
import type { AgentStore, LimitName, Reservation, Run, Settlement } from './store.ts';

export function costVerbs(database: Database): Pick<AgentStore, 'reserveMoney' | 'settleMoney'> {
  return {
    reserveMoney: (run, reservation) => database.write((trx) => reserve(trx, run, reservation)),
    settleMoney: (run, settlement) => database.write((trx) => settle(trx, run, settlement)),
  };
}

async function settle(trx: Trx, run: Run, { reserved, spent, tokens, now }: Settlement): Promise<void> {
  if (await wasTakenOver(trx, run)) return;
  // The month may have turned since the reservation: it is settled where it stands.
  const row = await trx
    .selectFrom('costs')
    .select('month')
    .where('run_id', '=', run.id)
    .where('reserved', '>=', reserved)
    .orderBy('month')
    .executeTakeFirst();
  await add(trx, run, { month: row?.month ?? now.slice(0, 7), reserved: row ? -reserved : 0, spent, tokens });
}

/**
 * Then what this generation had set aside counts as spent already, and what is set aside now is not its own. No lease is asked for: a
 * question that was cut by a cancellation is settled when its run has ended.
 */
async function wasTakenOver(trx: Trx, run: Run): Promise<boolean> {
  const row = await trx.selectFrom('runs').select('generation').where('id', '=', run.id).executeTakeFirst();
  return row !== undefined && row.generation !== run.generation;
}

/** What a generation that ended in the middle of a call had set aside counts as spent: the endpoint may have charged it. */
export async function spendReserved(trx: Trx, runId: string): Promise<void> {
  await trx
    .updateTable('costs')
    .set((expression) => ({ spent: expression('spent', '+', expression.ref('reserved')), reserved: 0 }))
    .where('run_id', '=', runId)
    .execute();
}

async function reserve(trx: Trx, run: Run, { amount, limits, now }: Reservation): Promise<LimitName | null> {
  await requireLease(trx, run);
  const month = now.slice(0, 7);
  const used: Readonly<Record<LimitName, number>> = {
    run: await ofRun(trx, run.id),
    repository: await sumOfMonth(trx, month, run.projectId),
    all: await sumOfMonth(trx, month),
  };
  const order: readonly LimitName[] = ['run', 'repository', 'all'];
  const exceeded = order.find((name) => used[name] + amount > limits[name]);
  if (exceeded !== undefined) return exceeded;
  await add(trx, run, { month, reserved: amount, spent: 0 });
  return null;
}

/** Reserved and spent money of one run: a row for each month that it reached into. */
async function ofRun(trx: Trx, runId: string): Promise<number> {
  const rows = await trx.selectFrom('costs').select(['reserved', 'spent']).where('run_id', '=', runId).execute();
  return rows.reduce((all, { reserved, spent }) => all + reserved + spent, 0);
}

/** Reserved and spent money of a month, of one project or of all. */
async function sumOfMonth(trx: Trx, month: string, projectId?: string): Promise<number> {
  let query = trx
    .selectFrom('costs')
    .select(({ fn }) => [fn.sum<number | null>('reserved').as('reserved'), fn.sum<number | null>('spent').as('spent')])
    .where('month', '=', month);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  const row = await query.executeTakeFirst();
  return Number(row?.reserved ?? 0) + Number(row?.spent ?? 0);
}

interface Added extends Pick<Settlement, 'reserved' | 'spent'> {
  readonly month: string;
  readonly tokens?: Settlement['tokens'] | undefined;
}

async function add(trx: Trx, run: Run, { month, reserved, spent, tokens }: Added): Promise<void> {
  const taken = {
    ...{ reserved, spent, turns: tokens ? 1 : 0 },
    ...{ prompt_tokens: tokens?.prompt ?? 0, cached_tokens: tokens?.cached ?? 0 },
    cache_write_tokens: tokens?.cacheWrite ?? 0,
    completion_tokens: tokens?.completion ?? 0,
  };
  await trx
    .insertInto('costs')
    .values({ run_id: run.id, month, project_id: run.projectId, ...taken })
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'month']).doUpdateSet((expression) => ({
        reserved: expression('costs.reserved', '+', taken.reserved),
        spent: expression('costs.spent', '+', taken.spent),
        turns: expression('costs.turns', '+', taken.turns),
        prompt_tokens: expression('costs.prompt_tokens', '+', taken.prompt_tokens),
        cached_tokens: expression('costs.cached_tokens', '+', taken.cached_tokens),
        cache_write_tokens: expression('costs.cache_write_tokens', '+', taken.cache_write_tokens),
        completion_tokens: expression('costs.completion_tokens', '+', taken.completion_tokens),
      })),
    )
    .execute();
}
