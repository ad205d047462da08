// What runs cost: reserved before a call, settled after it, never more than the limits together; and the sums that
// people see.
import type { InvestigationState } from '../core/report/index.ts';
import { type Database, queryInChunks } from './database.ts';
import { type Run, requireLease } from './runs.ts';
import type { Reader, Trx } from './schema.ts';

/** Money is stored in millionths of a US dollar, so that sums are exact. */
const MICROS = 1_000_000;

export type LimitName = 'run' | 'repository' | 'all';

export interface Reservation {
  readonly amount: number;
  /** Of the run, of its project in this calendar month (UTC), of everything in this month. */
  readonly limits: Readonly<Record<LimitName, number>>;
  readonly now: string;
}

export interface Settlement {
  readonly reserved: number;
  readonly spent: number;
  /** Of the call; absent: it was not answered. */
  readonly tokens?: {
    readonly prompt: number;
    readonly cached: number;
    readonly cacheWrite?: number;
    readonly completion: number;
  };
  /** Counted once more on its own. */
  readonly isSecondLook?: boolean;
  readonly now: string;
}

/** In US dollars. */
export interface Spending {
  readonly spentUsd: number;
  /** For calls in progress. */
  readonly reservedUsd: number;
  readonly turns: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Written to the provider's cache. */
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  /** The part of second looks. */
  readonly lookUsd: number;
  readonly lookTurns: number;
}

export interface UsageRow extends Omit<Spending, 'reservedUsd'> {
  readonly projectId: string;
  /** Such as `2026-11`. */
  readonly month: string;
  /** Accepted in that month, by their state. */
  readonly investigations: Readonly<Record<InvestigationState, number>>;
}

export interface DailyCost {
  /** Such as `2026-11-20`; null: not known, because the run is gone or was a command. */
  readonly day: string | null;
  readonly spentUsd: number;
}

/** Over how many runs the mean cost is computed. */
const MOST_RUNS = 100;

export function createCostVerbs(database: Database) {
  return {
    /** Reserves money for a call before it is made. Null if it fits every limit, else the one that it exceeds. */
    reserveMoney: (run: Run, reservation: Reservation): Promise<LimitName | null> =>
      database.write((trx) => reserveMoney(trx, run, reservation)),
    /**
     * Replaces a reservation by what was spent. From an older generation it changes nothing: its reservations already
     * count as spent.
     */
    settleMoney: (run: Run, settlement: Settlement): Promise<void> =>
      database.write((trx) => settleMoney(trx, run, settlement)),
    /** US dollars spent or reserved in the calendar month (UTC): of the project, and of everything. */
    readMonthCosts: (projectId: string, now: string): Promise<{ readonly repository: number; readonly all: number }> =>
      database.read(async (reader) => {
        const month = selectSums(reader).where('month', '=', now.slice(0, 7));
        const own = toSpending(await month.where('project_id', '=', projectId).executeTakeFirst());
        const all = toSpending(await month.executeTakeFirst());
        return { repository: own.spentUsd + own.reservedUsd, all: all.spentUsd + all.reservedUsd };
      }),
    /**
     * Counts an answered question of a replay or an evaluation, which are no runs of this store, in the month's costs.
     * `projectId`: "" for none.
     */
    addCommandCost: (
      command: Pick<Run, 'id' | 'projectId'>,
      { now, ...paid }: Omit<Settlement, 'reserved'>,
    ): Promise<void> => database.write((trx) => addCosts(trx, command, now.slice(0, 7), { ...paid, reserved: 0 })),
    /** What the run's model calls have cost so far. */
    async readRunSpending(runId: string): Promise<Spending> {
      const sums = await database.read((reader) => selectSums(reader).where('run_id', '=', runId).executeTakeFirst());
      return toSpending(sums);
    },
    /**
     * One row for each project and calendar month (UTC) since then, newest month first, then in the order of the
     * projects.
     */
    readUsage: (filter: {
      readonly projectIds: readonly string[];
      readonly sinceMonth: string;
    }): Promise<readonly UsageRow[]> => database.read((reader) => readUsageRows(reader, filter)),
    /**
     * What the projects have spent together in a calendar month (UTC), by the day on which each run began; of a run
     * from an earlier month, on the first. Oldest first, what has no day before all; together it is that of `readUsage`.
     */
    readDailyCosts: (filter: {
      readonly projectIds: readonly string[];
      readonly month: string;
    }): Promise<readonly DailyCost[]> => database.read((reader) => readDailyCosts(reader, filter)),
    /** US dollars of an investigation, on average over the last 100 that used a model; null: there were none. */
    readMeanCost: (): Promise<number | null> => database.read(readMeanCost),
  };
}

async function reserveMoney(trx: Trx, run: Run, { amount, limits, now }: Reservation): Promise<LimitName | null> {
  await requireLease(trx, run);
  const month = now.slice(0, 7);
  const costs = trx
    .selectFrom('costs')
    .select(({ fn }) => [fn.sum<number | null>('reserved').as('reserved'), fn.sum<number | null>('spent').as('spent')]);
  const queries = {
    run: costs.where('run_id', '=', run.id),
    repository: costs.where('month', '=', month).where('project_id', '=', run.projectId),
    all: costs.where('month', '=', month),
  };
  for (const name of ['run', 'repository', 'all'] as const) {
    const used = await queries[name].executeTakeFirst();
    if (Number(used?.reserved ?? 0) + Number(used?.spent ?? 0) + amount > limits[name]) return name;
  }
  await addCosts(trx, run, month, { reserved: amount, spent: 0 });
  return null;
}

async function settleMoney(trx: Trx, run: Run, { now, ...settlement }: Settlement): Promise<void> {
  // No lease is required: a call that was cut off by a cancellation is settled after its run has ended.
  const stored = await trx.selectFrom('runs').select('generation').where('id', '=', run.id).executeTakeFirst();
  if (stored !== undefined && stored.generation !== run.generation) return;
  // The month may have changed since the reservation.
  const row = await trx
    .selectFrom('costs')
    .select('month')
    .where('run_id', '=', run.id)
    .where('reserved', '>=', settlement.reserved)
    .orderBy('month')
    .executeTakeFirst();
  const reserved = row ? -settlement.reserved : 0;
  await addCosts(trx, run, row?.month ?? now.slice(0, 7), { ...settlement, reserved });
}

async function addCosts(
  trx: Trx,
  run: Pick<Run, 'id' | 'projectId'>,
  month: string,
  { reserved, spent, tokens, isSecondLook = false }: Omit<Settlement, 'now'>,
): Promise<void> {
  const added = {
    reserved,
    spent,
    turns: tokens ? 1 : 0,
    prompt_tokens: tokens?.prompt ?? 0,
    cached_tokens: tokens?.cached ?? 0,
    cache_write_tokens: tokens?.cacheWrite ?? 0,
    completion_tokens: tokens?.completion ?? 0,
    look_spent: isSecondLook ? spent : 0,
    look_turns: isSecondLook && tokens ? 1 : 0,
  };
  await trx
    .insertInto('costs')
    .values({ run_id: run.id, month, project_id: run.projectId, ...added })
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'month']).doUpdateSet((expression) => ({
        reserved: expression('costs.reserved', '+', added.reserved),
        spent: expression('costs.spent', '+', added.spent),
        turns: expression('costs.turns', '+', added.turns),
        prompt_tokens: expression('costs.prompt_tokens', '+', added.prompt_tokens),
        cached_tokens: expression('costs.cached_tokens', '+', added.cached_tokens),
        cache_write_tokens: expression('costs.cache_write_tokens', '+', added.cache_write_tokens),
        completion_tokens: expression('costs.completion_tokens', '+', added.completion_tokens),
        look_spent: expression('costs.look_spent', '+', added.look_spent),
        look_turns: expression('costs.look_turns', '+', added.look_turns),
      })),
    )
    .execute();
}

/** Over no rows the sums are null. */
function selectSums(reader: Reader) {
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
      fn.sum<number | null>('look_spent').as('look_spent'),
      fn.sum<number | null>('look_turns').as('look_turns'),
    ]);
}

function toSpending(sums: Awaited<ReturnType<ReturnType<typeof selectSums>['executeTakeFirst']>>): Spending {
  return {
    spentUsd: Number(sums?.spent ?? 0) / MICROS,
    reservedUsd: Number(sums?.reserved ?? 0) / MICROS,
    turns: Number(sums?.turns ?? 0),
    promptTokens: Number(sums?.prompt_tokens ?? 0),
    cachedTokens: Number(sums?.cached_tokens ?? 0),
    cacheWriteTokens: Number(sums?.cache_write_tokens ?? 0),
    completionTokens: Number(sums?.completion_tokens ?? 0),
    lookUsd: Number(sums?.look_spent ?? 0) / MICROS,
    lookTurns: Number(sums?.look_turns ?? 0),
  };
}

const NO_INVESTIGATIONS: UsageRow['investigations'] = { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 };

async function readUsageRows(
  reader: Reader,
  { projectIds, sinceMonth }: { readonly projectIds: readonly string[]; readonly sinceMonth: string },
): Promise<readonly UsageRow[]> {
  const accepted = await queryInChunks(projectIds, (some) => countAccepted(reader, some, sinceMonth));
  const costs = await queryInChunks(projectIds, (some) =>
    selectSums(reader)
      .select(['project_id', 'month'])
      .where('project_id', 'in', some)
      .where('month', '>=', sinceMonth)
      .groupBy(['project_id', 'month'])
      .execute(),
  );
  const rows = new Map<string, UsageRow>();
  const { reservedUsd: _, ...nothing } = toSpending(undefined);
  const change = (projectId: string, month: string, changed: (row: UsageRow) => Partial<UsageRow>) => {
    const key = `${month} ${projectId}`;
    const row = rows.get(key) ?? { projectId, month, investigations: NO_INVESTIGATIONS, ...nothing };
    rows.set(key, { ...row, ...changed(row) });
  };
  for (const { project_id, month, state, count } of accepted) {
    change(project_id, month, (row) => ({ investigations: { ...row.investigations, [state]: Number(count) } }));
  }
  for (const { project_id, month, ...sums } of costs) {
    const { reservedUsd: __, ...spending } = toSpending(sums);
    change(project_id, month, () => spending);
  }
  return [...rows.values()].sort(
    (a, b) => b.month.localeCompare(a.month) || projectIds.indexOf(a.projectId) - projectIds.indexOf(b.projectId),
  );
}

async function readDailyCosts(
  reader: Reader,
  { projectIds, month }: { readonly projectIds: readonly string[]; readonly month: string },
): Promise<readonly DailyCost[]> {
  const rows = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('costs')
      .leftJoin('runs', 'runs.id', 'costs.run_id')
      .select(({ fn, lit }) => [
        fn<string | null>('substr', ['runs.created_at', lit(1), lit(10)]).as('day'),
        fn.sum<number>('costs.spent').as('spent'),
      ])
      .where('costs.month', '=', month)
      .where('costs.project_id', 'in', some)
      .where('costs.spent', '>', 0)
      .groupBy('day')
      .execute(),
  );
  const spent = new Map<string | null, number>();
  for (const row of rows) {
    const first = `${month}-01`;
    const day = row.day !== null && row.day < first ? first : row.day;
    spent.set(day, (spent.get(day) ?? 0) + Number(row.spent));
  }
  return [...spent]
    .map(([day, micros]) => ({ day, spentUsd: micros / MICROS }))
    .sort((one, other) => (one.day ?? '').localeCompare(other.day ?? ''));
}

function countAccepted(reader: Reader, projectIds: readonly string[], sinceMonth: string) {
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

async function readMeanCost(reader: Reader): Promise<number | null> {
  const newest = reader
    .selectFrom('runs')
    .select('runs.id')
    .where('runs.state', '=', 'ended')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('costs as cost').select('cost.run_id').whereRef('cost.run_id', '=', 'runs.id')),
    )
    .orderBy('runs.seq', 'desc')
    .limit(MOST_RUNS);
  const row = await reader
    .selectFrom('costs')
    .select(({ fn }) => [fn.sum<number | null>('spent').as('spent'), fn.count<number>('run_id').distinct().as('runs')])
    .where('run_id', 'in', newest)
    .executeTakeFirstOrThrow();
  const runs = Number(row.runs);
  return runs === 0 ? null : Number(row.spent) / runs / MICROS;
}
