// How the failing test of a range is run alone, by what the repository says of its tests.

import type { FirstTest } from 'causeway-ci-log';
import { expect, it } from 'vitest';
import { describeBisect } from '../../../src/core/check/index.ts';
import { findLoneTest } from '../../../src/services/checks/find-lone-test.ts';
import { createMemoryRepository } from '../../support/memory-source.ts';

const [GREEN, RED] = ['a'.repeat(40), 'b'.repeat(40)];

type Files = Readonly<Record<string, string>>;

/** The words that are run at each commit; null: there is no line. */
async function scriptOf(files: Files, first: Pick<FirstTest, 'runner' | 'name'> & Partial<FirstTest>) {
  const commits = [GREEN, RED].map((sha) => ({ sha, subject: 'x', files }));
  const repository = createMemoryRepository({ commits });
  const trees = { red: repository.tree(RED), green: repository.tree(GREEN) };
  const { signal } = new AbortController();
  const test = await findLoneTest({ path: '', ...first }, trees, new Map(), signal);
  const shown = describeBisect({ from: GREEN, to: RED, total: 5, test });
  return shown === null ? null : shown.line.slice(shown.line.indexOf('sh -c') + 'sh -c '.length);
}

function packageOf(scripts: Files, ...packages: readonly string[]): string {
  return JSON.stringify({ scripts, devDependencies: Object.fromEntries(packages.map((name) => [name, '1.0.0'])) });
}

const SPEC = "test('adds two items', () => {});\n";

it('knows Playwright by its package, and the script of the project by its options', async () => {
  const scripts = { test: 'vitest run', e2e: 'playwright test --config=e2e/playwright.config.ts --workers=4' };
  const files = {
    'package.json': packageOf(scripts, 'vitest', '@playwright/test'),
    'package-lock.json': '{}',
    'e2e/cart.spec.ts': SPEC,
  };
  const name = '[firefox] › cart.spec.ts:1:1 › adds two items';
  expect(await scriptOf(files, { runner: 'playwright', name, path: 'cart.spec.ts' })).toBe(
    `'[ -d node_modules ] || npm ci || exit 125; npx --no-install playwright install firefox || exit 125; npx --no-install playwright test --config=e2e/playwright.config.ts --reporter=line --pass-with-no-tests --project=firefox "$1" e2e/cart.spec.ts' sh '--grep=adds two items( @.*)?$'`,
  );
  const without = { ...files, 'package.json': packageOf(scripts, 'vitest') };
  expect(await scriptOf(without, { runner: 'playwright', name, path: 'cart.spec.ts' })).toBeNull();
});

it('runs what Yarn keeps without node_modules through Yarn', async () => {
  const files = {
    'package.json': packageOf({ test: 'mocha' }, 'mocha'),
    'yarn.lock': '',
    '.yarnrc.yml': 'enableTelemetry: false\n',
    'test/cart.js': SPEC,
  };
  const first = { runner: 'mocha', name: 'adds two items', path: 'test/cart.js' } as const;
  expect(await scriptOf(files, first)).toBe(
    `'yarn install --immutable || exit 125; yarn run -B mocha "$1" test/cart.js' sh '--grep=^adds two items.?$'`,
  );
  const linked = { ...files, '.yarnrc.yml': 'nodeLinker: node-modules\n' };
  expect(await scriptOf(linked, first)).toContain('npx --no-install mocha');
});

it('finds the file by the title where the log names none, and only one test file has it', async () => {
  const files = {
    'package.json': packageOf({ test: 'node --test' }),
    'test/cart.test.js': SPEC,
    'src/cart.js': 'export const title = "adds two items";\n',
  };
  const first = { runner: 'node', name: 'adds two items' } as const;
  expect(await scriptOf(files, first)).toBe(
    `'node --test "$1" test/cart.test.js' sh '--test-name-pattern=^adds two items$'`,
  );
  expect(await scriptOf({ ...files, 'test/till.test.js': SPEC }, first)).toBeNull();
  expect(await scriptOf(files, { runner: 'node', name: 'adds two' })).toBeNull();
});
