// The digests of one commit's files as a few flat arrays, in the order of the files, and the look through them.
import { setImmediate as breathe } from 'node:timers/promises';
import type { LookedUp } from '../core/lexicon.ts';
import type { BlobDigest } from '../triage/localise/blob-digest.ts';
import { eachInSlices } from './slices.ts';

/** Files to copy, about 5 ms, before others get their turn. */
const SLICE_FILES = 4_096;
/** Hashes to look at, about 3 ms, before others get their turn. */
const SLICE_HASHES = 2_000_000;

/** Hashes of file f are those from `ends[f - 1]` (0 for the first) up to `ends[f]`. */
interface FlatHashes {
  readonly hashes: Uint32Array;
  readonly ends: Uint32Array;
}

export interface FlatDigests {
  readonly terms: FlatHashes;
  /** In the order of the terms. */
  readonly counts: Uint8Array;
  readonly defines: FlatHashes;
  readonly lengths: Uint32Array;
  readonly meanLength: number;
  /** Of all arrays. */
  readonly bytes: number;
}

export async function flatten(digests: readonly BlobDigest[], signal: AbortSignal): Promise<FlatDigests> {
  const terms = emptyHashes(digests.map((digest) => digest.terms.length));
  const defines = emptyHashes(digests.map((digest) => digest.defines.length));
  const counts = new Uint8Array(terms.hashes.length);
  const lengths = Uint32Array.from(digests, ({ length }) => length);
  await eachInSlices(digests, { size: SLICE_FILES, signal }, (digest, file) => {
    const at = startOf(terms, file);
    terms.hashes.set(digest.terms, at);
    counts.set(digest.counts, at);
    defines.hashes.set(digest.defines, startOf(defines, file));
  });
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const bytes = 5 * terms.hashes.length + 4 * defines.hashes.length + 12 * lengths.length;
  return { terms, counts, defines, lengths, meanLength, bytes };
}

/** The digest of one file: views. */
export function digestAt({ terms, counts, defines, lengths }: FlatDigests, file: number): BlobDigest {
  const [from, to] = [startOf(terms, file), terms.ends[file] ?? 0];
  return {
    terms: terms.hashes.subarray(from, to),
    counts: counts.subarray(from, to),
    defines: defines.hashes.subarray(startOf(defines, file), defines.ends[file]),
    length: lengths[file] ?? 0,
  };
}

export async function lookUpIn(flat: FlatDigests, hashes: Uint32Array, signal: AbortSignal): Promise<LookedUp> {
  const { lengths, meanLength } = flat;
  const asked = createAsked(hashes);
  const counts = new Uint8Array(lengths.length * hashes.length);
  const defined = new Uint8Array(lengths.length * hashes.length);
  await eachFound(flat.terms, { asked, signal }, (cell, at) => {
    counts[cell] = flat.counts[at] ?? 0;
  });
  await eachFound(flat.defines, { asked, signal }, (cell) => {
    defined[cell] = 1;
  });
  return { counts, defined, lengths, meanLength };
}

function emptyHashes(sizes: readonly number[]): FlatHashes {
  let sum = 0;
  const ends = Uint32Array.from(sizes, (size) => {
    sum += size;
    return sum;
  });
  return { hashes: new Uint32Array(sum), ends };
}

function startOf({ ends }: FlatHashes, file: number): number {
  return file === 0 ? 0 : (ends[file - 1] ?? 0);
}

/** The asked hashes by their lower 16 bits: of 200, all but one in 300 of the hashes that are met end there. */
interface Asked {
  readonly hashes: Uint32Array;
  /** Column + 1 of the last asked hash with these bits; 0: none. */
  readonly last: Uint16Array;
  /** Column + 1 of the one before with the same bits. */
  readonly before: Uint16Array;
}

const BITS = 0xffff;

function createAsked(hashes: Uint32Array): Asked {
  if (hashes.length > BITS) throw new RangeError(`${hashes.length} terms are too many to look up: ask for fewer.`);
  const last = new Uint16Array(BITS + 1);
  const before = new Uint16Array(hashes.length);
  for (const [column, hash] of hashes.entries()) {
    before[column] = last[hash & BITS] ?? 0;
    last[hash & BITS] = column + 1;
  }
  return { hashes, last, before };
}

/** Told of the cell (file × columns + column) and the position of each hash that was asked for. */
type Found = (cell: number, at: number) => void;

async function eachFound(
  { hashes, ends }: FlatHashes,
  { asked, signal }: { readonly asked: Asked; readonly signal: AbortSignal },
  found: Found,
): Promise<void> {
  let rest = SLICE_HASHES;
  let from = 0;
  for (const [file, to] of ends.entries()) {
    matchFile({ hashes, from, to, cell: file * asked.hashes.length }, asked, found);
    rest -= to - from;
    from = to;
    if (rest > 0) continue;
    rest = SLICE_HASHES;
    await breathe();
    signal.throwIfAborted();
  }
}

interface Row {
  readonly hashes: Uint32Array;
  readonly from: number;
  readonly to: number;
  /** The first one of the file. */
  readonly cell: number;
}

function matchFile({ hashes, from, to, cell }: Row, asked: Asked, found: Found): void {
  const { last, before } = asked;
  for (let at = from; at < to; at++) {
    const hash = hashes[at] ?? 0;
    for (let next = last[hash & BITS] ?? 0; next !== 0; next = before[next - 1] ?? 0) {
      if (asked.hashes[next - 1] === hash) found(cell + next - 1, at);
    }
  }
}
