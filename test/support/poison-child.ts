// A worker of its own on a database file, one of whose jobs does harm: `node poison-child.ts <die|exhaust|block> <file>`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedJob, JobHandler } from '../../src/core/queue.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore, takeOwnership } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { patience } from './patience.ts';

const [harm = '', file = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** The event loop stands still for a minute. */
const BLOCKED_MS = Number(process.env['BLOCKED_MS'] ?? 60_000);

const harms: Record<string, () => void> = {
  die: () => process.kill(process.pid, 'SIGKILL'),
  exhaust() {
    const held: string[][] = [];
    for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${held.length}`));
  },
  block() {
    const end = performance.now() + BLOCKED_MS;
    while (performance.now() < end);
  },
};

const handler: JobHandler = {
  async handle({ subject, attempt }: ClaimedJob) {
    say(`try ${subject} ${attempt}`);
    // The harm is done before others that began with it are done.
    await sleep(subject === 'poison' ? 100 : 300);
    if (subject === 'poison') harms[harm]?.();
    say(`done ${subject}`);
    return { kind: 'done' };
  },
  async dead({ subject }) {
    say(`dead ${subject}`);
  },
};

using _owner = takeOwnership(file);
const jobs = createJobTable();
const { database } = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs });
const log = createLog({ level: 'silent' });
const queue = createEmbeddedQueue({ database, jobs, log, now: () => new Date(), suspectMs: 1_000 });
const worker = queue.work({ run: handler }, { run: { concurrency: 4, perGroup: 4 } });
await worker.waitUntilIdle(patience());
say('idle');
process.exit(0);
