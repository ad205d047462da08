// Work that comes round: what is known of its last round, and how it ends.
import { expect, it } from 'vitest';
import { startRecurring } from '../../src/app/upkeep.ts';
import { createLog } from '../../src/log.ts';

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
  await expect.poll(() => rounds, { timeout: 10_000 }).toBe(1);
});
