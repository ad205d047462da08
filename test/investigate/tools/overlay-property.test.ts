// Random edits over a real repository: what git makes of the patch is what the overlay says.
import { execFileSync } from 'node:child_process';
import { toUnifiedPatch } from 'causeway-diff';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import type { Toolbox } from '../../../src/investigate/tools/toolbox.ts';
import { SIGNAL } from '../../support/project-source.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const BASE: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n',
  'b.txt': 'red\r\ngreen\r\n  blue\r\n',
  'c.txt': '\ufefffirst\nlast without newline',
  'd/e.txt': 'x\n\n\n  y\n\tz\n',
  'd/f/g.txt': 'mixed\r\nline\nends\r\nno end\r',
  'run.sh': '#!/bin/sh\necho 1\n',
  'empty.txt': '',
  'h i.txt': 'one\ntwo\none\ntwo',
};
const PATHS = [
  ...Object.keys(BASE),
  'new.txt',
  'd/new.txt',
  'a.txt/under.txt',
  'd',
  'A.TXT',
  'd/f',
  'run.sh/x',
  'é.txt',
];
const TEXTS = [
  '',
  'one',
  'two\n',
  'one\ntwo\n',
  'green\nblue',
  '  one',
  'first',
  'last without newline',
  'x\n\n\n  y',
  'end',
  'ü\r\nv',
];

const path = fc.constantFrom(...PATHS);
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 12, unit: 'grapheme' }));
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ tool: fc.constant('replace'), path, old: text, new: text }) },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('create_file'), path, content: text }) },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('delete_file'), path }) },
  { weight: 4, arbitrary: fc.record({ tool: fc.constant('rename_file'), from: path, to: path }) },
);
type AnyEdit = { readonly tool: string };

let repo: GitRepository;
let bench: Workbench;

beforeAll(async () => {
  repo = await gitRepository();
  await repo.commit(BASE, 'Begin');
  repo.git('update-index', '--chmod=+x', 'run.sh');
  repo.git('commit', '--quiet', '-m', 'May be run');
  repo.git('checkout', '--quiet', '--', '.');
  bench = await openWorkbench(repo);
});
afterAll(() => bench[Symbol.asyncDispose]());

async function run({ tools }: Toolbox, edits: readonly AnyEdit[]): Promise<AnyEdit[]> {
  const placed: AnyEdit[] = [];
  for (const { tool, ...given } of edits) {
    const result = await tools.find(({ name }) => name === tool)?.run(JSON.stringify(given), SIGNAL);
    if (result?.finding.status === 'found') placed.push({ tool, ...given });
  }
  return placed;
}

/** By git's id: starting git is what takes the time here. */
const contents = new Map<string, string>();

/** Path to mode and content after the patch, by an index of its own: nothing is written to the work tree. */
function afterPatch(patch: string): Map<string, string> {
  const options = {
    cwd: repo.path,
    env: { PATH: process.env['PATH'], GIT_INDEX_FILE: `${repo.path}/.git/patched`, GIT_CONFIG_GLOBAL: '/dev/null' },
  };
  const git = (args: readonly string[], input = '') => execFileSync('git', args, { ...options, input, stdio: 'pipe' });
  git(['read-tree', 'HEAD']);
  if (patch !== '') {
    git(['apply', '--cached', '--check', '-'], patch);
    git(['apply', '--cached', '-'], patch);
  }
  return new Map(
    git(['ls-files', '--stage', '-z'])
      .toString()
      .split('\0')
      .filter((row) => row !== '')
      .map((row) => {
        const [, mode = '', blob = '', name = ''] = /^(\d+) ([0-9a-f]+) 0\t(.*)$/s.exec(row) ?? [];
        if (!contents.has(blob)) contents.set(blob, git(['cat-file', 'blob', blob]).toString());
        return [name, `${mode} ${contents.get(blob)}`];
      }),
  );
}

async function listOverlayFiles({ overlay }: Toolbox): Promise<Map<string, string>> {
  const touched = await overlay.readEdited();
  const entries = await overlay.entries(SIGNAL);
  return new Map(
    entries.map(({ path: name, kind }) => {
      const mode = kind === 'executable' ? '100755' : '100644';
      return [name, `${mode} ${touched.get(name) ?? BASE[name] ?? 'unknown'}`];
    }),
  );
}

describe('a sequence of edits', () => {
  it('makes a patch that git applies to the commit, with the result that the overlay shows', async () => {
    let placedInAll = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
        const toolbox = await bench.again();
        const placed = await run(toolbox, edits);
        placedInAll += placed.length;
        const patch = toUnifiedPatch(toolbox.overlay.changeSet());
        expect(afterPatch(patch)).toEqual(await listOverlayFiles(toolbox));
      }),
      { numRuns: 40, interruptAfterTimeLimit: 15_000 },
    );
    // Else the samples tell nothing.
    expect(placedInAll).toBeGreaterThan(5);
  });

  it('comes to the same change set when those edits that were placed are run again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 15 }), async (edits) => {
        const first = await bench.again();
        const placed = await run(first, edits);
        const second = await bench.again();
        expect(await run(second, placed)).toEqual(placed);
        expect(second.overlay.changeSet()).toEqual(first.overlay.changeSet());
      }),
      { numRuns: 60, interruptAfterTimeLimit: 5_000 },
    );
  });
});
