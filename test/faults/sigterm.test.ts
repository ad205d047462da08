// SIGTERM at any moment: while requests are under way, in the middle of a model call, in the middle of a callback. It ends soon, and nothing is lost or doubled.
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { apiClient } from '../support/api-client.ts';
import { entryGround, entryKillRound, NO_LOSSES, unended } from '../support/entry-kill.ts';
import { killGround } from '../support/kill-rounds.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { type Service, startService } from '../support/service.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
/** Ten seconds by themselves; a machine that does other work as well is given some more. */
const BOUND_MS = 20_000;

it(`${ROUNDS} times while everything is in use: ends in order, loses and doubles nothing`, async () => {
  await using ground = await entryGround();
  const ends: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { losses, refusals, exit, toEndMs } = await entryKillRound(ground, Math.random() * 1_500, 'SIGTERM');
    expect([round, losses, refusals, exit]).toEqual([round, NO_LOSSES, [], 0]);
    ends.push(toEndMs);
  }
  process.stdout.write(`longest end ${Math.round(Math.max(...ends))} ms\n`);
  expect(Math.max(...ends)).toBeLessThan(BOUND_MS);
  expect(await unended(ground, ground.actor.ledger)).toEqual([]);
}, 3_600_000);

/** Hangs on the first who comes, and answers all others. */
async function hangingReceiver() {
  const came: string[] = [];
  const first = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    came.push(String(request.headers['webhook-id']));
    if (came.length === 1) first.resolve();
    else request.resume().once('end', () => response.end());
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url: `${url}/hook`,
    ...{ came, first: first.promise },
    [Symbol.asyncDispose]: close,
  };
}

async function endsSoon(service: Service): Promise<void> {
  const asked = performance.now();
  expect(await service.end('SIGTERM')).toBe(0);
  expect(performance.now() - asked).toBeLessThan(BOUND_MS);
}

it('in the middle of a model call and of a callback: one Issue, one webhook', async () => {
  await using ground = await killGround();
  await using receiver = await hangingReceiver();
  const start = () => startService({ projects: [ground.repository], dataDir: ground.dataDir, env: ground.settings });
  await using one = await start();
  const api = apiClient(one.address, ground.token);
  const { id: projectId } = await api.project();
  const asked = ground.model.at('asked', 2);
  const where = await api.report(
    { projectId, data: ground.report, callbackUrl: receiver.url, reference: 'sigterm' },
    'k',
  );
  await asked;
  await endsSoon(one);

  ground.model.release();
  await using two = await start();
  await receiver.first;
  await endsSoon(two);

  await using three = await start();
  const after = apiClient(three.address, ground.token);
  expect(await after.end(where)).toMatchObject({ state: 'concluded' });
  for (let tries = 0; tries < 600 && receiver.came.length < 2; tries++) await new Promise((go) => setTimeout(go, 50));
  expect(receiver.came).toHaveLength(2);
  expect(new Set(receiver.came).size).toBe(1);
  expect((await after.project()).issueIds).toHaveLength(1);
});
