// Secrets at rest.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';

describe('a sealed secret', () => {
  const seal = createSeal(randomBytes(32));

  it('opens to the same text, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(seal.open(seal.seal(text, 'p'), 'p')).toBe(text);
      }),
    );
  });

  it('holds nothing of the text, and is different each time', () => {
    const sealed = seal.seal('whsec_secret', 'p');
    expect(sealed).toMatch(/^v1\.[\w-]+$/);
    expect(Buffer.from(sealed.slice(3), 'base64url').includes('whsec')).toBe(false);
    expect(seal.seal('whsec_secret', 'p')).not.toBe(sealed);
  });

  it('does not open under another key, purpose or version, or when a bit was changed or cut', () => {
    const sealed = seal.seal('whsec_secret', 'signing acc_1');
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    const text = (changed: Buffer) => `v1.${changed.toString('base64url')}`;
    const wrong = { code: 'store_unusable', message: expect.stringContaining('ENCRYPTION_KEY') };
    const refused = (open: () => string) => expect(open).toThrow(expect.objectContaining(wrong));
    refused(() => createSeal(randomBytes(32)).open(sealed, 'signing acc_1'));
    refused(() => seal.open(sealed, 'signing acc_2'));
    refused(() => seal.open(sealed.replace('v1', 'v2'), 'signing acc_1'));
    for (const length of [0, 5, 20, bytes.length - 1])
      refused(() => seal.open(text(bytes.subarray(0, length)), 'signing acc_1'));
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      refused(() => seal.open(text(changed), 'signing acc_1'));
    }
  });

  it('needs a key of 32 bytes', () => {
    expect(() => createSeal(Buffer.alloc(16))).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});
