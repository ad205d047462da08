// What the doctor asks of a database, whichever engine it is: its schema, whether the key opens its secrets, what was given up. Reads only.
import type { Hold } from '../core/holds.ts';
import { secretPurpose } from './accounts.ts';
import { migrationsFor, readAppliedMigrations } from './migrate.ts';
import type { TableForm } from './migrations/table-form.ts';
import type { Reader } from './schema.ts';
import type { Seal } from './seal.ts';

export interface Examination {
  /** Migrations that this version has and the database has not: the next start makes them. */
  readonly missing: readonly string[];
  /** Migrations that this version does not know: a newer one made them. */
  readonly newer: readonly string[];
  /** Whether the key opens a secret that is stored; null: none is stored. */
  readonly isKeyRight: boolean | null;
  /** By the mark that holds every process over the database. */
  readonly isPaused: boolean;
  /** Jobs that wait, and those given up after their last try. */
  readonly jobs: { readonly waiting: number; readonly dead: number };
  /** What is damaged, in the engine's words; at most ten lines. */
  readonly damage: readonly string[];
  /** Milliseconds by which the database's clock is ahead of this machine's; 0 where it is the same one. */
  readonly aheadMs: number;
  /** What was not looked at, in words; "" for nothing. */
  readonly unchecked: string;
}

/** Null: there is no schema yet. */
export async function examine(
  kysely: Reader,
  { form, seal }: { readonly form: TableForm; readonly seal: Seal },
): Promise<Omit<Examination, 'damage' | 'aheadMs' | 'unchecked'> | null> {
  const applied = await readAppliedMigrations(kysely, form);
  if (applied.length === 0) return null;
  const known = Object.keys(migrationsFor(form));
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  // Of a schema that is not whole nothing more can be asked in one way.
  if (missing.length > 0) {
    return { missing, newer, isKeyRight: null, isPaused: false, jobs: { waiting: 0, dead: 0 } };
  }
  return {
    missing,
    newer,
    isKeyRight: await opens(kysely, seal),
    isPaused: await isPausedForAll(kysely),
    jobs: await jobsOf(kysely),
  };
}

async function opens(kysely: Reader, seal: Seal): Promise<boolean | null> {
  const newest = kysely.selectFrom('signing_secrets').select(['account_id', 'secret']).orderBy('seq', 'desc').limit(1);
  const row = await newest.executeTakeFirst();
  if (!row) return null;
  try {
    seal.open(row.secret, secretPurpose(row.account_id));
    return true;
  } catch {
    return false;
  }
}

async function isPausedForAll(kysely: Reader): Promise<boolean> {
  const mark = kysely.selectFrom('service_marks').select('name').where('name', '=', 'paused');
  return (await mark.executeTakeFirst()) !== undefined;
}

async function jobsOf(kysely: Reader): Promise<Examination['jobs']> {
  const rows = await kysely
    .selectFrom('jobs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const count = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { waiting: count('waiting'), dead: count('dead') };
}
