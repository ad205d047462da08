// Who must look at a change: every line of CODEOWNERS names files that are there, and what steers or guards a model is owned.
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lockfile.ts';

const lines = readFileSync(path.join(ROOT, '.github', 'CODEOWNERS'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => line.trim().split(/\s+/));

/** Files of the installation that a pattern from the root names; a folder stands for all in it. */
function filesOf(pattern: string): readonly string[] {
  const glob = pattern.slice(1);
  const found = globSync(glob.endsWith('/') ? `${glob}**` : glob, { cwd: ROOT });
  return found.filter((file) => statSync(path.join(ROOT, file)).isFile());
}

const owned = new Set(lines.flatMap(([pattern = '']) => filesOf(pattern)));

it('every line names someone, from the root on, and files that are there', () => {
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(([pattern = '', ...owners]) => !pattern.startsWith('/') || owners.length === 0)).toEqual([]);
  expect(lines.filter(([, ...owners]) => owners.some((owner) => !/^@[\w-]+\/[\w-]+$/.test(owner)))).toEqual([]);
  expect(lines.map(([pattern = '']) => pattern).filter((pattern) => filesOf(pattern).length === 0)).toEqual([]);
});

it.each([
  ['the words that steer a model', 'src/agent/prompt/*'],
  ['what reads those words, and puts a report beside them', 'src/agent/{prompt,conclusion-draft}.ts'],
  ['the guards on a change', 'src/agent/{*guard*,changed-lines}.ts'],
  ['what cleans secrets out', 'src/redact/*.ts'],
  ['what is installed and built', '{package.json,package-lock.json,.npmrc,Dockerfile,.dockerignore}'],
  ['workflows, and the owners themselves', '.github/**/*.yml'],
  ['the owners themselves', '.github/CODEOWNERS'],
])('%s has owners', (_name, glob) => {
  const files = globSync(glob, { cwd: ROOT });
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !owned.has(file))).toEqual([]);
});
