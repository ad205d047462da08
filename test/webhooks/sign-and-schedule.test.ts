// Signatures as two other libraries verify them, and when a failed delivery is tried again.
import fc from 'fast-check';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { createSigningSecret } from '../../src/core/account/account.ts';
import { scheduleAttempt, signWebhook } from '../../src/webhooks/deliver-webhook.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

const timestamp = Math.floor(Date.now() / 1_000);

function verifyByBoth(secret: string, payload: string, headers: Record<string, string>): void {
  new Standard(secret).verify(payload, headers);
  new Svix(secret).verify(payload, headers);
}

describe('a signature', () => {
  it('is verified by both libraries for a payload of any text', () => {
    const secret = createSigningSecret();
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
      { numRuns: 200 },
    );
  });

  it('has one part per secret, so that a receiver can use either during a rotation', () => {
    const [newer, older] = [createSigningSecret(), createSigningSecret()];
    const body = Buffer.from('{"a":"é"}');
    const headers = { ...signWebhook({ id: 'evt_1', timestamp, body, secrets: [newer, older] }) };
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    verifyByBoth(newer, body.toString(), headers);
    verifyByBoth(older, body.toString(), headers);
  });
});

describe('a new signing secret', () => {
  it('is whsec_ and at least 24 random bytes, never the same twice', () => {
    const secrets = Array.from({ length: 50 }, createSigningSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(secret.slice(6), 'base64').length).toBeGreaterThanOrEqual(24);
    }
  });
});

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600;

/** Seconds until the next attempt, without jitter; null: dead. */
function wait(attempts: number, retryAfter = '', random = 0.5): number | null {
  const next = scheduleAttempt({ attempts, retryAfter, now: NOW, random: () => random });
  return next?.kind !== 'later' ? null : (Date.parse(next.runAt) - NOW.getTime()) / 1_000;
}

describe('the schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then gives up', () => {
    const waits = Array.from({ length: 10 }, (_, index) => wait(index + 1));
    expect(waits).toEqual([5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR), null]);
    expect(wait(11)).toBeNull();
  });

  it('spreads each wait by a tenth', () => {
    expect([wait(2, '', 0), wait(2, '', 0.999_999)]).toEqual([270, 330]);
  });

  it.each([
    ['3', 5],
    ['60', 60],
    ['31536000', 24 * HOUR],
    ['99999999999999999999999999', 24 * HOUR],
    [' 120 ', 120],
    ['Fri, 20 Nov 2026 12:10:00 GMT', 600],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 5],
    ['Sat, 20 Nov 2027 12:00:00 GMT', 24 * HOUR],
    ['', 5],
    ['soon', 5],
    ['-60', 5],
    ['6e1', 5],
    ['60.5', 5],
    ['0x60', 5],
    ['2026-11-20T13:00:00Z', 5],
    ['Fri, 99 Nov 2026 99:99:99 GMT', 5],
    ['1; banana 2027', 5],
  ])('is lengthened by Retry-After where that makes sense, to at most 24 h: %j', (retryAfter, seconds) => {
    expect(wait(1, retryAfter)).toBe(seconds);
  });

  it('always gives a later moment, or dead, whatever a receiver says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.string(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, retryAfter, random) => {
          const seconds = wait(attempts, retryAfter, random) ?? 0;
          expect(seconds).toBeGreaterThan(0);
          expect(seconds).toBeLessThanOrEqual(26.4 * HOUR);
        },
      ),
    );
  });
});
