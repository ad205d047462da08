// Lines of one commit that match, found by `git grep` on the tree itself.

import { createGlobMatcher, type Effort } from 'causeway-paths';
import type { RepositoryAccess } from './access.ts';
import { isDamage } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import type { Ending } from './process.ts';
import type { SearchCut, SearchHit, SearchQuery, SearchResult, TreeEntry } from './source.ts';
import { decodeOrNull, MAX_BLOB_BYTES } from './text.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1_000;
const MAX_PATTERN = 1_000;
const TIMEOUT_MS = 5_000;
const MAX_EXCLUDED = 500;
const MAX_WITHOUT = 200;
/** Files that are still searched after a search ran out of time: a line of megabytes can take an expression minutes. */
const SMALL_BYTES = 128 * 1024;
const TOO_SLOW = 'The expression takes too long on some lines. Use a simpler one.';
const MAX_HIT = 500;
// At most four bytes a character; the rest of a longer line is passed over.
const MAX_FIELD_BYTES = 8_192;

/** The commit that is searched, and its listing. */
export interface SearchScope {
  readonly revision: string;
  readonly entries: readonly TreeEntry[];
  readonly exists: (path: string) => boolean;
}

/** How git is to match. */
interface GitPattern {
  readonly flag: '-F' | '-P';
  readonly expression: string;
}

interface GrepQuestion {
  readonly query: SearchQuery;
  readonly matcher: GitPattern;
  readonly filter: PathFilter;
  readonly limit: number;
}

interface GrepAttempt {
  readonly reader: HitReader;
  readonly ending: Ending;
  /** What is wrong with the pattern; "" where nothing is. */
  readonly error: string;
  /** Files that were left out for their size, in bytes. */
  readonly excluded: { readonly files: number; readonly largest: number };
  /** Whether contents could not be read. */
  readonly damaged: boolean;
}

/** Runs one search; a fault in the query comes back as `error`. */
export async function searchTree(
  access: RepositoryAccess,
  scope: SearchScope,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const matcher = toMatcher(query);
  if (typeof matcher === 'string') return { hits: [], cuts: [], error: matcher };
  const filter = toPathFilter(query.paths, scope);
  if (filter.unknown.length > 0 && filter.specs.length === 0) {
    const unknown = filter.unknown.map((path) => JSON.stringify(path)).join(', ');
    return {
      hits: [],
      cuts: [],
      error: `No file of this commit is at ${unknown}. List the files to see which there are.`,
    };
  }
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.trunc(query.limit ?? DEFAULT_LIMIT)));
  const question = { query, matcher, filter, limit };
  let attempt = await grep(access, { ...scope, largest: MAX_BLOB_BYTES }, question, signal);
  if (attempt.damaged) {
    await access.renew(signal);
    attempt = await grep(access, { ...scope, largest: MAX_BLOB_BYTES }, question, signal);
  }
  if (attempt.ending.kind === 'timeout' || attempt.error === TOO_SLOW) {
    attempt = await grep(access, { ...scope, largest: SMALL_BYTES }, question, signal);
  }
  if (attempt.error.startsWith(INVALID)) {
    const valid = await splitAlternatives(access, scope, query.pattern, signal);
    if (valid !== null) {
      const { cuts, ...found } = await searchTree(access, scope, { ...query, pattern: valid.pattern }, signal);
      return { ...found, cuts: [...cuts, { kind: 'refused_alternatives', alternatives: valid.refused }] };
    }
  }
  if (attempt.error !== '') return { hits: [], cuts: [], error: attempt.error };
  return { hits: attempt.reader.hits.slice(0, limit), cuts: listCuts(attempt, question), error: '' };
}

const MAX_ALTERNATIVES_TRIED = 12;

/** The alternatives of an invalid expression that are valid by themselves; null where there are none, or no others. */
async function splitAlternatives(
  access: RepositoryAccess,
  scope: SearchScope,
  pattern: string,
  signal: AbortSignal,
): Promise<{ readonly pattern: string; readonly refused: readonly string[] } | null> {
  const alternatives = splitAtBars(pattern);
  if (alternatives.length < 2 || alternatives.length > MAX_ALTERNATIVES_TRIED) return null;
  // A search of no file compiles the expression all the same.
  const nowhere: PathFilter = { specs: [':(top,literal)\u0001'], unknown: [] };
  const valid: string[] = [];
  for (const expression of alternatives) {
    const matcher = { flag: '-P', expression } as const;
    const query = { pattern: expression, regex: true, ignoreCase: false, paths: [] };
    const tried = { query, matcher, filter: nowhere, limit: 1 };
    const { error } = await grep(access, { ...scope, largest: MAX_BLOB_BYTES }, tried, signal);
    if (expression !== '' && error === '') valid.push(expression);
  }
  if (valid.length === 0 || valid.length === alternatives.length) return null;
  return { pattern: valid.join('|'), refused: alternatives.filter((each) => !valid.includes(each)) };
}

const MARKS = /\\.|\[(?:\^?\])?(?:\\.|[^\]\\])*\]?|[()|]/gs;

/** At the bars that are in no parentheses and no class. */
function splitAtBars(pattern: string): readonly string[] {
  let depth = 0;
  const bars: number[] = [];
  for (const { 0: mark, index } of pattern.matchAll(MARKS)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    else if (mark === '|' && depth === 0) bars.push(index);
  }
  return [...bars, pattern.length].map((end, index) =>
    pattern.slice(index === 0 ? 0 : (bars[index - 1] ?? 0) + 1, end),
  );
}

const INVALID = 'The pattern is not a valid expression: ';

async function grep(
  access: RepositoryAccess,
  scope: SearchScope & { readonly largest: number },
  { matcher, query, filter, limit }: GrepQuestion,
  signal: AbortSignal,
): Promise<GrepAttempt> {
  const large = scope.entries.filter((entry) => entry.size > scope.largest);
  const excluded = large.toSorted((a, b) => b.size - a.size).slice(0, MAX_EXCLUDED);
  const process = access.git.start({
    args: [
      ...['grep', '--line-number', '--null', '-I', '--full-name', '--no-color', '--no-textconv'],
      ...['--no-recurse-submodules', '--max-count', String(query.perFile ?? limit + 1), matcher.flag],
      ...(query.ignoreCase ? ['--ignore-case'] : []),
      ...(query.word === true ? ['--word-regexp'] : []),
      ...['-e', matcher.expression, scope.revision, '--'],
      ...filter.specs,
      ...[...(query.without ?? []).slice(0, MAX_WITHOUT), ...excluded.map(({ path }) => path)].map(
        (path) => `:(top,exclude,literal)${path}`,
      ),
    ],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    signal,
    isBrief: true,
  });
  process.stdin.end();
  const reader = createHitReader(scope.revision);
  process.stdout.on('data', (chunk: Buffer) => {
    reader.add(chunk);
    if (reader.hits.length > limit) process.stop();
  });
  const { ending, stderr } = await process.ended;
  if (ending.kind === 'aborted') {
    signal.throwIfAborted();
    throw new GitFailure('closed', 'The search was ended: the source was closed.');
  }
  return {
    reader,
    ending,
    error: findPatternError(ending, stderr),
    excluded: { files: excluded.length, largest: scope.largest },
    damaged: isDamage(stderr),
  };
}

/** How git is to match, or what is wrong with the pattern. */
function toMatcher({ pattern, regex, ignoreCase }: SearchQuery): GitPattern | string {
  if (pattern === '') return 'The pattern is empty.';
  if (pattern.length > MAX_PATTERN) return `The pattern is longer than ${MAX_PATTERN} characters.`;
  if (/[\0\n]/.test(pattern)) {
    return 'A search looks at one line at a time: the pattern must not hold a line break or NUL.';
  }
  if (regex) return { flag: '-P', expression: pattern };
  const isBeyondAscii = ignoreCase && /[^\u0000-\u007f]/.test(pattern);
  return isBeyondAscii
    ? { flag: '-P', expression: toCaselessExpression(pattern) }
    : { flag: '-F', expression: pattern };
}

/** Plain text as a case-insensitive expression; git itself ignores the case of ASCII only. */
function toCaselessExpression(text: string): string {
  return Array.from(text, (letter) => {
    if (/[^\u0000-\u007f]/.test(letter)) {
      return `(?:${[...new Set([letter, letter.toLowerCase(), letter.toUpperCase()])].join('|')})`;
    }
    return /\w|\s/.test(letter) ? letter : `\\${letter}`;
  }).join('');
}

function findPatternError(ending: Ending, stderr: string): string {
  if (ending.kind !== 'exited' || ending.code <= 1) return '';
  const [from, to] = [stderr.indexOf("-e option, '"), stderr.lastIndexOf("': ")];
  if (from >= 0 && to > from) return `${INVALID}${stderr.slice(to + 3).trim()}`;
  // PCRE gives up on a line where an expression backtracks too often.
  if (/pcre2?_\w{1,30} failed/.test(stderr)) return TOO_SLOW;
  if (/USE_LIBPCRE/.test(stderr)) {
    throw new GitFailure('internal', 'This git cannot search for expressions: install a git that is built with PCRE2.');
  }
  if (isDamage(stderr)) return '';
  throw new GitFailure('internal', `The search failed. ${stderr}`);
}

function listCuts(
  { reader, ending, excluded, damaged }: GrepAttempt,
  { limit, filter }: GrepQuestion,
): readonly SearchCut[] {
  const cuts: SearchCut[] = [];
  if (reader.hits.length > limit) cuts.push({ kind: 'limit', limit });
  if (ending.kind === 'timeout') cuts.push({ kind: 'timeout' });
  if (reader.unreadable > 0) cuts.push({ kind: 'unreadable_names', hits: reader.unreadable });
  if (excluded.files > 0) cuts.push({ kind: 'large_files', ...excluded });
  if (damaged) cuts.push({ kind: 'missing_contents' });
  if (filter.unknown.length > 0) cuts.push({ kind: 'unknown_paths', paths: filter.unknown });
  return cuts;
}

type HitField = 'path' | 'line' | 'text';

interface HitReader {
  add(chunk: Buffer): void;
  readonly hits: readonly SearchHit[];
  /** Number of hits in files with names that are not UTF-8. */
  readonly unreadable: number;
}

/** `revision`: the sha that git puts before every path. Fields end with NUL, NUL and LF. */
function createHitReader(revision: string): HitReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const hits: SearchHit[] = [];
  let unreadable = 0;
  let field: HitField = 'path';
  let parts: Buffer[] = [];
  let kept = 0;
  let path: string | null = null;
  let line = 0;

  function keep(bytes: Buffer): void {
    if (kept >= MAX_FIELD_BYTES) return;
    parts.push(Buffer.from(bytes.subarray(0, MAX_FIELD_BYTES - kept)));
    kept += bytes.length;
  }

  function finish(): void {
    const bytes = Buffer.concat(parts);
    parts = [];
    kept = 0;
    if (field === 'path') {
      path = decodeOrNull(decoder, bytes.subarray(revision.length + 1));
      field = 'line';
    } else if (field === 'line') {
      line = Number(bytes.toString('latin1'));
      field = 'text';
    } else {
      if (path === null) unreadable += 1;
      else hits.push({ path, line, text: shortenHit(bytes.toString('utf8')) });
      field = 'path';
    }
  }

  return {
    add(chunk) {
      let start = 0;
      while (start < chunk.length) {
        const end = chunk.indexOf(field === 'text' ? 10 : 0, start);
        keep(chunk.subarray(start, end === -1 ? chunk.length : end));
        if (end === -1) return;
        finish();
        start = end + 1;
      }
    },
    hits,
    get unreadable() {
      return unreadable;
    },
  };
}

function shortenHit(text: string): string {
  const plain = text.endsWith('\r') ? text.slice(0, -1) : text;
  return plain.length > MAX_HIT ? plain.slice(0, MAX_HIT) : plain;
}

/** The paths of a query as git pathspecs. */
interface PathFilter {
  readonly specs: readonly string[];
  /** Paths that the commit does not have, as they were given. */
  readonly unknown: readonly string[];
}

const GLOB = /[*?[]/;
const BRACES = /\{([^{}]+)\}/;
const MAX_ALTERNATIVES = 32;

/** Steps of matching after which a glob counts as one that matches: about 0.2 s. */
const MAX_STEPS = 20_000_000;

/**
 * Folders, files and globs to pathspecs. A name that the commit has is literal even if it holds `*` or `[`. A glob
 * without a slash matches in every folder, one that matches a folder means all below it; `{a,b}` is expanded.
 */
function toPathFilter(paths: readonly string[], { entries, exists }: SearchScope): PathFilter {
  const specs: string[] = [];
  const unknown: string[] = [];
  const effort: Effort = { steps: 0 };
  for (const given of paths) {
    const path = given.replace(/^(?:\.?\/)+/, '').replace(/(?<!\/)\/+$/, '');
    if (path === '' || path === '.') return { specs: [], unknown: [] };
    if (exists(path)) specs.push(`:(top,literal)${path}`);
    else if (isGlob(path) && matchesAny(entries, path, effort)) specs.push(...expandBraces(path).flatMap(toGlobSpecs));
    else unknown.push(given);
  }
  return { specs, unknown };
}

function isGlob(path: string): boolean {
  return (GLOB.test(path) || BRACES.test(path)) && !path.split('/').includes('..');
}

/** Whether there is a file that the glob means. Classes are git's own and are not looked into. */
function matchesAny(entries: readonly TreeEntry[], glob: string, effort: Effort): boolean {
  if (glob.includes('[')) return true;
  const matches = createGlobMatcher(`${glob.includes('/') ? glob : `**/${glob}`}/**`, effort);
  return entries.some(({ path }) => effort.steps > MAX_STEPS || matches(path));
}

/** The files that match, and those in folders that do. */
function toGlobSpecs(glob: string): readonly string[] {
  const anywhere = glob.includes('/') ? glob : `**/${glob}`;
  return [`:(top,glob)${anywhere}`, `:(top,glob)${anywhere}/**`];
}

function expandBraces(glob: string): readonly string[] {
  let expanded: readonly string[] = [glob];
  while (expanded.length < MAX_ALTERNATIVES && expanded.some((each) => BRACES.test(each))) {
    expanded = expanded.flatMap(expandFirst);
  }
  return expanded.slice(0, MAX_ALTERNATIVES);
}

function expandFirst(glob: string): readonly string[] {
  const match = BRACES.exec(glob);
  if (match?.[1] === undefined) return [glob];
  const before = glob.slice(0, match.index);
  const after = glob.slice(match.index + match[0].length);
  return match[1].split(',').map((choice) => `${before}${choice}${after}`);
}
