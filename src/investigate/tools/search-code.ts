// The tool that searches lines, in the commit and in what edits made of it.
import { createContext, Script } from 'node:vm';
import { toLines } from 'causeway-diff';
import type { SearchHit, SearchQuery, SearchResult } from 'causeway-git-objects';
import { createGlobMatcher } from 'causeway-paths';
import { z } from 'zod';
import type { LookupFinding, Tool } from '../../core/report/index.ts';
import { describeSearchCut, type OverlaySearchCut } from '../../core/source/index.ts';
import { isGenerated, ratePath } from './generated.ts';
import { explainInstalled, type FindInstalled, NOTHING_INSTALLED } from './installed.ts';
import type { EditedTree } from './overlay.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  joinNotes,
  MAX_RESULT_BYTES,
  normalisePath,
  quote,
  shorten,
  takeFittingLines,
} from './tool-kit.ts';

const DEFAULT_LIMIT = 80;
const MAX_LIMIT = 300;
/** Hits that are counted: of those beyond the limits only the number is shown. */
const MOST_COUNTED = 1_000;
/** Hits of one file, unless it is the only one: one that holds the name everywhere must not fill the answer. */
const DEFAULT_PER_FILE = 8;
/** More is read as this: a refused call costs a turn. */
const MAX_CONTEXT = 10;
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
    .describe('Only in these folders, files or globs such as *.ts or packages/*/src.'),
  context: z.int().min(0).optional().describe(`Lines to show before and after each hit, at most ${MAX_CONTEXT}.`),
  per_file: z.int().min(1).max(MAX_LIMIT).optional().describe(`Hits of one file, default ${DEFAULT_PER_FILE}.`),
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
});

type SearchArguments = z.output<typeof PARAMETERS>;

export function defineSearchTool(source: EditedTree, findInstalled: FindInstalled = NOTHING_INSTALLED): Tool {
  return defineTool({
    name: 'search',
    description: `Finds lines in the files of the commit, with your edits. At most "limit" hits (default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}) and 12 kB; if it is cut, narrow it with "paths".`,
    parameters: PARAMETERS,
    example: { pattern: 'parseDate(', paths: ['src'] },
    action: (given) => describeAtCommit(describeQuery(given), source.tree.revision),
    execute: async (given, signal) => {
      const literal = await searchWanted(source, given, signal);
      const isTriedAgain = literal.hits.length === 0 && literal.error === '' && isMeantAsExpression(given);
      const again = isTriedAgain ? await searchWanted(source, { ...given, regex: true }, signal) : literal;
      const isExpression = isTriedAgain && again.error === '';
      const found = isExpression ? again : literal;
      if (found.error !== '') {
        const paths = (given.paths ?? []).map(normalisePath);
        const installed = await Promise.all(
          paths.map((path) => explainInstalled(path, { source, find: findInstalled }, signal)),
        );
        return installed.every((text) => text === '')
          ? answerFailed(found.error)
          : answerNothing(joinNotes(...installed));
      }
      if (found.hits.length === 0) return answerNoHits(given, found.cuts, isExpression);
      return await answerHits(source, { given, found, isExpression }, signal);
    },
  });
}

interface Answered {
  readonly given: SearchArguments;
  readonly found: WantedHits;
  /** Nothing has the pattern as text. */
  readonly isExpression: boolean;
}

async function answerHits(
  source: EditedTree,
  { given, found: { hits, cuts, generated, isThinned }, isExpression }: Answered,
  signal: AbortSignal,
): Promise<LookupFinding> {
  const isMuch = given.limit === undefined && hits.length > DEFAULT_LIMIT;
  const byFolder = isMuch ? countByFolder(hits) : [];
  const files = groupHits(byFolder.length === 0 ? hits : chooseLikeliest(hits), given);
  const lines = [...(isExpression ? ['No line has it as text; as an expression:'] : []), ...byFolder];
  for (const file of files)
    lines.push(...(await formatFile(source, file, Math.min(given.context ?? 0, MAX_CONTEXT), signal)));
  const shown = takeFittingLines(lines, MAX_RESULT_BYTES);
  const left = hits.length - files.reduce((sum, { hits: own, more }) => sum + own.length + more, 0);
  const notes = [
    describeCuts(cuts),
    isThinned ? `Of each file only the first ${countOfFile(given)} hits are counted.` : '',
    shown.length < lines.length ? 'Cut at 12 kB: narrow "paths" or the pattern.' : '',
    left > 0 ? `${left} more hits in other files: narrow "paths" or the pattern, or raise "limit".` : '',
    describeGenerated(generated),
  ];
  return answerFound(shown.join('\n'), joinNotes(...notes));
}

interface WantedHits extends OverlaySearchResult {
  /** In files that programs write, where "paths" names none of them and other files have hits. */
  readonly generated: readonly SearchHit[];
  /** There are more hits than are counted, so that of each file only the first are. */
  readonly isThinned: boolean;
}

/** Of a file, where there are too many hits. */
const MOST_OF_FILE = 20;

/** At most so many paths are passed to git to be left out. */
const MOST_WITHOUT = 200;

async function searchWanted(source: EditedTree, given: SearchArguments, signal: AbortSignal): Promise<WantedHits> {
  const query = { ...toQuery(given), limit: MOST_COUNTED };
  const isAsked = createAskedFilter(query.paths);
  const isLeftOut = (hit: SearchHit) => isOfProgram(hit) && !isAsked(hit.path);
  const found = await searchBoth(source, query, signal);
  const first = found.hits.filter(isLeftOut);
  // Of what they and the first files crowd out nothing is known yet.
  const isMuch = found.cuts.some(({ kind }) => kind === 'limit');
  const without = [...new Set(first.map(({ path }) => path))].slice(0, MOST_WITHOUT);
  const thin = isMuch ? await searchBoth(source, { ...query, without, perFile: countOfFile(given) }, signal) : found;
  const isThinBetter = new Set(thin.hits.map(({ path }) => path)).size > 1 || found.hits.every(isLeftOut);
  const rest = isThinBetter && thin.hits.some((hit) => !isLeftOut(hit)) ? thin : found;
  const hits = rest.hits.filter((hit) => !isLeftOut(hit));
  if (hits.length === 0) return { ...found, isThinned: false, generated: [] };
  const counts = [...Map.groupBy(hits, ({ path }) => path).values()].map(({ length }) => length);
  const isThinned = rest !== found && Math.max(...counts) >= countOfFile(given);
  return { ...rest, isThinned, hits, generated: rest === found ? first : [...first, ...rest.hits.filter(isLeftOut)] };
}

function countOfFile({ per_file: perFile = 0 }: SearchArguments): number {
  return Math.max(MOST_OF_FILE, perFile);
}

/** Also by a line of hundreds of characters, which no person writes in such a file. */
function isOfProgram({ path, text }: SearchHit): boolean {
  return isGenerated(path) || (text.length >= MAX_HIT && /\.(?:[cm]?js|css|json|svg)$/.test(path));
}

/** Whether a path is in a file or folder of that kind that "paths" names. */
function createAskedFilter(paths: readonly string[]): (path: string) => boolean {
  const named = paths.filter((path) => isGenerated(path) || TRANSLATIONS.test(path) || /\.[cm]?js$/.test(path));
  return named.length === 0 ? () => false : createWantedPathFilter(named);
}

const TRANSLATIONS = /(?:^|\/)(?:locales?|i18n|lang(?:uages?)?|translations?|l10n)$/i;

function describeGenerated(hits: readonly SearchHit[]): string {
  const files = [...new Set(hits.map(({ path }) => path))];
  const [first] = files;
  if (first === undefined) return '';
  const which = `${files.length === 1 ? '' : `${files.length} such files, as `}${first}`;
  return `Left out: ${countHits(hits.length)} in ${which} (generated, locked or translated); "paths" shows them.`;
}

function countHits(count: number): string {
  return `${count} ${count === 1 ? 'hit' : 'hits'}`;
}

/** From so many files with hits on, and more hits than are shown, the answer says in which folders they are. */
const MANY_FILES = 30;
const MOST_FOLDERS = 15;

/** How many hits each folder has, those with the most first; empty where few enough files have any. */
function countByFolder(hits: readonly SearchHit[]): readonly string[] {
  const files = new Set(hits.map(({ path }) => path));
  if (files.size < MANY_FILES) return [];
  const folders = [...Map.groupBy(hits, ({ path }) => path.split('/').slice(0, -1).slice(0, 2).join('/'))]
    .map(([folder, own]) => ({ folder, own: own.length, files: new Set(own.map(({ path }) => path)).size }))
    .sort((a, b) => b.own - a.own);
  const rows = folders
    .slice(0, MOST_FOLDERS)
    .map(({ folder, own, files: count }) => `${String(own).padStart(6)} in ${count} of ${folder || 'the root'}`);
  const more = folders.length > MOST_FOLDERS ? [`       … ${folders.length - MOST_FOLDERS} more folders`] : [];
  return [`${countHits(hits.length)} in ${files.size} files; hits by folder:`, ...rows, ...more, 'Some of them:'];
}

const LIKELIEST_FILES = 8;
const LIKELIEST_HITS = 3;

/** A few hits of a few files: source first, then those with the most. */
function chooseLikeliest(hits: readonly SearchHit[]): readonly SearchHit[] {
  return [...Map.groupBy(hits, ({ path }) => path)]
    .sort(([a, own], [b, other]) => ratePath(a) - ratePath(b) || other.length - own.length)
    .slice(0, LIKELIEST_FILES)
    .flatMap(([, own]) => own.slice(0, LIKELIEST_HITS));
}

interface FileHits {
  readonly path: string;
  readonly hits: readonly SearchHit[];
  /** Hits of the file that are not shown. */
  readonly more: number;
}

/** The files in which hits are shown, up to the limit: in order, source first where not all fits. */
function groupHits(
  hits: readonly SearchHit[],
  { limit = DEFAULT_LIMIT, per_file: perFile }: SearchArguments,
): readonly FileHits[] {
  const inOrder = hits.length <= limit ? hits : hits.toSorted((a, b) => ratePath(a.path) - ratePath(b.path));
  const byFile = Map.groupBy(inOrder, ({ path }) => path);
  const most = perFile ?? (byFile.size === 1 ? limit : DEFAULT_PER_FILE);
  const files: FileHits[] = [];
  let left = limit;
  for (const [path, own] of byFile) {
    if (left === 0) break;
    const shown = own.slice(0, Math.min(most, left));
    files.push({ path, hits: shown, more: own.length - shown.length });
    left -= shown.length;
  }
  return files;
}

/** The path, its hits below it, each with the lines around it if they are wanted. */
async function formatFile(
  source: EditedTree,
  { path, hits, more }: FileHits,
  context: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const rest = more === 0 ? [] : [`       … ${more} more in this file ("per_file")`];
  const read = context === 0 ? null : await source.read(path, undefined, signal);
  const rows =
    read?.kind === 'text'
      ? formatAround(toLines(read.text).lines, hits, context)
      : hits.map(({ line, text }) => `${String(line).padStart(6)} | ${shorten(text, MAX_SHOWN)}`);
  return [`${path}${source.mark(path)}:`, ...rows, ...rest];
}

/** Each line once, hits marked with `>`, with a gap between stretches that do not touch. */
function formatAround(lines: readonly string[], hits: readonly SearchHit[], context: number): readonly string[] {
  const marked = new Set(hits.map(({ line }) => line));
  const rows: string[] = [];
  let last = 0;
  for (const { line } of hits) {
    const from = Math.max(last + 1, line - context);
    const to = Math.min(lines.length, line + context);
    if (rows.length > 0 && from > last + 1) rows.push('       …');
    for (let at = from; at <= to; at += 1) {
      rows.push(`${marked.has(at) ? '>' : ' '}${String(at).padStart(5)} | ${shorten(lines[at - 1] ?? '', MAX_SHOWN)}`);
    }
    last = Math.max(last, to);
  }
  return rows;
}

/** Of a line. */
const MAX_SHOWN = 300;

function answerNoHits(
  given: SearchArguments,
  cuts: readonly OverlaySearchCut[],
  wasExpression: boolean,
): LookupFinding {
  const also = wasExpression ? ', as text or as an expression' : '';
  const literal = wasExpression ? '' : explainLiteral(given);
  const none =
    `No line matches ${formatPattern(given)}${also}${describePaths(given)}. ${literal}${describeCuts(cuts)}`.trimEnd();
  // What was not searched is not ruled out.
  const isIncomplete = cuts.some(({ kind }) => kind === 'timeout' || kind === 'edited_files');
  return literal !== '' || isIncomplete ? answerFailed(none) : answerNothing(none);
}

function describeCuts(cuts: readonly OverlaySearchCut[]): string {
  return cuts.map(describeSearchCut).join(' ');
}

function describeQuery(given: SearchArguments): string {
  const how = joinNotes(
    `search ${formatPattern(given)}`,
    given.regex === true ? 'as an expression' : '',
    given.ignore_case === true ? 'ignoring case' : '',
    given.word === true ? 'as a word' : '',
    given.context === undefined ? '' : `with ${Math.min(given.context, MAX_CONTEXT)} lines around`,
    given.per_file === undefined ? '' : `up to ${given.per_file} in a file`,
    given.limit === undefined ? '' : `up to ${given.limit} hits`,
  );
  return how + describePaths(given);
}

/** An expression as it was sent: quoted, its backslashes would be doubled. */
function formatPattern({ pattern, regex }: SearchArguments): string {
  return regex === true ? `/${shorten(pattern, 300)}/` : quote(pattern);
}

function looksLikeExpression({ pattern, regex }: SearchArguments): boolean {
  return regex !== true && /\||\.\*|\\[bwsd(]|\[[^\]]{1,60}\][+*]/.test(pattern);
}

/** Not `a || b` or `string | null`, whose parts are on every other line. */
function isMeantAsExpression(given: SearchArguments): boolean {
  return looksLikeExpression(given) && given.pattern.split('|').every((part) => part !== '' && part.trim() === part);
}

function explainLiteral(given: SearchArguments): string {
  return looksLikeExpression(given) ? 'It was taken literally; set "regex" if it is an expression. ' : '';
}

function describePaths({ paths = [] }: SearchArguments): string {
  return paths.length === 0 ? '' : ` in ${paths.join(', ')}`;
}

function toQuery({ pattern, regex = false, ignore_case = false, word = false, paths = [] }: SearchArguments) {
  return { pattern, regex, ignoreCase: ignore_case, word, paths: paths.map(normalisePath) };
}

/** Of a commit with the model's edits on it. */
interface OverlaySearchResult extends Omit<SearchResult, 'cuts'> {
  readonly cuts: readonly OverlaySearchCut[];
}

const NO_HITS: SearchResult = { hits: [], cuts: [], error: '' };

/** Hits of the commit, but for files that edits touched, and hits in these as they are now. */
async function searchBoth(
  source: EditedTree,
  query: SearchQuery & { readonly limit: number },
  signal: AbortSignal,
): Promise<OverlaySearchResult> {
  const touched = await source.readEdited();
  if (touched.size === 0) return source.tree.search(query, signal);
  const texts = new Map([...touched].flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
  // The commit does not know the paths of new files: it would call them a mistake.
  const isNew = (path: string): boolean => [...texts.keys()].some(createWantedPathFilter([path]));
  const paths = query.paths.filter((path) => !texts.has(path));
  const isOnlyEdited = query.paths.length > 0 && paths.length === 0;
  const base = isOnlyEdited ? NO_HITS : await source.tree.search({ ...query, paths }, signal);
  if (base.error !== '' && (query.paths.length === 0 || !query.paths.every(isNew))) return base;
  const edited = searchEdited(texts, query);
  if (edited === null && base.hits.length === 0) return { ...NO_HITS, error: TOO_LONG };
  const hits = [...base.hits.filter(({ path }) => !touched.has(path)), ...(edited ?? [])];
  const hasMore = hits.length > query.limit;
  const cuts: OverlaySearchCut[] = base.cuts.filter(({ kind }) => !hasMore || kind !== 'limit');
  if (hasMore) cuts.push({ kind: 'limit', limit: query.limit });
  if (edited === null) cuts.push({ kind: 'edited_files', paths: [...texts.keys()] });
  const ordered = hits.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return { hits: ordered, cuts, error: '' };
}

/** For all files together. An expression may take exponential time; the time limit of a script can end it. */
const TIMEOUT_MS = 500;
const MAX_HIT = 500;
const POSIX: ReadonlyMap<string, string> = new Map([
  ['alnum', 'A-Za-z0-9'],
  ['alpha', 'A-Za-z'],
  ['digit', '0-9'],
  ['lower', 'a-z'],
  ['space', '\\s'],
  ['upper', 'A-Z'],
  ['xdigit', '0-9A-Fa-f'],
]);
const FINDER = new Script(
  'const pattern = new RegExp(source, flags); files.map((lines) => lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])))',
);

/** Hits in `texts` by path, in path order; null where the expression cannot be run here or takes too long. */
export function searchEdited(
  texts: ReadonlyMap<string, string>,
  query: Omit<SearchQuery, 'limit'>,
): readonly SearchHit[] | null {
  const isWanted = createWantedPathFilter(query.paths);
  const wanted = [...texts].filter(([path]) => isWanted(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (wanted.length === 0) return [];
  const files = wanted.map(([path, text]) => ({ path, lines: toLines(text).lines }));
  const given = { source: toExpression(query), flags: query.ignoreCase ? 'i' : '' };
  try {
    // One run for all files, so that one time limit holds.
    const context = createContext({ files: files.map(({ lines }) => lines), ...given });
    const found = Array.from(FINDER.runInContext(context, { timeout: TIMEOUT_MS }) as ArrayLike<readonly number[]>);
    return files.flatMap(({ path, lines }, file) =>
      (found[file] ?? []).map((index) => ({ path, line: index + 1, text: (lines[index] ?? '').slice(0, MAX_HIT) })),
    );
  } catch {
    return null;
  }
}

/** Whether a path is one of the folders or files, below one of them, or matches one as a glob; none: everywhere. */
function createWantedPathFilter(wanted: readonly string[]): (path: string) => boolean {
  const tests = wanted.map((each) => {
    const matches = createGlobMatcher(`${each.includes('/') ? each : `**/${each}`}/**`);
    return (path: string) => each === '' || path === each || path.startsWith(`${each}/`) || matches(path);
  });
  return (path) => tests.length === 0 || tests.some((test) => test(path));
}

function toExpression({ pattern, regex, word }: Omit<SearchQuery, 'limit'>): string {
  const source = regex
    ? pattern.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX.get(name) ?? whole)
    : pattern.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return word === true ? `(?<!\\w)(?:${source})(?!\\w)` : source;
}
