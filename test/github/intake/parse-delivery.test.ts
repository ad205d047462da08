// Bodies are parsed to what they say, or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelivery } from '../../../src/github/intake/parse-delivery.ts';

const parse = (text: string) => parseDelivery(Buffer.from(text))?.payload ?? null;

const object = fc.dictionary(fc.string({ unit: 'binary-ascii' }), fc.jsonValue({ maxDepth: 6 }), {
  noNullPrototype: true,
});

describe('a body', () => {
  it('is what JSON says it is, whatever its strings and names hold, however it is spaced', () => {
    fc.assert(
      fc.property(object, fc.nat(4), (value, space) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        expect(parse(JSON.stringify(value, null, space))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('with any of its names twice is refused, wherever the second one stands', () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), fc.nat(), (value, other, at) => {
        const names = Object.keys(value);
        const name = names[at % Math.max(1, names.length)];
        fc.pre(name !== undefined);
        const twice = `${JSON.stringify(value).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(other)}}`;
        expect(parse(twice)).toBeNull();
        expect(parse(`{"deeper":[${twice}]}`)).toBeNull();
      }),
    );
  });

  it('that is anything but bytes of JSON is refused without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const parsed = parseDelivery(bytes);
        if (parsed !== null) expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(parsed.payload);
      }),
    );
  });
});
