// Nothing secret reaches a model, a transcript or a change: source, tools, answers and changes are redacted whole
// before a part is shown. Reports are redacted in accept-report.ts, logs of checks in checks/check-texts.ts.

import { type ChangeSet, cutWindow, type FileChange, toDiff } from 'causeway-diff';
import type {
  CommitInfo,
  Comparison,
  FileRead,
  HistoryQuery,
  LineRange,
  Repository,
  SearchHit,
  SearchQuery,
  SourceTree,
} from 'causeway-git-objects';
import type { Model } from 'causeway-models';
import { createGlobMatcher } from 'causeway-paths';
import type { Redactor } from 'causeway-redact';
import { REDACTED } from 'causeway-redact';
import type { Tool } from '../core/report/index.ts';
import { createGuard, type Guard, type GuardedChange } from '../investigate/index.ts';

/** Characters of redacted files that are kept for the next question about them. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
/** A line that matches is looked at together with its file; any shorter secret is recognised on its own line. */
const LONG_RUN = /(?=[A-Za-z+/=_.~-]{0,15}\d)[A-Za-z0-9+/=_.~-]{16,}|PRIVATE KEY/;
/** What may be a line of a key, in a file that is too large to be redacted whole. */
const KEY_LINE = /(?=[^\s]{0,64}\d)(?=[^\s]{0,64}[a-z])(?=[^\s]{0,64}[A-Z])[A-Za-z0-9+/=]{32,}/;
const WITHHELD = '[withheld: this file is too large to be searched for secrets]';

/** The same repository with its texts redacted; lines keep their numbers. Names of files are shown as they are. */
export function cleanRepository(repository: Repository, redactor: Redactor): Repository {
  return {
    defaultBranch: repository.defaultBranch,
    shallow: repository.shallow,
    tags: repository.tags,
    resolve: (revision, signal) => repository.resolve(revision, signal),
    ensureCommit: (sha, signal) => repository.ensureCommit(sha, signal),
    findTags: (sha, signal) => repository.findTags(sha, signal),
    tree: (sha) => cleanTree(repository, sha, redactor),
  };
}

type WholeReader = (path: string, signal: AbortSignal) => Promise<FileRead>;

function cleanTree(repository: Repository, sha: string, redactor: Redactor): SourceTree {
  const tree = repository.tree(sha);
  const kept = new Map<string, FileRead>();
  let characters = 0;
  const readWhole: WholeReader = async (path, signal) => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const read = await readClean(tree, { path }, redactor, signal);
    characters += read.kind === 'text' ? read.text.length : 0;
    if (characters > KEPT_CHARACTERS) {
      kept.clear();
      characters = read.kind === 'text' ? read.text.length : 0;
    }
    kept.set(path, read);
    return read;
  };
  /** What a commit of a query for a text did to it, cleaned. */
  const compareOne =
    ({ text = '', path = '', without = [] }: HistoryQuery, signal: AbortSignal) =>
    (commit: string) => {
      const leftOut = without.map((glob) => createGlobMatcher(glob));
      const patch = (file: string) => !leftOut.some((matches) => matches(file));
      return cleanTree(repository, commit, redactor).compare(null, { text, patch, path }, signal);
    };
  return {
    revision: tree.revision,
    files: (signal) => tree.files(signal),
    blame: async (path, range, signal) => cleanCommits(await tree.blame(path, range, signal), redactor),
    async read(path, { lines }, signal) {
      const read = await readWhole(path, signal);
      if (read.kind !== 'text' || lines === undefined) return read;
      if (read.cut !== '') return await readClean(tree, { path, lines }, redactor, signal);
      const isBeyond = lines.from > read.totalLines;
      const cut = isBeyond ? `The file has ${read.totalLines} lines; there is no line ${lines.from}.` : '';
      return { ...read, ...cutWindow(read.text, lines), cut };
    },
    async search(query, signal) {
      const { hits, ...rest } = await tree.search(query, signal);
      return { ...rest, hits: await cleanHits(hits, query, redactor, (hit) => cleanLine(readWhole, hit, signal)) };
    },
    async outline(path, signal) {
      const symbols = await tree.outline(path, signal);
      if (!symbols.some(({ signature }) => LONG_RUN.test(signature))) return symbols;
      const read = await readWhole(path, signal);
      const lines = read.kind === 'text' && read.cut === '' ? read.text.split('\n') : [];
      return symbols.map((symbol) => {
        if (!LONG_RUN.test(symbol.signature)) return symbol;
        const line = (lines[symbol.line - 1] ?? WITHHELD).trim();
        return { ...symbol, signature: line.slice(0, symbol.signature.length) };
      });
    },
    async history(query, signal) {
      const { commits, cut } = await tree.history(query, signal);
      const seen =
        query.text === undefined ? commits : await filterShown(commits, query.text, compareOne(query, signal));
      return { commits: await cleanCommits(seen, redactor), cut };
    },
    async compare(from, options, signal) {
      const comparison = await tree.compare(from, options, signal);
      const commits = await cleanCommits(comparison.commits, redactor);
      if (comparison.patch === '') return { ...comparison, commits };
      const isWhole = await learnSecrets(repository, { ...comparison, to: sha }, redactor, signal);
      const patch = await redactor.redactLines(comparison.patch);
      return { ...comparison, commits, patch: isWhole ? patch : withholdKeyLines(patch) };
    },
    countApart: (other, signal) => tree.countApart(other, signal),
    // These are only indexed, never shown; redacting every file of a repository would take minutes.
    contents: (blobs, signal) => tree.contents(blobs, signal),
    ancestors: (limit, signal) => tree.ancestors(limit, signal),
    messages: (ids, signal) => tree.messages(ids, signal),
  };
}

/** Each text on its own: a token at the end of one must not hide the beginning of the next. */
function cleanCommits<C extends CommitInfo>(commits: readonly C[], redactor: Redactor): Promise<readonly C[]> {
  return Promise.all(
    commits.map(async (commit) => ({
      ...commit,
      author: await redactor.redact(commit.author),
      subject: await redactor.redact(commit.subject),
    })),
  );
}

/**
 * A hunk may show lines of a key without its beginning, so the files are redacted whole first, before and after: the
 * run's redactor remembers their secrets. False where one of them is too large for that.
 */
async function learnSecrets(
  repository: Repository,
  { from, to, files }: Comparison & { readonly to: string },
  redactor: Redactor,
  signal: AbortSignal,
): Promise<boolean> {
  const tree = repository.tree(to);
  const before = from === '' ? null : repository.tree(from);
  const reads: FileRead[] = [];
  for (const { path, previousPath } of files) {
    reads.push(await readClean(tree, { path }, redactor, signal));
    if (before !== null) reads.push(await readClean(before, { path: previousPath || path }, redactor, signal));
  }
  return reads.every((read) => read.kind !== 'text' || read.cut === '');
}

async function readClean(
  tree: SourceTree,
  { path, lines }: { readonly path: string; readonly lines?: LineRange },
  redactor: Redactor,
  signal: AbortSignal,
): Promise<FileRead> {
  const read = await tree.read(path, lines === undefined ? {} : { lines }, signal);
  if (read.kind !== 'text') return read;
  const text = await redactor.redactLines(read.text);
  const isPart = lines !== undefined || read.cut !== '';
  return { ...read, text: isPart ? withholdKeyLines(text) : text };
}

function withholdKeyLines(text: string): string {
  const lines = text.split('\n').map((line) => (KEY_LINE.test(line) ? WITHHELD : line));
  return lines.join('\n');
}

/**
 * A search must not confirm a part of a secret: a line that was redacted is shown only if what is left still matches.
 */
async function cleanHits(
  hits: readonly SearchHit[],
  { pattern, regex, ignoreCase }: SearchQuery,
  redactor: Redactor,
  readLine: (hit: SearchHit) => Promise<string>,
): Promise<readonly SearchHit[]> {
  const joined = hits.map(({ text }) => text.replaceAll('\n', ' ')).join('\n');
  const redacted = (await redactor.redactLines(joined)).split('\n');
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const clean: SearchHit[] = [];
  for (const [index, hit] of hits.entries()) {
    const isLong = LONG_RUN.test(hit.text);
    const text = isLong ? await readLine(hit) : (redacted[index] ?? WITHHELD);
    // An expression is not tried again here.
    const isMatch = !regex && fold(text).includes(fold(pattern));
    if (text === hit.text || isMatch) clean.push({ ...hit, text });
  }
  return clean;
}

/** A search through the history must not confirm a part of a secret either: a clean patch has to hold the text. */
async function filterShown<C extends CommitInfo>(
  commits: readonly C[],
  text: string,
  compare: (sha: string) => Promise<Comparison>,
): Promise<readonly C[]> {
  const shown: C[] = [];
  for (const commit of commits) {
    const { patch } = await compare(commit.sha);
    if (patch.split('\n').some((line) => /^[+-]/.test(line) && line.includes(text))) shown.push(commit);
  }
  return shown;
}

async function cleanLine(readWhole: WholeReader, hit: SearchHit, signal: AbortSignal): Promise<string> {
  const read = await readWhole(hit.path, signal);
  const line = read.kind === 'text' && read.cut === '' ? read.text.split('\n')[hit.line - 1] : undefined;
  return line === undefined ? withholdKeyLines(hit.text) : line.slice(0, hit.text.length);
}

export function redactTool(tool: Tool, redactor: Redactor): Tool {
  return { ...tool, run: async (raw, signal) => redactor.redactJson(await tool.run(raw, signal)) };
}

/**
 * Answers are redacted before they are stored or acted on. Opaque parts stay: the provider accepts no others, and the
 * model saw redacted text.
 */
export function redactModel(model: Model, redactor: Redactor): Model {
  return {
    name: model.name,
    prices: model.prices,
    ask: async (request, signal) => {
      const turn = await model.ask(request, signal);
      const { content, toolCalls } = await redactor.redactJson({ content: turn.content, toolCalls: turn.toolCalls });
      return { ...turn, content, toolCalls };
    },
  };
}

const UNSHOWABLE = 'the change cannot be shown without a secret that is next to it';

/**
 * The change as it may be stored and shown. The guards have withheld hunks that touch a secret; secrets elsewhere in
 * the same file are redacted line by line. A file whose diff changes with that is blocked.
 */
export async function redactChange(guarded: GuardedChange, redactor: Redactor): Promise<GuardedChange> {
  const { base } = guarded.allowed;
  const files: FileChange[] = [];
  const unshowable: { change: FileChange; guard: Guard }[] = [];
  const formatDiff = (changeSet: ChangeSet) => JSON.stringify(toDiff(changeSet));
  for (const change of guarded.allowed.files) {
    const clean = await redactFile(change, redactor);
    if (formatDiff({ base, files: [clean] }) === formatDiff({ base, files: [change] })) files.push(clean);
    else unshowable.push({ change: clean, guard: createGuard('never/secret', change.path, UNSHOWABLE) });
  }
  const blocked: { change: FileChange; guard: Guard }[] = [];
  for (const { change, guard } of guarded.blocked) blocked.push({ change: await redactFile(change, redactor), guard });
  return {
    allowed: { base, files },
    blocked: [...blocked, ...unshowable],
    guards: [...guarded.guards, ...unshowable.map(({ guard }) => guard)],
    verdict: unshowable.length > 0 ? 'blocked' : guarded.verdict,
  };
}

async function redactFile(change: FileChange, redactor: Redactor): Promise<FileChange> {
  const before = 'before' in change ? await redactor.redactLines(change.before) : '';
  const after = 'after' in change ? await redactor.redactLines(change.after) : '';
  switch (change.kind) {
    case 'added':
      return { ...change, after };
    case 'deleted':
      return { ...change, before };
    case 'modified':
    case 'renamed':
      return { ...change, before, after };
  }
}

/** Shorter pieces occur in ordinary text. */
const SHORTEST = 8;
/** Each one is searched for in every text. */
const MOST = 400;

/**
 * The redactor of one run: a secret that it has removed from whole lines is from then on removed wherever it occurs.
 */
export function createRunRedactor(redactor: Redactor): Redactor {
  const seen = new Set<string>();
  return redactor.remembering({
    values: () => [...seen],
    onFound: (secret) => {
      for (const piece of splitSecret(secret)) if (seen.size < MOST) seen.add(piece);
    },
  });
}

/** Each line of a key, and of a line that contains more than the secret the parts that are no words. */
function splitSecret(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const parts = lines.flatMap((line) => line.split(/[\s'"`=:;,@/()[\]{}<>]+/).filter((part) => /\d/.test(part)));
  return [...lines, ...parts].filter((piece) => piece.length >= SHORTEST && !piece.includes(REDACTED));
}
