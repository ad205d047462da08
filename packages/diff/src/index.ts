// Changes of text files against one commit: as a diff that loses nothing, back again, and as a patch that `git apply` takes.
export { applyFileDiff, toChangeSet } from './apply-diff.ts';
export {
  type Change,
  type ChangeSet,
  cutWindow,
  type Diff,
  DiffRefused,
  type FileChange,
  type FileDiff,
  type FileMode,
  hasChanges,
  isText,
  type LineChange,
  toDiff,
  toLines,
} from './diff.ts';
export { joinChanges } from './join-changes.ts';
export { diffLines, type Hunk } from './line-diff.ts';
export { toUnifiedPatch } from './unified-patch.ts';
