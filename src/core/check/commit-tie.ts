// What ties a commit to a failure, as data, and its text.

export type CommitTie =
  /** Touches a file that the failing lines name; `test`: the file of the failed test. */
  | { readonly code: 'named' | 'test'; readonly path: string }
  /** Touches the file of the failed test, but not that test. */
  | { readonly code: 'test_file'; readonly path: string }
  /** Touches a file that was ranked for the failure, counted from 1. */
  | { readonly code: 'suspect'; readonly path: string; readonly rank: number }
  /** Changes a definition that the failing test gets to; `calls`: over how many calls. */
  | { readonly code: 'called'; readonly path: string; readonly name: string; readonly calls: number }
  /** Touches the file that the failing test is for by its name, or that it imports. */
  | { readonly code: 'tested' | 'imported'; readonly path: string }
  /** Changes lines with words of the failing test or its error that no other commit of the range changes. */
  | { readonly code: 'words'; readonly words: readonly string[] }
  /** Touches a list of dependencies, and something is not found. */
  | { readonly code: 'dependencies'; readonly path: string }
  /** Touches a file in the folder of one that the failing lines name. */
  | { readonly code: 'beside'; readonly path: string }
  /** Its subject has a word of the failure. */
  | { readonly code: 'subject'; readonly word: string };

/** Such as `touches src/cart.ts, which the failing lines name`. */
export function describeCommitTie(tie: CommitTie): string {
  switch (tie.code) {
    case 'named':
      return `touches ${tie.path}, which the failing lines name`;
    case 'test':
      return `touches ${tie.path}, in which a test failed`;
    case 'test_file':
      return `touches ${tie.path} beside the test that failed`;
    case 'suspect':
      return `touches ${tie.path}, which ranks ${formatRank(tie.rank)} among the suspects`;
    case 'called':
      return `changes ${tie.name} in ${tie.path}, which the failing test ${tie.calls === 1 ? 'calls' : `gets to over ${tie.calls} calls`}`;
    case 'tested':
      return `touches ${tie.path}, which the failing test is for`;
    case 'imported':
      return `touches ${tie.path}, which the failing test imports`;
    case 'words':
      return `changes lines with ${tie.words.join(', ')}, as the failing test has`;
    case 'dependencies':
      return `changes ${tie.path}, and something is not found`;
    case 'beside':
      return `touches ${tie.path}, beside what the failing lines name`;
    case 'subject':
      return `its subject names ${tie.word}, as the failure does`;
  }
}

function formatRank(rank: number): string {
  return `${rank}${['st', 'nd', 'rd'][rank - 1] ?? 'th'}`;
}
