// A change of documentation alone: whether anything that failed may have read it. Where that is open, the answer is that
// it may have.

import type { ReadCheck } from 'causeway-ci-log';
import type { SourceTree } from 'causeway-git-objects';
import { classifyFile, createPathIndex, getFileName } from '../triage/index.ts';
import { findTestFiles, isSameFile } from './touches.ts';

/** Prose by its name, wherever it is, or by its ending where programs keep none of theirs. */
const NAMED =
  /(?:^|\/)(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|AUTHORS|CONTRIBUTORS|CONTRIBUTING|LICEN[CS]E|COPYING|NOTICE|SECURITY|CODE_OF_CONDUCT|GOVERNANCE|MAINTAINERS)(?:[-_.][\w-]{1,20})?(?:\.(?:md|markdown|rst|adoc|txt))?$/i;
const PAGE =
  /^(?:(?:[\w.-]{1,80}\/){0,10}(?:docs?|documentation)\/(?:[^/]{1,200}\/){0,10})?[^/]{1,200}\.(?:md|markdown|rst|adoc)$/;

/** Not what is built into a program, such as `.mdx`, or read by a tool, such as `requirements.txt`. */
function isDocumentation(path: string): boolean {
  return classifyFile(path) === 'document' && (NAMED.test(path) || PAGE.test(path));
}

/** Checks and steps that look at prose. */
const ABOUT_PROSE =
  /docs?\b|documentation|readme|changelog|markdown|\bmdx?\b|\brst\b|sphinx|mkdocs|docusaurus|spell|\bvale\b|typos?\b|links?\b|lychee|prose|licen[cs]e|\breuse\b|prettier|dprint|format|lint/i;
/** Tests and errors that are about it. */
const NAMES_PROSE =
  /\b(?:readme|changelog|markdown|documentation|docs?|docstrings?|doctests?|spelling)\b|\.(?:md|markdown|rst|adoc)\b/i;

interface ProseChange {
  readonly paths: readonly string[];
  readonly isCut: boolean;
}

interface FailedCheck {
  readonly name: string;
  readonly read: Pick<ReadCheck, 'excerpt' | 'places' | 'isInformative'>;
}

const MOST_PATHS = 20;

/** By names alone: whether the change is documentation, and the failure a test's that does not speak of any. */
export function mayExcludeDocumentation({ paths, isCut }: ProseChange, { name, read }: FailedCheck): boolean {
  if (isCut || paths.length === 0 || paths.length > MOST_PATHS || !paths.every(isDocumentation)) return false;
  const { step, headline, tests, lines } = read.excerpt;
  if (!read.isInformative || tests.length === 0 || ABOUT_PROSE.test(name) || ABOUT_PROSE.test(step)) return false;
  if ([headline, ...tests].some((text) => NAMES_PROSE.test(text))) return false;
  const names = paths.map((path) => getFileName(path).toLowerCase());
  const isSaid = lines.some((line) => names.some((one) => line.toLowerCase().includes(one)));
  return !isSaid && !read.places.some((place) => paths.some((path) => isSameFile(path, place.path)));
}

const MOST_HITS = 200;
/** Prose that a compiler takes into a program. */
const TAKEN_IN = /include_(?:str|bytes)!|doc\s*=|#embed|readFile|open\(/;

/**
 * Whether no test reads it, as far as their texts say: neither one that failed reads any prose, nor any other names one
 * of these files. `tree`: without the change, which has the same tests. Throws what the tree throws.
 */
export async function isUnreadDocumentation(
  tree: Pick<SourceTree, 'files' | 'read' | 'search'>,
  { paths, read }: Pick<ProseChange, 'paths'> & Pick<FailedCheck, 'read'>,
  signal: AbortSignal,
): Promise<boolean> {
  const failed = findTestFiles(createPathIndex(await tree.files(signal)), read);
  if (failed.length === 0) return false;
  for (const path of failed) {
    const found = await tree.read(path, {}, signal);
    if (found.kind !== 'text' || NAMES_PROSE.test(found.text)) return false;
  }
  for (const pattern of new Set(paths.map(getFileName))) {
    // A name without an ending, such as `NEWS`, is a word as well.
    const isWord = !pattern.includes('.');
    const { hits, cuts, error } = await tree.search(
      { pattern, regex: false, ignoreCase: !isWord, word: isWord, paths: [], limit: MOST_HITS, perFile: 5 },
      signal,
    );
    if (error !== '' || cuts.some(({ kind }) => kind !== 'large_files')) return false;
    const isRead = hits.some(({ path, text }) => classifyFile(path) === 'test' || TAKEN_IN.test(text));
    if (isRead) return false;
  }
  return true;
}
