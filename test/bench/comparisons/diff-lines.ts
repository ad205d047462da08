// `diff`: the patch of a file of 5,000 lines, as edits go and as they never should, beside git's own and jsdiff's.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { toUnifiedPatch } from '../../../src/core/diff/unified-patch.ts';
import type { Aim, Comparison, Round, Row } from '../comparison.ts';
import { bytesOf, timed } from './stopwatch.ts';

const LINES = 5_000;
/** Work is bounded, not time: so long it may take on any machine that is not starved. */
const DEADLINE_MS = 2_000;
const NAME = 'made.txt';

interface Edit {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** No edit anybody makes: only bounded. */
  readonly isWorst: boolean;
}

export const DIFF_LINES: Comparison = {
  name: 'diff',
  about: 'the patch of a file of 5,000 lines, and the worst of them',
  measure: async function* ({ rounds }) {
    const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
    try {
      for (const edit of edits()) {
        yield await besideGit(folder, edit, rounds);
        yield await besideJsdiff(folder, edit, rounds);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function besideGit(folder: string, edit: Edit, rounds: number): Promise<Row> {
  const [before, after] = [path.join(folder, NAME), path.join(folder, 'after.txt')];
  await writeFile(before, edit.before);
  await writeFile(after, edit.after);
  const all: Round[] = [];
  let patch = '';
  for (let round = 0; round < rounds; round++) {
    const git = await timed(() => bytesOf(['git', 'diff', '--no-index', before, after], folder, { codes: [1] }));
    const ours = await timed(() => patchOf(edit));
    patch = ours.result;
    all.push({ ours: ours.ms, other: git.ms });
  }
  await checkPatch(folder, edit, patch);
  return {
    ...{ what: `diff of ${edit.what}`, against: 'git diff --no-index', unit: 'ms', rounds: all },
    aim: aimOf(edit),
  };
}

/** In one process with it, so no start of another counts. It has no bound of its own: it is given the time that ours may take at most. */
async function besideJsdiff(folder: string, edit: Edit, rounds: number): Promise<Row> {
  const all: Round[] = [];
  let isStopped = false;
  for (let round = 0; round < rounds; round++) {
    const jsdiff = await timed(() => jsdiffOf(edit));
    const ours = await timed(() => patchOf(edit));
    all.push({ ours: ours.ms, other: jsdiff.ms });
    if (jsdiff.result === undefined) isStopped = true;
    else await checkPatch(folder, edit, jsdiff.result);
    await checkPatch(folder, edit, ours.result);
  }
  const against = isStopped ? `jsdiff, stopped after ${DEADLINE_MS} ms without a patch` : 'jsdiff';
  return {
    ...{ what: `diff of ${edit.what}, in one process`, against, unit: 'ms', rounds: all },
    aim: aimOf(edit),
  };
}

function aimOf({ isWorst }: Edit): Aim {
  return isWorst ? { kind: 'at-most', limit: DEADLINE_MS } : { kind: 'ratio-at-most', limit: 2 };
}

async function checkPatch(folder: string, edit: Edit, patch: string): Promise<void> {
  const file = path.join(folder, NAME);
  await writeFile(file, edit.before);
  await bytesOf(['git', 'apply', '--whitespace=nowarn', '-'], folder, { input: patch });
  if ((await readFile(file, 'utf8')) !== edit.after) throw new Error(`the patch of ${edit.what} leads elsewhere`);
}

/** Undefined: it took too long. */
function jsdiffOf({ before, after }: Edit): string | undefined {
  return createTwoFilesPatch(`a/${NAME}`, `b/${NAME}`, before, after, '', '', { context: 3, timeout: DEADLINE_MS });
}

function patchOf({ before, after }: Edit): string {
  return toUnifiedPatch({ base: '0'.repeat(40), files: [{ kind: 'modified', path: NAME, before, after }] });
}

function edits(): readonly Edit[] {
  const below = numbers();
  const source = Array.from(
    { length: LINES },
    () => `  const v${below(3_000)} = call${below(50)}(${below(9)}); // ${below(1_000)}`,
  );
  const noise = (length: number, kinds: number) => Array.from({ length }, () => String(below(kinds)));
  const everyNth = (n: number) => source.map((line, index) => (index % n === 0 ? `${line} edited` : line));
  const edit = (what: string, before: readonly string[], after: readonly string[], isWorst = false): Edit => {
    return { what, before: `${before.join('\n')}\n`, after: `${after.join('\n')}\n`, isWorst };
  };
  return [
    edit('5000 lines, one of 50 edited', source, everyNth(50)),
    edit('5000 lines, one of 10 edited', source, everyNth(10)),
    edit('5000 lines, every other edited', source, everyNth(2)),
    edit('5000 lines, none kept', source, noise(LINES, 1e9)),
    edit('5000 lines, turned round (worst case)', source, source.toReversed(), true),
    edit('5000 lines of 8 kinds in any order (worst case)', noise(LINES, 8), noise(LINES, 8), true),
    edit('100000 lines of 8 kinds in any order (worst case)', noise(100_000, 8), noise(100_000, 8), true),
  ];
}

/** The same numbers in each run. */
function numbers(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
