// The demo with the script that ships beside it: a whole investigation by a model, without a key.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Issue } from '../../src/domain/issue.ts';
import { temporaryFolder } from '../support/service.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

it('the demo with its script finds the cause, proves every claim and mends it with a test', async () => {
  await using data = await temporaryFolder();
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: data.path,
    MODEL: `scripted:${path.join(ROOT, 'demo', 'corner-shop.script.json')}`,
  };
  const main = path.join(ROOT, 'src', 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'demo', '--json'], { env });
  const issue: Issue = JSON.parse(stdout);
  expect(issue.analysis).toMatchObject({ outcome: 'code_fix', partial: false, reason: '', guards: [] });
  expect(issue.rootCause).not.toContain('Assumption');
  expect(issue.analysis.citations).toHaveLength(3);
  expect(issue.diff.files.map(({ fileName }) => fileName)).toEqual(['src/coupons.js', 'test/coupons.test.js']);
});
