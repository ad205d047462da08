// The server at the wire: what is refused before a route, slow and broken senders, and an orderly end.
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../src/api/server.ts';
import { CausewayError } from '../../src/core/errors.ts';
import { createLog } from '../../src/log.ts';
import { PATIENCE_MS, until } from '../support/patience.ts';
import { type ApiGround, apiGround, bodyOf } from './api-ground.ts';
import { requireDocumented } from './documented-answer.ts';
import { connectTo, exchange, readToEnd, responseOf } from './raw-exchange.ts';

let ground: ApiGround;
let server: RunningServer;
const lines: string[] = [];
const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
let arrived = 0;
const counted: ServerOptions['fetch'] = (request, stopping) => {
  arrived += 1;
  return ground.api.fetch(request, stopping);
};
const start = (more: Partial<ServerOptions> = {}) =>
  startServer({ fetch: counted, host: '127.0.0.1', port: 0, loopbackOnly: true, log, ...more });

/** For those who are too slow. */
const hasty = () => start({ timeouts: { headers: 400, request: 1_200, check: 100 } });

beforeEach(async () => {
  lines.length = 0;
  arrived = 0;
  ground = await apiGround();
  server = await start({ timeouts: { grace: 1_000 } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server[Symbol.asyncDispose]();
  await ground[Symbol.asyncDispose]();
});

const bearer = () => ({ Authorization: `Bearer ${ground.token}` });
const head = (...fields: string[]) => `${fields.join('\r\n')}\r\nConnection: close\r\n\r\n`;
const get = (path: string, ...fields: string[]) =>
  exchange(
    server.address,
    head(`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${ground.token}`, ...fields),
  );

describe('a request over the wire', () => {
  it('is answered', async () => {
    const body = JSON.stringify({ data: 'x', projectId: ground.project.id });
    const headers = { ...bearer(), 'Content-Type': 'application/json' };
    const created = await fetch(`${server.address}/api/v1/issues`, { method: 'POST', headers, body });
    expect(created.status).toBe(202);
    const followed = await fetch(server.address + created.headers.get('Location'), { headers });
    expect((await bodyOf(followed)).state).toBe('queued');
  });

  it.each(['an Issue', 'a list'])(
    'for %s is answered with its length in bytes, and with headers only for HEAD',
    async (what) => {
      const issueId = await ground.conclude(await ground.report('Größe 😀 is wrong', { reference: 'Größe 😀' }));
      const path = what === 'a list' ? '/api/v1/investigations/' : `/api/v1/issues/${issueId}/`;
      const answer = await fetch(server.address + path, { headers: bearer() });
      const bytes = await answer.bytes();
      expect(answer.headers.get('Content-Length')).toBe(String(bytes.length));
      expect(new TextDecoder().decode(bytes)).toContain('"reference":"Größe 😀"');
      const head = await fetch(server.address + path, { method: 'HEAD', headers: bearer() });
      expect(await head.text()).toBe('');
      const named = (name: string) => [answer, head].map(({ headers }) => headers.get(name));
      expect(named('Content-Type')).toEqual(['application/json', 'application/json']);
      expect(named('Cache-Control')).toEqual(['no-store', 'no-store']);
    },
  );

  it('with two Authorization headers is 401, even if both are good', async () => {
    expect((await get('/api/v1/projects/')).status).toBe(200);
    const twice = await get('/api/v1/projects/', `Authorization: Bearer ${ground.token}`);
    expect(twice.status).toBe(401);
    expect(twice.head.toLowerCase()).toContain('www-authenticate: bearer\r\n');
  });

  it('with a token that is revoked on an open connection is 401 from the next one on', async () => {
    const socket = await connectTo(server.address);
    const request = `GET /api/v1/projects/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ground.token}\r\n`;
    socket.write(`${request}\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    const [record] = await ground.store.listTokens(ground.account.id);
    await ground.store.revokeToken(record!.id, ground.account.id, ground.clock.now.toISOString());
    socket.write(`${request}Connection: close\r\n\r\n`);
    expect((await readToEnd(socket)).status).toBe(401);
  });
});

describe('a method', () => {
  it.each([
    ['TRACE', '/api/v1/issues/', 'POST'],
    ['OPTIONS', '/api/v1/projects/', 'GET, HEAD'],
    ['PROPFIND', '/api/v1/projects/', 'GET, HEAD'],
    ['HEAD', '/api/v1/issues/', 'POST'],
  ])('%s is 405 with Allow', async (method, path, allow) => {
    const answer = await exchange(server.address, head(`${method} ${path} HTTP/1.1`, 'Host: localhost'));
    expect(answer.status).toBe(405);
    expect(answer.head.toLowerCase()).toContain(`allow: ${allow.toLowerCase()}`);
  });

  it('CONNECT is 405 with Allow, and opens no tunnel', async () => {
    const answer = await exchange(
      server.address,
      'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    );
    expect(answer.status).toBe(405);
    expect(answer.head).toContain('Allow: ');
    expect(answer.head).toContain('X-Request-Id: req_');
  });
});

describe('what is no well-formed request', () => {
  const post = `POST /api/v1/issues/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  it.each([
    ['both a length and chunks', `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`],
    ['bare LF', 'GET /healthz HTTP/1.1\nHost: localhost\n\n'],
    ['a space before the colon', 'GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
  ])('is refused and its connection closed: %s', async (_name, text) => {
    const answer = await exchange(server.address, Buffer.from(text, 'latin1'));
    expect(answer.status).toBe(400);
    expect(answer.head).toMatch(/x-request-id: req_/i);
    expect(answer.head.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer.body).not.toContain('HTTP/1.1 2');
    expect((await get('/healthz')).status).toBe(200);
  });

  it('is 417 where it expects what cannot be met', async () => {
    const answer = await get('/healthz', 'Expect: the-impossible');
    expect(answer.status).toBe(417);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 417 });
  });

  it('is 431 with a header of more than 32 KiB, and 404 with a path of 16 kB', async () => {
    expect((await get('/healthz', `X-A: ${'a'.repeat(40_000)}`)).status).toBe(431);
    expect((await get(`/api/v1/issues/${'a'.repeat(16_000)}/`)).status).toBe(404);
  });

  it.each(['*', 'healthz', 'http://localhost:x/healthz', '/\\evil', '/%'])(
    'is 400 or 404 with the target %s',
    async (target) => {
      const answer = await get(target);
      expect([400, 404]).toContain(answer.status);
      expect(answer.head).toMatch(/x-request-id/i);
    },
  );
});

describe('a refusal below the routes', () => {
  const line = 'GET /healthz HTTP/1.1';
  it.each([
    [400, `${line}\r\n\r\n`],
    [408, `${line}\r\nHost: localhost\r\n`],
    [417, `${line}\r\nHost: localhost\r\nExpect: the-impossible\r\n\r\n`],
    [421, `${line}\r\nHost: example.com\r\n\r\n`],
    [431, `${line}\r\nHost: localhost\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('with %i is as documented', async (status, text) => {
    await using server = await hasty();
    const answer = await exchange(server.address, text);
    expect(answer.status).toBe(status);
    await requireDocumented('GET', `${server.address}/healthz`, responseOf(answer));
  });
});

describe('a client that keeps its side of the connection', () => {
  it.each([
    ['after a malformed line', 'BAD\r\n\r\n'],
    ['after CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    ['without a word', ''],
  ])('%s does not block others', async (_name, said) => {
    await using small = await start({ maxConnections: 1, timeouts: { headers: 300, request: 600, check: 100 } });
    const { hostname, port } = new URL(small.address);
    const holding = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    holding.on('error', () => undefined).on('end', () => undefined);
    holding.resume().write(said);
    await vi.waitFor(async () => expect((await fetch(`${small.address}/healthz`)).status).toBe(200), PATIENCE_MS);
    expect(holding.writable).toBe(true);
    holding.destroy();
  });

  it('but reads nothing is cut off, and what was made for it ends', async () => {
    const ended = Promise.withResolvers<void>();
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => ended.resolve(),
      });
    await using other = await start({ fetch: async () => new Response(endless()), timeouts: { silence: 300 } });
    const deaf = await connectTo(other.address);
    deaf.on('error', () => undefined);
    deaf.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await ended.promise;
    deaf.destroy();
  });
});

describe('a slow sender', () => {
  it('of a header is cut off', async () => {
    await using server = await hasty();
    const socket = await connectTo(server.address);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
    const drip = setInterval(() => socket.write('X'), 50);
    const answer = await readToEnd(socket);
    clearInterval(drip);
    expect([408, 0]).toContain(answer.status);
  });

  it('of a body is cut off, and nothing is accepted', async () => {
    await using server = await hasty();
    const socket = await connectTo(server.address);
    socket.write(
      `POST /api/v1/issues/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ground.token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const drip = setInterval(() => socket.write(' '), 100);
    const answer = await readToEnd(socket);
    clearInterval(drip);
    expect([408, 400, 0]).toContain(answer.status);
    expect(await ground.store.listInvestigations({ limit: 1 })).toEqual([]);
  });

  it('that goes away amid its body leaves nothing behind but a line', async () => {
    const socket = await connectTo(server.address);
    socket.write(
      `POST /api/v1/issues/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ground.token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    await until(() => arrived === 1);
    socket.destroy();
    await until(() => ground.log.length > 0);
    expect((await get('/healthz')).status).toBe(200);
    expect(await ground.store.listInvestigations({ limit: 1 })).toEqual([]);
    expect(ground.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

describe('a server for loopback only', () => {
  const host = (value: string, ...more: string[]) =>
    exchange(server.address, head('GET /healthz HTTP/1.1', `Host: ${value}`, ...more));

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.8.9.1:80', '[::1]', '[::1]:3000'])(
    'answers to the host %s',
    async (value) => expect((await host(value)).status).toBe(200),
  );

  it.each([
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    'localhost@example.com',
    'localhost, example.com',
    '127.0.0.1:80:90',
    '',
  ])('refuses the host %j', async (value) => {
    const answer = await host(value);
    expect([400, 421]).toContain(answer.status);
    expect(answer.head).toMatch(/x-request-id: req_/i);
  });

  it('refuses an absolute address of another host', async () => {
    const answer = await exchange(server.address, head('GET http://example.com/healthz HTTP/1.1', 'Host: example.com'));
    expect(answer.status).toBe(421);
  });

  it.each([
    ['Origin: https://example.com'],
    ['Origin: null'],
    ['Origin: http://localhost.example.com'],
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors'],
  ])('refuses pages of other sites: %s', async (field) => {
    expect((await host('localhost', field)).status).toBe(421);
  });

  it.each([['Origin: http://localhost:5173'], ['Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate']])(
    'answers %s',
    async (field) => expect((await host('localhost', field)).status).toBe(200),
  );

  it('is a choice', async () => {
    await using open = await start({ loopbackOnly: false });
    const answer = await exchange(open.address, head('GET /healthz HTTP/1.1', 'Host: causeway.example.com'));
    expect(answer.status).toBe(200);
  });
});

describe('starting and stopping', () => {
  it('names PORT where the port is taken', async () => {
    const port = Number(new URL(server.address).port);
    const failure = await start({ port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CausewayError);
    expect(failure).toMatchObject({ code: 'usage', message: expect.stringContaining('PORT') });
  });

  it('names HOST where the address is not of this machine', async () => {
    const failure = await start({ host: '192.0.2.1' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'usage', message: expect.stringContaining('HOST') });
  });

  it('says its address with the port that it took, IPv6 in brackets', async () => {
    expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    const six = await start({ host: '::1' }).catch(() => null);
    if (six !== null) {
      expect(six.address).toMatch(/^http:\/\/\[::1\]:\d+$/);
      await six[Symbol.asyncDispose]();
    }
  });

  it('finishes what is held and streamed, then frees the port', async () => {
    await using stopped = await start({ timeouts: { grace: 2 * PATIENCE_MS } });
    const id = await ground.report();
    const path = `${stopped.address}/api/v1/investigations/${id}/`;
    const idle = await connectTo(stopped.address);
    const held = fetch(`${path}?wait=60`, { headers: bearer() });
    const stream = await fetch(`${path}events/`, { headers: bearer() });
    await ground.following(2);
    // Long before the grace period ends, which is as long as this test may take.
    await stopped[Symbol.asyncDispose]();
    expect((await held).status).toBe(200);
    expect(await stream.text()).toContain('event: state');
    idle.destroy();
    const port = Number(new URL(stopped.address).port);
    const again = createServer();
    await new Promise<void>((resolve) => again.listen(port, '127.0.0.1', resolve));
    again.close();
  });

  it('cuts off after the grace what does not end', async () => {
    const reached = Promise.withResolvers<void>();
    const never = () => {
      reached.resolve();
      return new Promise<Response>(() => undefined);
    };
    const stuck = await start({ fetch: never, timeouts: { grace: 100 } });
    const answer = fetch(`${stuck.address}/`).catch(() => 'cut off');
    await reached.promise;
    await stuck[Symbol.asyncDispose]();
    expect(await answer).toBe('cut off');
  });

  it('ends a stream whose client is gone', async () => {
    const printed = [vi.spyOn(console, 'info'), vi.spyOn(console, 'error')];
    const id = await ground.report();
    const gone = new AbortController();
    const stream = await fetch(`${server.address}/api/v1/investigations/${id}/events/`, {
      headers: bearer(),
      signal: gone.signal,
    });
    expect(stream.status).toBe(200);
    await ground.following(1);
    gone.abort();
    await stream.text().catch(() => '');
    await ground.following(0);
    expect((await get('/healthz')).status).toBe(200);
    expect([...lines, ...ground.log].filter((line) => line.includes('"level":"error"'))).toEqual([]);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });
});
