// pg-boss, installed in a schema of its own and held open for this process; its jobs follow our table of jobs.
import { fromKysely, PgBoss } from 'pg-boss';
import { isStoreAway } from '../core/errors.ts';
import { JOB_KINDS, type JobKind, type Urgency } from '../core/queue.ts';
import { explainPostgres, retryPatiently } from '../db/index.ts';
import type { Log } from '../log.ts';
import { createJobTable, type JobTable, type JobTransport, type ScheduledJob } from './job-table.ts';

interface BossOptions {
  /** As DATABASE_URL: `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log: Log;
  /** How long opening waits for a server that does not answer, in milliseconds (15,000). */
  readonly patienceMs?: number;
}

/** To be disposed after its workers, and after the store that was built with its enqueuer. */
export interface Boss extends AsyncDisposable {
  /** The enqueuer that the store is built with. */
  readonly jobs: JobTable;
  readonly boss: PgBoss;
}

const SCHEMA = 'causeway_jobs';
const QUERY_MS = 60_000;
/** For the fetches and ends of the workers, and for maintenance. */
const CONNECTIONS = 6;
/**
 * A worker that is killed is noticed after the heartbeat (10 s is pg-boss's shortest) and one look of the supervisor.
 */
const HEARTBEAT_S = 10;
const SUPERVISE_S = 5;
/** Each worker of pg-boss fails each time that it looks, some ten a second: without the server one line is enough. */
const STILL_AWAY_MS = 30_000;
/** Our table decides about tries; pg-boss only repeats what lost its worker, or could not begin yet. */
const QUEUE = {
  retryLimit: 1_000_000,
  retryDelay: 1,
  heartbeatSeconds: HEARTBEAT_S,
  expireInSeconds: 86_400,
  retentionSeconds: 315_360_000,
  deleteAfterSeconds: 60,
  notify: true,
} as const;

export async function openBoss({ url, log, patienceMs = 15_000 }: BossOptions): Promise<Boss> {
  const boss = await retryPatiently(patienceMs, () => startBoss(url, log));
  return {
    jobs: createJobTable(createTransport(boss)),
    boss,
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}

async function startBoss(url: string, log: Log): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: url,
    schema: SCHEMA,
    max: CONNECTIONS,
    application_name: 'causeway jobs',
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_S,
    monitorIntervalSeconds: SUPERVISE_S,
    maintenanceIntervalSeconds: 600,
    flowIntervalSeconds: 3_600,
    // Of pg: a connection that leads nowhere any more is given up, and made again.
    ...{ keepAlive: true, query_timeout: QUERY_MS },
  });
  let away = -Infinity;
  boss.on('error', (error) => {
    // Its workers give the fields of an error that is none.
    const isAway = isStoreAway(explainPostgres(Object.assign(new Error(error.message), error), ''));
    const isKnown = isAway && performance.now() - away < STILL_AWAY_MS;
    if (isAway) away = performance.now();
    log[isKnown ? 'debug' : 'warn']({ err: error }, 'the queue had a database error and continues');
  });
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'pg-boss warns'));
  try {
    await boss.start();
    const known = new Set((await boss.getQueues()).map((queue) => queue.name));
    for (const kind of JOB_KINDS) if (!known.has(kind)) await boss.createQueue(kind, QUEUE);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}

function createTransport(boss: PgBoss): JobTransport {
  return {
    async send(trx, jobs) {
      const db = fromKysely(trx);
      const kinds = Map.groupBy(jobs, (job) => job.kind);
      for (const [kind, each] of kinds) await boss.insert(kind, each.map(toBossJob), { db });
    },
    async reschedule(trx, { id, kind, runAt, urgency }) {
      const changes = { id, startAfter: new Date(runAt), priority: toPriority(urgency) };
      await boss.update(kind, undefined, { ...changes, db: fromKysely(trx) });
    },
    async remove(trx, kind: JobKind, ids) {
      await boss.deleteJob(kind, [...ids], { db: fromKysely(trx) });
    },
  };
}

function toBossJob({ id, group, urgency, runAt }: ScheduledJob) {
  return { id, startAfter: new Date(runAt), priority: toPriority(urgency), group: { id: group } };
}

/** The higher the sooner. */
function toPriority(urgency: Urgency): number {
  return urgency === 'person' ? 0 : -1;
}
