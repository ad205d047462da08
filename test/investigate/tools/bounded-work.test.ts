// Work whose size a repository or a model chooses has an end, and the answer says so.

import type { TreeEntry } from 'causeway-git-objects';
import { describe, expect, it } from 'vitest';
import type { Conclusion } from '../../../src/core/issue/index.ts';
import type { Tool } from '../../../src/core/report/evidence.ts';
import { showReadCode } from '../../../src/investigate/read-code.ts';
import { defineListFilesTool } from '../../../src/investigate/tools/list-files.ts';
import { createOverlay } from '../../../src/investigate/tools/overlay.ts';
import { defineOwnersTool } from '../../../src/investigate/tools/owners.ts';
import { searchEdited } from '../../../src/investigate/tools/search-code.ts';
import { createMemoryRepository } from '../../support/memory-source.ts';
import { SIGNAL } from '../../support/project-source.ts';

const SHA = 'a'.repeat(40);

function createOwnersTool(codeOwners: string): Tool {
  return defineOwnersTool(
    createMemoryRepository({ commits: [{ sha: SHA, subject: 'Begin', files: { CODEOWNERS: codeOwners } }] }),
  );
}

function createListTool(paths: readonly string[]): Tool {
  const repository = createMemoryRepository({ commits: [{ sha: SHA, subject: 'Begin', files: {} }] });
  const entries = paths.map((path): TreeEntry => ({ path, size: 1, kind: 'file', blob: path }));
  const tree = { ...repository.tree(SHA), files: async () => ({ entries, unreadableNames: 0 }) };
  return defineListFilesTool(createOverlay({ tree, rawTree: tree, clean: async (text) => text }));
}

async function run(tool: Tool, given: unknown) {
  return (await tool.run(JSON.stringify(given), SIGNAL)).finding;
}

it('quotations of many lines are found in a file of 40,000', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `  const value${index} = compute(${index}, "some text");`);
  const files = { 'src/a.ts': lines.join('\n') };
  const tree = createMemoryRepository({ commits: [{ sha: SHA, subject: 'Begin', files }] }).tree(SHA);
  const quote = lines.slice(39_000, 39_060).join('\n');
  const conclusion = {
    investigationSteps: [{ action: 'read src/a.ts', result: `src/a.ts:\n     1 | ${lines[0]}` }],
    analysis: { citations: Array.from({ length: 5 }, () => ({ step: 1, quote })) },
    changeSet: { files: [] },
  };
  const shown = await showReadCode(conclusion as unknown as Conclusion, tree, SIGNAL);
  expect(shown).toContain(' 39001 | ');
  expect(shown).toContain(' 39060 | ');
});

it('owners by patterns that cost too much are not decided', async () => {
  const rules = `${'**/deep/'.repeat(1_000)}x @team\n`.repeat(50);
  const finding = await run(createOwnersTool(rules), { paths: [`${'deep/'.repeat(800)}y`, 'a'] });
  expect(finding.status).toBe('failed');
  expect(finding.text).toContain('y: not decided\na: not decided\n2 of');
});

it('owners of 50 deep paths by 5,000 rules are found', async () => {
  const rules = Array.from({ length: 5_000 }, (_, index) => `src/x${index}/*.b @team`).join('\n');
  const paths = Array.from({ length: 50 }, (_, index) => `${'deep/'.repeat(20)}file${index}.ts`);
  expect((await run(createOwnersTool(rules), { paths })).status).toBe('nothing');
});

it('a listing stops at a glob that costs too much, says so, and rules nothing out', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(4_000)}${index}`);
  const finding = await run(createListTool(names), { glob: `*${'a'.repeat(100)}b{,${'?*,'.repeat(20)}c}` });
  expect(finding.status).toBe('failed');
  expect(finding.text).toMatch(/^No match so far\. Stopped after \d+ of 500 files, /);
});

it('a listing shows what it found before it stopped', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `b/${'a'.repeat(4_000)}${index}`);
  const glob = `{*,b}/{b,*${'a'.repeat(100)}b{,${'?*,'.repeat(12)}c}}`;
  const finding = await run(createListTool(['b/b', ...names]), { glob });
  expect(finding).toMatchObject({ status: 'found', text: 'b/b (1 bytes)' });
  expect(finding).toHaveProperty('cut', expect.stringMatching(/^Stopped after \d+ of 501 files, /));
});

describe('a search of edited files', () => {
  it('finds lines in all of them', () => {
    const texts = new Map(Array.from({ length: 20 }, (_, index) => [`f${index + 10}.txt`, `x\nab${index}\n`]));
    const hits = searchEdited(texts, { pattern: 'b1?[05]$', regex: true, ignoreCase: false, paths: ['*.txt'] });
    expect(hits?.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([
      'f10.txt:2 ab0',
      'f15.txt:2 ab5',
      'f20.txt:2 ab10',
      'f25.txt:2 ab15',
    ]);
  });

  it.each(['constructor', '__proto__', 'toString'])('takes [:%s:] for the characters that it is made of', (name) => {
    const found = searchEdited(new Map([['a.txt', 'f{\nx:]\n']]), {
      pattern: `[[:${name}:]]`,
      regex: true,
      ignoreCase: false,
      paths: [],
    });
    expect(found?.map(({ line }) => line)).toEqual([2]);
  });

  it('has no result where it takes too long for one of them', () => {
    const texts = new Map([
      ['a.txt', 'aaa\n'],
      ['b.txt', `${'a'.repeat(60)}!\n`],
    ]);
    expect(searchEdited(texts, { pattern: '(a+)+$', regex: true, ignoreCase: false, paths: [] })).toBeNull();
  });
});
