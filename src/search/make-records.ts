// Makes the records of a batch: each text digested, encoded, and one behind the other as they go to disk.
import { type BlobDigest, digestText } from '../triage/localise/blob-digest.ts';
import { digestCommit } from '../triage/localise/commit-digest.ts';
import { blobPayload, commitPayload, NO_DIGEST } from './digest-payload.ts';
import type { Batch } from './digester.ts';
import { encodeRecord, MAX_RECORD_BYTES } from './records.ts';

/** What is not UTF-8 loses some letters; old sources in Latin-1 keep nearly all of their names. */
const DECODER = new TextDecoder();

/**
 * A digest is hashes of 32 bits and counts: no text. A secret that stands in a source is one hash among hundreds, which says no more of it than
 * 32 bits, without its place; the mirror beside the digests holds it in clear, and both go together.
 */
export function makeRecords(batch: Batch): Uint8Array<ArrayBuffer> {
  const records = recordsOf(batch);
  const joined = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const record of records) {
    joined.set(record, at);
    at += record.length;
  }
  return joined;
}

function recordsOf(batch: Batch): readonly Uint8Array[] {
  switch (batch.kind) {
    case 'blobs':
      return batch.blobs.map(({ blob, path, from, to }) => {
        const payload = blobPayload(digestBytes(path, batch.bytes.subarray(from, to)));
        return encodeRecord(blob, payload.byteLength < MAX_RECORD_BYTES / 2 ? payload : blobPayload(NO_DIGEST));
      });
    case 'commits':
      return batch.commits.map((commit) => encodeRecord(commit.sha, commitPayload(digestCommit(commit))));
  }
}

function digestBytes(path: string, bytes: Uint8Array): BlobDigest {
  return bytes.includes(0) ? NO_DIGEST : digestText(path, DECODER.decode(bytes));
}
