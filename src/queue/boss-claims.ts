// The statements by which jobs of pg-boss are claimed: people's first, and organisations by turns.
import { SUSPECT_ENDS } from './suspects.ts';

/** Ends of its process in which the job had a part: pg-boss counts claims, and `data` those of them that ended otherwise. */
export const ENDS = `case when j.started_on is null then 0
  else j.retry_count + 1 - (j.data->>'base')::int - (j.data->>'failures')::int end`;

const ORGANISATION = `coalesce(j.group_tier, '')`;

/** What pg-boss's schema is given besides: an index whose parts are the order of a claim, and whose turn it was last. */
export function turnAdditions(schema: string): readonly { readonly name: string; readonly create: string }[] {
  return [
    {
      name: `${schema}.causeway_order`,
      create: `create index causeway_order on ${schema}.job_common (name, coalesce(group_tier, ''), priority, start_after, id) where state < 'active'`,
    },
    {
      name: `${schema}.causeway_turns`,
      create: `create table ${schema}.causeway_turns (kind text not null, organisation text not null, turn bigint not null,
        automatic_at timestamptz, claimed_at timestamptz not null, primary key (kind, organisation))`,
    },
  ];
}

/** An organisation that had no work for a day is as good as new. */
export function forgetTurns(schema: string): string {
  return `delete from ${schema}.causeway_turns where claimed_at < ${schema}.job_now() - interval '1 day'`;
}

/**
 * pg-boss's own fetch lets more of one group run than its limit where two processes fetch at once (eight instead of one, in a trial with
 * nine fetches), so that this runs behind a lock a kind; and it takes no account of when a job was due, nor of whose it is. People's jobs
 * come first; of each urgency the next of the organisation that has the least at work, then of the one whose last turn is longest ago.
 * `$1` kind, `$2` jobs of one group at a time, `$3` now, `$4` how many, `$5` what this worker still runs, though its lease ran out. `$6`:
 * 0, or only an automatic job that has been due for so many milliseconds, where none was claimed for as long. `$7`: null, or the organisation
 * whose jobs are left where another one is known ("" is nobody's: webhooks alone do not make two of one).
 */
export function claimStatement(schema: string): string {
  const { table, running, now } = parts(schema);
  const waiting = `j.name = $1 and j.state < 'active'`;
  return `
    with recursive at_work as materialized (
      select j.group_id, ${ORGANISATION} as organisation, count(*) as running from ${table} j where ${running} group by 1, 2
    ), groups as materialized (select group_id, sum(running) as running from at_work group by 1), organisations (organisation) as (
      (select ${ORGANISATION} from ${table} j where ${waiting} order by ${ORGANISATION} limit 1)
      union all
      select (select ${ORGANISATION} from ${table} j where ${waiting} and ${ORGANISATION} > o.organisation order by ${ORGANISATION} limit 1)
      from organisations o where o.organisation is not null
    ), due as materialized (
      select o.organisation, u.priority, j.* from organisations o
      cross join (
        select u.priority from (values (0), (-1)) as u (priority)
        where $6::int = 0 or (u.priority < 0 and not exists (select 1 from ${schema}.causeway_turns t
          where t.kind = $1 and t.automatic_at > ${now} - $6::int * interval '1 ms'))
      ) u
      cross join lateral (
        select j.id, j.group_id, j.start_after from ${table} j
        where ${waiting} and ${ORGANISATION} = o.organisation and j.priority = u.priority
          and j.start_after <= ${now} - $6::int * interval '1 ms'
          and j.group_id not in (select group_id from groups where running >= $2::int) and ${ENDS} < ${SUSPECT_ENDS} and j.id <> all($5::uuid[])
        order by j.start_after, j.id limit $4::int
      ) j where o.organisation is not null and ($7::text is null or o.organisation <> $7 or not exists (
        select 1 from ${schema}.causeway_turns t where t.organisation not in ($7, '') and t.claimed_at > ${now} - interval '1 day'))
    ), in_groups as (
      select due.*, row_number() over (partition by due.group_id order by due.priority desc, due.start_after, due.id)
        + coalesce(g.running, 0) as in_group
      from due left join groups g on g.group_id = due.group_id
    ), loads as (
      select i.*, coalesce(t.turn, 0) as turn, coalesce(b.running, 0)
        + row_number() over (partition by i.organisation order by i.priority desc, i.start_after, i.id) as load
      from in_groups i left join ${schema}.causeway_turns t on t.kind = $1 and t.organisation = i.organisation
      left join (select organisation, sum(running) as running from at_work group by 1) b on b.organisation = i.organisation
      where i.in_group <= $2::int
    ), next as (
      select id, row_number() over (order by priority desc, load, turn, start_after, id) as place from loads order by place limit $4::int
    ), ranked as (
      select j.id, next.place from ${table} j join next on next.id = j.id where ${waiting} for update of j skip locked
    ), taken as (${take(schema, 'true')}), noted as (
      insert into ${schema}.causeway_turns as t (kind, organisation, turn, automatic_at, claimed_at)
      select $1, taken.organisation, max(taken.place) + (select coalesce(max(turn), 0) from ${schema}.causeway_turns where kind = $1),
        case when min(taken.priority) < 0 then ${now} end, ${now}
      from taken group by taken.organisation
      on conflict (kind, organisation) do update set turn = excluded.turn, claimed_at = excluded.claimed_at,
        automatic_at = coalesce(excluded.automatic_at, t.automatic_at)
    ) ${TAKEN}`;
}

/** One that may be what ends its process, whosever it is. `$6`: ends that it may have at most. */
export function claimSuspectStatement(schema: string): string {
  const { table, running, now, full } = parts(schema);
  return `
    with next as (
      select j.id, j.group_id, row_number() over () as place from (
        select j.id, j.group_id from ${table} j
        where j.name = $1 and j.state < 'active' and j.start_after <= ${now} and j.group_id not in (${full})
          and j.retry_count >= ${SUSPECT_ENDS - 1} and ${ENDS} between ${SUSPECT_ENDS} and $6::int and j.id <> all($5::uuid[])
        order by ${ENDS}, j.start_after, j.id limit $4::int for update of j skip locked
      ) j
    ), ranked as (
      select next.id, next.place,
        row_number() over (partition by next.group_id order by next.place)
          + (select count(*) from ${table} j where ${running} and j.group_id = next.group_id) as in_group
      from next
    ), taken as (${take(schema, 'ranked.in_group <= $2::int')}) ${TAKEN}`;
}

const TAKEN = `
    select id, singleton_key as subject, group_id as "group", organisation, retry_count as generation, data from taken order by place`;

function parts(schema: string) {
  const table = `${schema}.job_common`;
  const running = `j.name = $1 and j.state = 'active' and j.group_id is not null`;
  return {
    ...{ table, running, now: `coalesce($3::timestamptz, ${schema}.job_now())` },
    full: `select j.group_id from ${table} j where ${running} group by j.group_id having count(*) >= $2::int`,
  };
}

function take(schema: string, those: string): string {
  const { table, now } = parts(schema);
  return `
      update ${table} j set state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${now},
        retry_count = case when j.started_on is null then j.retry_count else j.retry_count + 1 end
      from ranked where j.name = $1 and j.id = ranked.id and ${those}
      returning j.id, j.singleton_key, j.group_id, j.retry_count, j.data, j.priority, ${ORGANISATION} as organisation, ranked.place`;
}
