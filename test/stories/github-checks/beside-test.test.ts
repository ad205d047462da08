// A pull request that changes another test of the file in which one fails: that is not what fails.

import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

const PATH = 'test/coupons.test.js';

interface Written {
  readonly failing?: string;
  readonly other?: string;
  readonly setUp?: string;
}

/** The shop's tests of coupons: what fails, and another. */
function writeTests({ failing = 'welcome10', other = 'SPRING15', setUp = 'const total = 1000;' }: Written = {}) {
  const lines = [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { discountFor } from '../src/coupons.js';",
    '',
    setUp,
    '',
    "test('a coupon of spring', () => {",
    `  assert.ok(discountFor('${other}', total));`,
    '});',
    '',
    '',
    '',
    '',
    `test('${COUPONS.test}', () => {`,
    `  assert.ok(discountFor('${failing}', total));`,
    '});',
    '',
  ];
  return { [PATH]: lines.join('\n') };
}

/** Its check run, with the base green, and with the base unknown. */
async function judge(name: string, change: Written) {
  const shown = async (green: boolean) => {
    const desk = await stage.desk(`${name}-${green ? 'green' : 'unknown'}`);
    const tip = await desk.push('main', { files: writeTests() });
    if (green) await desk.run(tip, { test: 'success' });
    const { sha } = await desk.pull({ files: writeTests(change) });
    await desk.run(sha, { test: COUPONS });
    return desk.checkRun(sha);
  };
  return { green: await shown(true), unknown: await shown(false) };
}

it('is said, and not "because of this change", by which the pull request is not blamed for certain', async () => {
  const { green, unknown } = await judge('corner/beside-other', { other: 'STAFF30' });
  const why = `the change touches ${PATH}, but there other tests than what failed`;
  expect(green.words).toContain('1 check failed, probably because of this change');
  expect(green.words).toContain(why);
  expect(unknown.words).toContain("1 check failed, can't tell whether because of this change");
  expect(unknown.words).toContain(why);
  expect([green, unknown].map(({ title }) => title).join()).not.toContain('Your change');
});

it.each([
  ['the failing test itself', 'own', { failing: 'spring15' }],
  ['what is set up for it', 'set-up', { setUp: 'const total = 2000;' }],
] as const)('is not where %s is changed', async (_, name, change) => {
  const { green, unknown } = await judge(`corner/beside-${name}`, change);
  for (const { words, title } of [green, unknown]) {
    expect(words).toContain('1 check failed because of this change');
    expect(title).toMatch(/^Your change: /);
  }
});
