// `files` and `traces`: which files does the product's own road rank first for a report, and which ones did the fix change?
import type { Repository } from 'causeway-git-objects';
import { isCandidate } from '../../src/evaluation/cases.ts';
import { findFirstRank } from '../../src/evaluation/score.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { type Document, documentOf, rankByBm25 } from './bm25.ts';
import type { LocalisationCase } from './localisation-case.ts';
import type { Case, EvalOptions, Part, PartResult } from './part.ts';
import { rankFigures, rowsOf, type Scored } from './scores.ts';
import { type Ground, walkCases } from './walk-cases.ts';

/** As many as the product keeps. */
const RANKED = 30;

export const FILES: Part = {
  name: 'files',
  says: 'issue text → files that its fix changed; --cases, --repositories',
  fits: (cases) => cases.some(isLocalisation) && !cases.every(isTrace),
  run: runFiles,
};

/** The same measurement over other cases; by its own name, as its figures are recorded apart. */
export const TRACES: Part = {
  name: 'traces',
  says: 'trace of a failing test → files that its fix changed; --cases, --repositories',
  fits: (cases) => cases.every((one) => isLocalisation(one) && isTrace(one)),
  run: runFiles,
};

function isLocalisation({ data }: Case): boolean {
  return Array.isArray(data['goldFiles']);
}

function isTrace({ data }: Case): boolean {
  return /trace/i.test(String(data['source'] ?? ''));
}

async function runFiles(options: EvalOptions): Promise<PartResult> {
  const own: Scored[] = [];
  const plain: Scored[] = [];
  const words = new Map<string, Document>();
  const notes = await walkCases(
    options,
    async (one, ground) => {
      own.push(await runOwn(one, ground, options));
      if (options.baseline === 'bm25') plain.push(await runPlain(one, ground.repository, { ...options, words }));
    },
    () => words.clear(),
  );
  return { rows: [...rowsOf('causeway', own), ...rowsOf('bm25', plain)], notes };
}

async function runOwn(one: LocalisationCase, ground: Ground, options: EvalOptions): Promise<Scored> {
  const began = performance.now();
  const facts = await gatherFacts({
    report: one.problem,
    revision: one.baseCommit,
    ...ground,
    onStep: async () => {},
    signal: options.signal,
  });
  const ms = performance.now() - began;
  const ranked = facts.suspects.filter(({ file }) => isCandidate(file));
  const rank = findFirstRank(
    ranked.map(({ file }) => file),
    one.goldFiles,
  );
  options.emit({ ...described(one), system: 'causeway', rank, ms: Math.round(ms), ranked });
  return scored(one, rank, ms);
}

interface WordsOptions extends EvalOptions {
  /** What was read already, by blob: the next commit of a repository has mostly the same files. */
  readonly words: Map<string, Document>;
}

async function runPlain(one: LocalisationCase, repository: Repository, options: WordsOptions): Promise<Scored> {
  const began = performance.now();
  const tree = repository.tree(one.baseCommit);
  const { entries } = await tree.files(options.signal);
  const documents: Document[] = [];
  for (const { path, blob, kind } of entries) {
    if (kind === 'symlink' || kind === 'submodule' || !isCandidate(path)) continue;
    const known = options.words.get(blob);
    const words = known ?? (await readDocument(path, tree, options.signal));
    if (words === null) continue;
    options.words.set(blob, words);
    documents.push({ ...words, path });
  }
  const paths = rankByBm25(one.problem, documents, RANKED);
  const ms = performance.now() - began;
  const rank = findFirstRank(paths, one.goldFiles);
  options.emit({
    ...described(one),
    system: 'bm25',
    rank,
    ms: Math.round(ms),
    ranked: paths.map((file) => ({ file })),
  });
  return scored(one, rank, ms);
}

async function readDocument(
  path: string,
  tree: ReturnType<Repository['tree']>,
  signal: AbortSignal,
): Promise<Document | null> {
  // A blob that the snapshot lacks cannot be read by any system: no document.
  const read = await tree.read(path, {}, signal).catch(() => null);
  return read?.kind === 'text' ? documentOf(path, read.text) : null;
}

function scored({ language, source }: LocalisationCase, rank: number, ms: number): Scored {
  return { language, source, figures: rankFigures(rank), ms };
}

function described({ id, repo, language, source, goldFiles }: LocalisationCase) {
  return { id, repo, language, source, gold: goldFiles };
}
