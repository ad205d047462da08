// The receiver behind the real server: what strangers send is cut off, and the answer arrives all the same.
import { request as ask } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../src/api/server.ts';
import { createLog } from '../../../src/log.ts';
import { labelled, reception, signatureOf } from './signed-delivery.ts';

const MIB = 1024 * 1024;

async function served(limits: { readonly deadlineMs?: number } = {}) {
  const house = await reception({ limits });
  const log = createLog({ level: 'silent' });
  const server = await startServer({
    fetch: (request) => house.receive(request),
    ...{ host: '127.0.0.1', port: 0, loopbackOnly: false, log },
  });
  return {
    ...house,
    address: server.address,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await house[Symbol.asyncDispose]();
    },
  };
}

function headers(body: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-GitHub-Event': 'issues',
    'X-GitHub-Delivery': 'd-1',
    'X-Hub-Signature-256': signatureOf(body),
  };
}

/** Sends chunks of 1 MiB without a length until an answer comes; gives its status and how many were taken. */
function pour(
  address: string,
  chunks: number,
  form: Record<string, string>,
): Promise<{ readonly status: number; readonly sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = false;
    const request = ask(`${address}/api/github/webhooks`, { method: 'POST', headers: form }, (response) => {
      answered = true;
      response.resume();
      resolve({ status: response.statusCode ?? 0, sent });
      request.destroy();
    });
    request.on('error', (error) => (answered ? undefined : reject(error)));
    const chunk = Buffer.alloc(MIB, 0x20);
    const more = () => {
      if (answered) return;
      if (sent === chunks) request.end();
      else {
        sent += 1;
        request.write(chunk, more);
      }
    };
    more();
  });
}

describe('over HTTP', () => {
  it.each([
    [413, headers('')],
    [401, { 'Content-Type': 'application/json' }],
    [415, {}],
  ])('120 MB without a length are refused with %i long before their end', async (expected, form) => {
    await using house = await served();
    const { status, sent } = await pour(house.address, 120, form);
    expect(status).toBe(expected);
    expect(sent).toBeLessThan(60);
  });

  it('bodies that drip are cut at their deadline, and hold up nobody meanwhile', async () => {
    await using house = await served({ deadlineMs: 1_000 });
    const { port } = new URL(house.address);
    const head = Object.entries({ ...headers(''), Host: 'x', 'Content-Length': '1000' }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const cut = Array.from(
      { length: 50 },
      () =>
        new Promise<string>((resolve, reject) => {
          let answer = '';
          const socket = connect(Number(port), '127.0.0.1', () => {
            socket.write(`POST /api/github/webhooks HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
          });
          socket.on('data', (data) => (answer += data));
          socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
          socket.on('error', reject);
        }),
    );
    const body = JSON.stringify(labelled());
    const answer = await fetch(`${house.address}/api/github/webhooks`, {
      method: 'POST',
      headers: headers(body),
      body,
    });
    expect(answer.status).toBe(202);
    expect(new Set(await Promise.all(cut))).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
  });
});
