// The order of fsync and 202 on the second start of a file, as the kernel saw it; the same check fails where fsync does nothing.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { postDelivery, publishedExamples, signDelivery } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { eatMyData, orderIn, tracer } from '../support/fsync-order.ts';
import { OWNER, openGithubStage } from '../support/github-stage.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';

const REPORTS = 50;

/** Whether system calls can be traced here. */
const traces = (() => {
  try {
    execFileSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Reports to a service whose file was there before, all calls traced. */
async function traced(env: Readonly<Record<string, string>>) {
  await using repository = await gitRepository();
  await repository.commit({ 'a.js': 'start();\n' }, 'Start');
  await using folder = await temporaryFolder();
  const plan = { projects: [repository.path], dataDir: folder.path };
  await using first = await startService(plan);
  const token = printedToken(first);
  await first.end('SIGTERM');
  const trace = path.join(folder.path, 'trace');
  await using second = await startService({ ...plan, env: { RATE_LIMIT: 'off', ...env }, through: tracer(trace) });
  const api = apiClient(second.address, token);
  const { id: projectId } = await api.project();
  const names: string[] = [];
  for (let count = 0; count < REPORTS; count++) {
    const where = await api.report({ projectId, data: `TypeError ${count}`, reference: `${count}` });
    names.push(/inv_\w+/.exec(where)?.[0] ?? '');
  }
  await second.end('SIGTERM');
  return orderIn(trace, names);
}

it.runIf(traces)(`no 202 of ${REPORTS} reports leaves before the log that holds it is on the disk`, async () => {
  expect(await traced({})).toEqual({ answers: REPORTS, early: [] });
});

it.runIf(traces && eatMyData !== undefined)(
  'the same check finds every report early where fsync does nothing',
  async () => {
    const { answers, early } = await traced({ LD_PRELOAD: eatMyData ?? '' });
    expect([answers, early.length]).toEqual([REPORTS, 2 * REPORTS]);
  },
);

it.runIf(traces)('no 202 of a flood of deliveries leaves before the log is on the disk', async () => {
  await using stage = await openGithubStage();
  await stage.rest();
  const { address } = stage.service();
  await stage.service().end('SIGTERM');
  const { app, webUrl, state } = stage.double;
  const trace = path.join(stage.dataDir, 'trace');
  await using service = await startService({
    ...{ projects: [], dataDir: stage.dataDir, through: tracer(trace) },
    env: {
      ...{ PORT: new URL(address).port, APP_ID: String(app.id), PRIVATE_KEY: app.privateKey },
      ...{ WEBHOOK_SECRET: app.webhookSecret, ALLOWED_OWNERS: OWNER },
      ...{ GHE_HOST: new URL(webUrl).host, GHE_PROTOCOL: 'http' },
    },
  });
  const example = publishedExamples().find(({ name }) => name === 'issue_comment.created');
  const payload = example?.payload as { readonly comment: object };
  const one = async () => {
    const body = JSON.stringify({ ...payload, comment: { ...payload.comment, id: state.nextId() } });
    const letter = { guid: randomUUID(), event: 'issue_comment', body };
    const answer = await postDelivery(`${service.address}/api/github/webhooks`, signDelivery(app, letter), body);
    return { guid: letter.guid, ...answer };
  };
  const told = (
    await Promise.all(Array.from({ length: 8 }, async () => [await one(), await one(), await one(), await one()]))
  ).flat();
  await service.end('SIGTERM');
  expect(new Set(told.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  const { answers, early } = await orderIn(trace);
  expect(early).toEqual([]);
  // GitHub may tell of something itself meanwhile.
  expect(answers).toBeGreaterThanOrEqual(told.length);
});
