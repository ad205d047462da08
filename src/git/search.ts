// Lines of one commit that match, found by git grep on the tree itself.
import { CausewayError } from '../core/errors.ts';
import type { SearchQuery, SearchResult, TreeEntry } from '../core/source.ts';
import { renewed, tellsOfDamage } from './damage.ts';
import { excludeSpec, type PathFilter, pathFilter } from './pathspec.ts';
import { caselessText, toPosix } from './posix-expression.ts';
import { MAX_BLOB_BYTES } from './read-text.ts';
import type { RepositoryAccess } from './repository.ts';
import type { Ending } from './run-git.ts';
import { createHitReader, type HitReader } from './search-hits.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1_000;
const MAX_PATTERN = 1_000;
const TIMEOUT_MS = 5_000;
const MAX_EXCLUDED = 500;

/** The commit that is searched, and what its listing says. */
export interface SearchScope {
  readonly revision: string;
  readonly entries: readonly TreeEntry[];
  readonly exists: (path: string) => boolean;
}

interface Matcher {
  readonly flag: '-F' | '-E';
  readonly expression: string;
}

interface Question {
  readonly query: SearchQuery;
  readonly matcher: Matcher;
  readonly filter: PathFilter;
  readonly limit: number;
}

interface Attempt {
  readonly reader: HitReader;
  readonly ending: Ending;
  /** What went wrong for the asker; "" where nothing did. */
  readonly error: string;
  /** How many files were left out for their size, and the size in words. */
  readonly left: number;
  readonly size: string;
  /** Whether contents could not be read. */
  readonly damaged: boolean;
}

/** Runs one search; a fault in the question comes back as `error`. */
export async function searchTree(
  access: RepositoryAccess,
  scope: SearchScope,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const matcher = matcherOf(query);
  if (typeof matcher === 'string') return { hits: [], cut: '', error: matcher };
  const filter = pathFilter(query.paths, scope.exists);
  if (filter.unknown.length > 0 && filter.specs.length === 0) {
    return { hits: [], cut: '', error: `${unknownPaths(filter)} List the files to see which there are.` };
  }
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.trunc(query.limit ?? DEFAULT_LIMIT)));
  const question = { query, matcher, filter, limit };
  const usual = { ...scope, largest: MAX_BLOB_BYTES, size: '5 MiB' };
  let attempt = await grep(access, usual, question, signal);
  if (attempt.damaged && (await renewed(access, signal))) attempt = await grep(access, usual, question, signal);
  // A line of megabytes can take an expression minutes: without such files the rest is answered.
  if (attempt.ending.kind === 'timeout') {
    attempt = await grep(access, { ...scope, largest: 128 * 1024, size: '128 KiB' }, question, signal);
  }
  if (attempt.error !== '') return { hits: [], cut: '', error: attempt.error };
  return { hits: attempt.reader.hits.slice(0, limit), cut: cutOf(attempt, question), error: '' };
}

async function grep(
  access: RepositoryAccess,
  scope: SearchScope & { readonly largest: number; readonly size: string },
  question: Question,
  signal: AbortSignal,
): Promise<Attempt> {
  const { matcher, query, filter, limit } = question;
  const large = scope.entries.filter((entry) => entry.size > scope.largest);
  const left = large.toSorted((a, b) => b.size - a.size).slice(0, MAX_EXCLUDED);
  const process = access.git.start({
    args: [
      ...[
        'grep',
        '--line-number',
        '--null',
        '-I',
        '--full-name',
        '--no-color',
        '--no-textconv',
        '--no-recurse-submodules',
      ],
      ...['--max-count', String(limit + 1), matcher.flag],
      ...(query.ignoreCase ? ['--ignore-case'] : []),
      ...(query.word === true ? ['--word-regexp'] : []),
      ...['-e', matcher.expression, scope.revision, '--'],
      ...[...filter.specs, ...left.map((entry) => excludeSpec(entry.path))],
    ],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    signal,
  });
  process.stdin.end();
  const reader = createHitReader(scope.revision);
  process.stdout.on('data', (chunk: Buffer) => {
    reader.add(chunk);
    if (reader.hits.length > limit) process.stop();
  });
  const { ending, stderr } = await process.ended;
  if (ending.kind === 'aborted') signal.throwIfAborted();
  return {
    reader,
    ending,
    error: faultOf(ending, stderr),
    left: left.length,
    size: scope.size,
    damaged: tellsOfDamage(stderr),
  };
}

/** How git is to match, or what is wrong with the pattern. */
function matcherOf(query: SearchQuery): Matcher | string {
  const { pattern } = query;
  if (pattern === '') return 'The pattern is empty.';
  if (pattern.length > MAX_PATTERN) return `The pattern is longer than ${MAX_PATTERN} characters.`;
  if (/[\0\n]/.test(pattern))
    return 'A search looks at one line at a time: the pattern must not hold a line break or NUL.';
  if (query.regex) {
    const translated = toPosix(pattern);
    return translated.ok ? { flag: '-E', expression: translated.expression } : translated.error;
  }
  const beyondAscii = query.ignoreCase && /[^\u0000-\u007f]/.test(pattern);
  return beyondAscii ? { flag: '-E', expression: caselessText(pattern) } : { flag: '-F', expression: pattern };
}

function faultOf(ending: Ending, stderr: string): string {
  if (ending.kind === 'aborted')
    throw new CausewayError('cancelled', 'The search was ended because Causeway is stopping.');
  if (ending.kind !== 'exited' || ending.code <= 1) return '';
  const [from, to] = [stderr.indexOf("-e option, '"), stderr.lastIndexOf("': ")];
  const expression = from >= 0 && to > from ? stderr.slice(to + 3) : '';
  if (expression !== '') return `The pattern is not a valid expression: ${expression.trim()}`;
  if (tellsOfDamage(stderr)) return '';
  throw new CausewayError('internal', `The search failed. ${stderr}`);
}

function cutOf(attempt: Attempt, question: Question): string {
  const { limit, filter } = question;
  const { reader, left } = attempt;
  const notes = [
    reader.hits.length > limit ? `Only the first ${limit} hits; there are more.` : '',
    attempt.ending.kind === 'timeout'
      ? 'Stopped for lack of time: later files were not searched. Use a simpler pattern or fewer paths.'
      : '',
    reader.unreadable > 0 ? `${reader.unreadable} hit(s) in files whose names are not UTF-8.` : '',
    left > 0 ? `${left} file(s) over ${attempt.size} were not searched.` : '',
    attempt.damaged ? 'Contents that are missing in the repository were not searched.' : '',
    filter.unknown.length > 0 ? unknownPaths(filter) : '',
  ];
  return notes.filter((note) => note !== '').join(' ');
}

function unknownPaths(filter: PathFilter): string {
  return `This commit has no ${filter.unknown.map((path) => JSON.stringify(path)).join(', ')}.`;
}
