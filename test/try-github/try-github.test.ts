// The whole of it, with a double in GitHub's place: none of its differences, ten that are planted, and an end in the middle.
import { beforeAll, describe, expect, it } from 'vitest';
import type { PlayedStep } from './compare.ts';
import { type DoubleGround, openDoubleGround } from './double-ground.ts';
import { PLANTED, plantAll } from './planted.ts';
import { MARKER } from './sandbox.ts';
import { playOnDouble, SCRIPTED, type Tried, tryGithub } from './try-github.ts';

interface Outcome {
  readonly tried: Extract<Tried, { kind: 'tried' }>;
  readonly left: Leftovers;
}

interface Leftovers {
  readonly branches: readonly string[];
  readonly files: readonly string[];
  /** Open issues and pull requests. */
  readonly open: number;
}

let same: Outcome;
let planted: Outcome;
let interrupted: Outcome;

// Each play mostly waits, so they wait together.
beforeAll(async () => {
  const expected = await playOnDouble({ signal: new AbortController().signal, tell: () => undefined });
  [same, planted, interrupted] = await Promise.all([
    tryDouble(expected),
    tryDouble(expected, ({ double }) => {
      for (const rule of plantAll()) double.faults.add(rule);
    }),
    tryDouble(expected, () => undefined, 'A label gets an answer'),
  ]);
}, 1_200_000);

/** `until`: interrupted as this step begins. */
async function tryDouble(
  expected: readonly PlayedStep[],
  prepare: (opened: DoubleGround) => void = () => undefined,
  until: string | null = null,
): Promise<Outcome> {
  await using opened = await openDoubleGround({ MODEL: SCRIPTED });
  prepare(opened);
  const interruption = new AbortController();
  const tried = await tryGithub(opened.ground, {
    ...{ on: 'the double', budget: 1, patienceMs: 300_000, signal: interruption.signal, expected },
    mayWrite: async () => true,
    tell: (line) => {
      if (line === until) setTimeout(() => interruption.abort(), 3_000);
    },
  });
  if (tried.kind !== 'tried') throw new Error(JSON.stringify(tried));
  return { tried, left: await leftovers(opened) };
}

async function leftovers({ double, ground }: DoubleGround): Promise<Leftovers> {
  const { issues } = double.repository(ground.sandbox);
  const lines = async (...args: string[]) => (await double.git(ground.sandbox, ...args)).split('\n');
  return {
    branches: await lines('for-each-ref', '--format=%(refname:short)', 'refs/heads/'),
    files: await lines('ls-tree', '-r', '--name-only', 'refs/heads/main'),
    open: [...issues.values()].filter(({ state }) => state === 'open').length,
  };
}

/** Rows of the table of differences, without its heading. */
function rowsOf({ tried }: Outcome): readonly string[] {
  const [, list = ''] = tried.table.split(/^\d+ differences:\n$/m);
  return list.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| step |'));
}

const CLEAN: Leftovers = { branches: ['main'], files: [MARKER], open: 0 };

describe('npm run try-github', () => {
  it('finds no difference between a double and another one, and puts the sandbox back', () => {
    expect(same.tried.differences).toEqual([]);
    expect(same.tried).toMatchObject({ isWhole: true, table: expect.stringContaining('\nNo difference.\n') });
    expect(same.tried.table).toMatch(/\| `\/analyse fix` opens a draft, and CI proves it \| draft, proven \|/);
    expect(same.left).toEqual(CLEAN);
  });

  it('names each of ten planted differences, and nothing else', () => {
    expect(rowsOf(planted).toSorted()).toEqual(PLANTED.map(({ row }) => row).toSorted());
    expect(planted.left).toEqual(CLEAN);
  });

  it('puts the sandbox back when it is interrupted, and says how far it came', () => {
    expect(interrupted.tried).toMatchObject({ isWhole: false });
    expect(interrupted.tried.table).toMatch(/\| A label gets an answer \| \*\*failed\*\*: interrupted \|/);
    expect(interrupted.tried.table).toMatch(/\| A vote counts \| not played \|/);
    expect(interrupted.left).toEqual(CLEAN);
  });

  it('records no text of what GitHub answers', () => {
    const { table } = same.tried;
    for (const text of ['mara', 'corner', 'The shop has gone down', '127.0.0.1', 'ghu_', 'ghs_'])
      expect(table).not.toContain(text);
  });
});
