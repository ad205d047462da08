// The clock of the real service jumps back an hour and forward a day while webhooks wait: never two attempts at once, none lost, and reports go on meanwhile.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));

/** Takes its time with every answer, and sees who comes while it does. */
async function slowReceiver() {
  const underWay = new Map<string, number>();
  const answered: { readonly id: string; readonly status: number }[] = [];
  let status = 500;
  let together = 0;
  const server = createServer(async (request, response) => {
    const id = String(request.headers['webhook-id']);
    const now = (underWay.get(id) ?? 0) + 1;
    underWay.set(id, now);
    together = Math.max(together, now);
    for await (const _ of request);
    await sleep(300);
    underWay.set(id, (underWay.get(id) ?? 1) - 1);
    answered.push({ id, status });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answered,
    together: () => together,
    heal: () => {
      status = 200;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits for so many answers of the receiver. */
async function reaches(count: () => number, wanted: number): Promise<void> {
  for (let tries = 0; tries < 1_200 && count() < wanted; tries++) await sleep(50);
  expect(count()).toBeGreaterThanOrEqual(wanted);
}

it.runIf(LIBRARY !== undefined)(
  'back an hour, forward a day: webhooks are tried one at a time and all arrive',
  async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.js': 'start();\n' }, 'Start');
    await using folder = await temporaryFolder();
    await using receiver = await slowReceiver();
    const clock = path.join(folder.path, 'clock');
    const jumpTo = (offset: string) => writeFile(clock, offset);
    await jumpTo('+0');
    const faked = { LD_PRELOAD: LIBRARY ?? '', FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' };
    // Timers go by the clock that never jumps, as they do on a real machine.
    const env = { ...faked, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' };
    await using service = await startService({ projects: [repository.path], dataDir: folder.path, env });
    const api = apiClient(service.address, printedToken(service));
    const { id: projectId } = await api.project();
    const report = async (text: string) => {
      const where = await api.report({ projectId, data: `TypeError: ${text}`, callbackUrl: receiver.url });
      expect(await api.end(where)).toMatchObject({ state: 'concluded' });
    };
    const tries = () => receiver.answered.length;

    await report('before');
    await reaches(tries, 1);
    await jumpTo('-1h');
    await report('an hour ago');
    await reaches(tries, 2);
    // Long enough for the second attempt at the second one; the first one waits for the hour that comes again.
    await sleep(8_000);
    await jumpTo('+1d');
    await report('tomorrow');
    await reaches(() => new Set(receiver.answered.map(({ id }) => id)).size, 3);
    receiver.heal();
    await jumpTo('+3d');
    const arrived = () => receiver.answered.filter(({ status }) => status === 200);
    await reaches(() => arrived().length, 3);
    await jumpTo('+2d');
    await sleep(3_000);
    expect(new Set(arrived().map(({ id }) => id)).size).toBe(3);
    expect(arrived()).toHaveLength(3);
    expect(receiver.together()).toBe(1);
    // The jumps used up no more attempts than there are.
    expect(tries()).toBeLessThan(3 * 10);
  },
);
