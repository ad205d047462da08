// Records and what is in them: whatever goes in comes out, at any place in the file, and nothing else is taken for one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobDigestIn, blobPayload, commitDigestIn, commitPayload } from '../../src/search/digest-payload.ts';
import { eachRecord, encodeRecord, type PlacedRecord, recordAt } from '../../src/search/records.ts';

const HASHES = fc.uniqueArray(fc.nat(0xffff_ffff), { maxLength: 60 }).map((all) => Uint32Array.from(all).sort());
const ID = fc
  .constantFrom(40, 64)
  .chain((length) => fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length }));
const PAYLOAD = fc.array(fc.nat(0xffff_ffff), { maxLength: 40 }).map((words) => Uint32Array.from(words));

function found(bytes: Uint8Array): readonly PlacedRecord[] {
  const records: PlacedRecord[] = [];
  eachRecord(bytes, (record) => void records.push(record));
  return records;
}

describe('records one behind the other', () => {
  it('are all found again, each with its id and its payload, wherever they begin', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ID, PAYLOAD), { maxLength: 6 }), fc.nat(7), (records, shift) => {
        const all = Buffer.concat(records.map(([id, payload]) => encodeRecord(id, payload)));
        const bytes = new Uint8Array(new Uint8Array([...Buffer.alloc(shift), ...all]).buffer, shift);
        expect(found(bytes).map(({ id, payload }) => [id, [...payload]])).toEqual(
          records.map(([id, payload]) => [id, [...payload]]),
        );
      }),
    );
  });

  it('are found behind anything that is none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), ID, PAYLOAD, (noise, id, payload) => {
        const bytes = new Uint8Array([...noise, ...encodeRecord(id, payload), ...noise]);
        const records = found(bytes);
        expect(records.map((record) => record.id)).toContain(id);
        expect(records).toHaveLength(1);
      }),
    );
  });

  it('are none with any one bit changed', () => {
    fc.assert(
      fc.property(ID, PAYLOAD, fc.nat(), fc.nat(7), (id, payload, place, bit) => {
        const bytes = Uint8Array.from(encodeRecord(id, payload));
        bytes[place % bytes.length]! ^= 1 << bit;
        expect(recordAt(bytes, 0).kind).not.toBe('record');
      }),
    );
  });
});

describe('payloads', () => {
  it('give back the digest of a file', () => {
    fc.assert(
      fc.property(
        HASHES,
        HASHES,
        fc.nat(1_000_000),
        fc.infiniteStream(fc.nat(255)),
        (terms, defines, length, counts) => {
          const digest = { terms, defines, length, counts: Uint8Array.from(terms, () => counts.next().value) };
          const { payload } = found(encodeRecord('ab'.repeat(20), blobPayload(digest)))[0]!;
          expect(blobDigestIn(payload)).toEqual(digest);
        },
      ),
    );
  });

  it('give back the digest of a commit', () => {
    const path = fc.string({
      unit: fc.constantFrom('a', '/', '.', 'ü', '€', '😀', '\n', ' '),
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(HASHES, fc.nat(9_999), fc.array(path, { maxLength: 5 }), (terms, length, paths) => {
        const digest = {
          sha: 'cd'.repeat(20),
          terms,
          counts: new Uint8Array(terms.length).fill(3),
          length,
          paths,
        };
        const { payload } = found(encodeRecord(digest.sha, commitPayload(digest)))[0]!;
        expect(commitDigestIn(digest.sha, payload)).toEqual(digest);
      }),
    );
  });

  it('are none where the numbers of their parts do not fit', () => {
    expect(blobDigestIn(Uint32Array.of(3, 3, 0, 1, 2))).toBeNull();
    expect(blobDigestIn(new Uint32Array())).toBeNull();
    expect(commitDigestIn('ab', Uint32Array.of(3, 3, 900, 1, 2))).toBeNull();
  });
});
