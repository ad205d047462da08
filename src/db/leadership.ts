// Which of the processes over one PostgreSQL database does the recurring work: a lease by the database's clock.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface Leadership extends AsyncDisposable {
  /** True in at most one process; another takes over within `LEASE_MS` of its end. */
  isLeader(): boolean;
}

interface LeadershipOptions {
  /** Called when a look fails, and with null when the next one succeeds. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds that a lease lasts (20,000); it is renewed four times as often. */
  readonly leaseMs?: number;
}

const LEASE_MS = 20_000;
const NAME = 'leader';

/** Tries to lead, and renews the lease, until disposed. Nothing waits for it. */
export function openLeadership(database: Database, { onFault, leaseMs = LEASE_MS }: LeadershipOptions): Leadership {
  const stop = new AbortController();
  const holder = crypto.randomUUID();
  let leadsUntil = 0;
  let hasFailed = false;
  const look = async () => {
    // Counted from before the call, so that this process stops leading before the lease ends.
    const begun = performance.now();
    try {
      leadsUntil = (await takeLease(database, holder, leaseMs)) ? begun + leaseMs : 0;
      if (hasFailed) onFault(null);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !stop.signal.aborted) onFault(error);
      hasFailed = true;
    }
  };
  const looks = (async () => {
    while (!stop.signal.aborted) {
      await look();
      await sleep(leaseMs / 4, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    isLeader: () => performance.now() < leadsUntil,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await looks;
      leadsUntil = 0;
      await endLease(database, holder).catch(() => undefined);
    },
  };
}

/** False: another process holds it. */
async function takeLease(database: Database, holder: string, leaseMs: number): Promise<boolean> {
  const lease = { holder, set_at: toMoment(leaseMs) };
  const row = await database.write((trx) =>
    trx
      .insertInto('service_marks')
      .values({ name: NAME, ...lease })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(lease)
          .where(({ eb, or }) =>
            or([eb('service_marks.holder', '=', holder), eb('service_marks.set_at', '<', toMoment(0))]),
          ),
      )
      .returning('name')
      .executeTakeFirst(),
  );
  return row !== undefined;
}

async function endLease(database: Database, holder: string): Promise<void> {
  await database.write((trx) =>
    trx.deleteFrom('service_marks').where('name', '=', NAME).where('holder', '=', holder).execute(),
  );
}

/** The database's time in so many milliseconds, as text like all times of the schema. */
function toMoment(ms: number) {
  return sql<string>`to_char((clock_timestamp() + make_interval(secs => ${ms / 1_000}::double precision))
    at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
