// Links of the terminal: good once and for an hour, and where the server is that they lead to.
import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { announceAddress, createSignInLink, isAnswering, readAnnouncedAddress } from '../../src/app/sign-in-link.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { hashValue } from '../../src/web/session.ts';
import { clock } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';
import { migratedStore } from '../support/sqlite-template.ts';

const ADDRESS = 'http://127.0.0.1:3000';
const AWAY = { address: 'http://localhost:8080/causeway', listensAt: ADDRESS };

async function linkGround() {
  const seal = createSeal(randomBytes(32));
  const store = await migratedStore({ seal, enqueuer: createJobTable() });
  const time = clock();
  const now = time.now().toISOString();
  const account = await store.ensureAccount({ login: 'local', githubId: null, signingSecret: 'whsec_x', now });
  return {
    account,
    forward: time.forward,
    make: async () => {
      const link = await createSignInLink({ store, account, now: time.now }, ADDRESS);
      return new URL(link);
    },
    use: async (link: URL) => {
      return await store.useSignInCode(hashValue(link.searchParams.get('code') ?? ''), time.now().toISOString());
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

describe('a link', () => {
  it('leads to the page that takes its code, which is good once', async () => {
    await using ground = await linkGround();
    const link = await ground.make();
    expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/sign-in\/local\?code=[\w-]{22}$/);
    expect(await ground.use(link)).toEqual(ground.account);
    expect(await ground.use(link)).toBeNull();
  });

  it.each([
    ['is good for almost an hour', 59 * 60 + 59, true],
    ['is worth nothing after that', 60 * 60 + 1, false],
  ])('%s', async (_, seconds, isGood) => {
    await using ground = await linkGround();
    const link = await ground.make();
    ground.forward(seconds);
    expect((await ground.use(link)) !== null).toBe(isGood);
  });

  it('puts an end to the one before it', async () => {
    await using ground = await linkGround();
    const [before, after] = [await ground.make(), await ground.make()];
    expect(await ground.use(before)).toBeNull();
    expect(await ground.use(after)).toEqual(ground.account);
  });
});

describe('the address of a server', () => {
  it('is known to the commands beside it while it runs, and to nobody else on the machine', async () => {
    await using folder = await temporaryFolder();
    expect(readAnnouncedAddress(folder.path)).toBeNull();
    {
      using _running = announceAddress(folder.path, AWAY);
      expect(readAnnouncedAddress(folder.path)).toEqual(AWAY);
      expect(statSync(path.join(folder.path, 'address')).mode & 0o777).toBe(0o600);
    }
    expect(readAnnouncedAddress(folder.path)).toBeNull();
  });

  it.each(['', '\n', ADDRESS])('is not known from %j', async (text) => {
    await using folder = await temporaryFolder();
    writeFileSync(path.join(folder.path, 'address'), text);
    expect(readAnnouncedAddress(folder.path)).toBeNull();
  });

  it('is that of the last one that was started over the folder', async () => {
    await using folder = await temporaryFolder();
    announceAddress(folder.path, AWAY);
    using _next = announceAddress(folder.path, { address: 'http://127.0.0.1:4', listensAt: 'http://127.0.0.1:4' });
    expect(readAnnouncedAddress(folder.path)?.address).toBe('http://127.0.0.1:4');
  });
});

async function answeredBy(listener: RequestListener, signal = new AbortController().signal): Promise<boolean> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await isAnswering({ listensAt: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, signal);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('a server that was announced', () => {
  it('answers where it says that it is alive', async () => {
    const asked: unknown[] = [];
    const answer = await answeredBy(({ url }, response) => {
      asked.push(url);
      response.end('{"status":"alive"}');
    });
    expect([answer, asked]).toEqual([true, ['/healthz']]);
  });

  it.each<[string, RequestListener]>([
    ['another program has its port', (_, response) => response.end('<h1>Hello</h1>')],
    ['another program says something else', (_, response) => response.end('{"status":"UP"}')],
    ['it says nothing', (_, response) => response.end('null')],
    ['it hangs up', (request) => request.socket.destroy()],
    ['it never answers', () => undefined],
    ['it never ends', (_, response) => response.write('{"status":')],
  ])('does not answer where %s', async (_, listener) => {
    expect(await answeredBy(listener)).toBe(false);
  });

  it('does not answer where nobody listens', async () => {
    expect(await isAnswering({ listensAt: 'http://127.0.0.1:9' }, new AbortController().signal)).toBe(false);
  });

  it('is waited for no longer when the person has had enough', async () => {
    const stop = new AbortController();
    await expect(answeredBy(() => stop.abort(new Error('enough')), stop.signal)).rejects.toThrow('enough');
  });
});
