// What is kept of a commit to compare it with a report: hashed terms of its message, and the paths that it touched.
import type { CommitDigest } from '../../core/lexicon.ts';
import { countTerms } from './blob-digest.ts';
import { eachWord } from './terms.ts';

/** A message longer than this is a log or a merge of many. */
const MAX_MESSAGE = 4_000;
/** A commit that touches more than this is a move or a reformatting, and tells nothing of any one file. */
const MAX_TOUCHED = 40;

export interface CommitText {
  readonly sha: string;
  /** Subject and body. */
  readonly message: string;
  readonly paths: readonly string[];
}

export function digestCommit({ sha, message, paths }: CommitText): CommitDigest {
  const words = new Map<string, number>();
  eachWord(ownWords(message), (word) => {
    words.set(word, (words.get(word) ?? 0) + 1);
  });
  return { sha, ...countTerms(words), paths: paths.length > MAX_TOUCHED ? [] : paths };
}

/** Without the lines that name people, and the tool that mirrored the commit, not what it does. */
function ownWords(message: string): string {
  return message.slice(0, MAX_MESSAGE).replace(/^[ \t]*(?:[A-Za-z]+-)+(?:by|to|id|from|url)[ \t]*:.*$/gim, '');
}
