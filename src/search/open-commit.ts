// The digests of one commit: from commits that are held, then from the file, and what neither has is computed.

import type { LexiconFile } from '../core/lexicon.ts';
import type { SourceTree } from '../core/source.ts';
import type { BlobDigest } from '../triage/localise/blob-digest.ts';
import { blobBatches } from './batches.ts';
import { digestMissing, type MissingDeps } from './digest-missing.ts';
import { blobDigestIn } from './digest-payload.ts';
import { flatten } from './flat-digests.ts';
import { type HeldCommit, heldDigest } from './held-commits.ts';
import type { RecordFile } from './record-file.ts';
import { eachInSlices } from './slices.ts';
import { wantedFiles } from './wanted-files.ts';

export interface CommitGround {
  readonly tree: SourceTree;
  /** Digests of blobs. */
  readonly file: RecordFile;
  /** Other commits of the project. */
  readonly held: readonly HeldCommit[];
  readonly maxFiles: number | undefined;
}

/** Files, about 5 ms, before others get their turn. */
const SLICE = 2_000;
/** Below this a file is not worth shrinking. */
const SMALL_BYTES = 1024 * 1024;

export async function openCommit(
  deps: MissingDeps,
  { tree, file, held, maxFiles }: CommitGround,
  signal: AbortSignal,
): Promise<HeldCommit> {
  const wanted = await wantedFiles(await tree.files(signal), signal, maxFiles);
  const slices = { size: SLICE, signal };
  const digests = new Map<string, BlobDigest>();
  const put = (id: string, words: Uint32Array): void => {
    const digest = blobDigestIn(words);
    if (digest !== null) digests.set(id, digest);
  };
  await eachInSlices(wanted.files, slices, ({ blob }) => {
    const digest = heldDigest(held, blob);
    if (digest !== null) digests.set(blob, digest);
  });
  const unknown = await lacking(wanted.files, digests, signal);
  if (unknown.size > 0) {
    const found = await file.read([...unknown.keys()]);
    await eachInSlices([...found], slices, ([id, words]) => put(id, words));
    const missing = await lacking(wanted.files, digests, signal);
    if (missing.size > 0) {
      const batches = blobBatches(tree.contents([...missing.keys()], signal), missing);
      await digestMissing(deps, { batches, file }, ({ id, payload }) => put(id, payload), signal);
    }
    await shrink(file, digests, held);
  }
  return await assemble(wanted, digests, signal);
}

/** By blob. */
async function lacking(
  files: readonly LexiconFile[],
  digests: ReadonlyMap<string, BlobDigest>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LexiconFile>> {
  const found = new Map<string, LexiconFile>();
  await eachInSlices(files, { size: SLICE, signal }, (file) => {
    if (!digests.has(file.blob)) found.set(file.blob, file);
  });
  return found;
}

/** Once the file is twice as large as these need, what else is in it goes. */
async function shrink(
  file: RecordFile,
  digests: ReadonlyMap<string, BlobDigest>,
  held: readonly HeldCommit[],
): Promise<void> {
  if (file.size < SMALL_BYTES || file.size <= 2 * file.sizeOf(digests.keys())) return;
  const ids = new Set([...digests.keys(), ...held.flatMap(({ byBlob }) => [...byBlob.keys()])]);
  if (file.size > 2 * file.sizeOf(ids)) await file.shrinkTo([...ids]);
}

/** Files without any term are left out: nothing can be found in them. */
async function assemble(
  wanted: { readonly files: readonly LexiconFile[]; readonly cut: string },
  digests: ReadonlyMap<string, BlobDigest>,
  signal: AbortSignal,
): Promise<HeldCommit> {
  const found: { readonly file: LexiconFile; readonly digest: BlobDigest }[] = [];
  const byBlob = new Map<string, number>();
  let lost = 0;
  await eachInSlices(wanted.files, { size: SLICE, signal }, (file) => {
    const digest = digests.get(file.blob);
    if (digest === undefined) lost += 1;
    if (digest === undefined || digest.length === 0) return;
    byBlob.set(file.blob, found.length);
    found.push({ file, digest });
  });
  const flat = await flatten(
    found.map(({ digest }) => digest),
    signal,
  );
  const notes = [wanted.cut, lost === 0 ? '' : `${lost} files could not be read or digested.`];
  return {
    files: found.map(({ file }) => file),
    flat,
    cut: notes.filter((note) => note !== '').join(' '),
    byBlob,
  };
}
