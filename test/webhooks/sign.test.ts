// Signatures as two foreign libraries see them.
import fc from 'fast-check';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { newSigningSecret, signWebhook } from '../../src/webhooks/sign.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

const timestamp = Math.floor(Date.now() / 1_000);

function verifyByBoth(secret: string, payload: string, headers: Record<string, string>): void {
  new Standard(secret).verify(payload, headers);
  new Svix(secret).verify(payload, headers);
}

describe('a signature', () => {
  it('is verified by both libraries for 1,000 payloads of any text', () => {
    const secret = newSigningSecret();
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom('', '\u2028\u2029', '😀👩‍👩‍👧', '\0', 'ﷺ'),
    );
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 5 }), (data) => {
        const body = Buffer.from(JSON.stringify({ data, extra: '\u2028😀' }));
        const headers = { ...signWebhook({ id: 'evt_1', timestamp, body, secrets: [secret] }) };
        verifyByBoth(secret, body.toString('utf8'), headers);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is that of the published example of Svix', () => {
    const headers = signWebhook({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      body: Buffer.from('{"test": 2432232314}'),
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('of other bytes, another id or another time is refused', () => {
    const secret = newSigningSecret();
    const headers = { ...signWebhook({ id: 'evt_1', timestamp, body: Buffer.from('{"a":1}'), secrets: [secret] }) };
    verifyByBoth(secret, '{"a":1}', headers);
    expect(() => verifyByBoth(secret, '{"a":2}', headers)).toThrow();
    expect(() => verifyByBoth(secret, '{"a":1}', { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    expect(() => verifyByBoth(secret, '{"a":1}', { ...headers, 'webhook-timestamp': `${timestamp + 1}` })).toThrow();
    expect(() => verifyByBoth(newSigningSecret(), '{"a":1}', headers)).toThrow();
  });

  it('stands once per secret, so that a receiver may hold either during a rotation', () => {
    const [newer, older] = [newSigningSecret(), newSigningSecret()];
    const body = Buffer.from('{"a":"é"}');
    const headers = { ...signWebhook({ id: 'evt_1', timestamp, body, secrets: [newer, older] }) };
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    verifyByBoth(newer, body.toString(), headers);
    verifyByBoth(older, body.toString(), headers);
  });
});

describe('a new signing secret', () => {
  it('is whsec_ and at least 24 random bytes, never the same twice', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(secret.slice(6), 'base64').length).toBeGreaterThanOrEqual(24);
    }
  });
});
