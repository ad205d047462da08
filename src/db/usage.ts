// What runs cost: set aside before a call, settled after it, never more than the limits together; and summed for people.

import type { Database } from './database.ts';
import { inChunks } from './in-chunks.ts';
import { requireLease } from './runs.ts';
import type { Reader, Trx } from './schema.ts';
import type {
  AgentStore,
  LimitName,
  OverviewStore,
  Reservation,
  Run,
  Settlement,
  Spending,
  UsageRow,
} from './store.ts';

type Filter = Parameters<OverviewStore['readUsage']>[0];

const MICROS = 1_000_000;

/** All nought where it has made no call. */
export async function runSpending(reader: Reader, runId: string): Promise<Spending> {
  return spendingFrom(await sums(reader).where('run_id', '=', runId).executeTakeFirst());
}

/** Sums of the rows that a caller narrows; over none, they are null. */
function sums(reader: Reader) {
  return reader
    .selectFrom('costs')
    .select(({ fn }) => [
      fn.sum<number | null>('spent').as('spent'),
      fn.sum<number | null>('reserved').as('reserved'),
      fn.sum<number | null>('turns').as('turns'),
      fn.sum<number | null>('prompt_tokens').as('prompt_tokens'),
      fn.sum<number | null>('cached_tokens').as('cached_tokens'),
      fn.sum<number | null>('cache_write_tokens').as('cache_write_tokens'),
      fn.sum<number | null>('completion_tokens').as('completion_tokens'),
    ]);
}

type Sums = Awaited<ReturnType<ReturnType<typeof sums>['execute']>>[number];

function spendingFrom(row: Sums | undefined): Spending {
  return {
    spentUsd: Number(row?.spent ?? 0) / MICROS,
    reservedUsd: Number(row?.reserved ?? 0) / MICROS,
    turns: Number(row?.turns ?? 0),
    promptTokens: Number(row?.prompt_tokens ?? 0),
    cachedTokens: Number(row?.cached_tokens ?? 0),
    cacheWriteTokens: Number(row?.cache_write_tokens ?? 0),
    completionTokens: Number(row?.completion_tokens ?? 0),
  };
}

const NO_INVESTIGATIONS: UsageRow['investigations'] = { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 };

/** Within a month in the order in which the projects were named. */
export async function usage(reader: Reader, { projectIds, sinceMonth }: Filter): Promise<readonly UsageRow[]> {
  const accepted = await inChunks(projectIds, (some) => acceptedOf(reader, some, sinceMonth));
  const costs = await inChunks(projectIds, (some) => costsOf(reader, some, sinceMonth));
  const rows = new Map<string, UsageRow>();
  const note = (projectId: string, month: string, part: (row: UsageRow) => Partial<UsageRow>) => {
    const key = `${month} ${projectId}`;
    const row = rows.get(key) ?? emptyRow(projectId, month);
    rows.set(key, { ...row, ...part(row) });
  };
  for (const { project_id: projectId, month, state, count } of accepted) {
    note(projectId, month, ({ investigations }) => ({ investigations: { ...investigations, [state]: Number(count) } }));
  }
  for (const { project_id: projectId, month, ...row } of costs) {
    const { reservedUsd: _, ...spending } = spendingFrom(row);
    note(projectId, month, () => spending);
  }
  const place = new Map(projectIds.map((id, index) => [id, index]));
  const placeOf = ({ projectId }: UsageRow) => place.get(projectId) ?? 0;
  return [...rows.values()].sort((a, b) => b.month.localeCompare(a.month) || placeOf(a) - placeOf(b));
}

function emptyRow(projectId: string, month: string): UsageRow {
  const { reservedUsd: _, ...spending } = spendingFrom(undefined);
  return { projectId, month, investigations: NO_INVESTIGATIONS, ...spending };
}

/** A month as ISO times begin with it sorts before all of them. */
function acceptedOf(reader: Reader, projectIds: readonly string[], sinceMonth: string) {
  return reader
    .selectFrom('investigations')
    .select(({ fn, lit }) => [
      'project_id',
      'state',
      fn<string>('substr', ['created_at', lit(1), lit(7)]).as('month'),
      fn.countAll<number>().as('count'),
    ])
    .where('project_id', 'in', projectIds)
    .where('created_at', '>=', sinceMonth)
    .groupBy(['project_id', 'month', 'state'])
    .execute();
}

function costsOf(reader: Reader, projectIds: readonly string[], sinceMonth: string) {
  return sums(reader)
    .select(['project_id', 'month'])
    .where('project_id', 'in', projectIds)
    .where('month', '>=', sinceMonth)
    .groupBy(['project_id', 'month'])
    .execute();
}

export function createCostVerbs(database: Database): Pick<AgentStore, 'reserveMoney' | 'settleMoney'> {
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
