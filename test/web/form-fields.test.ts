// Fields of forms: what browsers send is read as the URL standard has it, and nothing takes longer than its length.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_FIELDS, parseFields } from '../../src/web/form-fields.ts';

const entries = (text: string | Buffer) =>
  [...(parseFields(Buffer.from(text)) ?? [])].flatMap(([name, values]) => values.map((value) => [name, value]));

/** By name, as `parseFields` groups them. */
const grouped = (pairs: Iterable<[string, string]>) => {
  const names = new Map<string, [string, string][]>();
  for (const pair of pairs) names.set(pair[0], [...(names.get(pair[0]) ?? []), pair]);
  return [...names.values()].flat();
};

describe('parseFields', () => {
  it('gives back what a browser has encoded', () => {
    const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
        const sent = new URLSearchParams(pairs);
        expect(entries(sent.toString())).toEqual(grouped(sent));
      }),
    );
  });

  it('reads whatever else is sent as the URL standard does', () => {
    // Not é by itself: Node does not read it as the standard has it after a lone %.
    const piece = fc.constantFrom('%', '%4', '%41', '%e2%82%ac', '%zz', '%2B', '+', '=', '&', 'a', '\0', '%ff');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(entries(text)).toEqual(grouped(new URLSearchParams(text)));
      }),
    );
  });

  it('takes as many fields as any form has, and no more', () => {
    const fields = (count: number) => Buffer.from(Array.from({ length: count }, () => 'a').join('&'));
    expect(parseFields(fields(MOST_FIELDS))?.get('a')).toHaveLength(MOST_FIELDS);
    expect(parseFields(fields(MOST_FIELDS + 1))).toBeNull();
  });

  it.each([
    ['a&', null],
    ['&', null],
    ['=', ''],
    ['%', ''],
    ['%41', ''],
    ['+', ''],
  ])('has done with 12 MiB of %j', (piece, value) => {
    const bytes = Buffer.from(piece.repeat((12 * 1_024 * 1_024) / piece.length));
    const fields = parseFields(bytes);
    if (value === null) expect(fields).toBeNull();
    else expect([...(fields ?? [])].flat(2)).toHaveLength(2);
  });
});
