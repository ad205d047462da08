// Held answers and open connections have an end: 200 streams and waits for each account, and so many sockets for the process.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/api/server.ts';
import { createLog } from '../../src/log.ts';
import { type ApiGround, apiGround } from './api-ground.ts';
import { connectTo, exchange, readToEnd } from './raw-exchange.ts';

const MOST_HELD = 200;

let ground: ApiGround;
beforeEach(async () => {
  ground = await apiGround();
});
afterEach(() => ground[Symbol.asyncDispose]());

describe('answers that are held open', () => {
  it('are 200 for one account, streams and waits together; one more is 429, and no other account feels it', async () => {
    const id = await ground.report();
    const events = `/api/v1/investigations/${id}/events/`;
    const gone = new AbortController();
    const waiting = ground.call('GET', `/api/v1/investigations/${id}/?wait=60`, { signal: gone.signal });
    await ground.following(1);
    const streams = await Promise.all(Array.from({ length: MOST_HELD - 1 }, () => ground.call('GET', events)));
    for (const path of [events, `/api/v1/investigations/${id}/?wait=1`]) {
      const refused = await ground.call('GET', path);
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '5']);
    }
    expect((await ground.call('GET', `/api/v1/investigations/${id}/`)).status).toBe(200);
    const other = await ground.store.ensureAccount({ login: 'o', githubId: 7, signingSecret: 'whsec_y', now: '2026' });
    const theirs = await ground.call('GET', events, { token: await ground.newToken({ accountId: other.id }) });
    expect(theirs.status).toBe(200);

    await streams[0]?.body?.cancel();
    const again = await ground.call('GET', events);
    expect(again.status).toBe(200);
    expect((await ground.call('GET', events)).status).toBe(429);
    gone.abort();
    await waiting.catch(() => undefined);
    const last = await ground.call('GET', events);
    expect(last.status).toBe(200);
    for (const stream of [...streams.slice(1), again, last, theirs]) await stream.body?.cancel();
  });

  it('are let go of at the end of the investigation', async () => {
    const id = await ground.report();
    const events = `/api/v1/investigations/${id}/events/`;
    const streams = await Promise.all(Array.from({ length: MOST_HELD }, () => ground.call('GET', events)));
    expect((await ground.call('GET', events)).status).toBe(429);
    await ground.conclude(id);
    await Promise.all(streams.map((stream) => stream.text()));
    const next = await ground.call('GET', `/api/v1/investigations/${await ground.report('another')}/events/`);
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });
});

describe('connections', () => {
  it('beyond the bound are closed unanswered, and taken again once others end', async () => {
    const log = createLog({ level: 'info', destination: { write: () => {} } });
    const own = { host: '127.0.0.1', port: 0, loopbackOnly: true, log, maxConnections: 3 };
    await using server = await startServer({ fetch: ground.api.fetch, ...own });
    const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const idle = await Promise.all([1, 2, 3].map(() => connectTo(server.address)));
    // Connections are taken in the order in which they came.
    const refused = await connectTo(server.address);
    expect((await readToEnd(refused)).status).toBe(0);
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => (await exchange(server.address, request)).status).toBe(200);
  });
});
