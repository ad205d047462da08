// The commits of a range compared with the failure: which of them changes what the failing test calls, imports or names.

import type { Repository, SourceTree } from 'causeway-git-objects';
import { type FollowedFailure, findTestFiles, followFailure } from '../../ci/index.ts';
import type { CommitRange, CommitTie, Finding, LikeliestCommit, RankedCommit } from '../../core/check/index.ts';
import { findSpans, isCommentLine } from '../../core/source/index.ts';
import {
  classifyFile,
  createPathIndex,
  listRanks,
  pickLikeliest,
  rankCommits,
  readCommitTitle,
} from '../../triage/index.ts';

export interface ComparedCommits {
  readonly ranks: readonly RankedCommit[];
  /** Null: none stands out, or some could not be compared. */
  readonly likeliest: LikeliestCommit | null;
  /** Paths that the commits touch, by commit. */
  readonly touched: ReadonlyMap<string, readonly string[]>;
}

/** Files of one commit whose changes are read; a patch has at most ten. */
const MOST_FILES = 10;
const MOST_DEFINITIONS = 4;

/** Throws what the repository throws. */
export async function compareWithFailure(
  repository: Repository,
  range: CommitRange,
  finding: Pick<Finding, 'places' | 'excerpt' | 'firstTest'>,
  signal: AbortSignal,
): Promise<ComparedCommits> {
  const { excerpt, firstTest } = finding;
  const ofTest =
    firstTest === undefined || firstTest.path === '' ? [] : [{ path: firstTest.path, line: 0, message: '' }];
  const places = [...finding.places, ...ofTest];
  const tree = repository.tree(range.to);
  const index = createPathIndex(await tree.files(signal));
  const tests = new Set(findTestFiles(index, { places, excerpt }));
  const touched = new Map<string, readonly string[]>();
  const shas = range.commits.map(({ sha }) => sha);
  const titles = new Map<string, string>();
  for await (const batch of tree.messages(shas, signal)) {
    for (const { sha, paths, message } of batch) {
      touched.set(sha, paths);
      titles.set(sha, readCommitTitle(message));
    }
  }
  const commits = range.commits.flatMap(({ sha, subject }) => {
    const paths = touched.get(sha);
    return paths === undefined ? [] : [{ sha, subject, title: titles.get(sha) ?? subject, paths }];
  });
  const followed = await followFailure(tree, { places, excerpt }, signal);
  const readLines = createDefinitionReader(tree, signal);
  const changes: Changed[] = [];
  const isWanted = (path: string) => tests.has(path) || classifyFile(path) === 'source';
  for (const { sha, paths } of commits) {
    changes.push(await readChanged(repository.tree(sha), { sha, paths: paths.filter(isWanted) }, signal));
  }
  const words = findOwnWords(changes, `${followed.text}\n${excerpt.lines.join('\n')}`);
  const ties = new Map<string, readonly CommitTie[]>();
  for (const one of changes) {
    const own = words.get(one.sha) ?? [];
    const found = [...(await findCalled(one, followed, readLines)), ...findByFile(one, followed)];
    const inTests = findInTests(one, tests, followed.text);
    ties.set(one.sha, [...inTests, ...found, ...(own.length === 0 ? [] : [{ code: 'words', words: own } as const])]);
  }
  const named = [...new Set(places.map(({ path }) => path))];
  const ranked = rankCommits(commits, {
    places: named.filter((path) => classifyFile(path) !== 'test'),
    tests: [],
    suspects: [],
    headline: excerpt.headline,
    titles: excerpt.tests,
    changes: ties,
  });
  const likeliest = commits.length < range.total ? null : pickLikeliest(ranked);
  return { ranks: listRanks(ranked), likeliest, touched };
}

/** What a commit changes in source and in the failing tests. */
interface Changed {
  readonly sha: string;
  readonly files: readonly ChangedFile[];
}

interface ChangedFile {
  readonly path: string;
  /** The definitions in which lines changed, each after what it lies in. */
  readonly names: readonly string[];
  /** Removed and added lines. */
  readonly text: string;
}

async function readChanged(
  tree: SourceTree,
  { sha, paths }: { readonly sha: string; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<Changed> {
  const wanted = paths.slice(0, MOST_FILES);
  if (wanted.length === 0) return { sha, files: [] };
  const { patch } = await tree.compare(null, { patch: (path) => wanted.includes(path) }, signal);
  const parts = splitPatch(patch);
  const files: ChangedFile[] = [];
  for (const path of wanted) {
    const { lines = [], text = '' } = parts.find((part) => part.path === path) ?? {};
    files.push({ path, names: await listChangedNames(tree, path, lines, signal), text });
  }
  return { sha, files };
}

interface PatchPart {
  readonly path: string;
  /** Changed lines of code in the file as it is then, without comments; where lines were only removed, the one before. */
  readonly lines: readonly number[];
  readonly text: string;
}

/** Of a unified patch of several files. */
function splitPatch(patch: string): readonly PatchPart[] {
  return `\n${patch}`
    .split('\ndiff --git ')
    .slice(1)
    .map((part) => {
      const [head = '', ...hunks] = part.split('\n@@ ');
      const path = /^\+\+\+ (?:b\/)?(.+?)\t?$/m.exec(head)?.[1] ?? '';
      const changed = hunks.flatMap(readHunk);
      const lines = changed.flatMap(({ at, text }) => (isCode(path, text) ? [at] : []));
      return { path, lines, text: changed.map(({ text }) => text).join('\n') };
    });
}

/** Removed and added lines. */
function readHunk(hunk: string): readonly { readonly at: number; readonly text: string }[] {
  const [range = '', ...lines] = hunk.split('\n');
  let next = Number(/\+(\d+)/.exec(range)?.[1] ?? 0);
  return lines.flatMap((line) => {
    const isRemoved = line.startsWith('-');
    const at = isRemoved ? Math.max(1, next - 1) : next;
    if (!isRemoved) next += 1;
    return isRemoved || line.startsWith('+') ? [{ at, text: line.slice(1) }] : [];
  });
}

/** What runs is not changed by a comment or an empty line. */
function isCode(path: string, line: string): boolean {
  return line.trim() !== '' && !isCommentLine(path, line);
}

/** The innermost definition of each line. */
async function listChangedNames(
  tree: SourceTree,
  path: string,
  lines: readonly number[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (lines.length === 0) return [];
  const read = await tree.read(path, {}, signal);
  if (read.kind !== 'text') return [];
  const outline = await tree.outline(path, signal);
  const spans = findSpans(path, read.text, outline);
  const names = lines.map((line) => {
    const holding = spans.filter((span) => line >= span.leadLine && line <= span.lastLine).at(-1);
    return holding === undefined ? (outline.find((symbol) => symbol.line === line)?.name ?? '') : joinOwner(holding);
  });
  return [...new Set(names.filter((name) => name !== ''))];
}

function joinOwner({ owner, name }: { readonly owner: string; readonly name: string }): string {
  return owner === '' ? name : `${owner}.${name}`;
}

/** Lines at which a definition is in a file of the failing commit. */
type DefinitionReader = (path: string, name: string) => Promise<readonly number[]>;

function createDefinitionReader(tree: SourceTree, signal: AbortSignal): DefinitionReader {
  const known = new Map<string, Promise<readonly { readonly name: string; readonly line: number }[]>>();
  const list = async (path: string) => {
    const read = await tree.read(path, {}, signal);
    const outline = await tree.outline(path, signal);
    const spans = read.kind === 'text' ? findSpans(path, read.text, outline) : [];
    const constants = outline.filter(({ kind }) => kind === 'constant');
    return [...spans.map((span) => ({ name: joinOwner(span), line: span.line })), ...constants];
  };
  return async (path, name) => {
    const definitions = known.get(path) ?? list(path);
    known.set(path, definitions);
    return (await definitions).flatMap((one) => (one.name === name ? [one.line] : []));
  };
}

/** The nearest definitions to the failing test, which is itself none of them. */
async function findCalled(
  { files }: Changed,
  { countCalls, tests }: FollowedFailure,
  findLines: DefinitionReader,
): Promise<readonly CommitTie[]> {
  const found: Extract<CommitTie, { readonly code: 'called' }>[] = [];
  for (const { path, names } of files.filter((file) => !tests.has(file.path))) {
    for (const name of names) {
      const calls = (await findLines(path, name)).flatMap((line) => countCalls({ path, line }) ?? []);
      if (calls.length > 0) found.push({ code: 'called', path, name, calls: Math.min(...calls) });
    }
  }
  return found.toSorted((a, b) => a.calls - b.calls).slice(0, MOST_DEFINITIONS);
}

const LEAST_LINE = 12;

/** The failing test itself, or its file. */
function findInTests({ files }: Changed, tests: ReadonlySet<string>, cases: string): readonly CommitTie[] {
  const own = new Set(cases.split('\n').map((line) => line.trim()));
  return files.flatMap(({ path, text }): readonly CommitTie[] => {
    if (!tests.has(path)) return [];
    const changed = text.split('\n').map((line) => line.trim());
    const isItself = cases === '' || changed.some((line) => line.length >= LEAST_LINE && own.has(line));
    return [{ code: isItself ? 'test' : 'test_file', path }];
  });
}

function findByFile({ files }: Changed, { isTested, isImported, tests }: FollowedFailure): readonly CommitTie[] {
  return files.flatMap(({ path }): readonly CommitTie[] => {
    if (isTested(path)) return [{ code: 'tested', path }];
    return isImported(path) && !tests.has(path) ? [{ code: 'imported', path }] : [];
  });
}

const WORD = /[A-Za-z_$][\w$]{3,60}/g;
const MOST_WORDS = 3;
const LEAST_PLAIN = 7;

/** Of code, or long enough to be of something in particular. */
function isTelling(word: string): boolean {
  return /[a-z\d][A-Z]|\w_\w|\$/.test(word) || (word.length >= LEAST_PLAIN && !COMMON.has(word.toLowerCase()));
}

const COMMON: ReadonlySet<string> = new Set(
  'function undefined extends implements interface instanceof default continue private protected public readonly static exports require describe expected boolean message package finally prototype constructor tostring strictequal deepequal assertequal assertion'.split(
    ' ',
  ),
);

/** Words that a commit changes, and no other of them, and that the failing test or its error has. */
function findOwnWords(changes: readonly Changed[], failing: string): ReadonlyMap<string, readonly string[]> {
  const wanted = new Set((failing.match(WORD) ?? []).filter(isTelling));
  const owners = new Map<string, Set<string>>();
  for (const { sha, files } of changes) {
    const sources = files.filter(({ path }) => classifyFile(path) === 'source');
    const text = sources.map((file) => file.text).join('\n');
    for (const word of new Set(text.match(WORD) ?? [])) {
      if (!wanted.has(word)) continue;
      const own = owners.get(word) ?? new Set();
      owners.set(word, own.add(sha));
    }
  }
  const found = new Map<string, string[]>();
  for (const [word, shas] of owners) {
    const [sha = ''] = shas;
    if (shas.size === 1) found.set(sha, [...(found.get(sha) ?? []), word]);
  }
  return new Map([...found].map(([sha, words]) => [sha, words.slice(0, MOST_WORDS)]));
}
