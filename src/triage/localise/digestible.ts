// Which files of a commit are worth a digest: text that somebody edits here to change what the program does.

import type { TreeEntry } from '../../core/source.ts';
import { classifyFile, isProgram } from '../own-code.ts';

/** Bytes; larger sources are generated, or data in the form of code. */
const MAX_SIZE = 1_000_000;

/** Sources that are not tests; also those of examples and of a documentation's own pages. */
export function isDigestible({ path, size, kind }: Pick<TreeEntry, 'path' | 'size' | 'kind'>): boolean {
  if ((kind !== 'file' && kind !== 'executable') || size === 0 || size > MAX_SIZE) return false;
  const purpose = classifyFile(path);
  return purpose === 'source' || purpose === 'example' || (purpose === 'document' && isProgram(path));
}
