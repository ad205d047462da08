// The raw body of a delivery: published signatures are accepted and nothing near them, and it parses to what it says or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedByOne, parseDelivery, readSignature } from '../../../src/github/intake/delivery.ts';

function passes(secret: string, text: string, digits: string): boolean {
  const signature = readSignature(new Headers({ 'X-Hub-Signature-256': `sha256=${digits}` }));
  return signature !== null && isSignedByOne(Buffer.from(text), signature, [secret]);
}

const EXAMPLES: readonly (readonly [name: string, secret: string, text: string, digits: string])[] = [
  [
    'GitHub',
    "It's a Secret to Everybody",
    'Hello, World!',
    '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  ],
  ['RFC 4231, 1', '\u000b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    'RFC 4231, 2',
    'Jefe',
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
];

describe('a signature', () => {
  it.each(EXAMPLES)('is taken as published: %s', (_name, secret, text, digits) => {
    expect(passes(secret, text, digits)).toBe(true);
  });

  it.each(EXAMPLES)('with any one bit changed is not: %s', (_name, secret, text, digits) => {
    const bytes = Buffer.from(digits, 'hex');
    for (let bit = 0; bit < 256; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(passes(secret, text, changed.toString('hex'))).toBe(false);
    }
  });
});

describe('a body', () => {
  it('that is anything but bytes of JSON is refused without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const parsed = parseDelivery(bytes);
        if (parsed !== null) expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(parsed.payload);
      }),
    );
  });
});
