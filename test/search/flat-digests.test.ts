// The look through all digests: the same as a look into each of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestAt, flatten, lookUpIn } from '../../src/search/flat-digests.ts';
import type { BlobDigest } from '../../src/triage/localise/blob-digest.ts';

const SIGNAL = new AbortController().signal;
/** Few different ones, many of which have their lower bits in common. */
const HASH = fc.tuple(fc.nat(3), fc.nat(5)).map(([high, low]) => (high * 0x4001_0000 + low) >>> 0);
const HASHES = fc.uniqueArray(HASH, { maxLength: 12 }).map((all) => Uint32Array.from(all).sort());
const DIGEST: fc.Arbitrary<BlobDigest> = fc
  .record({ terms: HASHES, defines: HASHES, length: fc.nat(500), seed: fc.nat(250) })
  .map(({ terms, defines, length, seed }) => ({
    ...{ terms, defines, length },
    counts: Uint8Array.from(terms, (_, index) => ((seed + index) % 255) + 1),
  }));

it('finds each asked hash in each file, with its count and whether it is defined there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DIGEST, { maxLength: 8 }), fc.array(HASH, { maxLength: 14 }), async (digests, asked) => {
      const found = await lookUpIn(await flatten(digests, SIGNAL), Uint32Array.from(asked), SIGNAL);
      const counts = digests.flatMap(({ terms, counts: all }) => asked.map((hash) => all[terms.indexOf(hash)] ?? 0));
      const defined = digests.flatMap(({ defines }) => asked.map((hash) => (defines.includes(hash) ? 1 : 0)));
      expect([...found.counts]).toEqual(counts);
      expect([...found.defined]).toEqual(defined);
      expect([...found.lengths]).toEqual(digests.map(({ length }) => length));
      const sum = digests.reduce((all, { length }) => all + length, 0);
      expect(found.meanLength).toBeCloseTo(digests.length === 0 ? 0 : sum / digests.length);
    }),
  );
});

it('gives back every digest that went in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DIGEST, { maxLength: 8 }), async (digests) => {
      const flat = await flatten(digests, SIGNAL);
      expect(digests.map((_, file) => digestAt(flat, file))).toEqual(digests);
    }),
  );
});

it('looks through many digests in pieces, between which others have their turn, and ends when aborted', async () => {
  const terms = Uint32Array.from({ length: 5_000 }, (_, index) => index * 7);
  const one = { terms, counts: new Uint8Array(5_000).fill(1), length: 5_000, defines: terms };
  const flat = await flatten(new Array<BlobDigest>(3_000).fill(one), SIGNAL);
  let turns = 0;
  const timer = setInterval(() => {}, 0);
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const { counts } = await lookUpIn(flat, Uint32Array.of(7, 8), SIGNAL);
  clearImmediate(counting);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  expect(counts.filter((value) => value === 1)).toHaveLength(3_000);
  const abort = new AbortController();
  const looking = lookUpIn(flat, Uint32Array.of(7), abort.signal);
  abort.abort(new Error('enough'));
  await expect(looking).rejects.toThrow('enough');
});

it('refuses more hashes than it has columns for', async () => {
  await expect(lookUpIn(await flatten([], SIGNAL), new Uint32Array(70_000), SIGNAL)).rejects.toThrow(/too many/);
});
