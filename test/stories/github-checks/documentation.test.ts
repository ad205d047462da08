// A pull request of documentation alone: it is told that a red check is not its doing, unless something that failed may read it.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS, testLog } from '../../support/github-red-model.ts';

const stage = redStage();

const README = { 'README.md': 'The shop at the corner\n', 'docs/coupons.md': 'Coupons\n' };

it('says that a failed test is not the doing of a README', async () => {
  const desk = await stage.desk('corner/readme', { green: ['test'] });
  const { number, sha } = await desk.pull({ files: README });
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('1 check failed, not because of this change');
  expect(shown.words).toMatch(
    /The change touches documentation alone \(\S+ and \S+ and 1 more\), which no test that failed reads/i,
  );
  expect(desk.comments(number)).toEqual([]);
});

it.each([
  ['a test reads it', { 'test/coupons.test.js': "readFileSync('README.md', 'utf8');\n" }, README, COUPONS],
  ['another test names it', { 'test/pages.test.js': "const page = 'docs/coupons.md';\n" }, README, COUPONS],
  ['it is built into a program', {}, { 'docs/coupons.mdx': 'Coupons\n' }, COUPONS],
  ['more is changed', {}, { ...README, 'src/receipt.js': 'export const a = 1;\n' }, COUPONS],
  [
    'the log names it',
    {},
    README,
    { ...COUPONS, error: ['Error: README.md has no heading', ...COUPONS.error.slice(1)] },
  ],
])('does not say so where %s', async (what, base, files, failing) => {
  const desk = await stage.desk(`corner/readme-${what.replaceAll(' ', '-')}`);
  if (Object.keys(base).length > 0) await desk.push('main', { files: base });
  await desk.run(await desk.tip(), { test: 'success' });
  const { sha } = await desk.pull({ files });
  await desk.run(sha, { test: { conclusion: 'failure', failedStep: 'npm test', log: testLog(failing) } });
  expect(desk.checkRun(sha).words).not.toMatch(/documentation alone|not because of this change/);
});
