// A close look at the likeliest place: its function whole, who calls it, what it calls, its nearest tests and,
// where the report itself leads to the line, who last changed it.

import { findDefinedNames } from 'causeway-code-words';
import type {
  BlameLine,
  CommitInfo,
  FileRead,
  LineRange,
  OutlineSymbol,
  SearchHit,
  SearchResult,
  SourceTree,
} from 'causeway-git-objects';
import { getFolder } from 'causeway-paths';
import { cutText } from 'causeway-visible-text';
import { formatCounted } from '../core/counted.ts';
import { findEnclosingFunction, findSpans, isCommentLine, type Span } from '../core/source/index.ts';
import { listReportTerms, recordCallees } from './callees.ts';
import { isLineNamed } from './clues.ts';
import { getLastPart } from './identifiers.ts';
import { attempt, formatLines, type Lookups, MAX_SHOWN_LINE, runSideBySide, shortenSha } from './lookups.ts';
import { type NearestTest, recordNearestTests, type TestedName } from './nearest-tests.ts';
import { classifyFile } from './own-code.ts';
import { escapePattern, getFileName } from './paths.ts';
import { type ChosenFunction, preferCode } from './prefer-code.ts';
import type { RankedFunction, RankedSuspect } from './ranked.ts';

/** Lines of the place's own function: cut, it cost a turn to read the rest, where as a rule the fault was. */
const MAX_WHOLE = 300;

const MAX_WHOLE_CHARACTERS = 12_000;

/** Lines that are shown of several functions together, and of one that is longer than that. */
const MAX_LINES = 150;

/** Lines that are shown where only words led to the place, and those hardly. */
const MAX_DOUBTFUL = 60;

/** Of all that is shown of the file, about 2,300 tokens. A file with fewer is shown whole. */
const MAX_CHARACTERS = 9_000;

/** Comments above a function that are shown with it; longer ones are documentation for its users. */
const MAX_LEAD = 10;

/** Lines on each side of a place that no function holds. */
const AROUND = 25;

/** A further function of the file is shown where it matches the report nearly as well as the first. */
const LEAST_SCORE = 0.4;

const COMMITS = 3;

type ReadText = Extract<FileRead, { readonly kind: 'text' }>;

/** What was found at the place; "" and null where there is nothing. */
export interface Examined {
  readonly suspect: RankedSuspect;
  /** The line itself, trimmed, as the step that reads the place shows it. */
  readonly code: string;
  readonly blame: CommitInfo | null;
  /** The last commits to the file, newest first. */
  readonly commits: readonly CommitInfo[];
  readonly test: NearestTest | null;
}

interface ExamineInput {
  readonly suspect: RankedSuspect;
  /** Files of the other suspects that are shown. */
  readonly others: readonly string[];
  /** As ranked. */
  readonly functions: readonly RankedFunction[];
  /** Names in the report that look like code, the most informative first. */
  readonly names: readonly string[];
  readonly report: string;
  /** Whether the place is likelier wrong than right. */
  readonly isDoubtful: boolean;
}

/** Each lookup is a step. The past is looked up of a place only where the report itself names it. */
export async function examinePlace(lookups: Lookups, input: ExamineInput): Promise<Examined> {
  const { suspect, report } = input;
  const { file: path } = suspect;
  const { code, name, owner, line, read } = await readPlace(lookups, input);
  const isNamed = isLineNamed(suspect) || input.names.some((each) => getLastPart(each) === name);
  const first = getLastPart(input.names[0] ?? '');
  const uses = searchName(lookups, isNamed ? name : first);
  const tested = findTestedUses(lookups, { name: isNamed ? name : first, uses }, [first, name]);
  const [, , , test, blame, commits] = await runSideBySide(
    lookups,
    async (own) => (isLineNamed(suspect) ? undefined : recordBestElsewhere(own, input)),
    async (own) => (isNamed ? recordCallers(own, { path, line, name, owner, report }, await uses) : undefined),
    async (own) => (read === null ? undefined : recordCallees(own, { ...read, path, report })),
    async (own) => recordNearestTests(own, { path, own: name, names: input.names, report, ...(await tested) }),
    async (own) => (isLineNamed(suspect) && code !== '' ? recordBlame(own, suspect) : null),
    async (own) => (suspect.evidence === 'firm' ? recordLastCommits(own, path) : []),
  );
  const examined = { suspect, code, blame, commits, test };
  await recordBlamedChange(lookups, examined);
  return examined;
}

interface PlaceRead extends Pick<Examined, 'code'> {
  /** Of the function that the place is in, without its owner; "" if none. */
  readonly name: string;
  /** The class that it lies in; "" if none. */
  readonly owner: string;
  /** Where that function is defined; 0 where that is not known. */
  readonly line: number;
  /** The file and what is shown of it; null where nothing is. */
  readonly read: Pick<Parameters<typeof recordCallees>[1], 'lines' | 'spans' | 'shown' | 'calling'> | null;
}

async function readPlace(
  lookups: Lookups,
  { suspect, functions, report, isDoubtful }: ExamineInput,
): Promise<PlaceRead> {
  const { tree, signal } = lookups;
  const { file, line } = suspect;
  const revision = shortenSha(tree.revision);
  const nothing = { code: '', name: '', owner: '', line: 0, read: null };
  const read = await attempt(lookups, `read ${file} at ${revision}`, async () => ({
    file: await tree.read(file, {}, signal),
    outline: await tree.outline(file, signal),
  }));
  if (read === null || read.file.kind !== 'text') return nothing;
  const lines = splitReadLines(read.file);
  const own = functions.filter(({ path }) => path === file);
  const spans = findSpans(file, lines.join('\n'), read.outline);
  const isExact = isLineNamed(suspect);
  const { span, at, why } = choosePlace(lines, { suspect, spans, functions: own, report });
  const ranges = chooseRanges(lines, { line: at, span, functions: own, isDoubtful });
  if (ranges.length === 0) return { ...nothing, name: getLastPart(suspect.function) };
  const shown = ranges.map((range) => formatLines(lines, range, isExact ? line : 0)).join('\n   …\n');
  await lookups.notebook.record({
    lookup: 'place',
    action: `read ${file}:${ranges.map(({ from, to }) => `${from}-${to}`).join(', ')} at ${revision}`,
    result: read.file.cut === '' ? shown : `${shown}\n${read.file.cut}`,
    analysis: why,
  });
  const code = (lines[line - 1] ?? '').trim();
  const isShown = code !== '' && ranges.some(({ from, to }) => from <= line && line <= to);
  return {
    code: isShown ? code : '',
    name: span?.name ?? '',
    owner: span?.owner ?? '',
    line: span?.line ?? 0,
    read: { lines, spans, shown: ranges, calling: listCalling(ranges, span) },
  };
}

/** A longer function of another file costs more than the one in five that is at fault is worth. */
const MAX_ELSEWHERE = 100;

/** The function that fits the report best of all, where it is in the file of another suspect. */
async function recordBestElsewhere(lookups: Lookups, { suspect, others, functions }: ExamineInput): Promise<void> {
  const { tree, signal } = lookups;
  const [best] = functions;
  if (best === undefined || best.path === suspect.file || !others.includes(best.path)) return;
  const { path, name, line: from, lastLine: to } = best;
  const action = `read ${path}:${from}-${to} at ${shortenSha(tree.revision)}`;
  const read = to - from < MAX_ELSEWHERE ? await attempt(lookups, action, () => tree.read(path, {}, signal)) : null;
  if (read?.kind !== 'text') return;
  await lookups.notebook.record({
    lookup: 'place',
    action,
    result: formatLines(splitReadLines(read), { from, to }, 0),
    analysis: `\`${name}\` fits the report better than any other function, but its file fits less.`,
  });
}

/** Of a whole file only the function of the place. */
function listCalling(shown: readonly LineRange[], span: Span | null): readonly LineRange[] {
  const [only] = shown;
  if (span === null || shown.length > 1 || only === undefined) return shown;
  return [{ from: Math.max(only.from, span.line), to: Math.min(only.to, span.lastLine) }];
}

function splitReadLines({ text }: ReadText): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function describeExaminedPlace(
  { file, line, function: name }: RankedSuspect,
  span: Span | null,
  isExact: boolean,
): string {
  if (isExact) return `The report leads to line ${line} of this file${name === '' ? '' : `, in \`${name}\``}.`;
  if (span !== null) return `\`${span.name}\` fits the report best in ${file}; the report names no line of it.`;
  return `${file} fits the report best; the report names no line of it.`;
}

interface ChosenPlace {
  readonly span: Span | null;
  /** Line to look at; 0: none. */
  readonly at: number;
  readonly why: string;
}

/** Where words chose the place and it is mostly text, another function of the file may be the better one. */
function choosePlace(
  lines: readonly string[],
  input: Pick<ExamineInput, 'suspect' | 'functions' | 'report'> & { readonly spans: readonly Span[] },
): ChosenPlace {
  const { suspect, spans, functions } = input;
  const isExact = isLineNamed(suspect);
  const found = findPlaceSpan(spans, suspect);
  // The head of a class shows nothing of what it does.
  const isBare = found === null && !isExact;
  const methods = isBare
    ? functions.flatMap((one) => spans.filter(({ kind, line }) => kind === 'function' && line === one.line))
    : [];
  const [span = found] = methods;
  const best = functions.find(({ line }) => isBare && line === span?.line);
  const code = isExact || span === null ? null : preferCode(lines, { ...input, path: suspect.file, span });
  return code === null
    ? { span, at: best?.place ?? suspect.line, why: describeExaminedPlace(suspect, span, isExact) }
    : { span: code.span, at: code.line, why: describeChosen(suspect, code) };
}

function describeChosen({ function: first, file }: RankedSuspect, { span, literal }: ChosenFunction): string {
  return `\`${first}\` fits best in ${file}, but is mostly text; \`${span.name}\` has \`${literal}\`, as the report does.`;
}

/** The innermost function around the line; without a line, the only one of the name. */
function findPlaceSpan(spans: readonly Span[], { line, function: whole }: RankedSuspect): Span | null {
  const functions = spans.filter(({ kind }) => kind === 'function');
  if (line > 0) return functions.findLast((span) => span.leadLine <= line && line <= span.lastLine) ?? null;
  const name = getLastPart(whole);
  const named = functions.filter((span) => span.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}

interface PlaceInFile {
  /** Line to look at; 0: none. */
  readonly line: number;
  readonly span: Span | null;
  readonly functions: readonly RankedFunction[];
  readonly isDoubtful: boolean;
}

/**
 * A short file is shown whole; of a longer one the place's function, and others that fit the report while they fit in.
 */
function chooseRanges(
  lines: readonly string[],
  { line: at, span, functions, isDoubtful }: PlaceInFile,
): readonly LineRange[] {
  if (lines.length === 0) return [];
  const whole = { from: 1, to: lines.length };
  if (isDoubtful) return lines.length <= MAX_DOUBTFUL ? [whole] : toDoubtfulRange(lines, span, at);
  if (countCharacters(lines, [whole]) <= MAX_CHARACTERS) return [whole];
  const first = span === null ? toSurrounding(lines, at) : toFunctionRange(lines, span, at);
  let ranges: readonly LineRange[] = first === null ? [] : [first];
  for (const { line, lastLine, score } of functions) {
    const more = mergeRanges([...ranges, { from: line, to: lastLine }]);
    if (score >= LEAST_SCORE && fits(lines, more)) ranges = more;
  }
  return ranges;
}

/** The function where it is short, else what is around the line. */
function toDoubtfulRange(lines: readonly string[], span: Span | null, at: number): readonly LineRange[] {
  if (span !== null && span.lastLine - span.line < MAX_DOUBTFUL) return [{ from: span.line, to: span.lastLine }];
  const line = at === 0 ? (span?.line ?? 0) : at;
  return line === 0 ? [] : [{ from: Math.max(1, line - AROUND), to: Math.min(lines.length, line + AROUND) }];
}

function fits(lines: readonly string[], ranges: readonly LineRange[]): boolean {
  return countShownLines(ranges) <= MAX_LINES && countCharacters(lines, ranges) <= MAX_CHARACTERS;
}

function countShownLines(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** With the number that is shown before each line. */
function countCharacters(lines: readonly string[], ranges: readonly LineRange[]): number {
  const shown = ranges.flatMap(({ from, to }) => lines.slice(from - 1, to));
  return shown.reduce((sum, line) => sum + Math.min(line.length, MAX_SHOWN_LINE) + GUTTER, 0);
}

const GUTTER = 10;

function toSurrounding(lines: readonly string[], line: number): LineRange | null {
  return line === 0 ? null : shrinkAround(lines, { from: line - AROUND, to: line + AROUND }, line);
}

/** The function with the comments above it; of one that is too long, what is around the line. */
function toFunctionRange(lines: readonly string[], span: Span, line: number): LineRange {
  const range = { from: Math.max(span.leadLine, span.line - MAX_LEAD), to: span.lastLine };
  const isWhole = countShownLines([range]) <= MAX_WHOLE && countCharacters(lines, [range]) <= MAX_WHOLE_CHARACTERS;
  return isWhole ? range : shrinkAround(lines, range, line === 0 ? span.line : line);
}

/** The part of the range around `line` that may be shown, a little more of what comes before it. */
function shrinkAround(lines: readonly string[], range: LineRange, line: number): LineRange {
  let from = Math.max(1, range.from, line - Math.floor(MAX_LINES / 2));
  let to = Math.min(lines.length, range.to, from + MAX_LINES - 1);
  while (from < to && !fits(lines, [{ from, to }])) {
    if (line - from > to - line) from += 1;
    else to -= 1;
  }
  return { from, to };
}

/** In the order of the file, those that touch or nearly touch as one. */
function mergeRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: LineRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to + 4) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else merged.push(range);
  }
  return merged;
}

const CALLERS_SHOWN = 10;

/** Lines that a search for a name gives at most. */
const MOST_USES = 1_000;

/** One file with many uses hides those of the others. */
const MOST_IN_FILE = 50;

/** Lines that name it; null where that cannot be known. */
async function searchName(lookups: Lookups, name: string): Promise<SearchResult | null> {
  if (name.length < 3) return null;
  const query = {
    pattern: name,
    regex: false,
    ignoreCase: false,
    word: /^\w+$/.test(name),
    paths: [],
    limit: MOST_USES,
    perFile: MOST_IN_FILE,
  };
  const action = `search ${JSON.stringify(name)}`;
  const found = await attempt(lookups, action, () => lookups.tree.search(query, lookups.signal));
  return found === null || found.error !== '' ? null : found;
}

interface NameUses {
  readonly name: string;
  readonly uses: Promise<SearchResult | null>;
}

/** The function with its uses, or the first of the other names that tests have where they do not have it. */
async function findTestedUses(
  lookups: Lookups,
  { name, uses }: NameUses,
  others: readonly string[],
): Promise<TestedName> {
  const own = { name, uses: (await uses)?.hits ?? [] };
  const isTested = ({ uses: hits }: TestedName): boolean => hits.some(({ path }) => classifyFile(path) === 'test');
  if (isTested(own)) return own;
  for (const other of new Set(others).difference(new Set([name]))) {
    const found = { name: other, uses: (await searchName(lookups, other))?.hits ?? [] };
    if (isTested(found)) return found;
  }
  return own;
}

interface CalledPlace {
  readonly path: string;
  /** Where the function is defined; 0: not known. */
  readonly line: number;
  readonly name: string;
  /** The class that it is in; "": none. */
  readonly owner: string;
  readonly report: string;
}

/**
 * Lines of source files that call or pass on the function: of files that know its file or class, since others with the
 * name mean another function; those that share most with the report first.
 */
async function recordCallers(lookups: Lookups, place: CalledPlace, found: SearchResult | null): Promise<void> {
  if (found === null) return;
  const { path: file, line: own, name } = place;
  const uses = found.hits.filter(
    ({ path, line, text }) =>
      classifyFile(path) === 'source' &&
      !(path === file && line === own) &&
      !isCommentLine(path, text) &&
      !IMPORT.test(text) &&
      !findDefinedNames(text).includes(name),
  );
  const knowing = await findKnowingFiles(lookups, place, new Set(uses.map(({ path }) => path)));
  const hits = rankUses(
    uses.filter(({ path }) => knowing.has(path)),
    place,
  );
  const shown = await Promise.all(hits.slice(0, CALLERS_SHOWN).map((hit) => describeUse(lookups, hit)));
  const more = hits.length > shown.length ? [`… ${hits.length - shown.length} more`] : [];
  const others = uses.length - hits.length;
  const notes = [
    hits.length === 0
      ? others === 0 && `No other line of a source file calls \`${name}\`.`
      : `${formatCounted(hits.length, 'line')} of source files ${hits.length === 1 ? 'uses' : 'use'} \`${name}\`.`,
    others > 0 &&
      `${formatCounted(others, 'line')} of other files ${others === 1 ? 'has' : 'have'} the name; whether this function is meant there wasn't resolved.`,
  ];
  await lookups.notebook.record({
    lookup: 'callers',
    action: `find what calls ${name} of ${file} at ${shortenSha(lookups.tree.revision)}`,
    result: hits.length === 0 ? 'nothing found' : [...shown, ...more, ...(await showCaller(lookups, hits))].join('\n'),
    analysis: notes.filter((note) => note !== false).join(' '),
  });
}

/** The function of the only caller: the fault is there as often as here, and to ask for it costs a turn. */
async function showCaller({ tree, signal }: Lookups, hits: readonly SearchHit[]): Promise<readonly string[]> {
  const [first] = hits;
  if (first === undefined || hits.some(({ path }) => path !== first.path) || hits.length > MOST_IN_CALLER) return [];
  const read = await tree.read(first.path, {}, signal);
  if (read.kind !== 'text') return [];
  const lines = splitReadLines(read);
  const spans = findSpans(first.path, read.text, await tree.outline(first.path, signal));
  const around = spans.findLast(
    ({ kind, line, lastLine }) => kind === 'function' && line <= first.line && first.line <= lastLine,
  );
  if (around === undefined || around.lastLine - around.line >= MAX_CALLER) return [];
  const isAll = hits.every(({ line }) => around.line <= line && line <= around.lastLine);
  return isAll
    ? [
        `${first.path}:${around.line}-${around.lastLine}:`,
        formatLines(lines, { from: around.line, to: around.lastLine }, 0),
      ]
    : [];
}

const MOST_IN_CALLER = 4;

const MAX_CALLER = 60;

const IMPORT =
  /^\s*(?:import\b|from\s|use\s|require(?:_relative|_once)?\b|#\s*include|export\s.{0,200}\bfrom\b|using\s[^=(]{1,200}$)/;

/** Of the files those that may mean this function: its own, those of its folder, and what names its file or class. */
async function findKnowingFiles(
  lookups: Lookups,
  { path: file, owner }: CalledPlace,
  files: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const folder = getFolder(file);
  const near = [...files].filter((path) => path === file || getFolder(path) === folder);
  const rest = [...files].filter((path) => !near.includes(path));
  const module = getFileName(file).replace(/\.\w+$/, '');
  const name = /^(?:index|mod|lib|main|__init__|init)$/.test(module) ? getFileName(folder) : module;
  // Go and Java import the folder.
  const known = [...new Set([name, getFileName(folder), getLastPart(owner)])].filter(
    (each) => each.length > 1 && !/^(?:src|lib|source|sources|app|main|core|pkg|internal)$/.test(each),
  );
  if (rest.length === 0 || known.length === 0) return new Set(near);
  const pattern = `(?<![\\w$])(?:${known.map((each) => escapePattern(each)).join('|')})(?![\\w$])`;
  const query = { pattern, regex: true, ignoreCase: false, paths: rest.slice(0, 200), limit: 1_000, perFile: 1 };
  const found = await attempt(lookups, `search ${known.join(', ')}`, () => lookups.tree.search(query, lookups.signal));
  return new Set([...near, ...(found?.hits ?? []).map(({ path }) => path)]);
}

function rankUses(hits: readonly SearchHit[], { report }: CalledPlace): readonly SearchHit[] {
  const terms = listReportTerms(report);
  const rate = ({ path, text }: SearchHit) => listReportTerms(`${path} ${text}`).intersection(terms).size;
  return hits
    .map((hit) => ({ hit, rate: rate(hit) }))
    .toSorted((a, b) => b.rate - a.rate)
    .map(({ hit }) => hit);
}

async function describeUse(lookups: Lookups, { path, line, text }: SearchHit): Promise<string> {
  const outline = await attempt(lookups, `outline ${path}`, () => lookups.tree.outline(path, lookups.signal));
  const name = findEnclosingFunction(outline ?? [], line);
  return `${path}:${line}${name === '' ? '' : ` (${name})`}: ${cutText(text.trimEnd(), 160)}`;
}

async function recordBlame(lookups: Lookups, { file, line: number }: RankedSuspect): Promise<CommitInfo | null> {
  const { tree, signal } = lookups;
  const action = `blame ${file}:${number} at ${shortenSha(tree.revision)}`;
  const lines = await attempt(lookups, action, () => tree.blame(file, { from: number, to: number }, signal));
  if (!lines) return null;
  const line = describeCommit(lines[0], lookups);
  await lookups.notebook.record({
    lookup: 'blame',
    action,
    result: line ? formatCommitLine(line) : 'nothing found',
    analysis: line
      ? `The line was last changed by ${shortenSha(line.sha)} on ${line.date.slice(0, 10)}.`
      : describeUnknownAuthor(lookups),
  });
  return line;
}

/** Where the history is cut off, git names the first commit that it has for everything older. */
function describeCommit(line: BlameLine | undefined, { repository }: Lookups): BlameLine | null {
  return line === undefined || (line.oldest && repository.shallow) ? null : line;
}

function describeUnknownAuthor({ repository }: Lookups): string {
  return repository.shallow
    ? 'The line is older than the history here, which is cut off (shallow clone).'
    : 'Git names no commit for this line.';
}

async function recordLastCommits(lookups: Lookups, path: string): Promise<readonly CommitInfo[]> {
  const { tree, signal } = lookups;
  const action = `history ${path} (last ${COMMITS}) at ${shortenSha(tree.revision)}`;
  const found = await attempt(lookups, action, () => tree.history({ path, limit: COMMITS }, signal));
  if (!found) return [];
  const newest = found.commits[0];
  await lookups.notebook.record({
    lookup: 'history',
    action,
    result: found.commits.length === 0 ? 'nothing found' : found.commits.map(formatCommitLine).join('\n'),
    analysis: newest
      ? `The file was last changed on ${newest.date.slice(0, 10)}.${describeShallow(lookups)}`
      : 'No commit to this file is known.',
  });
  return found.commits;
}

function describeShallow(lookups: Lookups): string {
  return lookups.repository.shallow
    ? ' The history here is cut off (shallow clone), so the true commit may be older.'
    : '';
}

export function formatCommitLine({ sha, date, author, subject }: CommitInfo): string {
  return `${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject}`;
}

/** Lines of the patch shown on each side of the line. */
const LINES_AROUND_CHANGE = 15;

/** Records the part of the blamed commit's patch that brought the line; nothing where that commit made the file. */
async function recordBlamedChange(lookups: Lookups, { suspect, code, blame }: Examined): Promise<void> {
  if (blame === null || code === '') return;
  const action = `compare ${suspect.file} in commit ${shortenSha(blame.sha)}`;
  const changed = await attempt(lookups, action, () =>
    lookups.repository.tree(blame.sha).compare(null, { path: suspect.file }, lookups.signal),
  );
  const shown = changed === null ? [] : cutAroundLine(changed.patch, code);
  if (shown.length === 0) return;
  await lookups.notebook.record({
    lookup: 'compare',
    action,
    result: shown.map((line) => cutText(line, 300)).join('\n'),
    analysis: `${shortenSha(blame.sha)} (${blame.date.slice(0, 10)}) changed line ${suspect.line}.`,
  });
}

/** The lines around the one that was added, within its hunk; empty where it is not in the patch or the file was new. */
function cutAroundLine(patch: string, code: string): readonly string[] {
  const lines = patch.split('\n');
  if (lines.some((line) => line.startsWith('new file mode '))) return [];
  const at = lines.findIndex((line) => line.startsWith('+') && line.slice(1).trim() === code);
  if (at === -1) return [];
  const head = lines.slice(0, at).findLastIndex((line) => line.startsWith('@@'));
  const end = lines.findIndex((line, index) => index > at && (line.startsWith('@@') || line.startsWith('diff ')));
  const last = end === -1 ? lines.length - 1 : end;
  const from = Math.max(head, at - LINES_AROUND_CHANGE);
  return lines.slice(from, Math.min(last, at + LINES_AROUND_CHANGE + 1));
}

/**
 * The line of `to` that reads like line `line` of `from`: the nearest with equal text; 0 if none. Lines of
 * one word or less are not carried.
 */
export async function carryLine(
  line: number,
  from: { readonly tree: SourceTree; readonly path: string },
  to: { readonly tree: SourceTree; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const old = await from.tree.read(from.path, { lines: { from: line, to: line } }, signal);
  const now = await to.tree.read(to.path, {}, signal);
  if (old.kind !== 'text' || now.kind !== 'text') return 0;
  const wanted = (old.text.split('\n')[0] ?? '').trim();
  return isInformativeLine(wanted) ? findNearestLine(now.text.split('\n'), wanted, line) : 0;
}

/** Whether a line says enough to be known again: two words or more. */
export function isInformativeLine(text: string): boolean {
  return /\w\W+\w/.test(text);
}

/** Number (from 1) of the line with this trimmed text that is nearest to line `near`; 0 if none. */
export function findNearestLine(lines: readonly string[], wanted: string, near: number): number {
  return lines.reduce((nearest, text, index) => {
    const line = index + 1;
    if (text.trim() !== wanted) return nearest;
    return nearest === 0 || Math.abs(line - near) < Math.abs(nearest - near) ? line : nearest;
  }, 0);
}

/** Line where the function is defined; 0 where the outline does not have it, or has it more than once. */
export function findDefinitionLine(outline: readonly OutlineSymbol[], name: string): number {
  const same = outline.filter((symbol) => symbol.name === name);
  return same.length === 1 ? (same[0]?.line ?? 0) : 0;
}
