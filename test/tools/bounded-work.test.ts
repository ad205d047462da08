// Work whose size a repository or a model chooses: it has an end, says so, and lets others have their turn meanwhile.
import { Script } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TreeEntry } from '../../src/core/source.ts';
import type { Tool } from '../../src/core/tool.ts';
import { createEditedTree } from '../../src/tools/edited-tree.ts';
import { createBudget, findInTurns } from '../../src/tools/in-turns.ts';
import { defineListFilesTool } from '../../src/tools/list-files.ts';
import { createOverlay } from '../../src/tools/overlay.ts';
import { defineOwnersTool } from '../../src/tools/owners.ts';
import { searchEdited } from '../../src/tools/search-edited.ts';
import { SIGNAL } from '../git/open-project.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const ALTERNATIVES = `{${Array.from({ length: 32 }, (_, index) => `x${index}`).join(',')}}`;
const SHA = 'a'.repeat(40);

function ownersOf(codeOwners: string): Tool {
  return defineOwnersTool(
    createMemoryRepository({ commits: [{ sha: SHA, subject: 'Begin', files: { CODEOWNERS: codeOwners } }] }),
  );
}

function listOf(paths: readonly string[]): Tool {
  const repository = createMemoryRepository({ commits: [{ sha: SHA, subject: 'Begin', files: {} }] });
  const entries = paths.map((path): TreeEntry => ({ path, size: 1, kind: 'file', blob: path }));
  const tree = { ...repository.tree(SHA), files: async () => ({ entries, unreadableNames: 0 }) };
  const clean = async (text: string) => text;
  return defineListFilesTool(createEditedTree(tree, createOverlay(tree, clean), clean));
}

function deepPaths(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${'deep/'.repeat(20)}file${index}.ts`);
}

/** The finding, and how often the event loop came round meanwhile. */
async function watched(tool: Tool, given: unknown, signal = SIGNAL) {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  try {
    const { finding } = await tool.run(JSON.stringify(given), signal);
    return { finding, turns };
  } finally {
    clearImmediate(next);
  }
}

/** Aborted once the event loop has come round a few times: whoever never waits does not notice. */
function abortedSoon(reason: Error): AbortSignal {
  const controller = new AbortController();
  let left = 5;
  setImmediate(function turn() {
    left -= 1;
    if (left === 0) controller.abort(reason);
    else setImmediate(turn);
  });
  return controller.signal;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('going through many things', () => {
  it('ends at the first that passes, at the last, or when all is spent', async () => {
    const budget = createBudget(10);
    expect(await findInTurns([1, 2, 3], (each) => each === 2, budget, SIGNAL)).toEqual({ kind: 'first', item: 2 });
    expect(await findInTurns([1, 2, 3], () => false, budget, SIGNAL)).toEqual({ kind: 'none' });
    const looked: number[] = [];
    const note = (each: number) => looked.push(each) > 9;
    expect(await findInTurns([1, 2, 3, 4, 5, 6, 7], note, budget, SIGNAL)).toEqual({ kind: 'stopped', after: 5 });
    expect(looked).toEqual([1, 2, 3, 4, 5]);
  });

  it('ends at the next turn after an abort', async () => {
    const [budget, reason, controller] = [createBudget(1e9), new Error('enough'), new AbortController()];
    let looked = 0;
    const costly = () => {
      looked += 1;
      budget.steps += 1_000_000;
      if (looked === 3) controller.abort(reason);
      return false;
    };
    await expect(findInTurns([1, 2, 3, 4, 5], costly, budget, controller.signal)).rejects.toBe(reason);
    expect(looked).toBe(3);
  });
});

describe('owners', () => {
  it('of 50 deep paths by 60,000 rules lets others have their turn, and says what was not read', async () => {
    const rules = Array.from({ length: 60_000 }, (_, index) => `src/x${index}/*.b @team`).join('\n');
    const { finding, turns } = await watched(ownersOf(rules), { paths: deepPaths(50) });
    expect(turns).toBeGreaterThan(20);
    expect(finding.status).toBe('failed');
    expect(finding.text).toContain('file0.ts: no rule of CODEOWNERS that was read matches\n');
    expect(finding.text).toContain('The first 40000 rules of CODEOWNERS were not read, only the last 20000.');
  });

  it('found in the part that was read are given, with what was not', async () => {
    const { finding } = await watched(ownersOf(`${'a @first\n'.repeat(20_005)}b @last`), { paths: ['b', 'c'] });
    expect(finding).toEqual({
      status: 'found',
      text: 'b: @last (CODEOWNERS:20006, b)\nc: no rule of CODEOWNERS that was read matches',
      cut: 'The first 6 rules of CODEOWNERS were not read, only the last 20000.',
    });
  });

  it('by patterns that cost too much are not looked up to the end', async () => {
    const rules = `${'**/deep/'.repeat(1_000)}x @team\n`.repeat(50);
    const { finding, turns } = await watched(ownersOf(rules), { paths: [`${'deep/'.repeat(800)}y`, 'a'] });
    expect(turns).toBeGreaterThan(20);
    expect(finding.status).toBe('failed');
    expect(finding.text).toContain('y: not looked up to the end\na: not looked up to the end\nStopped before 2 of');
  });

  it('end with the reason of an abort', async () => {
    const reason = new Error('enough');
    const rules = Array.from({ length: 20_000 }, (_, index) => `*.b${index} @team`).join('\n');
    const tool = ownersOf(rules);
    await expect(watched(tool, { paths: deepPaths(50) }, abortedSoon(reason))).rejects.toBe(reason);
  });
});

describe('list_files', () => {
  it('lets others have their turn', async () => {
    const { finding, turns } = await watched(listOf(deepPaths(4_000)), { glob: `**/${ALTERNATIVES}.ts` });
    expect(turns).toBeGreaterThan(5);
    expect(finding.status).toBe('nothing');
  });

  it('stops at a glob that costs too much, says so, and rules nothing out', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(4_000)}${index}`);
    const glob = `*${'a'.repeat(100)}b{,${'?*,'.repeat(20)}c}`;
    const { finding, turns } = await watched(listOf(names), { glob });
    expect(turns).toBeGreaterThan(20);
    expect(finding.status).toBe('failed');
    expect(finding.text).toMatch(/^No match so far\. Stopped after \d+ of 500 files, /);
  });

  it('shows what it found before it stopped', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `b/${'a'.repeat(4_000)}${index}`);
    const glob = `{*,b}/{b,*${'a'.repeat(100)}b{,${'?*,'.repeat(12)}c}}`;
    const { finding } = await watched(listOf(['b/b', ...names]), { glob });
    expect(finding).toMatchObject({ status: 'found', text: 'b/b (1 bytes)' });
    expect(finding).toHaveProperty('cut', expect.stringMatching(/^Stopped after \d+ of 501 files, /));
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('enough');
    const tool = listOf(deepPaths(4_000));
    await expect(watched(tool, { glob: `**/${ALTERNATIVES}/**` }, abortedSoon(reason))).rejects.toBe(reason);
  });
});

describe('a search of edited files', () => {
  it('runs once for all of them, so that one time limit holds', () => {
    const run = vi.spyOn(Script.prototype, 'runInContext');
    const texts = new Map(Array.from({ length: 20 }, (_, index) => [`f${index + 10}.txt`, `x\nab${index}\n`]));
    const hits = searchEdited(texts, { pattern: 'b1?[05]$', regex: true, ignoreCase: false, paths: ['*.txt'] });
    expect(hits?.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([
      'f10.txt:2 ab0',
      'f15.txt:2 ab5',
      'f20.txt:2 ab10',
      'f25.txt:2 ab15',
    ]);
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.anything(), { timeout: 500 });
  });

  it('has no result where it takes too long for one of them', () => {
    const texts = new Map([
      ['a.txt', 'aaa\n'],
      ['b.txt', `${'a'.repeat(60)}!\n`],
    ]);
    expect(searchEdited(texts, { pattern: '(a+)+$', regex: true, ignoreCase: false, paths: [] })).toBeNull();
  });
});
