// Which files of a commit get a digest, and what was left out for their number.

import type { LexiconFile } from '../core/lexicon.ts';
import type { Listing, TreeEntry } from '../core/source.ts';
import { isDigestible } from '../triage/localise/digestible.ts';
import { classifyFile, isProgram } from '../triage/own-code.ts';
import { eachInSlices } from './slices.ts';

/** About 150 MB of digests: more than any repository of one product has, and less than a repository of all of them. */
const MAX_FILES = 100_000;
/** Bytes; larger sources are generated, or data in the form of code. */
const MAX_SIZE = 1_000_000;
/** About 5 ms of work before others get their turn. */
const SLICE = 1_000;

export interface WantedFiles {
  readonly files: readonly LexiconFile[];
  readonly cut: string;
}

/** Sources, and tests too: of a failed test its own source says most. In path order. */
export async function wantedFiles(
  listing: Listing,
  signal: AbortSignal,
  maxFiles: number = MAX_FILES,
): Promise<WantedFiles> {
  const files: LexiconFile[] = [];
  let more = 0;
  await eachInSlices(listing.entries, { size: SLICE, signal }, (entry) => {
    if (!isDigestible(entry) && !isTest(entry)) return;
    if (files.length < maxFiles) files.push({ path: entry.path, blob: entry.blob });
    else more += 1;
  });
  const notes = [
    listing.cut ?? '',
    more === 0 ? '' : `Only the first ${maxFiles} source files; ${more} were left out.`,
  ];
  return { files, cut: notes.filter((note) => note !== '').join(' ') };
}

function isTest({ path, size, kind }: TreeEntry): boolean {
  if ((kind !== 'file' && kind !== 'executable') || size === 0 || size > MAX_SIZE) return false;
  return isProgram(path) && classifyFile(path) === 'test';
}
