// Deliveries that GitHub could not make while we were down: asked for again, each once.
import { expect, it } from 'vitest';
import { createRedelivery } from '../../../src/github/projects/redelivery.ts';
import { createLog } from '../../../src/log.ts';
import type { Said } from '../clients/github-api.ts';
import { type Ground, NEVER, openGround } from '../clients/ground.ts';

const MINUTE = 60_000;

interface Listed {
  readonly id: number;
  readonly guid: string;
  readonly delivered_at: string;
  readonly redelivery: boolean;
  readonly status: string;
  readonly status_code: number;
}

/** GitHub's side: all attempts, and whether what it sends arrives. */
interface Hook {
  readonly attempts: Listed[];
  /** Deliveries that arrived, as often as they did. */
  readonly arrived: string[];
  isUp: boolean;
  /** Instead of an answer to the request for the page or the attempt of that number. */
  fault: { readonly page?: number; readonly attempt?: number } | null;
}

async function openHook() {
  const hook: Hook = { attempts: [], arrived: [], isUp: true, fault: null };
  const ground = await openGround({
    'GET /app/hook/deliveries': ({ path }) => listed(hook, ground, path),
    'POST /app/hook/deliveries/*/attempts': ({ path }) => repeated(hook, ground, path),
  });
  const deps = {
    clients: ground.clients,
    store: {
      findSeenDeliveries: async (ids: readonly string[]) => new Set(ids.filter((id) => hook.arrived.includes(id))),
    },
    log: createLog({ level: 'silent' }),
    now: () => ground.clock.now,
  };
  return Object.assign(ground, { hook, deps, redelivery: createRedelivery(deps) });
}

function listed(hook: Hook, ground: Ground, path: string): Said {
  const begin = Number(new URL(path, ground.api.url).searchParams.get('cursor') ?? 0);
  if (hook.fault?.page === begin / 100) return { status: 502 };
  const newestFirst = hook.attempts.toSorted((a, b) => b.delivered_at.localeCompare(a.delivered_at) || b.id - a.id);
  const next = begin + 100;
  const link = `<${ground.api.url}/app/hook/deliveries?per_page=100&cursor=${next}>; rel="next"`;
  return { body: newestFirst.slice(begin, next), headers: next < newestFirst.length ? { link } : {} };
}

function repeated(hook: Hook, ground: Ground, path: string): Said {
  const id = Number(path.split('/')[4]);
  if (hook.fault?.attempt === id)
    return { status: 403, headers: { 'retry-after': '60' }, body: { message: 'Slow down' } };
  const { guid } = hook.attempts.find((attempt) => attempt.id === id)!;
  deliver(hook, guid, ground.clock.now);
  return { status: 202, body: {} };
}

function deliver(hook: Hook, guid: string, at: Date): void {
  hook.attempts.push({
    id: hook.attempts.length + 1,
    guid,
    delivered_at: at.toISOString(),
    redelivery: hook.attempts.some((attempt) => attempt.guid === guid),
    status: hook.isUp ? 'OK' : 'failed to connect to host',
    status_code: hook.isUp ? 202 : 502,
  });
  if (hook.isUp) hook.arrived.push(guid);
}

function minutesAgo({ clock }: Ground, minutes: number): Date {
  return new Date(clock.now.getTime() - minutes * MINUTE);
}

function requests(ground: Ground): number {
  return ground.api.calls().filter((call) => call.startsWith('POST')).length;
}

it('after an outage with 500 failed deliveries each arrives once, also those that somebody redelivered by hand', async () => {
  await using ground = await openHook();
  const { hook, redelivery } = ground;
  hook.isUp = false;
  for (let n = 0; n < 500; n++) deliver(hook, `guid-${n}`, minutesAgo(ground, 20 - n / 50));
  hook.isUp = true;
  for (let n = 0; n < 50; n++) deliver(hook, `guid-${n * 10}`, minutesAgo(ground, 5));
  const asked: number[] = [];
  for (let call = 0; call < 6; call++) {
    asked.push(await redelivery.askAgain(NEVER));
    ground.clock.now = new Date(ground.clock.now.getTime() + MINUTE);
  }
  expect(asked).toEqual([450, 0, 0, 0, 0, 0]);
  expect(hook.arrived.toSorted()).toEqual(Array.from({ length: 500 }, (_, n) => `guid-${n}`).toSorted());
});

it('a delivery that we have although GitHub heard no answer is not asked for', async () => {
  await using ground = await openHook();
  ground.hook.isUp = false;
  deliver(ground.hook, 'slow', minutesAgo(ground, 3));
  ground.hook.arrived.push('slow');
  expect(await ground.redelivery.askAgain(NEVER)).toBe(0);
});

it('what fails again is asked for again, three times in all', async () => {
  await using ground = await openHook();
  const { hook, redelivery } = ground;
  hook.isUp = false;
  deliver(hook, 'poison', minutesAgo(ground, 3));
  for (let call = 0; call < 6; call++) {
    ground.clock.now = new Date(ground.clock.now.getTime() + MINUTE);
    await redelivery.askAgain(NEVER);
  }
  expect(requests(ground)).toBe(3);
});

it('a page that cannot be read says so, and the next call finds everything all the same', async () => {
  await using ground = await openHook();
  const { hook, redelivery } = ground;
  hook.isUp = false;
  for (let n = 0; n < 250; n++) deliver(hook, `guid-${n}`, minutesAgo(ground, 10));
  hook.isUp = true;
  hook.fault = { page: 1 };
  await expect(redelivery.askAgain(NEVER)).rejects.toMatchObject({ kind: 'unsure' });
  hook.fault = null;
  for (let call = 0; call < 3; call++) await redelivery.askAgain(NEVER);
  expect(new Set(hook.arrived).size).toBe(250);
  expect(hook.arrived).toHaveLength(250);
});

it('numbers too large for a float are sent back to the digit', async () => {
  const attempt = '{"id": 9223372036854775807, "guid": "g", "delivered_at": "AT", "status_code": 502}';
  await using ground = await openGround({
    'GET /app/hook/deliveries': () => ({
      headers: { 'content-type': 'application/json' },
      body: `[${attempt.replace('AT', ground.clock.now.toISOString())}]`,
    }),
    'POST /app/hook/deliveries/*/attempts': () => ({ status: 202 }),
  });
  const store = { findSeenDeliveries: async () => new Set<string>() };
  const log = createLog({ level: 'silent' });
  await createRedelivery({ clients: ground.clients, store, log, now: () => ground.clock.now }).askAgain(NEVER);
  expect(ground.api.calls().at(-1)).toBe('POST /app/hook/deliveries/9223372036854775807/attempts');
});
