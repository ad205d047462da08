// One row per group with work, and one per organisation: how many of their jobs run, and when the next is due. A claim reads these
// few rows instead of the queue: behind 10,000 jobs of a group that is at its limit it still costs some index look-ups.
import { sql } from 'kysely';
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Trx } from '../db/schema.ts';
import { earlier } from './earlier.ts';

interface Group {
  readonly organisation: string;
  readonly running: number;
  readonly next_at: string | null;
}

/** Brings the rows of a group and of its organisation up to date; to be called in every transaction that changes a job of the group. */
export async function refreshGroup(trx: Trx, kind: JobKind, group: string): Promise<void> {
  const row = () => trx.selectFrom('job_groups').where('kind', '=', kind).where('group_key', '=', group);
  const before = await row().select('organisation').executeTakeFirst();
  const after = await writeGroup(trx, kind, group);
  if (after.running === 0 && after.next_at === null) {
    await trx.deleteFrom('job_groups').where('kind', '=', kind).where('group_key', '=', group).execute();
  }
  await refreshOrganisation(trx, kind, after.organisation);
  // A repository that was handed on takes its group with it.
  if (before && before.organisation !== after.organisation) await refreshOrganisation(trx, kind, before.organisation);
}

const groupRow = (trx: Trx, kind: JobKind, group: string) =>
  trx.selectFrom('job_groups').selectAll().where('kind', '=', kind).where('group_key', '=', group).execute();
const organisationRow = (trx: Trx, kind: JobKind, organisation: string) =>
  trx
    .selectFrom('job_organisations')
    .selectAll()
    .where('kind', '=', kind)
    .where('organisation', '=', organisation)
    .execute();

/**
 * The same where all that has changed is one job more that waits: no job is read, and nothing is written where another job of the group
 * comes first, which is every time while there is a queue. False, and nothing is written, where the group was another organisation's until now.
 */
export async function addToGroup(trx: Trx, job: NewJob): Promise<boolean> {
  const { kind, group, organisation, runAt, urgency } = job;
  const [there] = await groupRow(trx, kind, group);
  if (there !== undefined && there.organisation !== organisation) return false;
  const own = `next_${urgency}_at` as const;
  // Its organisation knows of that one as well.
  if (there?.[own] && there[own] <= runAt) return true;
  const next = { next_at: earlier(runAt, there?.next_at ?? null), [own]: runAt };
  const row = { kind, group_key: group, organisation, running: there?.running ?? 0, ...next };
  await trx
    .insertInto('job_groups')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'group_key']).doUpdateSet(row))
    .execute();
  await addToOrganisation(trx, job);
  return true;
}

async function addToOrganisation(trx: Trx, { kind, organisation, runAt, urgency }: NewJob): Promise<void> {
  const [there] = await organisationRow(trx, kind, organisation);
  const own = `next_${urgency}_at` as const;
  if (there?.[own] && there[own] <= runAt) return;
  const row = { kind, organisation, running: there?.running ?? 0, turn: there?.turn ?? 0, [own]: runAt };
  await trx
    .insertInto('job_organisations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'organisation']).doUpdateSet(row))
    .execute();
}

/** Of 100,000 jobs in the group only the heads are read. */
async function writeGroup(trx: Trx, kind: JobKind, group: string): Promise<Group> {
  const jobs = sql`from jobs where kind = ${kind} and group_key = ${group}`;
  const head = (urgency: string) =>
    sql`(select run_at, organisation ${jobs} and state = 'waiting' and urgency = ${urgency} order by run_at, seq limit 1)`;
  const { rows } = await sql<Group>`
    insert into job_groups (kind, group_key, organisation, running, next_at, next_person_at, next_automatic_at)
    select ${kind}, ${group}, coalesce(person.organisation, automatic.organisation, working.organisation, ''), working.running,
      case when automatic.run_at < person.run_at or person.run_at is null then automatic.run_at else person.run_at end,
      person.run_at, automatic.run_at
    from (select count(*) as running, max(organisation) as organisation ${jobs} and state = 'running') as working
    left join ${head('person')} as person on true
    left join ${head('automatic')} as automatic on true
    where true
    on conflict (kind, group_key) do update set organisation = excluded.organisation, running = excluded.running,
      next_at = excluded.next_at, next_person_at = excluded.next_person_at, next_automatic_at = excluded.next_automatic_at
    returning organisation, running, next_at`.execute(trx);
  const [written] = rows;
  if (!written) throw new Error('the row of a group was not written');
  return written;
}

/** The number of its turn stays, also while it has no work: whoever sends one job after the other would else be new each time. */
async function refreshOrganisation(trx: Trx, kind: JobKind, organisation: string): Promise<void> {
  const groups = sql`from job_groups where kind = ${kind} and organisation = ${organisation}`;
  await sql`
    insert into job_organisations (kind, organisation, running, turn, next_person_at, next_automatic_at)
    select ${kind}, ${organisation}, (select coalesce(sum(running), 0) ${groups} and running > 0), 0,
      (select min(next_person_at) ${groups} and next_person_at is not null),
      (select min(next_automatic_at) ${groups} and next_automatic_at is not null)
    where true
    on conflict (kind, organisation) do update set running = excluded.running,
      next_person_at = excluded.next_person_at, next_automatic_at = excluded.next_automatic_at`.execute(trx);
}

/** Makes all rows anew from the jobs; turns are counted from the beginning. */
export async function rebuildGroups(trx: Trx): Promise<void> {
  const first = (urgency: string) => sql`min(case when state = 'waiting' and urgency = ${urgency} then run_at end)`;
  const owner = (urgency: string) =>
    sql`(select h.organisation from jobs as h where h.kind = jobs.kind and h.group_key = jobs.group_key
      and h.state = 'waiting' and h.urgency = ${urgency} order by h.run_at, h.seq limit 1)`;
  await trx.deleteFrom('job_groups').execute();
  await sql`
    insert into job_groups (kind, group_key, organisation, running, next_at, next_person_at, next_automatic_at)
    select kind, group_key,
      coalesce(${owner('person')}, ${owner('automatic')}, max(case when state = 'running' then organisation end), ''),
      sum(case when state = 'running' then 1 else 0 end),
      min(case when state = 'waiting' then run_at end), ${first('person')}, ${first('automatic')}
    from jobs where state != 'dead' group by kind, group_key`.execute(trx);
  await trx.deleteFrom('job_organisations').execute();
  await sql`
    insert into job_organisations (kind, organisation, running, turn, next_person_at, next_automatic_at)
    select kind, organisation, sum(running), 0, min(next_person_at), min(next_automatic_at)
    from job_groups group by kind, organisation`.execute(trx);
}
