// Wycheproof's HMAC-SHA256 vectors against the verification of deliveries and the signing of webhooks.
import { createHash } from 'node:crypto';
import { Webhook as Standard } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { isSignedByOne, readSignature } from '../../src/github/intake/delivery.ts';
import { signWebhook } from '../../src/webhooks/deliver-webhook.ts';
import { haveCorpora, hmacVectors, type MacVector } from '../support/corpora.ts';

const have = haveCorpora();

/** HMAC as RFC 2104 writes it, from SHA-256 alone: it knows nothing of the function that is tested. */
function byHand(key: Buffer, message: Uint8Array): Buffer {
  const sha = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const block = Buffer.alloc(64);
  (key.length > 64 ? sha(key) : key).copy(block);
  const pad = (byte: number) => block.map((each) => each ^ byte);
  return sha(pad(0x5c), sha(pad(0x36), message));
}

/** A secret of ours is text: only keys that are some can be one. */
function asText({ key }: MacVector): string | null {
  const text = key.toString('utf8');
  return text !== '' && Buffer.from(text).equals(key) ? text : null;
}

describe.runIf(have)('every vector of Wycheproof', () => {
  it('is judged by the verification of deliveries as it says: valid ones of full length pass, all others do not', () => {
    const wrong: number[] = [];
    let judged = 0;
    for (const vector of hmacVectors()) {
      const { tcId, key, message, tag, isValid } = vector;
      const form = new Headers({ 'X-Hub-Signature-256': `sha256=${tag.toString('hex')}` });
      const signature = readSignature(form);
      // A tag that was cut to 128 bits is a signature to nobody.
      if (tag.length !== 32) {
        expect(signature).toBeNull();
        continue;
      }
      judged += 1;
      expect(byHand(key, message).equals(tag)).toBe(isValid);
      const secret = asText(vector);
      const passes = signature !== null && isSignedByOne(message, signature, [secret ?? (key as unknown as string)]);
      if (passes !== isValid) wrong.push(tcId);
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(80);
  });

  it('as key and body of a webhook gives the signature that RFC 2104 and a foreign library find', () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    for (const { tcId, key, message } of hmacVectors()) {
      const secret = `whsec_${key.toString('base64')}`;
      const headers = { ...signWebhook({ id: `evt_${tcId}`, timestamp, body: message, secrets: [secret] }) };
      const signed = Buffer.concat([Buffer.from(`evt_${tcId}.${timestamp}.`), message]);
      expect(headers['webhook-signature']).toBe(`v1,${byHand(key, signed).toString('base64')}`);
      const text = message.toString('utf8');
      if (!Buffer.from(text).equals(message)) continue;
      expect(() => new Standard(secret).verify(text, headers)).not.toThrow(/signature/i);
    }
  });
});
