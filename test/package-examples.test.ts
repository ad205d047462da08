// The example in each package's README does what stands below it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listPackages, ROOT } from './support/source-files.ts';

const FOLDER = path.join(ROOT, 'node_modules', '.cache', 'examples');
const LONGEST_EXAMPLE = 20;

/** Folders of the packages that one needs, and those that these need. */
function listNeeded(name: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(ROOT, 'packages', name, 'package.json'), 'utf8'));
  return Object.values<string>(dependencies)
    .filter((version) => version.startsWith('file:../'))
    .flatMap((version) => [path.basename(version), ...listNeeded(path.basename(version))]);
}

it.each(listPackages())('the README of %s says what to copy to use it elsewhere', (name) => {
  const text = readFileSync(path.join(ROOT, 'packages', name, 'README.md'), 'utf8');
  expect(text).toMatch(/as a workspace|as\s+workspaces/);
  expect(listNeeded(name).filter((one) => !text.includes(`\`${one}\``))).toEqual([]);
});

it.each(listPackages())('%s', (name) => {
  const readme = path.join(ROOT, 'packages', name, 'README.md');
  expect(existsSync(readme)).toBe(true);
  const text = readFileSync(readme, 'utf8');
  expect(text.startsWith(`# causeway-${name}\n`)).toBe(true);
  expect(text.split('\n').length).toBeLessThanOrEqual(60);
  const [, example = '', said] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(text) ?? [];
  expect(said).toBeTypeOf('string');
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(LONGEST_EXAMPLE);
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, `${name}.mjs`);
  writeFileSync(file, example);
  expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe(said);
});
