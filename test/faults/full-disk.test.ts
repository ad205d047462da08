// A disk that is full while reports are written, while the log is moved into the file, and at the start: refusals in words, nothing lost, and room is all that it takes.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { printedToken, startService } from '../support/service.ts';
import { canMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';

const KB = 1024;

/** A service with its records on a disk of 160 MiB. */
async function onSmallDisk() {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  await repository.commit({ 'a.js': 'start();\n' }, 'Start');
  const disk: SmallDisk = opening.use(smallDisk(160));
  const plan = { projects: [repository.path], dataDir: disk.path, env: { RATE_LIMIT: 'off' } };
  const service = opening.use(await startService(plan));
  const token = printedToken(service);
  const { id: projectId } = await apiClient(service.address, token).project();
  const report = (text: string, size: number) =>
    fetch(`${service.address}/api/v1/issues/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ projectId, data: `TypeError: ${text} `.padEnd(size, 'word '), reference: text }),
    });
  const opened = opening.move();
  return {
    ...{ disk, plan, service, token, report },
    api: apiClient(service.address, token),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Ground = Awaited<ReturnType<typeof onSmallDisk>>;

/** Reports of `size` bytes until one is refused; the accepted, and the refusal. */
async function untilRefused({ report }: Ground, size: number, most = 400) {
  const accepted: string[] = [];
  for (let count = 0; count < most; count++) {
    const answer = await report(`r${size}-${count}`, size);
    if (answer.status !== 202) return { accepted, refusal: answer };
    accepted.push(answer.headers.get('location') ?? '');
  }
  return { accepted, refusal: null };
}

/** Each accepted report comes to its end, and the file is sound. */
async function expectAllThere({ api, plan, service }: Ground, accepted: readonly string[]): Promise<void> {
  const states = new Set<string>();
  for (const one of accepted) states.add((await api.end(one)).state);
  expect([...states]).toEqual(['concluded']);
  await service.end('SIGKILL');
  const database = new Sqlite(path.join(plan.dataDir, 'causeway.db'));
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
}

describe.runIf(canMount())('a full disk', () => {
  it.each([
    { when: 'a report is committed', leaving: 300 * KB, size: 20 * KB },
    { when: 'nothing at all can be written', leaving: 0, size: 1 * KB },
    { when: 'the log is moved into the file', leaving: 5_000 * KB, size: 200 * KB },
  ])(
    'when $when refuses with words, loses nothing, and goes on as soon as there is room',
    async ({ leaving, size }) => {
      await using ground = await onSmallDisk();
      const before = await untilRefused(ground, 2 * KB, 5);
      await ground.disk.fill(leaving);
      const { accepted, refusal } = await untilRefused(ground, size);
      expect(refusal?.status).toBe(503);
      expect(refusal?.headers.get('content-type')).toContain('application/problem+json');
      expect(await refusal?.json()).toMatchObject({ status: 503, detail: expect.stringMatching(/\w+ \w+/) });
      expect((await fetch(`${ground.service.address}/healthz`)).status).toBe(200);
      expect((await fetch(`${ground.service.address}/readyz`)).status).toBe(503);
      // Longer than a failed try and its repetitions take.
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      await ground.disk.empty();
      const after = await untilRefused(ground, 2 * KB, 3);
      expect(after.refusal).toBeNull();
      await expectAllThere(ground, [...before.accepted, ...accepted, ...after.accepted]);
    },
  );

  it('at the start is refused with what to do, and leaves the file as it was', async () => {
    await using ground = await onSmallDisk();
    const { accepted } = await untilRefused(ground, 2 * KB, 5);
    await ground.service.end('SIGKILL');
    await ground.disk.fill(0);
    // Whoever supervises it starts it again.
    await expect(startService(ground.plan)).rejects.toThrow(/exit 1[\s\S]*No space left on the disk of DATA_DIR/);
    await ground.disk.empty();
    await using service = await startService(ground.plan);
    const api = apiClient(service.address, ground.token);
    await expectAllThere({ ...ground, api, service }, accepted);
  });
});
