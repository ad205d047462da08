// Servers at an address: credentials stay where they belong, and whatever the server does ends in words.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Opened, open, type WebServer, webServer } from './doubles.ts';

/** Made at run time: the tree holds nothing that looks like a secret. */
const TOKEN = ['planted', 'value', '0815', 'fedcba'].join('-');

function openWeb(url: string, entry: Record<string, unknown> = {}): Opened {
  const headers = { Authorization: 'Bearer $GRAFANA_TOKEN' };
  const web = { url, headers, projects: ['acme/shop'], tools: ['query'], ...entry };
  return open({ web }, { environment: { GRAFANA_TOKEN: TOKEN } });
}

async function failureOf(opened: Opened): Promise<string> {
  const { finding } = await opened.ask('web__query', { query: 'up' });
  expect(finding.status).toBe('failed');
  expect(finding.text + opened.logged()).not.toContain(TOKEN);
  return finding.text;
}

function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

describe('a monitoring server at an address', () => {
  it('is asked with its headers, and never for a stream of its own', async () => {
    await using server = await webServer();
    await using opened = openWeb(server.url);
    expect((await opened.ask('web__query', { query: 'up' })).finding).toEqual({
      status: 'found',
      text: 'fine',
      cut: '',
    });
    expect(server.seen).toEqual(
      ['initialize', 'notifications/initialized', 'tools/list', 'tools/call'].map((it) => `POST /mcp ${it}`),
    );
    expect(new Set(server.authorizations)).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(opened.logged()).not.toContain(TOKEN);
  });

  it('that sends us to another origin is not followed, and no credentials go there', async () => {
    await using thief = await webServer();
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await webServer();
      server.first = (_, response) => Boolean(response.writeHead(status, { location: thief.url }).end());
      await using opened = openWeb(server.url);
      expect(await failureOf(opened)).toMatch(/sent us to another address \(HTTP 30\d\), which was not followed/);
    }
    expect(thief.seen).toEqual([]);
  });

  it('that sends us elsewhere only when it is called is not followed either', async () => {
    await using thief = await webServer();
    await using server = await webServer();
    await using opened = openWeb(server.url);
    server.onCall = (response) => void response.writeHead(307, { location: thief.url }).end();
    expect(await failureOf(opened)).toContain('not followed');
    expect(thief.seen).toEqual([]);
  });

  const answers: readonly (readonly [string, WebServer['onCall'], RegExp])[] = [
    [
      'refuses our key and repeats it',
      (to) => void to.writeHead(401).end(`bad key ${TOKEN}`),
      /HTTP 401: the operator/,
    ],
    ['is out of order', (to) => void to.writeHead(503).end('<html>'), /it answered with HTTP 503/],
    ['never answers', () => {}, /did not answer within 1 s/],
    ['opens a stream and says nothing', startEvents, /did not answer within 1 s/],
    [
      'breaks off in its stream',
      (to) => {
        startEvents(to);
        to.write('event: message\ndata: {"jsonrpc"', () => to.destroy());
      },
      /its answer broke off/,
    ],
    ['breaks off before it', (to) => void to.destroy(), /could not be reached \(\w+\)|ended or closed/],
    ['answers with 50 MB', (to, reply) => reply({ text: 'x'.repeat(50_000_000), to: to.statusCode }), /more than 4 MB/],
    [
      'streams without end',
      (to) => {
        startEvents(to);
        const more = (): void => {
          while (to.write(`data: {"jsonrpc":"2.0","method":"x","params":{"x":"${'x'.repeat(5_000)}"}}\n\n`));
        };
        to.on('drain', more);
        more();
      },
      /more than 4 MB/,
    ],
    ['answers with a page', (to) => void to.setHeader('content-type', 'text/html').end('<html>'), /protocol/],
    ['answers with broken JSON', (to) => void to.setHeader('content-type', 'application/json').end('{"js'), /protocol/],
    ['answers with what is no result', (_, reply) => reply({ content: 'text' }), /no valid result/],
  ];
  it.each(answers)('that %s fails in words, and answers the next call', async (_, onCall, words) => {
    await using server = await webServer();
    await using opened = openWeb(server.url, words.source.includes('within 1 s') ? { callTimeoutS: 1 } : {});
    await opened.tools();
    const well = server.onCall;
    server.onCall = onCall;
    expect(await failureOf(opened)).toMatch(words);
    server.onCall = well;
    expect((await opened.ask('web__query')).finding.status).toBe('found');
  });

  it('that speaks only the revision of 2026-07-28 is asked in that one, and cannot ask us back', async () => {
    await using server = await webServer();
    server.first = (request, response, message) => {
      if (request.headers['mcp-protocol-version'] === '2026-07-28') return false;
      const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } };
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, error }));
      return true;
    };
    await using opened = openWeb(server.url);
    server.onCall = (_, reply) => reply({ resultType: 'complete', content: [{ type: 'text', text: 'fine' }] });
    expect((await opened.ask('web__query')).finding).toMatchObject({ status: 'found', text: 'fine' });
    const elicitation = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'your password?', requestedSchema: {} },
    };
    server.onCall = (_, reply) => reply({ resultType: 'input_required', inputRequests: { a: elicitation } });
    expect(await failureOf(opened)).toContain('gave no answer');
    expect(server.seen.filter((request) => request.endsWith('tools/call'))).toHaveLength(2);
  });

  it('that refuses every handshake is offered all the same, and says why', async () => {
    await using server = await webServer();
    server.first = (_, response) => Boolean(response.writeHead(400).end());
    await using opened = openWeb(server.url);
    expect(await failureOf(opened)).toContain('it answered with HTTP 400');
  });

  it('that was started again and has forgotten us is asked again', async () => {
    await using server = await webServer();
    await using opened = openWeb(server.url);
    await opened.tools();
    let forgotten = true;
    server.first = (_, response, message) => {
      if (!forgotten || message?.method !== 'tools/call') return false;
      forgotten = false;
      response.writeHead(404).end();
      return true;
    };
    expect((await opened.ask('web__query')).finding.status).toBe('found');
  });

  it('that no one listens at is offered all the same, and says why', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo;
    unused.close();
    await using opened = openWeb(`http://127.0.0.1:${port}/mcp`);
    expect(await failureOf(opened)).toContain('could not be reached (ECONNREFUSED)');
  });
});
