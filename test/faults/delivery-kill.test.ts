// The long run: kill -9 at random moments under a flood of deliveries. What was answered with 202 is there, once, and is handled in the end.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { postDelivery, signDelivery } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { emptyLedger, lossesIn, NO_LOSSES } from '../support/entry-kill.ts';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { type GithubStage, openGithubStage, storedQueue } from '../support/github-stage.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
const SENDERS = 8;
const LONGEST_MS = 1_200;

interface Letter {
  readonly guid: string;
  readonly event: string;
  readonly body: string;
}

/** Commands of somebody who may not ask: each is looked into at GitHub, and nothing comes of it. */
async function comments(stage: GithubStage): Promise<() => Letter> {
  const number = await reportBug(stage.double);
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: '/analyse' });
  await stage.rest();
  const latest = stage.double.webhooks.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  const payload = latest?.request.payload as { readonly comment: object };
  const next = () => ({ ...payload, comment: { ...payload.comment, id: stage.double.state.nextId() } });
  return () => ({ guid: randomUUID(), event: 'issue_comment', body: JSON.stringify(next()) });
}

it(`${ROUNDS} kills under a flood of deliveries lose none that was answered and double none`, async () => {
  await using stage = await openGithubStage({ prepare: (double) => openShop(double), patienceMs: 600_000 });
  const next = await comments(stage);
  await stage.service().end('SIGTERM');
  const { app } = stage.double;
  const ledger = emptyLedger();
  /** Sent, and never answered: GitHub sends them again. */
  const unanswered: Letter[] = [];
  let refusals = 0;
  const send = async (life: AbortSignal) => {
    while (!life.aborted) {
      const letter = unanswered.pop() ?? next();
      const { statusCode } = await postDelivery(app.webhookUrl ?? '', signDelivery(app, letter), letter.body, life);
      if (statusCode === 202) ledger.deliveries.add(letter.guid);
      else unanswered.push(letter);
      if (statusCode !== 202 && !life.aborted) refusals++;
      await sleep(40);
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    const service = await stage.restart();
    const life = new AbortController();
    const sending = Array.from({ length: SENDERS }, () => send(life.signal));
    await sleep(Math.random() * LONGEST_MS);
    const ended = service.end('SIGKILL');
    life.abort();
    await Promise.all([ended, ...sending]);
    expect([round, await lossesIn(stage.dataDir, ledger), refusals]).toEqual([round, NO_LOSSES, 0]);
  }
  process.stdout.write(`${JSON.stringify({ rounds: ROUNDS, deliveries: ledger.deliveries.size })}\n`);
  expect(ledger.deliveries.size).toBeGreaterThan(ROUNDS);
  await stage.restart();
  await stage.rest();
  const { deliveries, jobs } = await storedQueue(stage.dataDir);
  expect([deliveries['waiting'], deliveries['failed']]).toEqual([undefined, undefined]);
  expect(jobs.filter(({ kind }) => kind === 'delivery')).toEqual([]);
  expect(await lossesIn(stage.dataDir, ledger)).toEqual(NO_LOSSES);
}, 7_200_000);
