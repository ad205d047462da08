// A worker of its own on pg-boss: `node boss-child.ts <url> <JSON: options>`. It says what becomes of its jobs.
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from '../../src/core/errors.ts';
import type { JobHandler } from '../../src/core/queue.ts';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { createBossQueue } from '../../src/queue/boss-queue.ts';
import { openBoss } from '../../src/queue/open-boss.ts';
import type { BossChildOptions } from './boss-process.ts';

const [url = '', options = '{}'] = process.argv.slice(2);
const { concurrency, perGroup, mode, takesMs, ...times } = JSON.parse(options) as BossChildOptions;
const say = (line: string) => process.stdout.write(`${line}\n`);

const handler: JobHandler = {
  async handle({ subject, attempt }, signal) {
    say(`try ${subject} ${attempt}`);
    signal.addEventListener('abort', () => {
      const { reason } = signal;
      say(`aborted ${subject} ${reason instanceof CausewayError ? reason.code : String(reason)}`);
    });
    if (mode === 'late') await sleep(600_000, undefined, { signal }).catch(() => {});
    if (mode === 'hang') await sleep(600_000, undefined, { signal });
    await sleep(takesMs);
    if (subject === 'poison') process.kill(process.pid, 'SIGKILL');
    say(`done ${subject}`);
    return { kind: 'done' };
  },
  async dead({ subject }) {
    say(`dead ${subject}`);
  },
};

const log = createLog({ level: 'silent' });
const boss = await openBoss({ url, log });
const store = await openPostgresStore({
  url,
  seal: createSeal(Buffer.alloc(32, 7)),
  enqueuer: boss.jobs,
  connections: 4,
});
const { database } = store;
const queue = createBossQueue({ boss, database, log, ...times });
const worker = queue.work({ run: handler }, { run: { concurrency, perGroup } });
say('ready');
process.on('SIGTERM', async () => {
  await worker[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await boss[Symbol.asyncDispose]();
  process.exit(0);
});
