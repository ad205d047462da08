// `index`: the digests of a repository's files made for the first time, from a thousand to 80,000 files: time, disk and memory.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGitSource } from '../../../src/git/mirror.ts';
import { createLog } from '../../../src/log.ts';
import { createLexicons } from '../../../src/search/lexicons.ts';
import type { Comparison, Round, Row } from '../comparison.ts';
import { keepCompiledCode, madeRepository } from './facts-ground.ts';
import { watchMemory } from './memory.ts';
import { bytesOf, ENVIRONMENT, timed } from './stopwatch.ts';

const SIZES = [1_000, 10_000, 80_000];
const SIGNAL = new AbortController().signal;
const PROJECT = 'prj_bench';
const MB = 1_000_000;

interface Made {
  readonly ms: number;
  /** Of git for the same blobs. */
  readonly readMs: number;
  /** Bytes of the blobs, of the digests on disk, and of resident memory over what it was before. */
  readonly read: number;
  readonly disk: number;
  readonly memory: number;
}

export const SOURCE_INDEX: Comparison = {
  name: 'index',
  about: 'digests of 1,000 to 80,000 files: time, disk and memory',
  measure: async function* ({ rounds, say }) {
    const bySize = new Map<number, readonly Made[]>();
    for (const files of SIZES) {
      say(`digests of ${files} files`);
      const all: Made[] = [];
      for (let round = 0; round < rounds; round++) all.push(await makeOnce(files));
      bySize.set(files, all);
      yield timeRow(files, all);
    }
    yield* growthRows(bySize.get(80_000) ?? [], bySize.get(10_000) ?? []);
  },
};

async function makeOnce(files: number): Promise<Made> {
  keepCompiledCode();
  const { gitDir } = await madeRepository(files);
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  try {
    await using source = createGitSource({ folder: path.join(folder, 'mirrors'), environment: ENVIRONMENT });
    const place = { kind: 'path', path: gitDir } as const;
    const project = { id: PROJECT, name: 'local/bench', source: place, createdAt: '' };
    const repository = await source.open(project, SIGNAL);
    const tree = repository.tree((await repository.resolve('', SIGNAL)) ?? '');
    await using lexicons = createLexicons({ folder: path.join(folder, 'lexicon'), log: createLog({ level: 'warn' }) });
    const listing = await tree.files(SIGNAL);
    const memory = watchMemory();
    const ours = await timed(() => lexicons.of(project).open(tree, SIGNAL));
    const peak = memory();
    if (ours.result.files.length !== files)
      throw new Error(`${ours.result.files.length} of ${files} files have a digest`);
    const input = `${listing.entries.map(({ blob }) => blob).join('\n')}\n`;
    const git = await timed(() => bytesOf(['git', 'cat-file', '--batch', '--buffer'], gitDir, { input }));
    const { size } = await stat(path.join(folder, 'lexicon', `${PROJECT}.blobs`));
    return { ms: ours.ms, readMs: git.ms, read: git.result, disk: size, memory: peak };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function timeRow(files: number, all: readonly Made[]): Row {
  return {
    ...{ what: `digests of ${files} files, made and kept`, against: 'git cat-file --batch of the same blobs' },
    ...{ unit: 'ms', rounds: all.map(({ ms, readMs }): Round => ({ ours: ms, other: readMs })) },
    aim: { kind: 'ratio-at-most', limit: 4 },
  };
}

/** Eight times the files: what each costs must not grow. */
function growthRows(large: readonly Made[], small: readonly Made[]): readonly Row[] {
  const row = (what: string, unit: string, limit: number, of: (made: Made) => number): Row => ({
    ...{ what: `${what}, 80000 files`, against: 'the same with 10000 files', unit },
    rounds: large.map((one, round) => ({ ours: of(one), other: of(small[round] ?? one) })),
    aim: { kind: 'ratio-at-most', limit },
  });
  return [
    row('time of the digests for each MB read', 'ms', 1.25, ({ ms, read }) => (ms * MB) / read),
    row('disk of the digests for each MB read', 'kB', 1.25, ({ disk, read }) => (disk * 1_000) / read),
    row(
      'memory over idle while digests are made, for each MB read',
      'kB',
      1.25,
      (one) => (one.memory * 1_000) / one.read,
    ),
  ];
}
