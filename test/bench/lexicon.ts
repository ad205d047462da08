// `lexicon`: digests of a repository's files, cold, from disk and for its next commit, beside `git cat-file --batch` of the same blobs in the same run.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { CommitLexicon } from '../../src/core/lexicon.ts';
import type { Repository, SourceTree } from '../../src/core/source.ts';
import { createGitSource } from '../../src/git/mirror.ts';
import { createLog } from '../../src/log.ts';
import { createLexicons } from '../../src/search/lexicons.ts';
import { hashTerm, termsOf } from '../../src/triage/localise/terms.ts';
import { load, median, say, spread, table } from './figures.ts';
import { makeRepository } from './made-repository.ts';

export const LEXICON_USAGE = `lexicon: digests of a repository, beside git cat-file --batch
  --files N,N          sizes of made repositories (1000,10000,40000)
  --repository PATH    a bare repository instead
  --runs N             runs of each (5)
  --terms N            terms of a question (200)
  --folder FOLDER      where made repositories are kept (a temporary one)
`;

const OPTIONS = {
  files: { type: 'string', default: '1000,10000,40000' },
  repository: { type: 'string' },
  runs: { type: 'string', default: '5' },
  terms: { type: 'string', default: '200' },
  folder: { type: 'string' },
} as const;
const SIGNAL = new AbortController().signal;
const COMMITS = 5_000;
const PROJECT = 'prj_bench';
/** Looks through a commit's digests in one run. */
const LOOKS = 7;

interface Ground {
  readonly gitDir: string;
  readonly repository: Repository;
  readonly folder: string;
  readonly terms: number;
}

/** Milliseconds, but for what says otherwise. */
interface Figures {
  readonly files: number;
  readonly megabytes: number;
  readonly catFile: number;
  readonly cold: number;
  readonly listing: number;
  readonly fromDisk: number;
  readonly next: number;
  readonly changed: number;
  readonly held: number;
  readonly look: number;
  readonly commits: number;
  readonly coldCommits: number;
  readonly commitsFromDisk: number;
  /** The longest that nobody else had a turn while the digests were made. */
  readonly longestTurn: number;
  readonly diskBytes: number;
  /** Resident memory at its highest over what it was before, in bytes. */
  readonly memory: number;
}

export async function lexiconBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const temporary = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  const sizes = values.files.split(',').map(Number);
  try {
    const gitDirs =
      values.repository === undefined
        ? sizes.map(async (size) => (await makeRepository(values.folder ?? temporary, size)).gitDir)
        : [Promise.resolve(path.resolve(values.repository))];
    for (const [index, gitDir] of gitDirs.entries()) {
      const folder = path.join(temporary, String(index));
      await measure(await gitDir, folder, { runs: Number(values.runs), terms: Number(values.terms) });
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function measure(
  gitDir: string,
  folder: string,
  { runs, terms }: { readonly runs: number; readonly terms: number },
): Promise<void> {
  await using source = createGitSource({ folder: path.join(folder, 'mirrors'), environment: process.env });
  const place = { kind: 'path', path: gitDir } as const;
  const repository = await source.open({ id: PROJECT, name: 'local/bench', source: place, createdAt: '' }, SIGNAL);
  const all: Figures[] = [];
  for (let run = 0; run < runs; run++) {
    const lexicon = path.join(folder, `lexicon-${run}`);
    all.push(
      await oneRun({ gitDir: path.join(folder, 'mirrors', `${PROJECT}.git`), repository, folder: lexicon, terms }),
    );
    process.stderr.write(`run ${run + 1} of ${runs}, ${load()}\n`);
  }
  report(path.basename(gitDir), all);
}

async function oneRun(ground: Ground): Promise<Figures> {
  const { repository } = ground;
  const sha = (await repository.resolve('', SIGNAL)) ?? '';
  const before = (await repository.tree(sha).ancestors(2, SIGNAL)).ids[1] ?? sha;
  const idle = process.memoryUsage().rss;
  const cold = await coldRun(ground, sha);
  const warm = await warmRun(ground, sha);
  await rm(ground.folder, { recursive: true });
  const next = await nextRun(ground, before, sha);
  return { ...cold, ...warm, ...next, memory: cold.memory - idle };
}

async function coldRun(ground: Ground, sha: string) {
  await using lexicons = lexiconsAt(ground);
  const tree = ground.repository.tree(sha);
  const listing = await timed(() => tree.files(SIGNAL));
  const watch = watchTurns();
  const opened = await timed(() => lexicons.of(project()).open(tree, SIGNAL));
  const { longestTurn, memory } = watch.end();
  const coldCommits = await timed(() => lexicons.of(project()).openHistory(tree, COMMITS, SIGNAL));
  const { result: megabytes, ms: catFile } = await timed(() => catFileBatch(ground.gitDir, opened.result));
  const { size: diskBytes } = await stat(path.join(ground.folder, `${PROJECT}.index`));
  return {
    ...{ files: opened.result.files.length, megabytes, catFile, diskBytes, longestTurn, memory },
    ...{ cold: opened.ms, listing: listing.ms, coldCommits: coldCommits.ms },
    commits: coldCommits.result.commits.length,
  };
}

async function warmRun(ground: Ground, sha: string) {
  await using lexicons = lexiconsAt(ground);
  const tree = await listed(ground.repository, sha);
  const opened = await timed(() => lexicons.of(project()).open(tree, SIGNAL));
  const held = await timed(() => lexicons.of(project()).open(tree, SIGNAL));
  const commits = await timed(() => lexicons.of(project()).openHistory(tree, COMMITS, SIGNAL));
  const hashes = await askedHashes(tree, opened.result, ground.terms);
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    looks.push((await timed(() => opened.result.match(hashes, SIGNAL))).ms);
  }
  return { fromDisk: opened.ms, held: held.ms, commitsFromDisk: commits.ms, look: median(looks) };
}

/** From an earlier commit that is held to the one after it. */
async function nextRun(ground: Ground, before: string, sha: string) {
  await using lexicons = lexiconsAt(ground);
  const first = await lexicons.of(project()).open(await listed(ground.repository, before), SIGNAL);
  const tree = await listed(ground.repository, sha);
  const next = await timed(() => lexicons.of(project()).open(tree, SIGNAL));
  const known = new Set(first.files.map(({ blob }) => blob));
  return { next: next.ms, changed: next.result.files.filter(({ blob }) => !known.has(blob)).length };
}

function lexiconsAt({ folder }: Ground) {
  return createLexicons({ folder, log: createLog({ level: 'warn' }) });
}

function project() {
  return { id: PROJECT, name: 'local/bench', source: { kind: 'path', path: '/' }, createdAt: '' } as const;
}

async function listed(repository: Repository, sha: string): Promise<SourceTree> {
  const tree = repository.tree(sha);
  await tree.files(SIGNAL);
  return tree;
}

/** Terms of files of the commit itself, as a report has them: some stand everywhere, most in a few places. */
async function askedHashes(tree: SourceTree, { files }: CommitLexicon, count: number): Promise<Uint32Array> {
  const terms = new Set<string>();
  for (let at = 0; at < 40 && terms.size < count; at++) {
    const file = files[Math.floor((at * files.length) / 40)];
    const read = file && (await tree.read(file.path, {}, SIGNAL));
    if (read?.kind === 'text') termsOf(read.text, (term) => terms.size < count && terms.add(term));
  }
  return Uint32Array.from(terms, hashTerm);
}

/** Megabytes of the files' blobs, read to nowhere. */
async function catFileBatch(gitDir: string, { files }: CommitLexicon): Promise<number> {
  const child = spawn('git', ['cat-file', '--batch'], { cwd: gitDir, stdio: ['pipe', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(`${[...new Set(files.map(({ blob }) => blob))].join('\n')}\n`);
  await ended;
  return bytes / 1e6;
}

function watchTurns() {
  // Processor time of this thread: on a busy machine the clock also counts what others had.
  let last = ownTime();
  let longestTurn = 0;
  let memory = 0;
  const timer = setInterval(() => {
    const now = ownTime();
    longestTurn = Math.max(longestTurn, now - last);
    memory = Math.max(memory, process.memoryUsage.rss());
    last = now;
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return { longestTurn, memory };
    },
  };
}

function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

function report(name: string, all: readonly Figures[]): void {
  const [one] = all;
  if (one === undefined) return;
  const row = (what: string, key: keyof Figures, digits = 0) => [
    what,
    spread(
      all.map((figures) => figures[key]),
      digits,
    ),
    spread(
      all.map((figures) => figures[key] / figures.catFile),
      2,
    ),
  ];
  say(`\n## Digests of ${name}: ${one.files} files, ${one.megabytes.toFixed(1)} MB, ${load()}\n`);
  say(
    table(
      ['what', 'ms', 'over `git cat-file --batch`'],
      [
        row('`git cat-file --batch` of the same blobs', 'catFile'),
        row('listing of the commit', 'listing'),
        row('cold: all read, digested and written', 'cold'),
        row('after a restart: all read from disk', 'fromDisk', 1),
        row(`next commit, ${one.changed} files changed`, 'next', 1),
        row('the same commit again', 'held', 2),
        row('one look for all terms', 'look', 2),
        row(`${one.commits} commits, cold`, 'coldCommits'),
        row(`${one.commits} commits after a restart`, 'commitsFromDisk'),
        row('longest turn of the event loop while cold, processor time', 'longestTurn'),
      ],
    ),
  );
  const perFile = median(all.map(({ diskBytes, files }) => diskBytes / files));
  const memory = spread(all.map((figures) => figures.memory / 1e6));
  say(
    `\nOn disk ${(one.diskBytes / 1e6).toFixed(1)} MB, ${perFile.toFixed(0)} bytes a file. Memory over idle while cold: ${memory} MB.\n`,
  );
}
