// What was asked and what it cost: of one run, and of projects by the month.

import { inChunks } from './in-chunks.ts';
import type { Reader } from './schema.ts';
import type { OverviewStore, Spending, UsageRow } from './store.ts';

type Filter = Parameters<OverviewStore['usage']>[0];

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
