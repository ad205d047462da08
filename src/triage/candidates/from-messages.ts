// Clues from the literal text of error messages, searched in the tree.
import { constantParts } from '../error-lines.ts';
import { fileKind, isForeign } from '../file-kind.ts';
import { type Lookups, searchStep } from '../lookups.ts';
import type { Signals } from '../signals.ts';
import type { Clue } from './clue.ts';

const MAX_SEARCHES = 6;
const UNIQUE = 0.72;
/** Text that stands in more files than this is a phrase, not a message. */
const MAX_FILES = 12;

/** Searches the constant parts of the messages, until one of each message is found. A command in a message is none of its text. */
export async function messageClues(
  lookups: Lookups,
  { errors, commands }: Pick<Signals, 'errors' | 'commands'>,
): Promise<readonly Clue[]> {
  const clues: Clue[] = [];
  let searches = 0;
  for (const { message } of errors) {
    const parts = fragments(message).filter((part) => !commands.some((command) => command.includes(part)));
    for (const part of parts) {
      if (searches >= MAX_SEARCHES) return clues;
      searches++;
      const found = await searchPart(lookups, part);
      clues.push(...found);
      if (found.length > 0) break;
    }
  }
  return clues;
}

/** The longest constant part; and, since an unmarked value may stand in it, its first and last words. */
function fragments(message: string): readonly string[] {
  const [longest, second] = constantParts(message);
  if (!longest) return [];
  const words = longest.split(' ');
  const ends = words.length >= 7 ? [words.slice(0, 4).join(' '), words.slice(-4).join(' ')] : [];
  return [longest, ...(second ? [second] : []), ...ends].slice(0, 3);
}

async function searchPart(lookups: Lookups, part: string): Promise<readonly Clue[]> {
  const query = { pattern: part, regex: false, ignoreCase: false, paths: [], limit: 200 };
  const result = await searchStep(lookups, query, ({ hits, error }) => {
    if (error !== '') return 'The search failed, so nothing follows from it.';
    const files = new Set(hits.map(({ path }) => path)).size;
    if (files === 0) return 'Message not found in the source; it is built at runtime or comes from a dependency.';
    if (files > MAX_FILES) return `Message found in ${files} files; too many to point at one.`;
    return `Message found in ${files === 1 ? 'one file' : `${files} files`}.`;
  });
  const hits = result.hits.filter(({ path }) => !isForeign(path) && !['test', 'document'].includes(fileKind(path)));
  const files = new Map<string, number>();
  for (const { path, line } of hits) if (!files.has(path)) files.set(path, line);
  if (files.size > MAX_FILES) return [];
  return [...files].map(
    ([path, line]): Clue => ({
      kind: 'message',
      path,
      line,
      function: '',
      strength: UNIQUE / files.size ** 0.7,
      reason: `contains the error message “${part}” at line ${line}`,
    }),
  );
}
