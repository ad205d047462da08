// The digests of the commits that lead to one: from the file, and what it does not have is read and computed.

import type { CommitDigest, CommitDigests } from '../core/lexicon.ts';
import type { SourceTree } from '../core/source.ts';
import { commitBatches } from './batches.ts';
import { digestMissing, type MissingDeps } from './digest-missing.ts';
import { commitDigestIn } from './digest-payload.ts';
import type { RecordFile } from './record-file.ts';

/** 5,000 commits take 2 to 4 MB; beyond this only those that were asked for last are kept. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface HistoryGround {
  readonly tree: SourceTree;
  /** Digests of commits. */
  readonly file: RecordFile;
  readonly limit: number;
}

export async function readCommits(
  deps: MissingDeps,
  { tree, file, limit }: HistoryGround,
  signal: AbortSignal,
): Promise<CommitDigests> {
  const { ids, cut } = await tree.ancestors(limit, signal);
  const digests = new Map<string, CommitDigest>();
  const put = (sha: string, words: Uint32Array): void => {
    const digest = commitDigestIn(sha, words);
    if (digest !== null) digests.set(sha, digest);
  };
  for (const [sha, words] of await file.read(ids)) put(sha, words);
  const missing = ids.filter((sha) => !digests.has(sha));
  if (missing.length > 0) {
    const batches = commitBatches(tree.messages(missing, signal));
    await digestMissing(deps, { batches, file }, ({ id, payload }) => put(id, payload), signal);
  }
  if (file.size > MOST_BYTES) await file.shrinkTo(ids);
  const commits = ids.flatMap((sha) => digests.get(sha) ?? []);
  const lost = ids.length - commits.length;
  const notes = [cut, lost === 0 ? '' : `${lost} of ${ids.length} commits could not be read in time.`];
  return { commits, cut: notes.filter((note) => note !== '').join(' ') };
}
