// The digests that a report is compared with, asked for before anything else: those that are still to be made take longest.

import type { CommitDigests, CommitLexicon, Lexicon } from '../../core/lexicon.ts';
import type { SourceTree } from '../../core/source.ts';

/** Commits that a report is compared with. */
const COMMITS = 5_000;

export interface Digests {
  readonly lexicon: CommitLexicon;
  /** The newest ones that lead to the commit, at most 5,000. */
  readonly history: CommitDigests;
}

/** Of the tree's files and of its history, made side by side. Rejects as a lexicon does; nobody need wait for it: what is made is kept all the same. */
export function openDigests(lexicon: Lexicon, tree: SourceTree, signal: AbortSignal): Promise<Digests> {
  const digests = Promise.all([lexicon.open(tree, signal), lexicon.commits(tree, COMMITS, signal)]).then(
    ([files, history]) => ({ lexicon: files, history }),
  );
  // Whoever waits for them hears of it.
  digests.catch(() => undefined);
  return digests;
}
