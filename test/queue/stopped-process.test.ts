// A worker that is stopped by SIGSTOP, as a machine that sleeps does: it still owns its file, and what it writes late is refused.
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { temporaryFolder } from '../support/service.ts';
import { storeProcess } from '../support/store-process.ts';
import { acceptance, accepted, conclusion, ground, NOW, started, token } from '../support/store-samples.ts';

it('writes nothing when it goes on after another has taken its run, and the other concludes it', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  await using opened = await openSqlite(file);
  const { store } = opened;
  const { runId } = await accepted(store, acceptance(await ground(store)));
  await using worker = storeProcess(['stopped', file, runId]);
  expect(await worker.line()).toBe('ready');
  process.kill(worker.pid, 'SIGSTOP');
  const run = await started(store, runId);
  expect(run.generation).toBe(2);
  process.kill(worker.pid, 'SIGCONT');
  expect([await worker.line(), await worker.line(), await worker.line()]).toEqual(Array(3).fill('lease_lost'));
  const [issueId] = await store.conclude(run, conclusion({ problem: 'by the second' }), NOW);
  expect((await store.findIssue(issueId ?? ''))?.problem).toBe('by the second');
  expect(await store.listSteps(runId, 0)).toEqual([]);
});

it('keeps a second server out while it is stopped, and lets tokens be made beside it', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  await using opened = await openSqlite(file);
  const { account } = await ground(opened.store);
  await using owner = storeProcess(['own', file]);
  expect(await owner.line()).toBe('ready');
  process.kill(owner.pid, 'SIGSTOP');
  await using second = storeProcess(['own', file]);
  expect(await second.line()).toMatch(/^store_locked: .*process \d+/);
  await opened.store.addToken(token(account.id), 'beside');
  expect(await opened.store.listTokens(account.id)).toHaveLength(1);
});
