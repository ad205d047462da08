// Whose turn it is on the embedded queue: people before automatic jobs, of each the organisation that has the least at work and waited longest.
import { sql } from 'kysely';
import type { JobKind, Urgency } from '../core/queue.ts';
import type { Trx } from '../db/schema.ts';
import { OVERDUE_MS } from './urgency.ts';

type Reader = Pick<Trx, 'selectFrom' | 'getExecutor'>;

interface Look {
  readonly kind: JobKind;
  /** Jobs of one group at a time. */
  readonly perGroup: number;
  /** An organisation whose jobs are left where another one is known. */
  readonly lastButFor: string | null;
  /** ISO 8601. */
  readonly now: string;
}

/** The group whose first job of that urgency is to be claimed. */
export interface Turn {
  readonly group: string;
  readonly organisation: string;
  readonly urgency: Urgency;
}

/** Null: nothing is due in a group below its limit. */
export async function nextTurn(reader: Reader, look: Look): Promise<Turn | null> {
  const overdue = new Date(Date.parse(look.now) - OVERDUE_MS).toISOString();
  const isLate = await mayPress(reader, look.kind, overdue);
  return (
    (isLate && (await firstOf(reader, look, 'automatic', overdue))) ||
    (await firstOf(reader, look, 'person', look.now)) ||
    (await firstOf(reader, look, 'automatic', look.now))
  );
}

/** Whether an automatic job is overdue, and none was claimed since. */
async function mayPress(reader: Reader, kind: JobKind, overdue: string): Promise<boolean> {
  const those = () => reader.selectFrom('job_organisations').select('kind').where('kind', '=', kind).limit(1);
  const waiting = await those().where('next_automatic_at', '<=', overdue).executeTakeFirst();
  return waiting !== undefined && !(await those().where('automatic_at', '>', overdue).executeTakeFirst());
}

/** Walks organisations in their order, and stops at the first that has a group below its limit. */
async function firstOf(reader: Reader, look: Look, urgency: Urgency, dueBy: string): Promise<Turn | null> {
  const { kind, perGroup, lastButFor } = look;
  const next = sql.ref(`next_${urgency}_at`);
  const open = sql`from job_groups as g where g.kind = o.kind and g.organisation = o.organisation
    and g.${next} <= ${dueBy} and g.running < ${perGroup}`;
  // "" is nobody's: webhooks alone do not make two of one.
  const alone = sql`not exists (select 1 from job_organisations as x where x.organisation not in (${lastButFor}, ''))`;
  const may = lastButFor === null ? sql`true` : sql`(o.organisation != ${lastButFor} or ${alone})`;
  const { rows } = await sql<Omit<Turn, 'urgency'>>`
    select o.organisation, (select g.group_key ${open} order by g.${next} limit 1) as "group"
    from job_organisations as o
    where o.kind = ${kind} and o.${next} <= ${dueBy} and ${may} and exists (select 1 ${open})
    order by o.running, o.turn, o.${next} limit 1`.execute(reader as Trx);
  return rows[0] ? { ...rows[0], urgency } : null;
}

/** What a claim leaves behind for the next one. */
export async function noteTurn(trx: Trx, kind: JobKind, { organisation, urgency }: Turn, now: string): Promise<void> {
  const last = await trx
    .selectFrom('job_organisations')
    .select('turn')
    .where('kind', '=', kind)
    .orderBy('turn', 'desc')
    .limit(1)
    .executeTakeFirst();
  await trx
    .updateTable('job_organisations')
    .set({ turn: (last?.turn ?? 0) + 1, ...(urgency === 'automatic' && { automatic_at: now }) })
    .where('kind', '=', kind)
    .where('organisation', '=', organisation)
    .execute();
}
