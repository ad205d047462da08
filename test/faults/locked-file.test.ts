// A database file that is locked for half a minute, cannot be written, has a log of two gigabytes, or lost what lies beside it: bounded waits, words, and nothing lost.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { lengthenLog } from '../support/long-log.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';
import { canMount, smallDisk } from '../support/small-disk.ts';
import { storeProcess } from '../support/store-process.ts';

const LOCKED_MS = 30_000;
const LOG_MB = Number(process.env['LOG_MB'] ?? 2_048);

/** A service that has accepted a few reports. */
async function ground(dataDir: string) {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  await repository.commit({ 'a.js': 'start();\n' }, 'Start');
  const plan = { projects: [repository.path], dataDir, env: { RATE_LIMIT: 'off' } };
  const service = opening.use(await startService(plan));
  const token = printedToken(service);
  const api = apiClient(service.address, token);
  const { id: projectId } = await api.project();
  const accepted: string[] = [];
  for (let count = 0; count < 4; count++) {
    accepted.push(await api.report({ projectId, data: `TypeError: number ${count}` }));
  }
  const opened = opening.move();
  return {
    ...{ plan, service, token, api, projectId, accepted, file: path.join(dataDir, 'causeway.db') },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Ground = Awaited<ReturnType<typeof ground>>;

/** A later life has all that was accepted, and a sound file. */
async function expectAllThere({ plan, token, accepted, file }: Ground): Promise<void> {
  await using service = await startService(plan);
  const api = apiClient(service.address, token);
  for (const one of accepted) expect(await api.end(one)).toMatchObject({ state: 'concluded' });
  await service.end('SIGTERM');
  const database = new Sqlite(file);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
}

describe('a database file', () => {
  it('that another process keeps locked for 30 s: reports are refused with words, everything else goes on', async () => {
    await using folder = await temporaryFolder();
    await using here = await ground(folder.path);
    await using other = storeProcess(['lock', here.file]);
    expect(await other.line()).toBe('ready');
    const until = performance.now() + LOCKED_MS;
    const refusals: number[] = [];
    while (performance.now() < until) {
      const body = JSON.stringify({ projectId: here.projectId, data: 'TypeError: while locked' });
      const headers = { Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' };
      const asked = fetch(`${here.service.address}/api/v1/issues/`, { method: 'POST', headers, body });
      expect((await fetch(`${here.service.address}/healthz`)).status).toBe(200);
      expect(await here.api.status('/api/v1/projects/')).toBe(200);
      const answer = await asked;
      expect(await answer.json()).toMatchObject({ status: 503, detail: expect.stringMatching(/\w+ \w+/) });
      refusals.push(answer.status);
    }
    // Each waited for the lock a while, and not for ever.
    expect(refusals.length).toBeGreaterThan(1);
    await other.kill();
    here.accepted.push(await here.api.report({ projectId: here.projectId, data: 'TypeError: afterwards' }));
    for (const one of here.accepted) expect(await here.api.end(one)).toMatchObject({ state: 'concluded' });
    await here.service.end('SIGKILL');
    await expectAllThere(here);
  });

  it('that is locked at the start is refused with words', async () => {
    await using folder = await temporaryFolder();
    await using here = await ground(folder.path);
    await here.service.end('SIGKILL');
    const other = storeProcess(['lock', here.file]);
    expect(await other.line()).toBe('ready');
    await expect(startService(here.plan)).rejects.toThrow(/exit 1[\s\S]*locked by another process/);
    await other.kill();
    await expectAllThere(here);
  });

  it.runIf(canMount())(
    'on a disk that became read-only is refused with words, until it can be written again',
    async () => {
      using disk = smallDisk(24);
      await using here = await ground(disk.path);
      await here.service.end('SIGKILL');
      const remount = (mode: string) => execFileSync('mount', ['-o', `remount,${mode}`, disk.path]);
      remount('ro');
      await expect(startService(here.plan)).rejects.toThrow(/exit 1[\s\S]*(cannot be written|read-only|write access)/);
      remount('rw');
      await expectAllThere(here);
    },
  );

  it('whose -shm is gone after a kill is read from its log', async () => {
    await using folder = await temporaryFolder();
    await using here = await ground(folder.path);
    await here.service.end('SIGKILL');
    rmSync(`${here.file}-shm`);
    await expectAllThere(here);
  });

  it(`whose log has ${LOG_MB} MB after a kill is there again soon, and the log is emptied`, async () => {
    await using folder = await temporaryFolder();
    await using here = await ground(folder.path);
    await here.service.end('SIGKILL');
    expect(await lengthenLog(here.file, LOG_MB)).toBeGreaterThan((LOG_MB - 128) * 1024 * 1024);
    const begun = performance.now();
    await using service = await startService(here.plan);
    process.stdout.write(`${LOG_MB} MB of log: answers after ${Math.round(performance.now() - begun)} ms\n`);
    const api = apiClient(service.address, here.token);
    for (const one of here.accepted) expect(await api.end(one)).toMatchObject({ state: 'concluded' });
    here.accepted.push(await api.report({ projectId: here.projectId, data: 'TypeError: afterwards' }));
    await service.end('SIGTERM');
    expect(existsSync(`${here.file}-wal`)).toBe(false);
    await expectAllThere(here);
  });
});
