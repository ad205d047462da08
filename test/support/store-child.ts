// A process of its own on a database file, to be killed, locked out or starved: `node store-child.ts <verb> <file> …`.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../../src/core/errors.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore, takeOwnership } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { acceptance, conclusion, ground, NOW, started, token } from './store-samples.ts';

const [verb = '', file = '', argument = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const forever = () => sleep(600_000);

/** Resolves once this process, stopped at any point after `begun`, goes on. */
async function stoppedOnce(begun: () => void): Promise<void> {
  const goesOn = once(process, 'SIGCONT');
  begun();
  await Promise.race([goesOn, forever()]);
}

function open() {
  const enqueuer = createJobTable();
  const store = openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer });
  return store.then((opened) => ({ store: opened, enqueuer }));
}

const verbs: Record<string, () => Promise<void>> = {
  async own() {
    using _owner = takeOwnership(file);
    say('ready');
    await forever();
  },
  /** Holds the write lock. */
  async lock() {
    const connection = new Sqlite(file);
    connection.exec('begin immediate');
    say('ready');
    await forever();
  },
  async open() {
    const { store } = await open();
    await store.checkWritable();
    await store[Symbol.asyncDispose]();
    say('ok');
  },
  async tokens() {
    const { store } = await open();
    const { account } = await ground(store);
    for (let i = 0; i < Number(argument); i++) await store.addToken(token(account.id), `child-${i}`);
    await store[Symbol.asyncDispose]();
    say('ok');
  },
  /** Accepts reports of 100 kB until one is refused, then says whether small writes and reads go on. */
  async fill() {
    const { store } = await open();
    const base = await ground(store);
    for (let i = 0; ; i++) {
      try {
        await store.accept(acceptance(base, { text: 'x'.repeat(100_000), fresh: true }));
      } catch (error) {
        say(error instanceof CausewayError ? error.code : String(error));
        say(`${i === (await store.listInvestigations({ limit: 1000 })).length}`);
        return;
      }
    }
  },
  /** Begins a run, and writes to it only after it was stopped for a while and may go on. */
  async stopped() {
    const { store } = await open();
    const run = await started(store, argument);
    await stoppedOnce(() => say('ready'));
    const writes = [
      () => store.recordStep(run, { action: 'late', result: 'late', analysis: 'late' }, NOW),
      () => store.conclude(run, conclusion({ problem: 'late' }), NOW),
      () => store.giveUp(run, { code: 'internal', detail: 'late' }, NOW),
    ];
    for (const write of writes) {
      say(
        await write().then(
          () => 'written',
          (error: unknown) => (error instanceof CausewayError ? error.code : String(error)),
        ),
      );
    }
  },
  /** Works; each try is said, then `argument` decides: `hang`, or `die` by its own hand. */
  async work() {
    using _owner = takeOwnership(file);
    const { store, enqueuer } = await open();
    const log = createLog({ level: 'silent' });
    const now = () => new Date();
    const place = { database: store.database, jobs: enqueuer };
    const queue = createEmbeddedQueue({ ...place, log, now, suspectMs: 0 });
    const handler = {
      async handle(job: { subject: string; attempt: number }) {
        say(`try ${job.subject} ${job.attempt}`);
        if (argument === 'die') process.kill(process.pid, 'SIGKILL');
        await forever();
        return { kind: 'done' as const };
      },
      async dead(job: { subject: string }) {
        say(`dead ${job.subject}`);
      },
    };
    const limits = { concurrency: 4, perGroup: 4 };
    queue.work({ run: handler, webhook: handler }, { run: limits, webhook: limits });
    await forever();
  },
};

try {
  await verbs[verb]?.();
} catch (error) {
  say(error instanceof CausewayError ? `${error.code}: ${error.message}` : String(error));
  process.exitCode = 1;
}
