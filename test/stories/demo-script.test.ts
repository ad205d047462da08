// The demo as it ships: facts first, then a whole investigation with the answers of a script, from any folder and without a key.
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Issue } from '../../src/core/issue/issue.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);

it('shows where the facts point and then the cause, from a folder that is no repository and cannot be written to', async () => {
  await using folder = await temporaryFolder();
  const here = path.join(folder.path, 'read-only');
  const temporary = path.join(folder.path, 'tmp');
  for (const made of [here, temporary]) await mkdir(made);
  await chmod(here, 0o555);
  // A data folder that cannot be made: the demo needs none.
  const env = { PATH: process.env['PATH'], DATA_DIR: '/dev/null/data', TMPDIR: temporary };
  const { stdout, stderr } = await run(process.execPath, [PROGRAM, 'demo'], { env, cwd: here });
  const [facts = '', answer = ''] = stdout.split('\nCause and fix');
  expect(facts).toMatch(/^Facts only · no model was used\n/);
  expect(facts).toContain('src/coupons.js:14');
  expect(answer).toMatch(/^ · confidence \d+ %/);
  expect(stderr.indexOf('1 of 2')).toBeLessThan(stderr.indexOf('2 of 2'));
  expect([await readdir(here), await readdir(temporary)]).toEqual([[], []]);
});

it('finds the cause, proves every claim and fixes it with a test', async () => {
  await using folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'] };
  const { stdout } = await run(process.execPath, [PROGRAM, 'demo', '--json'], { env, cwd: folder.path });
  const issue: Issue = JSON.parse(stdout);
  expect(issue.analysis).toMatchObject({ outcome: 'code_fix', partial: false, reason: '', guards: [] });
  expect(issue.rootCause).not.toContain('Assumption');
  expect(issue.analysis.citations).toHaveLength(3);
  expect(issue.diff.files.map(({ fileName }) => fileName)).toEqual(['src/coupons.js', 'test/coupons.test.js']);
});

it('has no answer that denies a run of the tests, which CI may have made by the time it is read', async () => {
  const script = await readFile(new URL('../../demo/corner-shop.script.json', import.meta.url), 'utf8');
  expect(script).toContain('Run `node --test`');
  expect(script).not.toMatch(/nothing was run/i);
});
