// Where the change touches what fails: the lines that it changes there, as the pull request has them.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';

const stage = redStage();

const lines = (changes: Readonly<Record<number, string | null>> = {}) =>
  Array.from({ length: 30 }, (_, at) => {
    const line = changes[at + 1];
    return line === null ? '' : `${line ?? `export const line${at + 1} = ${at + 1};`}\n`;
  }).join('');

const ROOT = 'file:///home/runner/work/shop/shop';
const TILL = {
  test: 'the till is open',
  at: 'test/till.test.js:3:1',
  error: ['Error: it is shut', `    at open (${ROOT}/src/till.js:14:9)`, `    at x (${ROOT}/test/till.test.js:3:9)`],
};

it('shows the changed lines, the nearest to what the log names first, and leads to them', async () => {
  const desk = await stage.desk('corner/hunks');
  await desk.push('main', { files: { 'src/till.js': lines() } });
  const change = { 2: 'export const line2 = 0;', 13: 'export const line13 = 0;', 14: 'one;\ntwo;' };
  const { sha } = await desk.pull({ files: { 'src/till.js': lines(change) } });
  await desk.run(sha, { test: TILL });
  const { words, summary } = desk.checkRun(sha);
  expect(words).toContain('the change touches src/till.js, where the check fails');
  expect(words).toContain('Changed here: src/till.js:13-15, src/till.js:2');
  expect(JSON.stringify(summary)).toContain(`/corner/hunks/blob/${sha}/src/till.js#L13-L15`);
  const next = await desk.push('coupons', { files: { 'src/till.js': lines({ 20: null }) } });
  await desk.run(next, { test: TILL });
  expect(desk.checkRun(next).words).toContain('Changed here: src/till.js:20');
});

it('shows those of a file that the failing test only uses where nothing else is changed that fails', async () => {
  const desk = await stage.desk('corner/used-hunks');
  const test = "import { line4 } from '../src/money.js';\n\ntest('all of it', () => line4);\n";
  await desk.push('main', { files: { 'test/receipt.test.js': test, 'src/money.js': lines() } });
  const { sha } = await desk.pull({ files: { 'src/money.js': lines({ 4: 'export const line4 = 0;' }) } });
  const error = ['Error: it is wrong', `    at x (${ROOT}/test/receipt.test.js:3:9)`];
  await desk.run(sha, { test: { test: 'all of it', at: 'test/receipt.test.js:3:1', error } });
  const { words, places } = desk.checkRun(sha);
  expect(words).toContain('which test/receipt.test.js uses');
  expect(words).toContain('Changed here: src/money.js:4');
  expect(places).not.toContain('src/money.js:4');
});
