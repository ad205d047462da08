// The index of the commit that a report is compared with, opened before anything else: what is still to be indexed takes longest.
import type { CommitLexicon, HistoryLexicon, Lexicon } from '../../core/lexicon.ts';
import type { SourceTree } from '../../core/source.ts';

/** Commits that a report is compared with. */
const COMMITS = 5_000;

export interface OpenedIndex {
  readonly lexicon: CommitLexicon;
  /** The newest commits that lead to the commit, at most 5,000. */
  readonly history: HistoryLexicon;
}

/** Of the tree's files and of its history, side by side. Rejects as a lexicon does; what is indexed is kept even if nobody waits for it. */
export function openIndex(lexicon: Lexicon, tree: SourceTree, signal: AbortSignal): Promise<OpenedIndex> {
  const opened = Promise.all([lexicon.open(tree, signal), lexicon.openHistory(tree, COMMITS, signal)]).then(
    ([files, history]) => ({ lexicon: files, history }),
  );
  // The caller hears of it when it awaits the index.
  opened.catch(() => undefined);
  return opened;
}
