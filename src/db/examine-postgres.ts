// Looks at a PostgreSQL database beside whoever uses it: one connection, reads only, no migration.
import { Kysely, sql } from 'kysely';
import { type Examination, examine } from './examine.ts';
import { createPool, createPostgresDialect, judgedServer, POSTGRES_TABLES } from './postgres.ts';

import { explainPostgres } from './postgres-errors.ts';

import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';

const STATEMENT_MS = 10_000;

/** Null: there is no schema in it yet. `shown` names it without its password. Throws `store_unusable`. */
export async function examinePostgres(
  { url, shown }: { readonly url: string; readonly shown: string },
  { seal, now }: { readonly seal: Seal; readonly now: () => Date },
): Promise<Examination | null> {
  const pool = createPool({ url, connections: 1, statementMs: STATEMENT_MS });
  const kysely = new Kysely<Schema>({ dialect: createPostgresDialect(pool) });
  try {
    await judgedServer(kysely, shown);
    const found = await examine(kysely, { form: POSTGRES_TABLES, seal });
    const aheadMs = await aheadOf(kysely, now);
    return found && { ...found, jobs: await jobsOf(kysely), damage: [], aheadMs, unchecked: '' };
  } catch (error) {
    throw explainPostgres(error, shown);
  } finally {
    await kysely.destroy();
  }
}

async function aheadOf(kysely: Kysely<Schema>, now: () => Date): Promise<number> {
  const asked = now().getTime();
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(kysely);
  return Math.round((rows[0]?.ms ?? asked) - (asked + now().getTime()) / 2);
}

/** Of pg-boss, in whose schema they are; the dead lie in queues of their own. */
async function jobsOf(kysely: Kysely<Schema>): Promise<Examination['jobs']> {
  const there = await sql<{ name: string | null }>`select to_regclass('causeway_jobs.job')::text as name`.execute(
    kysely,
  );
  if (!there.rows[0]?.name) return { waiting: 0, dead: 0 };
  const { rows } = await sql<{ dead: boolean; count: number }>`
    select name like '%-dead' as dead, count(*) as count from causeway_jobs.job
    where state in ('created', 'retry') group by 1`.execute(kysely);
  const count = (isDead: boolean) => rows.find(({ dead }) => dead === isDead)?.count ?? 0;
  return { waiting: count(false), dead: count(true) };
}
