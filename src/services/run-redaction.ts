// Nothing secret reaches a model, a transcript or a change: source, tools, answers and changes are cleaned whole before a part of them is shown.

import { createGuard, type Guard, type GuardedChange } from '../agent/guard-change.ts';
import type { ChangeSet, FileChange } from '../core/change-set.ts';
import { toDiff } from '../core/diff/diff.ts';
import { cutWindow } from '../core/diff/text-lines.ts';
import type { Model } from '../core/model.ts';
import { REDACTED } from '../core/redacted.ts';
import type {
  CommitInfo,
  Comparison,
  FileRead,
  LineRange,
  Repository,
  SearchHit,
  SearchQuery,
  SourceTree,
} from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import type { Redactor } from '../redact/redactor.ts';

/** Characters of cleaned files that are kept for the next question about them. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/** What a line must hold to be looked at together with its file: any shorter secret is known by its own line. */
const LONG_RUN = /(?=[A-Za-z+/=_.~-]{0,15}\d)[A-Za-z0-9+/=_.~-]{16,}|PRIVATE KEY/;

/** In a file that is too large to be looked at whole, whatever may be a line of a key. */
const KEY_LINE = /(?=[^\s]{0,64}\d)(?=[^\s]{0,64}[a-z])(?=[^\s]{0,64}[A-Z])[A-Za-z0-9+/=]{32,}/;

const WITHHELD = '[withheld: this file is too large to be looked through for secrets]';

/** The same repository, whose texts are free of secrets; lines keep their numbers. Names of files are shown as they are. */
export function cleanRepository(repository: Repository, redactor: Redactor): Repository {
  return {
    defaultBranch: repository.defaultBranch,
    shallow: repository.shallow,
    resolve: (revision, signal) => repository.resolve(revision, signal),
    bring: (sha, signal) => repository.bring(sha, signal),
    tree: (sha) => cleanTree(repository, sha, redactor),
  };
}

function cleanTree(repository: Repository, sha: string, redactor: Redactor): SourceTree {
  const tree = repository.tree(sha);
  const whole = createWholeReader(tree, redactor);
  return {
    revision: tree.revision,
    files: (signal) => tree.files(signal),
    blame: async (path, range, signal) => cleanCommits(await tree.blame(path, range, signal), redactor),
    async read(path, { lines }, signal) {
      const read = await whole(path, signal);
      if (read.kind !== 'text' || lines === undefined) return read;
      if (read.cut !== '') return await cleanRead(tree, { path, lines }, { redactor, signal });
      return { ...read, ...cutWindow(read.text, lines), cut: beyond(read.totalLines, lines) };
    },
    async search(query, signal) {
      const { hits, ...rest } = await tree.search(query, signal);
      return { ...rest, hits: await cleanHits(hits, { query, whole, redactor }, signal) };
    },
    async outline(path, signal) {
      const symbols = await tree.outline(path, signal);
      const read = symbols.some(({ signature }) => LONG_RUN.test(signature)) ? await whole(path, signal) : null;
      if (read === null) return symbols;
      const lines = read.kind === 'text' && read.cut === '' ? read.text.split('\n') : [];
      const signatureAt = (line: number) => (lines[line - 1] ?? WITHHELD).trim();
      return symbols.map((symbol) =>
        LONG_RUN.test(symbol.signature)
          ? { ...symbol, signature: signatureAt(symbol.line).slice(0, symbol.signature.length) }
          : symbol,
      );
    },
    async history(query, signal) {
      const { commits, cut } = await tree.history(query, signal);
      return { commits: await cleanCommits(commits, redactor), cut };
    },
    async compare(from, options, signal) {
      const comparison = await tree.compare(from, options, signal);
      const commits = await cleanCommits(comparison.commits, redactor);
      if (comparison.patch === '') return { ...comparison, commits };
      const isWhole = await rememberSecrets({ repository, tree, redactor }, comparison, signal);
      const patch = await redactor.redactLines(comparison.patch);
      return { ...comparison, commits, patch: isWhole ? patch : withoutKeyLines(patch) };
    },
    // Only digests are made of these, and nobody is shown a hash; cleaning every file of a repository would take minutes.
    contents: (blobs, signal) => tree.contents(blobs, signal),
    ancestors: (limit, signal) => tree.ancestors(limit, signal),
    messages: (ids, signal) => tree.messages(ids, signal),
  };
}

/** Each for itself: a token at the end of one must not swallow the beginning of the next. */
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
 * A hunk shows some lines of a key without its beginning: the file is looked through whole, before and after, so that its secrets are known.
 * False where it is too large for that.
 */
async function rememberSecrets(
  { repository, tree, redactor }: { repository: Repository; tree: SourceTree; redactor: Redactor },
  { from, files }: Comparison,
  signal: AbortSignal,
): Promise<boolean> {
  const before = from === '' ? null : repository.tree(from);
  const reads: FileRead[] = [];
  for (const { path, previousPath } of files) {
    reads.push(await cleanRead(tree, { path }, { redactor, signal }));
    if (before !== null) reads.push(await cleanRead(before, { path: previousPath || path }, { redactor, signal }));
  }
  return reads.every((read) => read.kind !== 'text' || read.cut === '');
}

type WholeReader = (path: string, signal: AbortSignal) => Promise<FileRead>;

function createWholeReader(tree: SourceTree, redactor: Redactor): WholeReader {
  const kept = new Map<string, FileRead>();
  let characters = 0;
  return async (path, signal) => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const read = await cleanRead(tree, { path }, { redactor, signal });
    const size = read.kind === 'text' ? read.text.length : 0;
    if (characters + size > KEPT_CHARACTERS) {
      kept.clear();
      characters = 0;
    }
    kept.set(path, read);
    characters += size;
    return read;
  };
}

interface Cleaning {
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

async function cleanRead(
  tree: SourceTree,
  { path, lines }: { readonly path: string; readonly lines?: LineRange },
  { redactor, signal }: Cleaning,
): Promise<FileRead> {
  const read = await tree.read(path, lines === undefined ? {} : { lines }, signal);
  if (read.kind !== 'text') return read;
  const text = await redactor.redactLines(read.text);
  const isPart = lines !== undefined || read.cut !== '';
  return { ...read, text: isPart ? withoutKeyLines(text) : text };
}

function withoutKeyLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (KEY_LINE.test(line) ? WITHHELD : line))
    .join('\n');
}

function beyond(totalLines: number, { from }: LineRange): string {
  return from > totalLines ? `The file has ${totalLines} lines; there is no line ${from}.` : '';
}

interface HitGround {
  readonly query: SearchQuery;
  readonly whole: WholeReader;
  readonly redactor: Redactor;
}

/** Whoever searches for a part of a secret learns nothing from what is found: a line that was cleaned stays only if what is left of it still matches. */
async function cleanHits(
  hits: readonly SearchHit[],
  { query, whole, redactor }: HitGround,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  const alone = (await redactor.redactLines(hits.map(({ text }) => text.replaceAll('\n', ' ')).join('\n'))).split('\n');
  const clean: SearchHit[] = [];
  for (const [index, hit] of hits.entries()) {
    const text = LONG_RUN.test(hit.text) ? await cleanLine(whole, hit, signal) : (alone[index] ?? WITHHELD);
    if (text === hit.text || matches(text, query)) clean.push({ ...hit, text });
  }
  return clean;
}

async function cleanLine(whole: WholeReader, hit: SearchHit, signal: AbortSignal): Promise<string> {
  const read = await whole(hit.path, signal);
  const line = read.kind === 'text' && read.cut === '' ? read.text.split('\n')[hit.line - 1] : undefined;
  return line === undefined ? withoutKeyLines(hit.text) : line.slice(0, hit.text.length);
}

/** An expression that cannot be tried here may have found the secret. */
function matches(text: string, { pattern, regex, ignoreCase }: SearchQuery): boolean {
  if (regex) return false;
  return ignoreCase ? text.toLowerCase().includes(pattern.toLowerCase()) : text.includes(pattern);
}

const UNTOLD = 'the change cannot be told without the secret beside it';

export function redactedTool(tool: Tool, redactor: Redactor): Tool {
  return { ...tool, run: async (raw, signal) => redactor.redactJson(await tool.run(raw, signal)) };
}

/**
 * Cleaned before it is stored or acted on, so that a run that goes on acts on the same words. Opaque parts stay as they came: the provider
 * takes no others, and the model that made them saw cleaned text alone.
 */
export function redactedModel(model: Model, redactor: Redactor): Model {
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

/**
 * The change as it may be stored and told. The guards have withheld the hunks that touch a secret; what stands beside them in the same
 * file is replaced here, line for line. The diff must be the same before and after, or the file is blocked as well. What was blocked is
 * cleaned as a whole: words about it quote parts of it, and half a secret is one that no rule knows.
 */
export async function withoutSecrets(guarded: GuardedChange, redactor: Redactor): Promise<GuardedChange> {
  const { base } = guarded.allowed;
  const files: FileChange[] = [];
  const untold: { change: FileChange; guard: Guard }[] = [];
  for (const change of guarded.allowed.files) {
    const clean = await redactedFile(change, redactor);
    if (tells({ base, files: [clean] }) === tells({ base, files: [change] })) files.push(clean);
    else untold.push({ change: clean, guard: createGuard('never/secret', change.path, UNTOLD) });
  }
  const blocked: { change: FileChange; guard: Guard }[] = [];
  for (const { change, guard } of guarded.blocked)
    blocked.push({ change: await redactedFile(change, redactor), guard });
  return {
    allowed: { base, files },
    blocked: [...blocked, ...untold],
    guards: [...guarded.guards, ...untold.map(({ guard }) => guard)],
    verdict: untold.length > 0 ? 'blocked' : guarded.verdict,
  };
}

function tells(changeSet: ChangeSet): string {
  return JSON.stringify(toDiff(changeSet));
}

async function redactedFile(change: FileChange, redactor: Redactor): Promise<FileChange> {
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

/** Shorter pieces would tear ordinary text. */
const SHORTEST = 8;

/** A repository that holds more has made its secrets public knowledge; each one is looked for in every text. */
const MOST = 400;

/** The redactor of one run, whose texts share one turn: every secret that it cuts out of whole lines is from then on cut out wherever it stands. */
export function createRunRedactor(redactor: Redactor): Redactor {
  const seen = new Set<string>();
  return redactor.remembering({
    values: () => [...seen],
    onFound: (secret) => {
      for (const piece of piecesOf(secret)) if (seen.size < MOST) seen.add(piece);
    },
  });
}

/** Each line of a key, and of a line that holds more than the secret the parts that are no words. */
function piecesOf(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const parts = lines.flatMap((line) => line.split(/[\s'"`=:;,@/()[\]{}<>]+/).filter((part) => /\d/.test(part)));
  return [...lines, ...parts].filter((piece) => piece.length >= SHORTEST && !piece.includes(REDACTED));
}
