// Digests as words: the payload of their records, laid out so that what is read back is a view and no copy.
import type { CommitDigest } from '../core/lexicon.ts';
import type { BlobDigest } from '../triage/localise/blob-digest.ts';

/** Number of terms, length, number of definitions. */
const BLOB_HEAD = 3;
/** Number of terms, length, bytes of text. */
const COMMIT_HEAD = 3;

/** Of a file that holds no text: it has no terms, and need not be read again. */
export const NO_DIGEST: BlobDigest = {
  terms: new Uint32Array(),
  counts: new Uint8Array(),
  length: 0,
  defines: new Uint32Array(),
};

export function blobPayload({ terms, counts, length, defines }: BlobDigest): Uint32Array {
  const hashes = BLOB_HEAD + terms.length + defines.length;
  const words = new Uint32Array(hashes + Math.ceil(counts.length / 4));
  words.set([terms.length, length, defines.length]);
  words.set(terms, BLOB_HEAD);
  words.set(defines, BLOB_HEAD + terms.length);
  bytesOf(words).set(counts, hashes * 4);
  return words;
}

/** A view of the words; null where they are no such payload. */
export function blobDigestIn(words: Uint32Array): BlobDigest | null {
  const [size = 0, length = 0, defined = 0] = words;
  const hashes = BLOB_HEAD + size + defined;
  if (words.length !== hashes + Math.ceil(size / 4)) return null;
  return {
    terms: words.subarray(BLOB_HEAD, BLOB_HEAD + size),
    defines: words.subarray(BLOB_HEAD + size, hashes),
    counts: bytesOf(words).subarray(hashes * 4, hashes * 4 + size),
    length,
  };
}

/** The paths are kept as they are. What the message says is not: people write secrets into messages too. */
export function commitPayload({ terms, counts, length, paths }: Omit<CommitDigest, 'sha'>): Uint32Array {
  const text = Buffer.from(paths.join('\0'));
  const hashes = COMMIT_HEAD + terms.length;
  const words = new Uint32Array(hashes + Math.ceil((counts.length + text.length) / 4));
  words.set([terms.length, length, text.length]);
  words.set(terms, COMMIT_HEAD);
  bytesOf(words).set(counts, hashes * 4);
  bytesOf(words).set(text, hashes * 4 + counts.length);
  return words;
}

/** Copies of the words, which may be part of something larger; null where they are no such payload. */
export function commitDigestIn(sha: string, words: Uint32Array): CommitDigest | null {
  const [size = 0, length = 0, textBytes = 0] = words;
  const hashes = COMMIT_HEAD + size;
  if (words.length !== hashes + Math.ceil((size + textBytes) / 4)) return null;
  const bytes = bytesOf(words);
  const textAt = hashes * 4 + size;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + textAt, textBytes).toString('utf8');
  const paths = text === '' ? [] : text.split('\0');
  return {
    ...{ sha, length, paths },
    terms: words.slice(COMMIT_HEAD, hashes),
    counts: bytes.slice(hashes * 4, textAt),
  };
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
