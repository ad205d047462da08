// Deliveries over TLS: only to a receiver whose certificate is for its name, valid, and of an authority that is trusted.
import { describe, expect, it } from 'vitest';
import { type AttemptResult, attempt } from '../../src/webhooks/attempt.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { guardOf, publicAndCanary } from './public-and-canary.ts';

const good = makeCertificate('DNS:public.test,IP:127.0.0.2');
const expired = makeCertificate('DNS:public.test', { expired: true });

/** Against a receiver with this certificate, which is trusted as its own authority unless `trusted` is false. */
async function deliver(host: string, certificate: Certificate, { trusted = true } = {}): Promise<AttemptResult> {
  await using receiver = await publicAndCanary({ certificate });
  const url = new URL(`https://${host}:${receiver.port}/`);
  const guard = guardOf(() => ['127.0.0.2'], trusted ? { authorities: [certificate.cert] } : {});
  const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
  const result = await attempt(delivery, guard, { signal: new AbortController().signal });
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
    const guard = guardOf(() => ['127.0.0.2'], { authorities: [good.cert] });
    for (const host of ['public.test', '127.0.0.2']) {
      const url = new URL(`https://${host}:${receiver.port}/`);
      const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
      await attempt(delivery, guard, { signal: new AbortController().signal });
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
    const result = await attempt(
      delivery,
      guardOf(() => ['127.0.0.2']),
      { signal: new AbortController().signal },
    );
    expect(result).toMatchObject({ kind: 'failed', failure: 'tls' });
  });

  it('is cut at the deadline where it accepts and never shakes hands', async () => {
    await using receiver = await publicAndCanary({ raw: () => undefined });
    const url = new URL(`https://public.test:${receiver.port}/`);
    const delivery = { url, target: '/', headers: {}, body: Buffer.from('{}') };
    const limits = { signal: new AbortController().signal, deadlineMs: 300 };
    const result = await attempt(
      delivery,
      guardOf(() => ['127.0.0.2']),
      limits,
    );
    expect(result).toMatchObject({ kind: 'failed', failure: 'timeout' });
  });
});
