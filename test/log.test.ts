// The register of secrets, and that no line of the log shows one.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noise } from '../packages/redact/test/planted.ts';
import { addLogContext, createLog, listRegisteredSecrets, registerSecret, withLogContext } from '../src/log.ts';

beforeEach(() => vi.useFakeTimers({ now: new Date('2026-11-20T10:00:00.000Z'), toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

it('shows nothing of a key of several lines, which a line of the log holds with its line ends escaped', () => {
  const key = '-----BEGIN TEST KEY-----\nbG9uZyBlbm91Z2g=\nYW5vdGhlciBsaW5l\n-----END TEST KEY-----\n';
  registerSecret(key);
  const lines = logged((log) => log.info({ detail: `said: ${key}` }, 'failed'));
  expect(lines).not.toContain('bG9uZyBlbm91Z2g=');
  expect(lines).toContain('said: [redacted]');
});

it('forgets a token some time after it has expired, and a lasting secret never, whichever is said first', () => {
  registerSecret('a-token-of-one-hour', 1_000);
  registerSecret('a-lasting-secret');
  registerSecret('a-lasting-secret', 1_000);
  expect(listRegisteredSecrets()).toEqual(expect.arrayContaining(['a-token-of-one-hour', 'a-lasting-secret']));
  vi.setSystemTime(Date.now() + 2_000);
  registerSecret('the-token-after-it', 1_000);
  expect(listRegisteredSecrets()).not.toContain('a-token-of-one-hour');
  expect(listRegisteredSecrets()).toEqual(expect.arrayContaining(['the-token-after-it', 'a-lasting-secret']));
});

it("shows no token and no password in an address of somebody else's, wherever an error has them, and stays JSON", () => {
  const token = ['gh', 'p_', noise(36, 1)].join('');
  const cause = new Error(`could not read "https://me:${noise(12, 2)}@git.test/a"`);
  const lines = logged((log) => log.debug({ err: new Error(`said ${token}`, { cause }), line: `x "${token}"` }, token));
  expect(lines).not.toContain(token.slice(4, 20));
  expect(lines).not.toContain(noise(12, 2));
  expect(JSON.parse(lines)).toMatchObject({ line: 'x "[redacted]"', msg: '[redacted]' });
});

it('puts the ids of the work on each of its lines, however deep inside, and on no other’s', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const inside = async (name: string) => {
    await Promise.resolve();
    log.info(name);
  };
  addLogContext({ run: 'of nobody' });
  await Promise.all([
    withLogContext({ requestId: 'req_1' }, async () => {
      await inside('before');
      addLogContext({ investigation: 'inv_1' });
      await withLogContext({ job: 'job_1' }, async () => {
        addLogContext({ run: 'run_1' });
        await inside('within');
      });
      await inside('after');
      log.info({ requestId: 'its own', status: 200 }, 'said');
      await inside('last');
    }),
    withLogContext({ requestId: 'req_2' }, () => inside('beside')),
  ]);
  await inside('outside');
  const told = lines.map((line) => JSON.parse(line)).map(({ level, time, msg, ...ids }) => [msg, ids]);
  expect(Object.fromEntries(told)).toEqual({
    before: { requestId: 'req_1' },
    within: { requestId: 'req_1', investigation: 'inv_1', job: 'job_1', run: 'run_1' },
    after: { requestId: 'req_1', investigation: 'inv_1' },
    said: { requestId: 'its own', status: 200, investigation: 'inv_1' },
    last: { requestId: 'req_1', investigation: 'inv_1' },
    beside: { requestId: 'req_2' },
    outside: {},
  });
});
