// One receiver that hangs, with many webhooks queued to it: those of other accounts go out meanwhile. And what is erased is not told.
import { describe, expect, it } from 'vitest';
import { type Account, createSigningSecret } from '../../src/core/account/account.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { createWebhookHandler } from '../../src/webhooks/deliver-webhook.ts';
import { PATIENCE_MS, until } from '../support/patience.ts';
import { migratedStore } from '../support/sqlite-template.ts';
import { acceptance, conclusion, ground, NOW } from '../support/store-samples.ts';
import { POLICY, publicAndCanary } from './public-and-canary.ts';

/** As the service has them (src/app/services.ts). */
const LANE = { concurrency: 16, perGroup: 4 };

async function postOffice() {
  const log = createLog({ level: 'info', destination: { write: () => {} } });
  const jobs = createJobTable();
  const seal = createSeal(Buffer.alloc(32, 7));
  const store = await migratedStore({ seal, enqueuer: jobs });
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const queue = createEmbeddedQueue({ database: store.database, jobs, log, now });
  const handler = createWebhookHandler({
    store,
    policy: POLICY,
    log,
    now,
    random: Math.random,
    version: '1',
    deadlineMs: PATIENCE_MS,
  });
  const base = await ground(store);
  const person = (login: string) =>
    store.ensureAccount({ login, githubId: null, signingSecret: createSigningSecret(), now: NOW });
  /** Concludes a report of each of them at once, so that a webhook is due for each. */
  const concluded = async (account: Account, callbackUrl: string, count = 1) => {
    const fingerprint = `${account.login} ${callbackUrl}`;
    let runId = '';
    for (let each = 0; each < count; each++) {
      const accepted = await store.accept(acceptance(base, { accountId: account.id, callbackUrl, fingerprint }));
      if (accepted.kind === 'accepted') runId = accepted.runId;
    }
    const run = await store.startRun(runId, NOW);
    if (run === null) throw new Error('no run');
    return store.conclude(run, conclusion(), NOW);
  };
  const work = () => queue.work({ webhook: handler }, { webhook: LANE });
  const forward = (ms: number) => {
    ahead += ms;
  };
  return { store, queue, person, concluded, work, forward, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** `ROUNDS` makes it the thousand of the long run. */
const QUEUED = process.env['ROUNDS'] === undefined ? 60 : 1_000;

describe('a receiver that hangs', () => {
  it('holds four connections, whatever is queued to it, and delays no one else', async () => {
    await using hanging = await publicAndCanary({ raw: () => undefined });
    await using well = await publicAndCanary();
    await using office = await postOffice();
    const [slow, quick] = [await office.person('slow'), await office.person('quick')];
    await office.concluded(slow, `http://127.0.0.2:${hanging.port}/`, QUEUED);
    await using _worker = office.work();
    await until(() => hanging.connections() === 4);
    await office.concluded(quick, `http://127.0.0.2:${well.port}/`, 20);
    await until(() => well.requests().length === 20);
    expect([hanging.connections(), hanging.canary(), well.canary()]).toEqual([4, 0, 0]);
    const told = await office.store.listWebhooks(quick.id, 30);
    await until(async () =>
      (await office.store.listWebhooks(quick.id, 30)).every(({ state }) => state === 'delivered'),
    );
    expect(told).toHaveLength(20);
  });
});

describe('a webhook that failed', () => {
  it('is tried again once its time has come', async () => {
    await using receiver = await publicAndCanary({ answer: (_request, response) => response.writeHead(500).end() });
    await using office = await postOffice();
    const person = await office.person('one');
    await office.concluded(person, `http://127.0.0.2:${receiver.port}/`);
    await using _worker = office.work();
    await until(async () => (await office.store.listWebhooks(person.id, 1))[0]?.attempts === 1);
    office.forward(10_000);
    await until(() => receiver.requests().length === 2);
  });
});

describe('an issue that is deleted while its webhook waits for another try', () => {
  it('is sent to no one any more', async () => {
    let answers = 0;
    await using receiver = await publicAndCanary({
      answer: (_request, response) => {
        answers += 1;
        response.writeHead(500).end();
      },
    });
    await using witness = await publicAndCanary();
    await using office = await postOffice();
    const person = await office.person('one');
    const [issueId = ''] = await office.concluded(person, `http://127.0.0.2:${receiver.port}/`);
    await using _worker = office.work();
    await until(async () => (await office.store.listWebhooks(person.id, 1))[0]?.attempts === 1);
    await office.store.eraseIssue(issueId, new Date().toISOString());
    // The second try would be due after five seconds, the third after as many minutes: before what goes to another one then.
    const other = await office.person('other');
    for (const [at, seconds] of [10, 600].entries()) {
      office.forward(seconds * 1_000);
      await office.concluded(other, `http://127.0.0.2:${witness.port}/`);
      await until(() => witness.requests().length > at);
    }
    expect(answers).toBe(1);
    expect(await office.store.findIssue(issueId)).toBeNull();
  });
});
