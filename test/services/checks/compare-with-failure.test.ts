// What ties each commit of a range to a failing test, over real git.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGitSource } from 'causeway-git-objects';
import { expect, it, onTestFinished } from 'vitest';
import { compareWithFailure } from '../../../src/services/checks/compare-with-failure.ts';

const SIGNAL = new AbortController().signal;

const FILES = {
  'src/cart.ts': 'export function total(prices: number[]): number {\n  return prices.reduce((a, b) => a + b, 0);\n}\n',
  'test/cart.test.ts':
    "import { expect, it } from 'vitest';\nimport { total } from '../src/cart.ts';\n\nfunction someCart() {\n  return [1, 2];\n}\n\nit('adds prices', () => {\n  expect(total(someCart())).toBe(3);\n});\n",
};
type Files = Readonly<Partial<Record<keyof typeof FILES, string>>>;

/** A folder with its commits, of which the first passes; their shas. */
function commitAll(steps: readonly Files[], message: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'compared-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=mara', '-c', 'user.email=mara@localhost', ...words], {
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  const shas = [FILES, ...steps].map((files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
    return git('rev-parse', 'HEAD');
  });
  return { folder, shas };
}

/** Codes of the ties of each step, in the order of the steps. */
async function tiesOf(steps: readonly Files[], message = 'Step') {
  const { folder, shas } = commitAll(steps, message);
  const cache = mkdtempSync(path.join(tmpdir(), 'mirror-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true, maxRetries: 5 }));
  await using source = createGitSource({ folder: cache, environment: process.env });
  const repository = await source.open({ id: 'prj_x', name: 'x/x', source: { path: folder } }, SIGNAL);
  const [from = '', ...own] = shas;
  const commits = own.toReversed().map((sha) => ({ sha, author: 'mara', subject: 'Step' }));
  const test = 'test/cart.test.ts';
  const { ranks } = await compareWithFailure(
    repository,
    { from, to: own.at(-1) ?? '', total: own.length, commits },
    {
      places: [{ path: test, line: 9, message: '' }],
      excerpt: { step: '', headline: 'AssertionError: expected 4 to be 3', lines: [], cut: '', tests: ['adds prices'] },
      firstTest: { runner: 'vitest', name: 'adds prices', path: test },
    },
    SIGNAL,
  );
  return own.map((sha) => ranks.find((one) => one.sha === sha)?.ties.map(({ code }) => code));
}

const CART = FILES['src/cart.ts'];
const TEST = FILES['test/cart.test.ts'];
const EXPLAINED = `// All of them.\n${CART.replace('  return', '  // In cents.\n\n  return')}`;

it.each<[string, Files, boolean]>([
  ['a line of what the failing test calls', { 'src/cart.ts': CART.replace(', 0)', ', 1)') }, true],
  ['its comments and empty lines alone', { 'src/cart.ts': EXPLAINED }, false],
  ['a function of the failing test itself', { 'test/cart.test.ts': TEST.replace('[1, 2]', '[2, 1]') }, false],
])('of a commit that changes %s says whether it changes what the test calls', async (_, files, isCalled) => {
  const [codes = []] = await tiesOf([files, { 'src/cart.ts': `${files['src/cart.ts'] ?? CART}\nexport {};\n` }]);
  expect(codes.includes('called')).toBe(isCalled);
  expect(codes).not.toEqual([]);
});

it('of a merge says that its title names what failed, and not that the test imports its own file', async () => {
  const message = 'Merge pull request #7 from mona/patch-1\n\nSort prices';
  const [codes] = await tiesOf([{ 'test/cart.test.ts': TEST.replace('[1, 2]', '[2, 1]') }], message);
  expect(codes).toEqual(['subject', 'test_file']);
});
