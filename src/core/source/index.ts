// One commit as text: where functions begin, what is a comment, who owns a path, and the words of the index.
export { CODEOWNERS_PLACES, findRule, type OwnerRule, readCodeOwners, readOwnersOf } from './code-owners.ts';
export { hasHashComments, isCommentLine } from './comments.ts';
export type { ContextRefusal, ContextRepository } from './context-repository.ts';
export type {
  CommitLexicon,
  HistoryLexicon,
  IndexedCommit,
  Lexicon,
  LexiconFile,
  Lexicons,
  TermMatches,
} from './lexicon.ts';
export { describeSearchCut, nameBranch, type OverlaySearchCut, type Source, SourceBusy } from './source.ts';
export {
  cutLine,
  findDocstring,
  findEnclosingFunction,
  findSpans,
  isOfInlineTests,
  markTexts,
  type Span,
} from './spans.ts';
export { splitLines } from './split-lines.ts';
