// Which red checks a change of documentation cannot have caused, by names alone.
import { readCheck } from 'causeway-ci-log';
import { expect, it } from 'vitest';
import { actionsLog, JEST, PYTEST } from '../../packages/ci-log/test/logs.ts';
import { mayExcludeDocumentation } from '../../src/ci/documentation.ts';

function judge(
  paths: readonly string[],
  { name = 'test (20)', command = 'npm test', output = JEST, isCut = false } = {},
) {
  const read = readCheck({ name, output: '', log: actionsLog(command, output), annotations: [] });
  return mayExcludeDocumentation({ paths, isCut }, { name, read });
}

it.each([['README.md'], ['packages/till/CHANGELOG.md'], ['docs/guide/start.md'], ['LICENSE'], ['NOTES.rst']])(
  '%s is documentation',
  (path) => {
    expect(judge([path])).toBe(true);
    expect(judge([path, 'src/cart.ts'])).toBe(false);
  },
);

it.each([
  'docs/start.mdx',
  'src/prompts/system.md',
  'test/fixtures/README.md',
  'requirements.txt',
  'docs/conf.py',
  'package.json',
  'content/posts/hello.md',
])('%s may be more than that', (path) => {
  expect(judge([path])).toBe(false);
});

it.each([
  ['a check of prose', { name: 'Spelling' }],
  ['a check of format', { name: 'prettier' }],
  ['a step of prose', { command: 'npm run docs:build' }],
  ['a test of prose', { output: JEST.map((line) => line.replace('takes the discount off once', 'shows the README')) }],
  ['a log that names the file', { output: [...PYTEST, 'E   AssertionError: README.md is not up to date'] }],
  ['no failed test', { output: ['error: something is wrong'] }],
  ['more changes than are known', { isCut: true }],
])('%s may read it', (_, how) => {
  expect(judge(['README.md'], how)).toBe(false);
});
