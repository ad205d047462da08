// A stored delivery reaches the app function through Probot, and what becomes of it when GitHub or we fail.
import { generateKeyPairSync } from 'node:crypto';
import type { Probot } from 'probot';
import { describe, expect, it } from 'vitest';
import type { ClaimedJob, JobHandler } from '../../../src/core/queue.ts';
import { GithubFailure, type GithubFailureKind } from '../../../src/github/clients/github-clients.ts';
import {
  createDeliveriesInFlight,
  createDeliveryHandler,
  openProbot,
} from '../../../src/github/intake/handle-delivery.ts';
import { createLog } from '../../../src/log.ts';
import { patience } from '../../support/patience.ts';
import { delivery, labelled, type Reception, reception } from './signed-delivery.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const JOB: ClaimedJob = { id: 'job_1', kind: 'delivery', subject: 'd-1', attempt: 1 };

type Deed = (payload: unknown, signal: AbortSignal) => Promise<void> | void;

interface Handling extends Reception {
  readonly handler: JobHandler;
  readonly output: () => string;
  ended(): Promise<unknown>;
}

/** A house that has received one labelled issue, and does `deed` at it. */
async function handling(deed: Deed, allowedOwners: readonly string[] = ['OCTO']): Promise<Handling> {
  const house = await reception();
  await house.receive(delivery(labelled(), { id: 'd-1' }));
  let output = '';
  const log = createLog({ level: 'trace', destination: { write: (line) => (output += line) } });
  const inFlight = createDeliveriesInFlight();
  const app = (probot: Probot) =>
    probot.on('issues.labeled', async ({ id, payload }) => void (await deed(payload, inFlight.signalOf(id))));
  // Nobody listens there: handing over asks GitHub nothing.
  const probot = await openProbot({ credentials: { appId: 1, privateKey }, apiUrl: 'http://127.0.0.1:9', log, app });
  const owner = { id: 99, login: 'acme' };
  const identity = async () => ({
    appId: 1,
    slug: 'causeway',
    owner,
    botLogin: 'causeway[bot]',
    botId: 2,
    permissions: {},
    isShared: false,
  });
  const clients = { identity };
  const redactor = { redact: async (text: string) => text.replaceAll('ghs_secret', '[redacted]') };
  return {
    ...house,
    handler: createDeliveryHandler({
      ...{ store: house.store, probot, inFlight, clients, allowedOwners, redactor, log },
      now: house.clock.now,
    }),
    output: () => output,
    ended: () =>
      house.store.database.read((reader) =>
        reader.selectFrom('deliveries').select(['state', 'detail', 'body']).executeTakeFirst(),
      ),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

function failure(kind: GithubFailureKind, retryAt: Date | null = null): GithubFailure {
  return new GithubFailure({ kind, status: null, retryAt }, `GitHub: ${kind}`);
}

const here = () => patience();

describe('a delivery', () => {
  it('reaches its handler as it came, with the signal of its job, and is wiped', async () => {
    const seen: unknown[] = [];
    await using house = await handling((payload, signal) => void seen.push(payload, signal.aborted));
    const stop = new AbortController();
    expect(await house.handler.handle(JOB, stop.signal)).toEqual({ kind: 'done' });
    expect(seen).toEqual([labelled(), false]);
    expect(await house.ended()).toEqual({ state: 'done', detail: '', body: null });
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'done' });
    expect(seen).toHaveLength(2);
  });

  it.each([[['acme', 'octocat']], [[]]])('is dropped where its owner is not allowed: %j', async (allowedOwners) => {
    let count = 0;
    await using house = await handling(() => void count++, allowedOwners);
    await house.handler.handle(JOB, here());
    expect(count).toBe(0);
    expect(await house.ended()).toMatchObject({ state: 'done', body: null });
  });

  it('waits for GitHub where a limit was reached, and keeps its body', async () => {
    const retryAt = new Date('2026-11-20T11:00:00Z');
    await using house = await handling(() => Promise.reject(failure('busy', retryAt)));
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'later', runAt: retryAt.toISOString() });
    expect(await house.store.findDelivery('d-1')).not.toBeNull();
  });

  it('ends quietly where what it is about is gone', async () => {
    await using house = await handling(() => Promise.reject(failure('gone')));
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'done' });
    expect(await house.ended()).toEqual({ state: 'done', detail: '', body: null });
  });

  it.each(['unsure', 'busy'] as const)('outlives hours in which GitHub is %s and names no time', async (kind) => {
    let isAway = true;
    await using house = await handling(() => (isAway ? Promise.reject(failure(kind)) : undefined));
    const pauses: number[] = [];
    for (let waited = 0; waited < 3600; waited = pauses.reduce((sum, pause) => sum + pause, 0)) {
      const result = await house.handler.handle(JOB, here());
      if (result.kind !== 'later') throw new Error('it was not to be tried again');
      pauses.push((Date.parse(result.runAt) - house.clock.now().getTime()) / 1_000);
      house.clock.forward(pauses.at(-1) ?? 0);
    }
    expect(pauses.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(pauses.at(-1)).toBe(600);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    isAway = false;
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'done' });
    expect(await house.ended()).toMatchObject({ state: 'done' });
  });

  it('that is hours old waits a second after its first failure, and two after the next', async () => {
    await using house = await handling(() => Promise.reject(failure('unsure')));
    house.clock.forward(6 * 60 * 60);
    const pause = async () => {
      const result = await house.handler.handle(JOB, here());
      return result.kind === 'later' ? Date.parse(result.runAt) - house.clock.now().getTime() : null;
    };
    expect([await pause(), await pause()]).toEqual([1_000, 2_000]);
  });

  it('fails after a day without GitHub, with one line in the log, and comes again when it is sent by hand', async () => {
    let isAway = true;
    let seen: unknown = null;
    await using house = await handling((payload) => {
      if (isAway) throw failure('unsure');
      seen = payload;
    });
    // A service that was down for a day, or a clock that jumped, has asked GitHub once by then.
    house.clock.forward(24 * 60 * 60 + 1);
    for (let failures = 1; failures <= 10; failures += 1) {
      expect(await house.handler.handle(JOB, here())).toMatchObject({ kind: 'later' });
    }
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'done' });
    expect(await house.ended()).toMatchObject({ state: 'failed', detail: 'GitHub: unsure', body: null });
    expect(house.output().match(/"level":(?:"error"|50)/g)).toHaveLength(1);
    isAway = false;
    await house.receive(delivery(labelled(), { id: 'd-1' }));
    expect(await house.handler.handle(JOB, here())).toEqual({ kind: 'done' });
    expect(seen).toEqual(labelled());
    expect(await house.ended()).toMatchObject({ state: 'done', detail: '' });
  });

  it('is thrown without the payload that Probot hangs on every error, and logs none of it', async () => {
    await using house = await handling(() => Promise.reject(new Error('our fault')));
    const error = await house.handler.handle(JOB, here()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'our fault' });
    expect(Object.keys(error as object)).toEqual([]);
    expect(house.output()).not.toContain('Broken');
  });
});
