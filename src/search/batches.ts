// Gathers what comes in small pieces into batches: a question to the thread costs as much as some kilobytes of text.

import type { LexiconFile } from '../core/lexicon.ts';
import type { BlobContent, CommitMessage } from '../core/source.ts';
import type { Batch, BatchedBlob } from './digester.ts';

/** Bytes; about 50 ms in the thread. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_COMMITS = 500;

/** Blobs as batches of about 1 MiB. `files` says under which path each blob is to be read. */
export async function* blobBatches(
  contents: AsyncIterable<readonly BlobContent[]>,
  files: ReadonlyMap<string, LexiconFile>,
): AsyncGenerator<Batch, void, undefined> {
  let gathered: BlobContent[] = [];
  let size = 0;
  for await (const piece of contents) {
    for (const content of piece) {
      gathered.push(content);
      size += content.bytes.length;
      if (size < BATCH_BYTES) continue;
      yield blobBatch(gathered, size, files);
      gathered = [];
      size = 0;
    }
  }
  if (gathered.length > 0) yield blobBatch(gathered, size, files);
}

function blobBatch(contents: readonly BlobContent[], size: number, files: ReadonlyMap<string, LexiconFile>): Batch {
  // Own memory: what the thread is sent is copied with all that it is a view of.
  const bytes = new Uint8Array(size);
  const blobs: BatchedBlob[] = [];
  let from = 0;
  for (const content of contents) {
    bytes.set(content.bytes, from);
    const to = from + content.bytes.length;
    blobs.push({ blob: content.blob, path: files.get(content.blob)?.path ?? '', from, to });
    from = to;
  }
  return { kind: 'blobs', blobs, bytes };
}

/** Commits as batches of 500. */
export async function* commitBatches(
  messages: AsyncIterable<readonly CommitMessage[]>,
): AsyncGenerator<Batch, void, undefined> {
  let commits: CommitMessage[] = [];
  for await (const piece of messages) {
    commits.push(...piece);
    if (commits.length < BATCH_COMMITS) continue;
    yield { kind: 'commits', commits };
    commits = [];
  }
  if (commits.length > 0) yield { kind: 'commits', commits };
}
