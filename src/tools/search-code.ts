// The tool that searches lines, in the commit and in what edits made of it.
import { z } from 'zod';
import type { Finding } from '../core/evidence.ts';
import {
  describeSearchCut,
  type SearchCut,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
} from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { type EditedTree, normalisePath } from './edited-tree.ts';
import { isWithin, searchEdited } from './search-edited.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  MAX_RESULT_BYTES,
  quote,
  shorten,
  takeFittingLines,
} from './tool-kit.ts';

const DEFAULT_LIMIT = 80;
const MAX_LIMIT = 300;
const TOO_LONG =
  'The expression cannot be run, or takes too long, on the edited files. Use plain text or a simpler one.';

const PARAMETERS = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('Plain text within one line, unless "regex".'),
  regex: z.boolean().optional().describe('The pattern is a Perl-compatible regular expression.'),
  ignore_case: z.boolean().optional(),
  word: z.boolean().optional().describe('Whole words only.'),
  paths: z
    .array(z.string().max(1_000))
    .max(20)
    .optional()
    .describe('Only in these folders, files or globs such as *.ts.'),
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
});

type Given = z.output<typeof PARAMETERS>;

export function defineSearchTool(source: EditedTree): Tool {
  return defineTool({
    name: 'search',
    description: `Finds lines in the files of the commit, edited files as edited. At most "limit" hits (default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}) and 12 kB; narrow by "paths" when it is cut.`,
    parameters: PARAMETERS,
    example: { pattern: 'parseDate(', paths: ['src'] },
    action: (given) => describeAtCommit(inWords(given), source.tree.revision),
    execute: async (given, signal) => {
      const query = queryOf(given);
      const limit = given.limit ?? DEFAULT_LIMIT;
      const result = await searchBoth(source, { ...query, limit }, signal);
      if (result.error !== '') return answerFailed(result.error);
      if (result.hits.length === 0) {
        const cut = describeCuts(result.cuts);
        const none = `No line matches ${patternOf(given)}${within(given)}. ${literalNote(given)}${cut}`.trimEnd();
        // What was not searched is not ruled out.
        const isIncomplete = result.cuts.some(({ kind }) => kind === 'timeout' || kind === 'edited_files');
        return literalNote(given) !== '' || isIncomplete ? answerFailed(none) : answerNothing(none);
      }
      return foundHits(hitLines(source, result.hits.slice(0, limit)), result.cuts);
    },
  });
}

function foundHits(lines: readonly string[], cuts: readonly SearchCut[]): Finding {
  const shown = takeFittingLines(lines, MAX_RESULT_BYTES);
  const over = shown.length < lines.length ? 'Cut at 12 kB.' : '';
  const hasMore = over !== '' || cuts.some(({ kind }) => kind === 'limit');
  const more = hasMore ? 'Narrow "paths" or the pattern, or raise "limit", to see the rest.' : '';
  return answerFound(shown.join('\n'), [describeCuts(cuts), over, more].filter((each) => each !== '').join(' '));
}

function describeCuts(cuts: readonly SearchCut[]): string {
  return cuts.map(describeSearchCut).join(' ');
}

function inWords(given: Given): string {
  const how = [
    given.regex === true ? 'as an expression' : '',
    given.ignore_case === true ? 'ignoring case' : '',
    given.word === true ? 'as a word' : '',
    given.limit === undefined ? '' : `up to ${given.limit} hits`,
  ];
  return [`search ${patternOf(given)}`, ...how.filter((each) => each !== '')].join(' ') + within(given);
}

/** An expression as it was sent: quoted, its backslashes would be doubled. */
function patternOf({ pattern, regex }: Given): string {
  return regex === true ? `/${shorten(pattern, 300)}/` : quote(pattern);
}

function literalNote({ pattern, regex }: Given): string {
  const looksLike = regex !== true && /\||\.\*|\\[bwsd(]|\[[^\]]{1,60}\][+*]/.test(pattern);
  return looksLike ? 'It was taken literally; set "regex" if it is an expression. ' : '';
}

function within({ paths = [] }: Given): string {
  return paths.length === 0 ? '' : ` in ${paths.join(', ')}`;
}

function queryOf({ pattern, regex = false, ignore_case = false, word = false, paths = [] }: Given) {
  return { pattern, regex, ignoreCase: ignore_case, word, paths: paths.map(normalisePath) };
}

/** Hits of the commit, but for files that edits touched, and hits in these as they are now. */
async function searchBoth(
  source: EditedTree,
  query: SearchQuery & { readonly limit: number },
  signal: AbortSignal,
): Promise<SearchResult> {
  const touched = await source.touched();
  if (touched.size === 0) return source.tree.search(query, signal);
  const texts = new Map([...touched].flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
  const base = await searchCommit(source, query, texts, signal);
  // The commit does not know folders that edits made; asked for them alone it would call them a mistake.
  const made = query.paths.filter((path) => [...texts.keys()].some((each) => isWithin(each, [path])));
  if (base.error !== '' && (made.length < query.paths.length || made.length === 0)) return base;
  const edited = searchEdited(texts, query);
  if (edited === null && base.hits.length === 0) return { hits: [], cuts: [], error: TOO_LONG };
  const hits = [...base.hits.filter(({ path }) => !touched.has(path)), ...(edited ?? [])];
  const hasMore = hits.length > query.limit;
  const cuts: SearchCut[] = base.cuts.filter(({ kind }) => !hasMore || kind !== 'limit');
  if (hasMore) cuts.push({ kind: 'limit', limit: query.limit });
  if (edited === null) cuts.push({ kind: 'edited_files', paths: [...texts.keys()] });
  const ordered = hits.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return { hits: ordered, cuts, error: '' };
}

/** In the commit itself; edited files that are named are left to the other search. */
async function searchCommit(
  { tree }: EditedTree,
  query: SearchQuery & { readonly limit: number },
  texts: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<SearchResult> {
  const paths = query.paths.filter((path) => !texts.has(path));
  if (paths.length === 0 && query.paths.length > 0) return { hits: [], cuts: [], error: '' };
  return tree.search({ ...query, paths, limit: Math.min(1_000, query.limit * 3) }, signal);
}

/** Each file once, its hits below it. */
function hitLines(source: EditedTree, hits: readonly SearchHit[]): readonly string[] {
  return hits.flatMap(({ path, line, text }, index) => {
    const hit = `${String(line).padStart(6)} | ${text}`;
    return hits[index - 1]?.path === path ? [hit] : [`${path}${source.mark(path)}:`, hit];
  });
}
