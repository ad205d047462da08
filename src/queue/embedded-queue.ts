// The embedded queue: durable work in a table of the store's own database, for one process beside its store.

import type { KindDepth, Queue } from '../core/queue.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import { createEmbeddedSource } from './embedded-source.ts';
import type { JobTable } from './job-table.ts';
import { lanesOf } from './lane.ts';
import { QueueWorker } from './queue-worker.ts';
import { reviveDead } from './revive-dead.ts';
import { totalDepth } from './total-depth.ts';
import { WORK_TIMES, type WorkTimes } from './work-times.ts';

export interface EmbeddedQueueOptions extends WorkTimes {
  readonly database: Database;
  /** The enqueuer that the store of this database was built with. */
  readonly jobs: JobTable;
  readonly log: Log;
  readonly now: () => Date;
  /**
   * How jobs of a process that died are found. `sole-owner`: this process owns the file (see store/single-owner.ts), so
   * whatever runs when a worker starts is claimable at once. `lease`: several processes work; the lease must run out.
   */
  readonly recovery: 'sole-owner' | 'lease';
}

/**
 * Three tries per job, 1 s and 5 s apart. `work` may be called once per queue. Of one group and urgency the job that is due first comes first, of
 * those of one moment the one that was enqueued first; one that failed is due again after its pause, so that those behind it overtake
 * it meanwhile: it never holds up its group, and its handler must go by what is so now, not by what was so when it was enqueued.
 */
export function createEmbeddedQueue(options: EmbeddedQueueOptions): Queue {
  const { database, jobs } = options;
  let worker: QueueWorker | null = null;
  return {
    work(handlers, limits) {
      if (worker) throw new Error('this queue has a worker already');
      const lanes = lanesOf(handlers, limits);
      const whole = { ...WORK_TIMES, ...options };
      const source = createEmbeddedSource(whole, [...lanes.keys()]);
      worker = new QueueWorker({ ...whole, source, lanes });
      return worker;
    },
    async cancel(kind, subject) {
      worker?.cancel(kind, subject);
      await database.write((trx) => jobs.remove(trx, kind, [subject]));
    },
    async redrive(kind) {
      const revived = await database.write((trx) => reviveDead(trx, kind, options.now().toISOString()));
      worker?.wake();
      return revived;
    },
    wake: () => worker?.wake(),
    depth: async () => totalDepth(await depths(database, options.now().toISOString())),
    depths: (now) => depths(database, now),
  };
}

async function depths(database: Database, now: string): Promise<readonly KindDepth[]> {
  const rows = await database.read((reader) =>
    reader
      .selectFrom('jobs')
      .select((expression) => [
        'kind',
        'state',
        expression.fn.countAll<number>().as('count'),
        expression.fn.min('run_at').as('first_due'),
      ])
      .groupBy(['kind', 'state'])
      .execute(),
  );
  const found = new Map<string, KindDepth>();
  for (const { kind, state, count, first_due: first } of rows) {
    const before = found.get(kind) ?? { kind, waiting: 0, running: 0, dead: 0, oldestDue: null };
    const isDue = state === 'waiting' && first <= now;
    found.set(kind, { ...before, [state]: Number(count), ...(isDue && { oldestDue: first }) });
  }
  return [...found.values()];
}
