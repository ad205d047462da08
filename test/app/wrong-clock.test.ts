// A clock that is wrong erases nothing: compared with the date of GitHub's answers, and slowed down where there is none.
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { APP_ENVIRONMENT } from '../support/new-key.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { writeMigrated } from '../support/sqlite-template.ts';
import { ground } from '../support/store-samples.ts';

/** The records are of 20 November. */
const TODAY = '2026-11-24T12:00:00.000Z';
const DAY_MS = 24 * 60 * 60 * 1_000;
/** As the store of the contract seals. */
const ENCRYPTION_KEY = '07'.repeat(32);
const MANY = 40;

/** A data folder with Issues of a few days ago, and an evaluation of then. */
async function kept() {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const file = path.join(folder.path, 'causeway.db');
  await writeMigrated(file);
  const evaluation = path.join(folder.path, 'evaluations', 'octo+shop');
  await mkdir(evaluation, { recursive: true });
  await utimes(evaluation, new Date(TODAY), new Date(TODAY));
  {
    await using opened = await openSqlite(file);
    const { project, account } = await ground(opened.store);
    await opened.manyIssues(project.id, account.id, MANY);
  }
  const opened = opening.move();
  const count = () => {
    using closing = new DisposableStack();
    const database = closing.adopt(new Sqlite(file, { readonly: true }), (one) => void one.close());
    return database.prepare<[], { issues: number }>('select count(*) as issues from issues').get()?.issues;
  };
  return {
    dataDir: folder.path,
    count,
    evaluations: () => readdir(path.join(folder.path, 'evaluations')),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Answers everything with 404, on a day of its own. */
async function githubOf(day: string | null) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.sendDate = false;
    if (day !== null) response.setHeader('Date', new Date(day).toUTCString());
    response.setHeader('X-GitHub-Request-Id', 'D0B1:1');
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"Not Found"}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const env = { GHE_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}`, GHE_PROTOCOL: 'http' };
  return {
    env,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const later = (days: number) => () => new Date(Date.parse(TODAY) + days * DAY_MS);

async function clockOf(address: string): Promise<{ readonly ok: boolean; readonly detail: string } | undefined> {
  const answer = (await (await fetch(`${address}/readyz`)).json()) as {
    readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  };
  return answer.checks.find(({ name }) => name === 'clock');
}

it('400 days ahead of GitHub erases nothing, and /readyz and the log say why; set right, it goes on', async () => {
  await using at = await kept();
  await using github = await githubOf(TODAY);
  let now = later(400);
  const env = { ...APP_ENVIRONMENT, ...github.env, ENCRYPTION_KEY, LOG_LEVEL: 'info' };
  await using service = await startService({ projects: [], dataDir: at.dataDir, env, now: () => now() });
  await expect.poll(() => service.output()).toContain('this clock is 400 days ahead of GitHub');
  expect(await clockOf(service.address)).toEqual({
    ...{ name: 'clock', ok: false },
    detail: expect.stringMatching(/^400 days ahead of GitHub: nothing is erased by age until it is set right/),
  });
  expect([at.count(), await at.evaluations()]).toEqual([MANY, ['octo+shop']]);
  now = later(0);
  expect(await clockOf(service.address)).toMatchObject({ ok: true });
});

it('and GitHub that agree erase what is past its time, and nothing before GitHub has said what day it is', async () => {
  await using at = await kept();
  const now = later(400);
  const start = async (day: string | null) => {
    const github = await githubOf(day);
    const env = { ...APP_ENVIRONMENT, ...github.env, ENCRYPTION_KEY, LOG_LEVEL: 'info' };
    const service = await startService({ projects: [], dataDir: at.dataDir, env, now });
    await expect.poll(github.asked).toBeGreaterThan(0);
    return { service, github };
  };
  {
    const { service, github } = await start(null);
    await using _both = github;
    await using _service = service;
    expect((await clockOf(service.address))?.detail).toMatch(/^not compared with GitHub yet: nothing is erased/);
  }
  expect([at.count(), await at.evaluations()]).toEqual([MANY, ['octo+shop']]);
  const { service, github } = await start(now().toISOString());
  await using _both = github;
  await using _service = service;
  await expect.poll(at.count).toBe(0);
  await expect.poll(at.evaluations).toEqual([]);
});

it('in local mode, where nothing new was stored for 30 days, erases a tenth an hour, through restarts', async () => {
  await using at = await kept();
  let now = later(400);
  const start = () =>
    startService({
      ...{ projects: [], dataDir: at.dataDir, cwd: at.dataDir, now: () => now() },
      env: { ENCRYPTION_KEY, LOG_LEVEL: 'info' },
    });
  const left: (number | undefined)[] = [];
  for (const hours of [0, 0.5, 1.1]) {
    now = later(400 + hours / 24);
    await using service = await start();
    await expect.poll(() => service.output()).toMatch(/erased slowly/);
    left.push(at.count());
  }
  // With the Issue of the demo, which is new.
  expect(left).toEqual([MANY + 1 - 4, 37, 37 - 3]);
  expect(await at.evaluations()).toEqual(['octo+shop']);
});
