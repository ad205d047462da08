// What /readyz is made of: each check within its time, and one answer for all who ask in the same second.
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createReadiness } from '../../src/app/port.ts';
import { StoreUnusable } from '../../src/core/errors.ts';

type Asked = Parameters<typeof createReadiness>[0];

function house(check: () => Promise<void>): { readonly house: Asked; readonly asked: () => number } {
  let asked = 0;
  const store = {
    check: async () => {
      asked += 1;
      await check();
    },
  };
  const queue = { depth: async () => ({ waiting: 3, running: 2, dead: 1 }) };
  return { house: { store, queue } as unknown as Asked, asked: () => asked };
}

it('says of a database that hangs that it does not answer in time, and of the rest how it stands', async () => {
  const { house: hanging } = house(() => new Promise(() => {}));
  const found = await createReadiness({ ...hanging, dataDir: tmpdir(), others: () => [], boundMs: 20 })();
  expect(found.map(({ name, ok, detail }) => [name, ok, detail])).toEqual([
    ['database', false, 'no answer in time'],
    ['queue', true, '3 waiting, 2 running, 1 dead'],
    ['disk', true, expect.stringMatching(/^[\d.]+ [KMGT]iB free, 100 MiB required$/)],
  ]);
});

it('says that something failed, and none of its words', async () => {
  const { house: broken } = house(() => Promise.reject(new Error('SQLITE_IOERR at /secret/place')));
  const ready = createReadiness({ ...broken, dataDir: '/nowhere/at/all', others: () => [] });
  const found = await ready();
  expect(found.map(({ ok }) => ok)).toEqual([false, true, false]);
  expect(JSON.stringify(found)).not.toMatch(/secret|nowhere|ENOENT/);
});

it('says why records cannot be used where that is known, without the path', async () => {
  const said = async (error: Error) => {
    const ready = createReadiness({
      ...house(() => Promise.reject(error)).house,
      dataDir: tmpdir(),
      others: () => [],
    });
    return (await ready()).find(({ name }) => name === 'database')?.detail;
  };
  expect(await said(new StoreUnusable('full', '/secret/place'))).toBe('no space left on its disk');
  expect(await said(new StoreUnusable('replaced', '/secret/place'))).toMatch(/^its file was deleted or replaced/);
});

it('asks once for however many ask in the same moment, and for what is known already each time', async () => {
  const { house: well, asked } = house(async () => {});
  let told = 0;
  const others = () => {
    told += 1;
    return [{ name: 'github', ok: true, detail: String(told) }];
  };
  const ready = createReadiness({ ...well, dataDir: tmpdir(), others });
  await Promise.all(Array.from({ length: 50 }, () => ready()));
  expect(asked()).toBe(1);
  expect((await ready()).find(({ name }) => name === 'github')?.detail).toBe('51');
});
