// Readiness, disk space and recurring work, as operators see them.
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createReadiness } from '../../src/app/port.ts';
import { createRoom } from '../../src/app/services.ts';
import { startRecurring } from '../../src/app/upkeep.ts';
import { describeNoSpace } from '../../src/core/disk.ts';
import { StoreUnusable } from '../../src/core/errors.ts';
import { createLog } from '../../src/log.ts';
import { expectForPeople } from '../support/for-people.ts';

type Asked = Parameters<typeof createReadiness>[0];

function house(check: () => Promise<void>): { readonly house: Asked; readonly asked: () => number } {
  let asked = 0;
  const store = {
    checkWritable: async () => {
      asked += 1;
      await check();
    },
  };
  const queue = { countJobs: async () => ({ waiting: 3, running: 2, dead: 1 }) };
  return { house: { store, queue } as unknown as Asked, asked: () => asked };
}

it('says of a database that hangs that it does not answer in time, and of the rest how it stands', async () => {
  const { house: hanging } = house(() => new Promise(() => {}));
  const found = await createReadiness({ ...hanging, dataDir: tmpdir(), others: () => [], boundMs: 500 })();
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

const MIB = 1024 ** 2;

/** A disk with so many bytes free. */
function place(disk: { free: number }) {
  const time = { now: new Date('2026-11-20T10:00:00.000Z') };
  const lines: string[] = [];
  const asked = { count: 0 };
  const room = createRoom({
    folder: '/srv/causeway',
    log: createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    now: () => time.now,
    read: async () => {
      asked.count += 1;
      return disk.free;
    },
  });
  const later = async () => {
    time.now = new Date(time.now.getTime() + 2_000);
    return await room();
  };
  return { room, later, lines, asked };
}

describe('room on the disk', () => {
  it('is there from 100 MiB on', async () => {
    expect(await place({ free: 100 * MIB }).room()).toBeNull();
    expect(await place({ free: 100 * MIB - 1 }).room()).toEqual({ free: 100 * MIB - 1, required: 100 * MIB });
  });

  it('is missed in figures, never rounded up to enough', () => {
    const text = (free: number) => describeNoSpace({ free, required: 100 * MIB });
    expect(text(19.9 * MIB)).toContain('(19 MiB free, 100 MiB required)');
    expect(text(100 * MIB - 1)).toContain('(99 MiB free, 100 MiB required)');
    expect(text(0)).toContain('(0 B free, 100 MiB required)');
    expectForPeople(text(0));
  });

  it('is logged once when it is short, and once when there is space again', async () => {
    const disk = { free: 10 * MIB };
    const at = place(disk);
    await at.room();
    await at.later();
    expect(at.lines).toHaveLength(1);
    expect(at.lines[0]).toContain('no space left on the disk of DATA_DIR');
    disk.free = 1024 * MIB;
    expect(await at.later()).toBeNull();
    await at.later();
    expect(at.lines).toHaveLength(2);
  });

  it('is asked of the system once in two seconds, however many want to know', async () => {
    const at = place({ free: 1024 * MIB });
    await Promise.all(Array.from({ length: 100 }, () => at.room()));
    expect(at.asked.count).toBe(1);
    await at.later();
    expect(at.asked.count).toBe(2);
  });

  it('is believed to be there where the disk does not tell: the store says what is wrong', async () => {
    const log = createLog({ level: 'silent' });
    expect(await createRoom({ folder: '/no/such/folder', log, now: () => new Date(0) })()).toBeNull();
  });
});

const log = createLog({ level: 'silent' });

it('says nothing before its first round, then what went wrong with it, and is ended in the middle of one', async () => {
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<AbortSignal>();
  const work = async (signal: AbortSignal) => {
    begun.resolve(signal);
    await first.promise;
    throw new Error('GitHub could not be reached');
  };
  const failing = startRecurring({ what: 'a test', everyMs: 3_600_000, work, log });
  await begun.promise;
  expect(failing.fault()).toBeNull();
  first.resolve();
  await expect.poll(() => failing.fault()).toBe('GitHub could not be reached');
  await failing[Symbol.asyncDispose]();

  const running = Promise.withResolvers<void>();
  const endless = startRecurring({
    ...{ what: 'a test', everyMs: 3_600_000, log },
    work: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        running.resolve();
      }),
  });
  await running.promise;
  await endless[Symbol.asyncDispose]();
  expect(endless.fault()).toBeNull();
});

it('has nothing to say after a good round', async () => {
  await using good = startRecurring({ what: 'a test', everyMs: 3_600_000, work: async () => undefined, log });
  await expect.poll(() => good.fault()).toBe('');
});

it('does nothing while another process does it, and begins when that is gone', async () => {
  let isOurs = false;
  let rounds = 0;
  const work = async () => {
    rounds += 1;
  };
  await using waiting = startRecurring({ what: 'a test', everyMs: 3_600_000, work, log, isOurs: () => isOurs });
  await new Promise((resolve) => setImmediate(resolve));
  expect([rounds, waiting.fault()]).toEqual([0, null]);
  isOurs = true;
  await expect.poll(() => rounds).toBe(1);
});
