// Which changes need a second reader: CODEOWNERS names files that are there, and what steers or guards a model among them.
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

it('every line is from the root on and names files that are there, and all of them have owners or none', () => {
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(([pattern = '']) => !pattern.startsWith('/'))).toEqual([]);
  // Each copy names its own reviewers; an owner that does not exist would review nothing.
  const owned = lines.filter((line) => line.length > 1);
  expect([0, lines.length]).toContain(owned.length);
  expect(lines.flatMap(([, ...owners]) => owners).filter((owner) => !/^@[\w-]+(?:\/[\w-]+)?$/.test(owner))).toEqual([]);
  expect(lines.map(([pattern = '']) => pattern).filter((pattern) => filesOf(pattern).length === 0)).toEqual([]);
});

it.each([
  ['the words that steer a model', 'src/investigate/prompt/*'],
  ['what reads those words, and puts a report beside them', 'src/investigate/{prompt,conclusion-draft}.ts'],
  ['the guards on a change', 'src/investigate/{*guard*,changed-lines}.ts'],
  ['what cleans secrets out', 'packages/{redact,worker-thread}/src/*.ts'],
  ['what is installed and built', '{package.json,package-lock.json,.npmrc,Dockerfile,.dockerignore}'],
  ['workflows, and the owners themselves', '.github/**/*.yml'],
  ['the owners themselves', '.github/CODEOWNERS'],
])('%s is in the list', (_name, glob) => {
  const files = globSync(glob, { cwd: ROOT });
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !owned.has(file))).toEqual([]);
});
