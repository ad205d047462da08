// The whole house on many machines: two that take reports, three that work, killed at random, over a database that goes away again and again.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { gitIn } from '../../packages/git-objects/test/git-repository.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const REPORTS = Number(process.env['REPORTS'] ?? 200);
const PROJECTS = Number(process.env['PROJECTS_OF'] ?? 50);
const WORKERS = 3;
const DEMO = path.join(import.meta.dirname, '..', '..', 'demo');

it(`${REPORTS} reports over ${PROJECTS} projects end in one Issue and one webhook each, whoever is killed`, {
  timeout: 7_200_000,
}, async () => {
  await using at = await manyMachines();
  await using receiver = await webhookReceiver();
  const begun = performance.now();
  const trouble = at.trouble();
  const projectIds = (await at.ask('/api/v1/projects/?limit=100')).map(({ id }) => id);
  const accepted: number[] = [];
  await inLanes(16, REPORTS, async (number) => {
    const since = performance.now();
    await at.hand(number, { projectId: projectIds[number % projectIds.length] ?? '', callbackUrl: receiver.url });
    accepted.push(performance.now() - since);
  });
  await at.until(() => new Set(receiver.deliveries.map(idOf)).size >= REPORTS);
  const seconds = (performance.now() - begun) / 1_000;
  await trouble.end();
  const [rows] = await at.query(
    `select (select count(*) from investigations where state = 'concluded') as concluded,
      (select count(*) from investigations) as investigations, (select count(*) from issues) as issues,
      (select count(distinct investigation_id) from issues) as distinct_issues`,
  );
  const sorted = accepted.toSorted((a, b) => a - b);
  const [half, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) => Math.round(ms ?? 0));
  const perSecond = Math.round((REPORTS / seconds) * 10) / 10;
  const told = {
    reports: REPORTS,
    seconds: Math.round(seconds),
    perSecond,
    accepted: { half, most },
    ...trouble.counts,
    leaderReplacedAfter: await at.replaceLeader(),
  };
  process.stdout.write(`${JSON.stringify({ ...told, webhooks: receiver.deliveries.length })}\n`);
  const all = String(REPORTS);
  expect(rows).toEqual({ concluded: all, investigations: all, issues: all, distinct_issues: all });
  // At least once, under one id each: what is sent again says the same.
  const issues = new Map(receiver.deliveries.map((delivery) => [delivery.headers['webhook-id'], idOf(delivery)]));
  expect([issues.size, new Set(issues.values()).size]).toEqual([REPORTS, REPORTS]);
  expect(trouble.counts.kills + trouble.counts.outages).toBeGreaterThan(0);
  // A lease of 20 s and a look every 5 s, on a machine that has more to do.
  expect(told.leaderReplacedAfter).toBeLessThan(40);
});

function idOf({ body }: { readonly body: string }): string {
  return JSON.parse(body).data.id;
}

async function manyMachines() {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startPostgres());
  const { path: folder } = opening.use(await temporaryFolder());
  const projects = Array.from({ length: PROJECTS }, (_, at) => path.join(folder, `shop-${at}`));
  for (const one of projects) await gitIn(folder, 'clone', '--quiet', path.join(DEMO, 'corner-shop.bundle'), one);
  const env = {
    ...{ DATABASE_URL: server.url, ENCRYPTION_KEY: randomBytes(32).toString('hex'), RATE_LIMIT: 'off' },
    MODEL: `scripted:${path.join(DEMO, 'corner-shop.script.json')}`,
  };
  // Those that come later go with the others.
  const processes = opening.use(new AsyncDisposableStack());
  const start = async (...command: string[]) => {
    const { path: dataDir } = processes.use(await temporaryFolder());
    return processes.use(await startService({ projects, dataDir, env, command }));
  };
  const doors = [await start('serve', '--no-worker'), await start('serve', '--no-worker')];
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => start('worker')));
  const [token = ''] = doors.filter((door) => door.output().includes('cwy_')).map(printedToken);
  const report = await readFile(path.join(DEMO, 'report.md'), 'utf8');
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const opened = opening.move();
  const query = async (text: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  const readLease = async () => (await query("select holder, set_at from service_marks where name = 'leader'"))[0];
  return {
    ask: async (where: string) =>
      (await (await fetch(`${doors[0]?.address}${where}`, { headers })).json()) as readonly { readonly id: string }[],
    /** Handed in again under its key until it is taken: a door says 503 while its database is away. */
    hand: async (number: number, more: { readonly projectId: string; readonly callbackUrl: string }) => {
      const body = JSON.stringify({ ...more, data: `${report}\n\nOrder ${number} of that day.`, fresh: true });
      const key = randomUUID();
      const { address } = doors[number % doors.length] as Service;
      for (;;) {
        const init = { method: 'POST', headers: { ...headers, 'Idempotency-Key': key }, body };
        const answer = await fetch(`${address}/api/v1/issues/`, init).catch(() => null);
        if (answer?.status === 202) return;
        if (answer !== null && answer.status < 500) throw new Error(`${answer.status} ${await answer.text()}`);
        await sleep(500);
      }
    },
    until: async (probe: () => boolean) => {
      while (!probe()) await sleep(250);
    },
    query,
    /** Kills one process after the other until the leader was among them; seconds from then until another one leads. */
    replaceLeader: async () => {
      await start('worker');
      for (const one of [...workers, ...doors]) {
        await one.end('SIGKILL');
        const since = performance.now();
        const before = await readLease();
        // Longer than a leader takes to renew its lease.
        await sleep(8_000);
        const now = await readLease();
        if (now.holder === before.holder && now.set_at > before.set_at) continue;
        while ((await readLease()).holder === before.holder) await sleep(250);
        return Math.round((performance.now() - since) / 1_000);
      }
      throw new Error('none of the processes led');
    },
    trouble: () => troubleOf({ server, workers, startWorker: () => start('worker') }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Troubled {
  readonly server: Awaited<ReturnType<typeof startPostgres>>;
  readonly workers: Service[];
  startWorker(): Promise<Service>;
}

/** The database is away for 2 s every 10 s; a worker dies every few seconds, and another comes. */
function troubleOf({ server, workers, startWorker }: Troubled) {
  const counts = { kills: 0, outages: 0 };
  const over = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const outages = async () => {
    for (await pause(10_000); !over.signal.aborted; await pause(10_000)) {
      await server.stop(counts.outages % 2 === 0 ? 'fast' : 'immediate');
      await sleep(2_000);
      await server.start();
      counts.outages += 1;
    }
  };
  const kills = async () => {
    for (await pause(8_000); !over.signal.aborted; await pause(4_000 + Math.random() * 8_000)) {
      const at = Math.floor(Math.random() * workers.length);
      await workers[at]?.end('SIGKILL');
      counts.kills += 1;
      // One that finds no database at its start says so and ends; whoever watches over it starts it again.
      const next = await startWorker().catch(() => null);
      if (next === null) continue;
      workers[at] = next;
    }
  };
  const ended = Promise.all([outages(), kills()]);
  return {
    counts,
    end: async () => {
      over.abort();
      await ended;
    },
  };
}

/** `count` times, so many at once. */
async function inLanes(lanes: number, count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
