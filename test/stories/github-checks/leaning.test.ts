// Where no check ever ran on the base, and the failing test only uses what the change touches: probably the change, and nothing is done about it.
import { expect, it } from 'vitest';
import { apiClient } from '../../support/api-client.ts';
import { redStage } from '../../support/github-red-desk.ts';
import type { Failing } from '../../support/github-red-model.ts';

const stage = redStage();

/** A test of what has another name, which gets to `src/weights.js` by way of `src/parcel.js`. */
const PARCELS: Readonly<Record<string, string>> = {
  'src/weights.js': 'export function weigh(grams) {\n  return Math.ceil(grams / 1000);\n}\n',
  'src/parcel.js':
    "import { weigh } from './weights.js';\n\nexport function postage(grams) {\n  return 450 + 100 * weigh(grams);\n}\n",
  'test/postage.test.js':
    "import { postage } from '../src/parcel.js';\n\ntest('all of it', () => assert.equal(postage(1), 550));\n",
};
const HEAVIER = { 'src/weights.js': 'export function weigh(grams) {\n  return Math.floor(grams / 1000);\n}\n' };
const WAY = ['test/postage.test.js', 'src/parcel.js', 'src/weights.js'];

/** A failed assertion, whose only own frame is the test itself. */
function inTestAlone(path: string): Failing {
  const frame = `    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/${path}:3:26)`;
  const error = ['AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:', '', '450 !== 550', '', frame];
  return { test: 'all of it', at: `${path}:3:1`, error };
}

interface ToldCause {
  readonly verdict: string;
  readonly leaning: unknown;
}

async function askApi(name: string, pullRequest: number): Promise<readonly ToldCause[]> {
  const scopes = 'issues:read,projects:read';
  const token = await stage.command('token', 'create', '--name', 'reader', '--account', 'mara', '--scopes', scopes);
  const asked = new URLSearchParams({ projectId: name, pullRequest: String(pullRequest) });
  const head = await apiClient(stage.service().address, token.trim()).get<{ causes: readonly ToldCause[] }>(
    `/api/v1/checks/?${asked}`,
  );
  return head.causes;
}

it('says "Probably your change" with the way from the test to the change, and marks, asks and begins nothing for that', async () => {
  const desk = await stage.desk('corner/leaning');
  await desk.push('main', { files: PARCELS });
  const { number, sha } = await desk.pull({ files: HEAVIER, draft: true });
  await desk.run(sha, { test: inTestAlone('test/postage.test.js') });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Probably your change: /);
  expect(shown.words).toContain('1 check failed, probably because of this change');
  expect(shown.words).toContain(
    'the change touches src/weights.js, which test/postage.test.js uses through src/parcel.js',
  );
  expect(shown.words).toContain('No CI result for test on the base branch');
  expect(shown.words).not.toContain('no direct link');
  expect(shown.places).toEqual([]);
  expect([desk.comments(number), desk.begun(), desk.writesBeside()]).toEqual([[], [], []]);
  expect(await askApi(desk.name, number)).toMatchObject([
    { verdict: 'inconclusive', whose: 'likely_this_change', isTouched: false, leaning: { to: 'code', path: WAY } },
  ]);
});

it('leans to nothing any more once the check passes at that commit', async () => {
  const desk = await stage.desk('corner/leaning-passed');
  await desk.push('main', { files: PARCELS });
  const { number, sha } = await desk.pull({ files: HEAVIER, draft: true });
  await desk.run(sha, { test: inTestAlone('test/postage.test.js') });
  expect(await askApi(desk.name, number)).toMatchObject([{ leaning: { path: WAY } }]);
  await desk.run(sha, { test: 'success' });
  expect(await askApi(desk.name, number)).toMatchObject([{ verdict: 'flaky', leaning: null }]);
  expect(desk.checkRun(sha).words).not.toContain('Probably your change');
});

it('treats a pull request that is ready as any that is unclear, and says it of the next commit too', async () => {
  const desk = await stage.desk('corner/leaning-again');
  await desk.push('main', { files: PARCELS });
  const { number, sha } = await desk.pull({ files: HEAVIER });
  await desk.run(sha, { test: inTestAlone('test/postage.test.js') });
  const shown = desk.checkRun(sha);
  // Its investigation found nothing.
  expect(shown.title).toMatch(/^Probably your change: /);
  expect([shown.places, shown.buttons, desk.comments(number)]).toEqual([[], [], []]);
  const unclear = await stage.desk('corner/unclear');
  await unclear.push('main', { files: PARCELS });
  const beside = await unclear.pull({ files: { 'src/catalogue.js': 'export const CATALOGUE = [];\n' } });
  await unclear.run(beside.sha, { test: inTestAlone('test/postage.test.js') });
  expect(desk.begun().length).toBe(unclear.begun().length);
  const next = await desk.push('coupons', { files: HEAVIER });
  await desk.run(next, { test: inTestAlone('test/postage.test.js') });
  expect(desk.checkRun(next).words).toContain('through src/parcel.js');
  expect(desk.comments(number)).toEqual([]);
});

it.each([
  [
    'another test of the project gets there too',
    'shared',
    { 'test/other.test.js': "import { postage } from '../src/parcel.js';\n" },
    HEAVIER,
  ],
  [
    'the change touches what every check runs with as well',
    'for-all',
    {},
    { ...HEAVIER, 'package.json': '{ "type": "module" }\n' },
  ],
  ['the test does not get there', 'beside', {}, { 'src/catalogue.js': 'export const CATALOGUE = [];\n' }],
])('leaves it open where %s', async (_, name, more, files) => {
  const desk = await stage.desk(`corner/${name}`);
  await desk.push('main', { files: { ...PARCELS, ...more } });
  const { number, sha } = await desk.pull({ files, draft: true });
  await desk.run(sha, { test: inTestAlone('test/postage.test.js') });
  expect(desk.checkRun(sha).title).toMatch(/^Unclear: /);
  expect(await askApi(desk.name, number)).toMatchObject([{ verdict: 'inconclusive', leaning: null }]);
});

it('says nothing of the kind of a change that comes from outside, or where the base passes', async () => {
  const desk = await stage.desk('corner/leaning-base', { green: ['test'] });
  await desk.push('main', { files: PARCELS });
  await desk.run(await desk.tip(), { test: 'success' });
  const { number, sha } = await desk.pull({ files: HEAVIER });
  await desk.run(sha, { test: inTestAlone('test/postage.test.js') });
  expect(desk.checkRun(sha).title).toMatch(/^test fails here, passing on main: /);
  expect(await askApi(desk.name, number)).toMatchObject([{ verdict: 'code', leaning: null }]);
  const other = await stage.desk('corner/leaning-fork');
  await other.push('main', { files: PARCELS });
  const fork = await other.forkPull(HEAVIER);
  await other.run(fork.sha, { test: inTestAlone('test/postage.test.js') });
  expect(other.checkRun(fork.sha).title).toMatch(/^Unclear: /);
  expect(other.checkRun(fork.sha).words).not.toContain('no direct link');
});
