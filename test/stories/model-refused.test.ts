// `analyse` in a terminal with a model that is not there, or that refuses: said where it is seen, and a script can tell.
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { fails, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { modelSettings } from '../support/model-service.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';
import { SHOP, SHOP_REPORT } from '../support/shop-fix.ts';

async function analyse(env: Readonly<Record<string, string>>, ...options: readonly string[]) {
  await using folder = await temporaryFolder();
  await using shop = await gitRepository();
  await shop.commit(SHOP, 'Start');
  const child = spawn(process.execPath, [PROGRAM, 'analyse', SHOP_REPORT, ...options], {
    cwd: shop.path,
    env: { PATH: process.env['PATH'], DATA_DIR: folder.path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

it('a model that refuses the key leaves the facts, the refusal as the last words, and exit 3', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await modelEndpoint(fails(401, { error: { message: 'Incorrect API key' } }));
  const { code, out, err } = await analyse(await modelSettings(endpoint, folder.path));
  expect(out).toMatch(/^Facts only · the model gave no answer\n/);
  expect(out).toContain('src/cart/total.js:3');
  expect(err).toMatch(
    /\ncauseway: The model endpoint at 127\.0\.0\.1:\d+ gave no usable answer\. .*check OPENAI_API_KEY[^\n]*\n$/,
  );
  expect(code).toBe(3);
});

it('so does one with --json, whose standard output is the Issue alone', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await modelEndpoint(fails(404, { error: { message: 'no such model' } }));
  const { code, out, err } = await analyse(await modelSettings(endpoint, folder.path), '--json');
  const issue: Issue = JSON.parse(out);
  expect(issue.analysis).toMatchObject({ outcome: 'facts_only', partial: true });
  expect(err).toMatch(/\ncauseway: [^\n]*check OPENAI_BASE_URL and MODEL \(test-model\)[^\n]*\n$/);
  expect(code).toBe(3);
});

it('a MODEL without a key is said on the first line with what to set, and facts alone are what was asked for then', async () => {
  const { code, out, err } = await analyse({ MODEL: 'gpt-5.2' });
  const [first] = err.split('\n');
  expect(first).toMatch(
    /^Model: none \(search only\)\. MODEL is set without a key\. Set OPENAI_API_KEY, OPENAI_BASE_URL or /,
  );
  expect(out).toMatch(/^Facts only · no model was used\n/);
  expect(code).toBe(0);
});

it('no model at all is said on the first line, too', async () => {
  const { code, err } = await analyse({});
  const [first] = err.split('\n');
  expect(first).toBe('Model: none (search only). Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.');
  expect(code).toBe(0);
});
