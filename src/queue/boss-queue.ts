// The queue on pg-boss: durable work for any number of processes over one PostgreSQL database.

import type { JobKind, KindDepth, Queue } from '../core/queue.ts';
import type { Log } from '../log.ts';
import { removeJobs } from './boss-jobs.ts';
import { BossSource } from './boss-source.ts';
import { deadQueue } from './boss-statements.ts';
import { JOB_KINDS } from './job-kinds.ts';
import { lanesOf } from './lane.ts';
import type { Boss } from './open-boss.ts';
import { QueueWorker } from './queue-worker.ts';
import { totalDepth } from './total-depth.ts';
import { WORK_TIMES, type WorkTimes } from './work-times.ts';

interface BossQueueOptions extends WorkTimes {
  readonly boss: Boss;
  readonly log: Log;
  /** In place of the database's clock, by which jobs are due and leases run out however wrong the clocks of the machines are (tests). */
  readonly now?: () => Date;
}

/** Shorter than in one process alone: another takes over within 30 s, whatever the moment of the kill. */
const LEASE_MS = 15_000;

/** Keeps what the embedded queue keeps (see embedded-queue.ts), over all processes. `work` may be called once per queue. */
export function createBossQueue(options: BossQueueOptions): Queue {
  const { boss } = options;
  let worker: QueueWorker | null = null;
  return {
    work(handlers, limits) {
      if (worker) throw new Error('this queue has a worker already');
      const lanes = lanesOf(handlers, limits);
      const whole = { ...WORK_TIMES, leaseMs: LEASE_MS, ...options };
      const source = new BossSource({ ...whole, now: options.now, kinds: [...lanes.keys()] });
      worker = new QueueWorker({ ...whole, now: options.now ?? (() => new Date()), source, lanes });
      return worker;
    },
    async cancel(kind, subject) {
      worker?.cancel(kind, subject);
      await boss.transact((db) => removeJobs({ boss: boss.boss, statements: boss.statements, db, kind }, [subject]));
    },
    redrive: (kind) => redrive(boss, kind),
    wake: () => worker?.wake(),
    depth: async () => totalDepth(await depths(boss, null)),
    depths: (now) => depths(boss, now),
  };
}

/** At most so many at a time: one statement each. */
const REDRIVEN = 1_000;

async function redrive({ boss, statements, ask }: Boss, kind: JobKind): Promise<number> {
  let total = 0;
  for (;;) {
    const moved = await boss.redrive(deadQueue(kind), { destination: kind, limit: REDRIVEN });
    total += moved;
    if (moved === 0) break;
  }
  await ask(statements.tell, ['added']);
  return total;
}

interface CountRow {
  readonly name: string;
  readonly is_running: boolean;
  readonly count: number;
  readonly first_ms: number;
}

async function depths({ ask, statements }: Boss, now: string | null): Promise<readonly KindDepth[]> {
  const rows = await ask<CountRow>(statements.counts, []);
  const count = (name: string, isRunning: boolean) =>
    rows.find((row) => row.name === name && row.is_running === isRunning);
  return JOB_KINDS.flatMap((kind) => {
    const waits = count(kind, false);
    const first = waits && new Date(waits.first_ms).toISOString();
    const depth = {
      waiting: waits?.count ?? 0,
      running: count(kind, true)?.count ?? 0,
      dead: count(deadQueue(kind), false)?.count ?? 0,
    };
    if (depth.waiting + depth.running + depth.dead === 0) return [];
    return [{ kind, ...depth, oldestDue: first !== undefined && now !== null && first <= now ? first : null }];
  });
}
