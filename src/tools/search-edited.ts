// The same search as git's, over the few texts that edits changed.
import { createContext, Script } from 'node:vm';
import { linesOf } from '../git/read-text.ts';
import type { SearchHit, SearchQuery } from '../ports/source.ts';
import { globMatcher } from './path-glob.ts';

/** An expression may take exponential time; a script's time limit ends it, where a plain call would hold up the whole service. */
const TIMEOUT_MS = 500;
const MAX_HIT = 500;
const POSIX: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};
const FINDER = new Script(
  'const pattern = new RegExp(source, flags); lines.flatMap((line, index) => (pattern.test(line) ? [index] : []))',
);

/** Hits in `texts` by path, in path order; null where the expression cannot be run here or takes too long. */
export function searchEdited(
  texts: ReadonlyMap<string, string>,
  query: Omit<SearchQuery, 'limit'>,
): readonly SearchHit[] | null {
  const hits: SearchHit[] = [];
  const expression = expressionOf(query);
  for (const [path, text] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isWithin(path, query.paths)) continue;
    const lines = linesOf(text);
    const found = findLines(lines, { source: expression, flags: query.ignoreCase ? 'i' : '' });
    if (found === null) return null;
    hits.push(...found.map((index) => ({ path, line: index + 1, text: (lines[index] ?? '').slice(0, MAX_HIT) })));
  }
  return hits;
}

/** Whether `path` is one of the folders or files, below one of them, or matches one as a glob; none: everywhere. */
export function isWithin(path: string, wanted: readonly string[]): boolean {
  return (
    wanted.length === 0 ||
    wanted.some((each) => {
      if (each === '' || path === each || path.startsWith(`${each}/`)) return true;
      return globMatcher(each.includes('/') ? each : `**/${each}`)(path);
    })
  );
}

function expressionOf({ pattern, regex, word }: Omit<SearchQuery, 'limit'>): string {
  const source = regex
    ? pattern.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole)
    : pattern.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return word === true ? `(?<!\\w)(?:${source})(?!\\w)` : source;
}

function findLines(lines: readonly string[], given: { readonly source: string; readonly flags: string }) {
  try {
    const found: unknown = FINDER.runInContext(createContext({ lines, ...given }), { timeout: TIMEOUT_MS });
    return Array.from(found as ArrayLike<number>);
  } catch {
    return null;
  }
}
