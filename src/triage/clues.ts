// Clues: each is one reason why a file may hold the fault, from traces, messages, named paths and failing tests.

import { findDefinedNames } from 'causeway-code-words';
import type { OutlineSymbol, SearchHit } from 'causeway-git-objects';
import { cutText } from 'causeway-visible-text';
import { formatCounted } from '../core/counted.ts';
import { findEnclosingFunction, isCommentLine } from '../core/source/index.ts';
import { attempt, type Lookups, recordSearch, shortenSha } from './lookups.ts';
import { classifyFile, type FileKind, isProgram, isSecondary, isVendored } from './own-code.ts';
import { keyOfPlace } from './passing-mentions.ts';
import {
  cleanPath,
  escapePattern,
  type Ground,
  getFileName,
  listPaths,
  type Mapping,
  mapFrame,
  mapPath,
  type PathIndex,
} from './paths.ts';
import { type SignalPlace, type Signals, splitConstantParts } from './signals.ts';
import type { Trace } from './traces/find-traces.ts';
import type { Frame } from './traces/frame.ts';

export type ClueKind =
  | 'frame'
  | 'place'
  | 'message'
  | 'definition'
  | 'use'
  | 'path'
  | 'name'
  | 'tested'
  | 'reference'
  | 'commit';

export interface Clue {
  readonly kind: ClueKind;
  readonly path: string;
  /** 0 where the clue is about the file as a whole. */
  readonly line: number;
  /** Name of the function where the clue itself says it; else "". */
  readonly function: string;
  /** 0 to 1: how far this clue by itself makes the file a suspect. */
  readonly strength: number;
  /** For people, to be read after "because"; names only what was found. */
  readonly reason: string;
  /** Set where the reason holds of the file as a whole: the name that it says is defined there; "": it says none. */
  readonly ofFile?: string;
  /** Names that the reason rests on, where it rests on names; empty: only on everyday words. */
  readonly names?: readonly string[];
  /** Of a frame: where it is in the report's stack traces. */
  readonly frame?: FrameOrder;
  /** How the report itself points at this file, where it does and not in passing. */
  readonly named?: Naming;
  /** Whether the file changed between two versions of which the report calls one good and one bad; absent: no. */
  readonly isChanged?: boolean;
}

/** From the surest to the least sure. */
export const NAMINGS = ['place', 'message', 'path', 'commit', 'name'] as const;

/**
 * What a report names comes before what it sounds like: a line, a message that one file has, a whole path, a small
 * commit, the name of one file.
 */
type Naming = (typeof NAMINGS)[number];

interface FrameOrder {
  /** Number of its trace in the report, and its place among the own files of that trace; 0: the innermost. */
  readonly trace: number;
  readonly position: number;
  /**
   * Whether no other file of its trace may rank before this one: the innermost own frame. Not where the trace leads to a
   * test: that one's source and words then say more (123 of 180 right for 119; 61 for 62 of 103 of which few do). Of a
   * test: that its line raised what is not an assertion, and no source did.
   */
  readonly leads: boolean;
}

/** The evidence for a file: a place that the report names, names from code, or nothing but everyday words. */
export type Evidence = 'firm' | 'names' | 'words';

export function combineEvidence(clues: readonly Clue[]): Evidence {
  if (clues.some(isFirm)) return 'firm';
  const saysMore = ({ kind, names = [] }: Clue): boolean =>
    kind === 'tested' || kind === 'reference' || ((kind === 'definition' || kind === 'use') && names.length > 0);
  return clues.some(saysMore) ? 'names' : 'words';
}

/** Whether the clue is about this very place; definitions, uses and names only lead near it. */
export function isFirm({ kind }: Clue): boolean {
  return kind === 'frame' || kind === 'place' || kind === 'message' || kind === 'path';
}

/** Whether the report itself names the line: one that its words chose has nothing to do with who wrote it. */
export function isLineNamed({ line, lineFrom }: { readonly line: number; readonly lineFrom: ClueKind | '' }): boolean {
  return line > 0 && (lineFrom === 'frame' || lineFrom === 'place' || lineFrom === 'message');
}

/** Each own frame further out counts so much less than the one inside it. */
const OUTWARD = 0.78;

const INNERMOST = 0.85;

const MAX_FRAMES = 25;

export interface MappedFrame {
  readonly frame: Frame;
  readonly mapping: Mapping;
  /** Line as the trace prints it, where `frame.line` was set to where its text is (0: nowhere); else absent. */
  readonly printedLine?: number;
  /** Whether its function only checks and raises, and so do those inside it. */
  readonly raises?: boolean;
}

export function mapTraces(ground: Ground, traces: readonly Trace[]): readonly (readonly MappedFrame[])[] {
  return traces.map(({ frames }) => {
    const isOfNode = createNodeFileTest(frames);
    return frames.map((frame) => ({ frame, mapping: isOfNode(frame) ? { kind: 'runtime' } : mapFrame(ground, frame) }));
  });
}

/** Node before 16 printed its own files by their bare names (`fs.js:141`), those of programs with their whole path. */
function createNodeFileTest(frames: readonly Frame[]): (frame: Frame) => boolean {
  const hasWholePaths = frames.some(({ file }) => /^(?:\/|[A-Za-z]:\\)/.test(file));
  const hasSchemes = frames.some(({ file }) => file.startsWith('node:'));
  return ({ language, file }) =>
    language === 'javascript' && hasWholePaths && !hasSchemes && /^[\w-]{1,40}\.js$/.test(file);
}

export function createFrameClues(
  traces: readonly Trace[],
  mapped: readonly (readonly MappedFrame[])[],
  repository = 'this repository',
): readonly Clue[] {
  return traces.flatMap((trace, index) =>
    createTraceClues(mapped[index] ?? [], { trace, index, name: describeTrace(traces, index), repository }),
  );
}

interface TraceContext {
  readonly trace: Trace;
  readonly index: number;
  readonly name: string;
  readonly repository: string;
}

/** By the names that test libraries give it, and how they word it. */
const ASSERTION = /assert|expect|comparison|mismatch/i;

function createTraceClues(
  frames: readonly MappedFrame[],
  { trace, index, name, repository }: TraceContext,
): readonly Clue[] {
  const own = listOwnFrames(frames);
  const isOfTest = frames.some(({ mapping }) => listPaths(mapping).some((path) => classifyFile(path) === 'test'));
  const isAssertion = ASSERTION.test(`${trace.errorType} ${trace.message}`) || trace.errorType === '';
  const leads = (path: string): boolean => {
    const kind = classifyFile(path);
    return isOfTest ? kind === 'test' && !isAssertion : kind === 'source';
  };
  const raising = own.filter(({ mapped }) => mapped.raises).length;
  return own.flatMap(({ mapped, paths }, position) => {
    const strength = (INNERMOST * OUTWARD ** position * rateSureness(mapped)) / Math.sqrt(paths.length);
    return paths.map((path) => ({
      ...createClue(
        mapped,
        path,
        strength,
        mapped.raises
          ? `raises the error, at the top of ${name}`
          : describeClueReason(position, classifyFile(path), { name, repository, raising }),
      ),
      frame: { trace: index, position, leads: position === 0 && leads(path) },
    }));
  });
}

function rateSureness({ frame, mapping, printedLine }: MappedFrame): number {
  if (mapping.kind !== 'own') return 0.75;
  if (printedLine !== undefined && !mapping.compiled) return rateTextSureness(frame.line, mapping.certain);
  if (mapping.certain) return 1;
  return mapping.compiled ? 0.9 : NAME_ONLY;
}

/** Whether the printed line is in the file: if not, a file that shares only the name belongs to another program. */
function rateTextSureness(line: number, certain: boolean): number {
  if (line > 0) return certain ? 1 : 0.8;
  return certain ? 0.9 : NAME_ONLY / 3;
}

interface OwnFrame {
  readonly mapped: MappedFrame;
  readonly paths: readonly string[];
}

/**
 * The first frame in each own file, innermost first; the project's source before its tests and what it has of others, of
 * which no fault is said.
 */
function listOwnFrames(frames: readonly MappedFrame[]): readonly OwnFrame[] {
  const byPaths = new Map<string, OwnFrame>();
  for (const mapped of putCallerFirst(frames)) {
    const paths = listPaths(mapped.mapping);
    const key = paths.join('|');
    if (key !== '' && !byPaths.has(key)) byPaths.set(key, { mapped, paths });
  }
  const isSource = ({ paths }: OwnFrame): boolean => paths.some((path) => classifyFile(path) === 'source');
  const all = [...byPaths.values()];
  return [...all.filter(isSource), ...all.filter((one) => !isSource(one))].slice(0, MAX_FRAMES);
}

export function isOwnSource({ mapping }: MappedFrame): boolean {
  return mapping.kind === 'own' && classifyFile(mapping.path) === 'source';
}

/**
 * The innermost own frame that does more than raise the error before those that it is raised by: of 180 traces
 * of failing tests it puts one more right (123 for 122), and of 103 others it touches none.
 */
export function putCallerFirst(frames: readonly MappedFrame[]): readonly MappedFrame[] {
  const caller = frames.find((one) => isOwnSource(one) && !one.raises);
  return caller === undefined || !frames.some(({ raises }) => raises)
    ? frames
    : [caller, ...frames.filter((one) => one !== caller)];
}

/** A class of the compiler's own, for a lambda or a coroutine: its functions are none of the source. */
const CLOSURE = /\$(?:\d|[a-z])/;

function createClue(
  { frame, mapping, printedLine }: MappedFrame,
  path: string,
  strength: number,
  reason: string,
): Clue {
  const compiled = (mapping.kind === 'own' || mapping.kind === 'ambiguous') && mapping.compiled;
  const ambiguous = mapping.kind === 'ambiguous' ? `; the path matches ${mapping.paths.length} files` : '';
  const found = printedLine !== undefined && frame.line > 0;
  const built = compiled && !found ? '; compiled file' : '';
  const moved =
    found && frame.line !== printedLine ? `; line ${printedLine} of the report is line ${frame.line} here` : '';
  return {
    kind: 'frame',
    path,
    line: compiled && !found ? 0 : frame.line,
    // The text of a line says more of its place than the name of a function, which may have another by now.
    function: found || CLOSURE.test(frame.symbol) ? '' : frame.function,
    strength,
    reason: `${reason}${ambiguous}${built}${moved}`,
  };
}

function describeClueReason(
  position: number,
  kind: FileKind,
  { name, repository, raising }: Pick<TraceContext, 'name' | 'repository'> & { readonly raising: number },
): string {
  if (kind === 'vendored' || kind === 'generated') return `frame of ${name}, but the file is ${kind}`;
  const test = kind === 'test' ? ', a test' : '';
  if (position > 0) return `further out in ${name}${test}`;
  return raising > 0
    ? `calls the function that raises the error, at the top of ${name}`
    : `top frame of ${name} in ${repository}${test}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

function describeTrace(traces: readonly Trace[], index: number): string {
  if (traces.length === 1) return 'the stack trace';
  const which = ORDINALS[index] ? `the ${ORDINALS[index]} stack trace` : `stack trace ${index + 1}`;
  const isRoot = traces[index]?.depth === 0 && (traces[index + 1]?.depth ?? 0) > 0;
  return isRoot ? `${which} (the root cause)` : which;
}

const MAX_SEARCHES = 6;

const UNIQUE = 0.72;

/** Text in more files than this is a phrase, not a message. */
const MAX_FILES = 12;

/**
 * Searches the constant parts of the messages, until one of each message is found. A command in a message is none of
 * its text.
 */
export async function findMessageClues(
  lookups: Lookups,
  { errors, commands }: Pick<Signals, 'errors' | 'commands'>,
): Promise<readonly Clue[]> {
  const clues: Clue[] = [];
  let searches = 0;
  for (const { message, from } of errors) {
    const parts = splitFragments(message).filter((part) => !commands.some((command) => command.includes(part)));
    for (const part of parts) {
      if (searches >= MAX_SEARCHES) return clues;
      searches++;
      const found = await searchPart(lookups, part, from !== 'quote');
      clues.push(...found);
      if (found.length > 0) break;
    }
  }
  return clues;
}

const MAX_CALLED = 2;

const CALLER = 0.3;

/** A name of fewer letters is one of many functions. */
const SHORTEST_NAME = 5;

/**
 * The messages with what calls the functions that they are in, because an error is often made for a caller that went
 * wrong. Where a message is in a class of errors, the lines that make one are where it is raised.
 */
export async function followMessages(lookups: Lookups, messages: readonly Clue[]): Promise<readonly Clue[]> {
  const clues: Clue[] = [];
  for (const [index, message] of messages.entries()) {
    const { path, line } = message;
    if (index >= MAX_CALLED) {
      clues.push(message);
      continue;
    }
    const outline = (await attempt(lookups, `outline ${path}`, () => lookups.tree.outline(path, lookups.signal))) ?? [];
    const called = findCalled(outline, line);
    const callers = called.name.length < SHORTEST_NAME ? [] : await findCallers(lookups, called, path);
    const isRaised = called.isError && callers.length > 0;
    const { named: _, ...unnamed } = message;
    clues.push(isRaised ? { ...unnamed, strength: message.strength * CALLER } : message);
    clues.push(...(isRaised ? callers.map((each) => toRaising(each, message, callers.length)) : callers));
  }
  return clues;
}

/** The caller in place of the class that has the message. */
function toRaising(caller: Clue, message: Clue, count: number): Clue {
  const { strength, named } = message;
  const reason = `raises \`${caller.names?.[0] ?? ''}\`, which has the error message, at line ${caller.line}`;
  return {
    ...caller,
    kind: 'message',
    strength: strength / count ** 0.7,
    reason,
    ...(count === 1 && named !== undefined && { named }),
  };
}

interface Called {
  readonly name: string;
  /** Whether it is a class of errors, which only makes what its caller raises. */
  readonly isError: boolean;
}

/** By its class where it is a constructor: the lines that call it have no other name. */
function findCalled(outline: readonly OutlineSymbol[], line: number): Called {
  const name = findEnclosingFunction(outline, line);
  const owner = outline.findLast((symbol) => symbol.kind === 'class' && symbol.line <= line);
  const isConstructor = owner !== undefined && (CONSTRUCTORS.has(name) || name === owner.name);
  return isConstructor ? { name: owner.name, isError: IS_ERROR.test(owner.name) } : { name, isError: false };
}

const CONSTRUCTORS = new Set(['constructor', '__init__', '__new__', 'initialize', '__construct', 'init', 'new']);

const IS_ERROR = /(?:Error|Exception|Failure|Fault)$/;

async function findCallers(lookups: Lookups, { name, isError }: Called, from: string): Promise<readonly Clue[]> {
  const pattern = `(?<![\\w$])${escapePattern(name)}(?:\\(|(?:\\.|::)new\\b)`;
  const query = { pattern, regex: true, ignoreCase: false, paths: [], limit: 100 };
  const isCaller = ({ path, text }: SearchHit) =>
    (path !== from || isError) &&
    classifyFile(path) === 'source' &&
    !isCommentLine(path, text) &&
    !findDefinedNames(text).includes(name);
  const said = JSON.stringify(`${name}(`);
  const { hits } = await recordSearch({ ...lookups, said, keep: isCaller }, query, ({ hits: calls }) =>
    describeCallers(calls.length, isError),
  );
  const byFile = new Map(hits.toReversed().map(({ path, line }) => [path, line]));
  if (byFile.size > MAX_FILES) return [];
  return [...byFile].map(([path, line]) => ({
    kind: 'use' as const,
    path,
    line,
    function: '',
    strength: CALLER / Math.sqrt(byFile.size),
    reason: `calls \`${name}\`, which has the error message, at line ${line}`,
    names: [name],
  }));
}

function describeCallers(count: number, isError: boolean): string {
  if (count === 0) return isError ? 'No line of a source file makes one.' : 'No other source file calls it.';
  return isError
    ? 'The error message is in this class of errors; these lines make one.'
    : 'The error message is in this function; these call it.';
}

/** The longest constant part; and, since it may contain an unmarked value, its first and last words. */
function splitFragments(message: string): readonly string[] {
  const [longest, second] = splitConstantParts(message);
  if (!longest) return [];
  const words = longest.split(' ');
  const ends = words.length >= 7 ? [words.slice(0, 4).join(' '), words.slice(-4).join(' ')] : [];
  return [longest, ...(second ? [second] : []), ...ends].slice(0, 3);
}

async function searchPart(lookups: Lookups, part: string, isError: boolean): Promise<readonly Clue[]> {
  const query = { pattern: part, regex: false, ignoreCase: false, paths: [], limit: 200 };
  const result = await recordSearch(lookups, query, ({ hits, error }) => {
    if (error !== '') return 'The search failed, so nothing follows from it.';
    const files = new Set(hits.map(({ path }) => path)).size;
    if (files === 0) return 'Message not found in the source; it is built at runtime or comes from a dependency.';
    if (files > MAX_FILES) return `Message found in ${files} files; too many to point at one.`;
    return `Message found in ${files === 1 ? 'one file' : `${files} files`}.`;
  });
  const hits = result.hits.filter(
    ({ path, text }) =>
      !isVendored(path) &&
      !['test', 'document'].includes(classifyFile(path)) &&
      !(isProgram(path) && isCommentLine(path, text)),
  );
  const files = new Map<string, number>();
  for (const { path, line } of hits) if (!files.has(path)) files.set(path, line);
  const isInString = hits.some(({ text }) => /["'`]/.test(text.slice(0, text.indexOf(part))));
  if (files.size > MAX_FILES) return [];
  return [...files].map(
    ([path, line]): Clue => ({
      kind: 'message',
      path,
      line,
      function: '',
      strength: UNIQUE / files.size ** 0.7,
      reason: isError
        ? `contains the error message “${part}” at line ${line}`
        : `contains “${part}”, which the report quotes, at line ${line}`,
      ...(isInString && files.size === 1 && isProduct(path) && { named: 'message' as const }),
    }),
  );
}

/** The lines of code that the report quotes and that one line of one source file is; a step says which. */
export async function findQuotedClues(lookups: Lookups, quoted: readonly string[]): Promise<readonly Clue[]> {
  if (quoted.length === 0) return [];
  const { tree, signal, notebook } = lookups;
  const action = `search ${formatCounted(quoted.length, 'quoted line')} of code at ${shortenSha(tree.revision)}`;
  const pattern = quoted.map((line) => line.replace(/[^\w\s]/g, '\\$&')).join('|');
  const query = { pattern, regex: true, ignoreCase: false, paths: [], limit: 1_000 };
  const found = await attempt(lookups, action, () => tree.search(query, signal));
  const hits = (found?.hits ?? []).filter(({ path }) => isProduct(path));
  const unique = quoted.flatMap((line) => {
    const [only, ...others] = hits.filter(({ text }) => text.trim() === line);
    return only !== undefined && others.length === 0 ? [only] : [];
  });
  if (unique.length === 0) return [];
  await notebook.record({
    action,
    result: unique.map(({ path, line, text }) => `${path}:${line}: ${cutText(text.trim(), 160)}`).join('\n'),
    analysis: `The report quotes ${unique.length === 1 ? 'this line' : 'these lines'}; the source has each only once.`,
  });
  return unique.map(({ path, line, text }) => ({
    kind: 'place' as const,
    path,
    line,
    function: '',
    strength: PLACE,
    reason: `\`${cutText(text.trim(), 80)}\`, quoted in the report, is line ${line}`,
  }));
}

const PLACE = 0.8;

const NAMED = 0.7;

const NAMED_BY_NAME_ONLY = 0.45;

/** Only the file's name agrees, its folders do not: mostly a file of another program. */
const NAME_ONLY = 0.35;

/** Files named with or without a line. `meant`: keys of the places that are more than a passing mention. */
export function findNamedPathClues(
  ground: Ground,
  signals: Pick<Signals, 'paths' | 'places'>,
  meant: ReadonlySet<string>,
): readonly Clue[] {
  const named = [...signals.places, ...signals.paths.map((file) => ({ file, line: 0 }))];
  return named.flatMap((place, order) => {
    const mapping = mapPath(ground, place.file);
    const paths = listPaths(mapping);
    const certain = mapping.kind === 'own' && !mapping.certain && !mapping.compiled ? NAME_ONLY : 1;
    // Those named first are nearer to what the reporter means; a long list says little about each.
    const strength = (rateNamed(place) * certain * 0.95 ** Math.min(order, 30)) / Math.max(1, paths.length);
    const naming = meant.has(keyOfPlace(place)) ? findNaming(place, mapping) : undefined;
    return paths.map((path) => ({
      ...createNamedClue(place, path, strength, paths.length),
      ...(naming !== undefined && path === naming.path && { named: naming.by }),
    }));
  });
}

/** Whether a file is source of the product, rather than of its examples, docs or build scripts. */
function isProduct(path: string): boolean {
  return classifyFile(path) === 'source' && !isSecondary(path);
}

/** The one product file that the place refers to, and how; undefined if it isn't certain. */
function findNaming(
  { file, line }: SignalPlace,
  mapping: Mapping,
): { readonly path: string; readonly by: Naming } | undefined {
  if (mapping.kind === 'own' && !mapping.certain) return undefined;
  const all = listPaths(mapping).filter(isProduct);
  const exact = all.filter((each) => each === cleanPath(file));
  const [path, ...others] = exact.length > 0 ? exact : all;
  if (path === undefined || others.length > 0) return undefined;
  if (line > 0) return { path, by: 'place' };
  return { path, by: /[/\\]/.test(file) ? 'path' : 'name' };
}

function rateNamed({ file, line }: SignalPlace): number {
  if (line > 0) return PLACE;
  return /[/\\]/.test(file) ? NAMED : NAMED_BY_NAME_ONLY;
}

function createNamedClue({ file, line }: SignalPlace, path: string, strength: number, fits: number): Clue {
  const name = line > 0 ? `${file}:${line}` : file;
  const shared = fits > 1 ? `; ${fits} files match` : '';
  // Of a suspect, its own path says nothing more.
  const reason = `${file === path ? 'mentioned' : `\`${name}\` is mentioned`} in the report${shared}`;
  return { kind: line > 0 ? 'place' : 'path', path, line, function: '', strength, reason };
}

const TESTED = 0.6;

/** What the given test files test, by their names. */
export function findTestedClues(index: PathIndex, tests: readonly string[]): readonly Clue[] {
  return [...new Set(tests)].flatMap((test, order) => {
    const subject = getSubject(getFileName(test));
    if (subject === null) return [];
    const named = (index.byName.get(subject.toLowerCase()) ?? []).filter((path) => classifyFile(path) === 'source');
    const files = keepNearest(named, test);
    return files.slice(0, 5).map(
      (path): Clue => ({
        kind: 'tested',
        path,
        line: 0,
        function: '',
        strength: (TESTED * 0.85 ** order) / files.length,
        reason: `tested by \`${getFileName(test)}\`, judging by the file name`,
      }),
    );
  });
}

/** The files that have most folders of the test in their path: `src/a/node.test.ts` tests `src/a/node.ts`, not `src/b/node.ts`. */
function keepNearest(paths: readonly string[], test: string): readonly string[] {
  const folders = new Set(test.split('/').slice(0, -1));
  const near = paths.map((path) => folders.intersection(new Set(path.split('/').slice(0, -1))).size);
  const most = Math.max(...near);
  return paths.filter((_, index) => near[index] === most);
}

/**
 * `LocaleUtilsTest.java` → `LocaleUtils.java`, `test_header.py` → `header.py`, `a.spec.ts` → `a.ts`, `x_test.go` →
 * `x.go`.
 */
export function getSubject(name: string): string | null {
  const subject = name
    .replace(/^test_(?=.+\.py$)|^Test(?=[A-Z]\w*\.(?:java|kt|cs|scala|groovy|php)$)/, '')
    .replace(/[._-](?:tests?|spec|specs|e2e)(?:-d)?(?=\.\w+$)/, '')
    .replace(/(?:Tests?|IT|Spec|TestCase)(?=\.\w+$)/, '');
  return subject === name || subject.startsWith('.') ? null : subject;
}
