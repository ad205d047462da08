// One attempt to deliver: what is connected to, what counts as delivered, and that no receiver can hold or fill us.
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { createSender, isSameAddress, type Resolver, type Sender, type SendResult } from '../../src/webhooks/send.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import {
  createTestSender,
  POLICY,
  type PublicAndCanary,
  publicAndCanary,
  type ReceiverOptions,
} from './public-and-canary.ts';

const BODY = Buffer.from('{"type":"issue.created","data":"😀\u2028"}');
const toPublic: Resolver = () => ['127.0.0.2'];

async function post(host: string, port: number, send: Sender): Promise<SendResult> {
  const url = new URL(`http://${host}:${port}/`);
  const request = { url, target: '/hook?a=%7e', headers: { 'content-type': 'application/json' }, body: BODY };
  return await send(request, new AbortController().signal);
}

/** The result against one receiver, reached by name; the canary must have seen nothing. */
async function against(
  options: ReceiverOptions,
  deadlineMs?: number,
): Promise<SendResult & { receiver: PublicAndCanary }> {
  await using receiver = await publicAndCanary(options);
  const result = await post(
    'public.test',
    receiver.port,
    createTestSender(toPublic, deadlineMs === undefined ? {} : { deadlineMs }),
  );
  expect(receiver.canary()).toBe(0);
  expect(receiver.connections()).toBe(1);
  return { ...result, receiver };
}

function status(code: number, headers: Record<string, string> = {}, body = ''): RequestListener {
  return (_request, response) => {
    response.writeHead(code, headers);
    response.end(body);
  };
}

/** Answers the first bytes of a request with these, and leaves the connection open. */
function says(...parts: string[]): (socket: Socket) => void {
  return (socket) => socket.once('data', () => parts.forEach((part) => void socket.write(part)));
}

describe('a connection', () => {
  it('carries one POST with exactly the bytes given, and is closed after it', async () => {
    const { kind, receiver } = await against({});
    expect(kind).toBe('delivered');
    expect(receiver.requests()).toEqual([
      {
        method: 'POST',
        target: '/hook?a=%7e',
        headers: {
          host: `public.test:${receiver.port}`,
          'content-type': 'application/json',
          'content-length': String(BODY.length),
          connection: 'close',
        },
        body: BODY,
      },
    ]);
  });

  it('is never made to loopback, whatever the spelling of the literal', async () => {
    await using receiver = await publicAndCanary();
    const literals = ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '017700000001', '0', '0.0.0.0'];
    const others = [
      '１２７.０.０.１',
      '127。0。0。1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      'localhost',
    ];
    const inside = ['[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[fec0::1]', 'x.localhost'];
    for (const host of [...literals, ...others, ...inside]) {
      const result = await post(host, receiver.port, createTestSender(toPublic));
      expect([host, result]).toEqual([host, expect.objectContaining({ kind: 'failed', failure: 'refused_address' })]);
    }
    expect([receiver.canary(), receiver.connections()]).toEqual([0, 0]);
  });

  it.each([
    ['good, then bad', ['127.0.0.2', '127.0.0.1']],
    ['bad, then good', ['127.0.0.1', '127.0.0.2']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['mapped, in hexadecimal', ['127.0.0.2', '::ffff:7f00:1']],
    ['49 good, the last bad', [...Array.from({ length: 49 }, () => '127.0.0.2'), '127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['other metadata services', ['100.100.100.200']],
    ['a metadata service of IPv6', ['fd00:ec2::254']],
    ['with a zone id', ['fe80::1%lo']],
    ['unspecified', ['0.0.0.0']],
    ['no address at all', ['127.0.0.2', 'localhost']],
  ])('is refused where any address of the name is bad: %s', async (_title, addresses) => {
    await using receiver = await publicAndCanary();
    for (const resolver of [() => addresses, async () => addresses]) {
      const result = await post('rebind.test', receiver.port, createTestSender(resolver));
      expect(result).toMatchObject({ kind: 'failed', failure: 'refused_address' });
    }
    expect([receiver.canary(), receiver.connections()]).toEqual([0, 0]);
  });

  it('asks the resolver once, so that a second answer cannot lead elsewhere', async () => {
    await using receiver = await publicAndCanary();
    let asked = 0;
    const send = createTestSender(() => {
      asked += 1;
      return [asked === 1 ? '127.0.0.2' : '127.0.0.1'];
    });
    expect((await post('rebind.test', receiver.port, send)).kind).toBe('delivered');
    expect([asked, receiver.canary(), receiver.connections()]).toEqual([1, 0, 1]);
  });

  it('falls back to the next address where the first does not accept', async () => {
    await using receiver = await publicAndCanary();
    const policy = { allow: parseCallbackAllow('127.0.0.0/30'), localMode: false };
    const send = createTestSender(() => ['127.0.0.3', '127.0.0.2'], { policy });
    expect((await post('public.test', receiver.port, send)).kind).toBe('delivered');
  });

  it('is tried at eight addresses of a name, however many it has', async () => {
    await using receiver = await publicAndCanary();
    const policy = { allow: parseCallbackAllow('127.0.0.0/24'), localMode: false };
    const closed = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 10}`);
    const reached = createTestSender(() => [...closed.slice(1), '127.0.0.2'], { policy });
    expect((await post('public.test', receiver.port, reached)).kind).toBe('delivered');
    const ninth = createTestSender(() => [...closed, '127.0.0.2'], { policy });
    expect(await post('public.test', receiver.port, ninth)).toMatchObject({ failure: 'connection' });
    expect(receiver.connections()).toBe(1);
  });

  it('is compared with the address that was meant, whatever the spelling', () => {
    expect(isSameAddress('127.0.0.2', '::ffff:127.0.0.2')).toBe(true);
    expect(isSameAddress('2606:4700:0::1', '2606:4700::1')).toBe(true);
    expect(isSameAddress('127.0.0.2', '127.0.0.1')).toBe(false);
    expect(isSameAddress('::8.8.8.8', '8.8.8.8')).toBe(false);
    expect(isSameAddress('127.0.0.2', undefined)).toBe(false);
    expect(isSameAddress('nonsense', 'nonsense')).toBe(false);
  });

  it.each([
    ['gives nothing', () => []],
    ['rejects', () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))],
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
  ] satisfies [string, Resolver][])('fails as "dns" where the resolver %s', async (_title, resolver) => {
    expect(await post('nowhere.test', 9, createTestSender(resolver))).toMatchObject({ kind: 'failed', failure: 'dns' });
  });

  it('fails as "timeout" where the resolver never answers', async () => {
    const send = createTestSender(() => new Promise(() => undefined), { deadlineMs: 200 });
    expect(await post('slow.test', 9, send)).toMatchObject({ kind: 'failed', failure: 'timeout' });
  });

  it('fails as "connection" where no one listens', async () => {
    const receiver = await publicAndCanary();
    await receiver[Symbol.asyncDispose]();
    const result = await post('public.test', receiver.port, createTestSender(toPublic));
    expect(result).toMatchObject({ failure: 'connection', detail: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('with status %i is a delivery', async (code) => {
    expect((await against({ answer: status(code) })).kind).toBe('delivered');
  });

  it.each([301, 302, 303, 307, 308])(
    'with status %i is a failure, and the canary it points to is not asked',
    async (code) => {
      await using receiver = await publicAndCanary({
        answer: (request, response) => {
          const { port } = new URL(`http://${request.headers.host}`);
          response.writeHead(code, { location: `http://127.0.0.1:${port}/` }).end();
        },
      });
      const result = await post('public.test', receiver.port, createTestSender(toPublic));
      expect(result).toMatchObject({ kind: 'failed', failure: 'redirect' });
      expect([receiver.requests().length, receiver.canary()]).toEqual([1, 0]);
    },
  );

  it.each([
    [302, { location: '/elsewhere' }],
    [302, { location: '//127.0.0.1/' }],
    [200, { refresh: '0; url=http://127.0.0.1/' }],
  ])('that leads elsewhere is a failure after one request: %i %j', async (code, headers) => {
    const result = await against({ answer: status(code, headers) });
    expect(result).toMatchObject({ kind: 'failed', failure: 'redirect' });
    expect(result.receiver.requests()).toHaveLength(1);
  });

  it.each([304, 400, 404, 429, 500, 503])('with status %i is a failure of that name', async (code) => {
    const result = await against({ answer: status(code, { 'retry-after': '3' }, 'secret of the receiver') });
    expect(result).toMatchObject({ kind: 'failed', failure: `status_${code}`, retryAfter: '3' });
    expect(JSON.stringify(result)).not.toContain('secret of the receiver');
  });

  it('with status 410 stops', async () => {
    expect((await against({ answer: status(410) })).kind).toBe('gone');
  });

  it('may be announced by 100 Continue or early hints', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
    const raw = says(interim, 'HTTP/1.1 204 No Content\r\n\r\n');
    expect((await against({ raw })).kind).toBe('delivered');
  });

  it('of 200 headers is still an answer; of more than 16 KiB of them it is none', async () => {
    const headers = (size: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'a'.repeat(size)]));
    expect((await against({ answer: status(200, headers(10)) })).kind).toBe('delivered');
    expect(await against({ answer: status(200, headers(200)) })).toMatchObject({ failure: 'invalid_answer' });
  });

  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'invalid_answer'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'invalid_answer'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'connection',
    ],
  ])('that %s is none', async (_title, text, failure) => {
    expect(await against({ raw: says(text) })).toMatchObject({ kind: 'failed', failure });
  });

  it.each([
    ['before the answer', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'],
  ])('is a failure where the connection closes %s', async (_title, text) => {
    const raw = (socket: Socket) => void socket.once('data', () => socket.end(text));
    expect(await against({ raw })).toMatchObject({ kind: 'failed', failure: 'connection' });
  });
});

describe('a receiver that will not end', () => {
  it.each([
    ['accepts and never answers', () => undefined],
    ['drips its headers', drip('HTTP/1.1 200 OK\r\n', 'x: y\r\n')],
    ['drips its body', drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\na\r\n')],
    ['sends interim answers for ever', drip('', 'HTTP/1.1 100 Continue\r\n\r\n')],
  ])('is cut at the deadline: %s', async (_title, raw) => {
    expect(await against({ raw }, 400)).toMatchObject({ kind: 'failed', failure: 'timeout' });
  });

  it.each([{}, { 'content-encoding': 'gzip' }])('is read for 64 KiB only, and never unpacked: %j', async (headers) => {
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1_024);
    const answer: RequestListener = (_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': 200 * 1_024 * 1_024 });
      const pour = () => {
        do sent += chunk.length;
        while (!response.destroyed && sent < 200 * 1_024 * 1_024 && response.write(chunk));
      };
      response.on('drain', pour);
      pour();
    };
    expect((await against({ answer })).kind).toBe('delivered');
    // What the kernel's buffers on both ends took in besides.
    expect(sent).toBeLessThan(16 * 1_024 * 1_024);
  });

  it('ends at once when the job is aborted', async () => {
    const abort = new AbortController();
    await using receiver = await publicAndCanary({ raw: (socket) => socket.once('data', () => abort.abort()) });
    const url = new URL(`http://public.test:${receiver.port}/`);
    const running = createTestSender(toPublic)({ url, target: '/', headers: {}, body: BODY }, abort.signal);
    await expect(running).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});

/** Says `first` when spoken to, then `rest` every 20 ms. */
function drip(first: string, rest: string): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.write(first);
      const timer = setInterval(() => socket.write(rest), 20);
      socket.once('close', () => clearInterval(timer));
    });
  };
}

const good = makeCertificate('DNS:public.test,IP:127.0.0.2');
const expired = makeCertificate('DNS:public.test', { expired: true });

/** Against a receiver with this certificate, which is trusted as its own authority unless `trusted` is false. */
async function deliver(host: string, certificate: Certificate, { trusted = true } = {}): Promise<SendResult> {
  await using receiver = await publicAndCanary({ certificate });
  const url = new URL(`https://${host}:${receiver.port}/`);
  const send = createTestSender(() => ['127.0.0.2'], trusted ? { authorities: [certificate.cert] } : {});
  const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
  const result = await send(delivery, new AbortController().signal);
  expect(receiver.requests().length).toBe(result.kind === 'delivered' ? 1 : 0);
  expect(receiver.canary()).toBe(0);
  return result;
}

describe('a receiver with TLS', () => {
  it('is delivered to by name and by address', async () => {
    expect((await deliver('public.test', good)).kind).toBe('delivered');
    expect((await deliver('127.0.0.2', good)).kind).toBe('delivered');
  });

  it('is told the name that is meant, so that it can choose its certificate', async () => {
    const names: unknown[] = [];
    await using receiver = await publicAndCanary({
      certificate: good,
      answer: (request, response) => {
        names.push('servername' in request.socket ? request.socket.servername : '');
        response.end();
      },
    });
    const send = createTestSender(() => ['127.0.0.2'], { authorities: [good.cert] });
    for (const host of ['public.test', '127.0.0.2']) {
      const url = new URL(`https://${host}:${receiver.port}/`);
      const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
      await send(delivery, new AbortController().signal);
    }
    expect(names).toEqual(['public.test', false]);
  });

  it.each([
    ['is for another name', 'other.test', good, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['has expired', 'public.test', expired, true, 'CERT_HAS_EXPIRED'],
    ['is of nobody that is trusted', 'public.test', good, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('is told nothing where its certificate %s', async (_title, host, certificate, trusted, code) => {
    const result = await deliver(host, certificate, { trusted });
    expect(result).toMatchObject({ kind: 'failed', failure: 'tls', detail: expect.stringContaining(code) });
  });

  it('fails as "tls" where it speaks plain HTTP', async () => {
    await using receiver = await publicAndCanary();
    const url = new URL(`https://public.test:${receiver.port}/`);
    const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
    const result = await createTestSender(() => ['127.0.0.2'])(delivery, new AbortController().signal);
    expect(result).toMatchObject({ kind: 'failed', failure: 'tls' });
  });

  it('is cut at the deadline where it accepts and never shakes hands', async () => {
    await using receiver = await publicAndCanary({ raw: () => undefined });
    const url = new URL(`https://public.test:${receiver.port}/`);
    const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
    const send = createTestSender(() => ['127.0.0.2'], { deadlineMs: 300 });
    const result = await send(delivery, new AbortController().signal);
    expect(result).toMatchObject({ kind: 'failed', failure: 'timeout' });
  });
});

describe("the system's resolver", () => {
  it('knows the hosts file, so that localhost is refused as loopback', async () => {
    const result = await post('ip6-localhost', 9, createSender({ policy: POLICY }));
    expect(result).toMatchObject({ kind: 'failed', failure: expect.stringMatching(/^(refused_address|dns)$/) });
  });
});
