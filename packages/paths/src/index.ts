// Paths in a git repository as untrusted text: which are safe on every file system, and which match a glob.
export { getFolder, listFolders } from './folders.ts';
export { computeReach, createGlobMatcher, type Effort, splitPattern } from './glob.ts';
export { isSafePath, toComparablePath } from './safe-path.ts';
