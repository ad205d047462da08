// The statements of ours on pg-boss's table, each with what pg-boss has no verb for.
import type { JobKind } from '../core/queue.ts';
import { claimStatement, claimSuspectStatement, ENDS, forgetTurns, turnAdditions } from './boss-claims.ts';
import { SUSPECT_ENDS } from './suspects.ts';
import { OVERDUE_MS } from './urgency.ts';

/** What a job carries beside its subject and group. */
export interface BossJobData {
  /** Claims that do not count: `attempt` is `retry_count + 1 - base`. */
  readonly base: number;
  /** Tries whose handler threw. */
  readonly failures: number;
  /** Asked for again while running: when to run next, ISO 8601. */
  readonly again?: string;
}

export const UNTRIED: BossJobData = { base: 0, failures: 0 };

export interface BossStatements {
  /** Held until the end of the transaction. `$1`: of what. */
  readonly lock: string;
  /** As `lock`, of the additions, without its bounds: an index takes as long as its table is large. */
  readonly lockAdditions: string;
  /** Tells every process, at the commit: `$1` is `added` or `removed`. */
  readonly tell: string;
  readonly forgetTurns: string;
  /** Indexes of ours on pg-boss's table, and a table beside it. */
  readonly additions: readonly { readonly name: string; readonly create: string }[];
  readonly askAgain: string;
  readonly remove: string;
  readonly promising: string;
  readonly claim: string;
  readonly claimSuspect: string;
  readonly held: string;
  readonly free: string;
  readonly renew: string;
  readonly lookUp: string;
  readonly busy: string;
  readonly putBack: string;
  readonly counts: string;
}

/** Where the dead of a kind lie: pg-boss's dead letters. */
export function deadQueue(kind: JobKind): string {
  return `${kind}-dead`;
}

/**
 * A process that is stopped in the middle of a transaction (a machine that sleeps) must not hold up all others: the server ends it, and whoever
 * waits goes on before its own leases run out.
 */
const BOUNDED = `set_config('idle_in_transaction_session_timeout', '5000', true), set_config('lock_timeout', '3000', true)`;

/** pg-boss's own index of one row a subject (policy `exclusive`). */
const OF_SUBJECT = `j.policy = 'exclusive' and j.state <= 'active' and coalesce(j.singleton_key, '')`;

export function bossStatements(schema: string): BossStatements {
  const table = `${schema}.job_common`;
  const now = (parameter: string) => `coalesce(${parameter}::timestamptz, ${schema}.job_now())`;
  // Ordered, so that it is a look at the head of an index: `exists` and a bare limit were planned as walks through all that waits.
  const first = (those: string) =>
    `(select j.start_after from ${table} j where j.name = kind and j.state < 'active' ${those} order by j.start_after limit 1)`;
  const firstDue = first('');
  return {
    lock: `select ${BOUNDED}, pg_advisory_xact_lock(hashtextextended('${schema} ' || $1, 0))`,
    lockAdditions: `select pg_advisory_xact_lock(hashtextextended('${schema} indexes', 0))`,
    tell: `select pg_notify('${schema}', $1)`,
    forgetTurns: forgetTurns(schema),
    additions: [
      {
        name: `${schema}.causeway_due`,
        create: `create index causeway_due on ${table} (name, start_after, id) where state < 'active'`,
      },
      {
        name: `${schema}.causeway_tried`,
        create: `create index causeway_tried on ${table} (name) where state < 'active' and retry_count >= ${SUSPECT_ENDS - 1}`,
      },
      {
        name: `${schema}.causeway_automatic`,
        create: `create index causeway_automatic on ${table} (name, start_after) where state < 'active' and priority < 0`,
      },
      ...turnAdditions(schema),
    ],
    // pg-boss's `update` sets a moment, earlier or later, and touches no job that runs.
    askAgain: `
      update ${table} j set
        priority = greatest(j.priority, w.priority), group_tier = nullif(w.organisation, ''),
        start_after = case when j.state < 'active' then least(j.start_after, w.run_at::timestamptz) else j.start_after end,
        data = case when j.state < 'active' then j.data
          else jsonb_set(j.data, '{again}', to_jsonb(least(j.data->>'again' collate "C", w.run_at))) end
      from json_to_recordset($2::json) as w (subject text, run_at text, priority integer, organisation text)
      where j.name = $1 and ${OF_SUBJECT} = w.subject
      returning j.singleton_key as subject`,
    // pg-boss removes by its own ids.
    remove: `delete from ${table} j where j.name = $1 and ${OF_SUBJECT} = any($2::text[])`,
    promising: `
      select kind,
        ${firstDue} <= ${now('$2')} as due,
        ${first('and j.priority < 0')} <= ${now('$2')} - interval '${OVERDUE_MS} ms' as late,
        (select true from ${table} j where j.name = kind and j.state < 'active' and j.retry_count >= ${SUSPECT_ENDS - 1}
          and j.start_after <= ${now('$2')} and ${ENDS} >= ${SUSPECT_ENDS} limit 1) as suspects
      from unnest($1::text[]) as kind`,
    claim: claimStatement(schema),
    claimSuspect: claimSuspectStatement(schema),
    held: `
      select j.data, j.priority, coalesce(j.group_tier, '') as organisation, ${BOUNDED} from ${table} j
      where j.name = $1 and j.id = $2::uuid and j.retry_count = $3::int and j.state = 'active' for update`,
    // pg-boss's own look at heartbeats puts a job behind all that are due, and counts its whole table each time.
    free: `
      update ${table} j set state = 'retry', heartbeat_on = null
      where j.name = any($1::text[]) and j.state = 'active' and j.group_id is not null
        and j.heartbeat_on < ${now('$2')} - $3::int * interval '1 ms' and j.id <> all($4::uuid[])
      returning j.id`,
    // pg-boss's \`touch\` is for one queue; this is one statement for all that a worker holds.
    renew: `
      update ${table} j set heartbeat_on = ${now('$2')}
      where j.name = any($1::text[]) and j.state = 'active' and j.id::text || ':' || j.retry_count = any($3::text[])
        and j.id = any($4::uuid[])`,
    lookUp: `
      select j.id, j.retry_count as generation, j.state = 'active' as is_running from ${table} j
      where j.name = any($1::text[]) and j.id = any($2::uuid[])`,
    busy: `
      select kind from unnest($1::text[]) as kind
      where (select true from ${table} j where j.name = kind and j.state = 'active' and j.group_id is not null limit 1)
        or ${firstDue} <= ${now('$2')}`,
    // pg-boss's own ways back to waiting count each as a try, and know one pause a queue.
    putBack: `
      update ${table} j set state = 'retry', heartbeat_on = null, data = $3::jsonb,
        start_after = coalesce($4::timestamptz, j.start_after), keep_until = greatest(j.keep_until, $4::timestamptz + interval '10 years')
      where j.name = $1 and j.id = $2::uuid`,
    counts: `
      select j.name, j.state = 'active' as is_running, count(*)::int as count,
        extract(epoch from min(j.start_after))::float8 * 1000 as first_ms
      from ${table} j group by 1, 2`,
  };
}
