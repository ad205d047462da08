// Of which kinds a job is due: one look for all of them, where a claim of each would look three times and mostly find nothing.
import { sql } from 'kysely';
import type { JobKind } from '../core/queue.ts';
import type { Database } from '../db/database.ts';
import type { Trx } from '../db/schema.ts';

/**
 * In the order of `kinds`; `now`: ISO 8601. Whether a group is at its limit is not looked at. A worker looks after every commit: with a claim of
 * every kind each time, one claim in fifteen found a job, and claiming was a quarter of the processor time of a service that worked on red checks.
 */
export async function dueKinds(
  database: Database,
  kinds: readonly JobKind[],
  now: string,
): Promise<readonly JobKind[]> {
  const names = sql.join(
    kinds.map((kind) => sql`select ${kind} as kind`),
    sql` union all `,
  );
  const due = (moment: string) =>
    sql`exists (select 1 from job_organisations as o where o.kind = k.kind and o.${sql.ref(moment)} <= ${now})`;
  const { rows } = await database.read((reader) =>
    sql<{ readonly kind: JobKind }>`
      select k.kind from (${names}) as k where ${due('next_person_at')} or ${due('next_automatic_at')}`.execute(
      reader as Trx,
    ),
  );
  const found = new Set(rows.map(({ kind }) => kind));
  return kinds.filter((kind) => found.has(kind));
}
