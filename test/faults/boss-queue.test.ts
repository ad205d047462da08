// The queue on pg-boss with three processes: nothing is done twice or lost, whoever is killed and however often the database is away.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPostgres } from '../contract/postgres-place.ts';
import { type BossProcess, bossProcess } from '../queue/boss-process.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { fillTemplate } from '../support/postgres-template.ts';
import { job } from '../support/queue-samples.ts';

const JOBS = 2_000;
const MINUTES = 60_000;

const jobs = (groups: number) => Array.from({ length: JOBS }, (_, i) => job(`j${i}`, { group: `g${i % groups}` }));

function starting(processes: readonly BossProcess[], word: string): readonly string[] {
  return processes.flatMap(({ lines }) => lines.filter((line) => line.startsWith(`${word} `)));
}

function report(figures: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

async function drained(depth: () => Promise<{ readonly waiting: number; readonly running: number }>): Promise<void> {
  for (;;) {
    const left = await depth().catch(() => null);
    if (left !== null && left.waiting + left.running === 0) return;
    await sleep(100);
  }
}

it('three processes do 2,000 jobs once each, and never more of a group than its limit', {
  timeout: 2 * MINUTES,
}, async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  const queue = opened.queue({});
  const options = { concurrency: 8, perGroup: 1 };
  const processes = await Promise.all(Array.from({ length: 3 }, () => bossProcess(database.url, options)));
  const watch = watchGroups(database);
  const begun = performance.now();
  await opened.enqueue(...jobs(5));
  await drained(queue.countJobs);
  const seconds = (performance.now() - begun) / 1000;
  for (const one of processes) await one.kill('SIGTERM');
  const tries = starting(processes, 'try');
  report({
    what: '2,000 jobs, 3 processes',
    seconds,
    perSecond: JOBS / seconds,
    shares: processes.map((one) => starting([one], 'done').length),
  });
  expect(tries).toHaveLength(JOBS);
  expect(new Set(starting(processes, 'done')).size).toBe(JOBS);
  expect(await watch.stop()).toBe(1);
});

/** The most jobs of one group that were seen to run at once. */
function watchGroups(database: { query<T extends object>(statement: string): Promise<readonly T[]> }) {
  let most = 0;
  let stopped = false;
  const looking = (async () => {
    while (!stopped) {
      const rows = await database.query<{ readonly most: string | null }>(
        `select max(n)::text as most from (select count(*) as n from jobs where state = 'running' group by group_key) as groups`,
      );
      most = Math.max(most, Number(rows[0]?.most ?? 0));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await looking;
      return most;
    },
  };
}

it('a worker that is killed with the times as shipped is followed by another within 30 s', {
  timeout: 2 * MINUTES,
}, async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  await using one = await bossProcess(database.url, { mode: 'hang' });
  await opened.enqueue(job('a'));
  await one.said('try a 1');
  await using other = await bossProcess(database.url, { mode: 'hang' });
  await sleep(7_000);
  await one.kill('SIGKILL');
  const begun = performance.now();
  while (!other.lines.includes('try a 2')) await sleep(20);
  const seconds = (performance.now() - begun) / 1000;
  report({ what: 'SIGKILL to the next try', seconds });
  expect(seconds).toBeLessThan(30);
});

it('all 2,000 are done while workers are killed at random and the database is stopped for 2 s every 10 s', {
  timeout: 10 * MINUTES,
}, async () => {
  await using server = await startPostgres();
  await fillTemplate(server.url);
  await using opened = await openPostgres(server.url);
  const options = { concurrency: 8, perGroup: 2, takesMs: 150 };
  const everyone: BossProcess[] = [];
  const start = async () => void everyone.push(await bossProcess(server.url, options));
  for (let i = 0; i < 3; i++) await start();
  await opened.enqueue(...jobs(50));
  const begun = performance.now();
  let over = false;
  let outages = 0;
  const outage = async () => {
    while (!over) {
      await sleep(10_000);
      await server.stop(outages % 2 === 0 ? 'fast' : 'immediate');
      await sleep(2_000);
      await server.start();
      outages++;
    }
  };
  const killing = async () => {
    while (!over) {
      await sleep(4_000 + Math.random() * 4_000);
      const alive = everyone.filter((one) => !one.hasEnded);
      await alive[Math.floor(Math.random() * alive.length)]?.kill('SIGKILL');
      await start().catch(() => {});
    }
  };
  const trouble = [outage(), killing()];
  await drained(opened.queue({}).countJobs);
  over = true;
  await Promise.all(trouble);
  const seconds = (performance.now() - begun) / 1000;
  for (const one of everyone) if (!one.hasEnded) await one.kill('SIGKILL');
  const done = starting(everyone, 'done');
  const tries = starting(everyone, 'try');
  const most = Math.max(...tries.map((line) => Number(line.split(' ')[2])));
  report({
    what: 'kills and outages',
    seconds,
    outages,
    kills: everyone.length - 3,
    tries: tries.length,
    done: done.length,
    most,
  });
  expect(starting(everyone, 'dead')).toEqual([]);
  expect(new Set(done).size).toBe(JOBS);
});

it('a job that kills its process is given up in the end, and all others are done', {
  timeout: 5 * MINUTES,
}, async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await opened.enqueue(job('poison'), ...others.map((subject) => job(subject)));
  const options = { takesMs: 200, pollMs: 500, suspectMs: 50 };
  const everyone: BossProcess[] = [];
  const queue = opened.queue({});
  const idle = async () => {
    const { waiting, running } = await queue.countJobs();
    return waiting + running === 0;
  };
  while (!(await idle())) {
    const alive = everyone.filter((one) => !one.hasEnded).length;
    for (let i = alive; i < 2; i++) everyone.push(await bossProcess(database.url, options));
    await sleep(50);
  }
  for (const one of everyone) await one.kill('SIGKILL');
  report({ what: 'poison', processes: everyone.length, tries: starting(everyone, 'try').length });
  expect(starting(everyone, 'dead')).toEqual(['dead poison']);
  expect(starting(everyone, 'try poison')).toHaveLength(12);
  expect(new Set(starting(everyone, 'done'))).toEqual(new Set(others.map((subject) => `done ${subject}`)));
});
