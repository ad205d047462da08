// The same search as git's, over the few texts that edits changed.
import { createContext, Script } from 'node:vm';
import { toLines } from '../core/diff/text-lines.ts';
import { createGlobMatcher } from '../core/paths.ts';
import type { SearchHit, SearchQuery } from '../core/source.ts';

/** For all files together. An expression may take exponential time; a script's time limit ends it, where a plain call would hold up the whole service. */
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
  'const pattern = new RegExp(source, flags); files.map((lines) => lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])))',
);

/** Hits in `texts` by path, in path order; null where the expression cannot be run here or takes too long. */
export function searchEdited(
  texts: ReadonlyMap<string, string>,
  query: Omit<SearchQuery, 'limit'>,
): readonly SearchHit[] | null {
  const isWanted = createPathFilter(query.paths);
  const wanted = [...texts].filter(([path]) => isWanted(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (wanted.length === 0) return [];
  const files = wanted.map(([path, text]) => ({ path, lines: toLines(text).lines }));
  const found = findLines(
    files.map(({ lines }) => lines),
    { source: toExpression(query), flags: query.ignoreCase ? 'i' : '' },
  );
  if (found === null) return null;
  return files.flatMap(({ path, lines }, file) =>
    (found[file] ?? []).map((index) => ({ path, line: index + 1, text: (lines[index] ?? '').slice(0, MAX_HIT) })),
  );
}

/** Whether `path` is one of the folders or files, below one of them, or matches one as a glob; none: everywhere. */
export function isWithin(path: string, wanted: readonly string[]): boolean {
  return createPathFilter(wanted)(path);
}

function createPathFilter(wanted: readonly string[]): (path: string) => boolean {
  const tests = wanted.map((each) => {
    const matches = createGlobMatcher(each.includes('/') ? each : `**/${each}`);
    return (path: string) => each === '' || path === each || path.startsWith(`${each}/`) || matches(path);
  });
  return (path) => tests.length === 0 || tests.some((test) => test(path));
}

function toExpression({ pattern, regex, word }: Omit<SearchQuery, 'limit'>): string {
  const source = regex
    ? pattern.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole)
    : pattern.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return word === true ? `(?<!\\w)(?:${source})(?!\\w)` : source;
}

/** Per file, the indexes of the lines that match. One run, so that one time limit holds for all. */
function findLines(
  files: readonly (readonly string[])[],
  given: { readonly source: string; readonly flags: string },
): readonly (readonly number[])[] | null {
  try {
    const found: unknown = FINDER.runInContext(createContext({ files, ...given }), { timeout: TIMEOUT_MS });
    return Array.from(found as ArrayLike<readonly number[]>);
  } catch {
    return null;
  }
}
