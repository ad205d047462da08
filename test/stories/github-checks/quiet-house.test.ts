// A house without a model, and one that was granted less: what it knows it says in the check run, what it may not do it leaves out.
import { expect, it } from 'vitest';
import { OWNER } from '../../support/app-settings.ts';
import { openRedDesk } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-logs.ts';
import { openRedStage } from '../../support/github-red-stage.ts';
import { openGithubStage } from '../../support/github-stage.ts';

/** The App on the organisation's account without a permission, or with less of one. */
function granted(changed: Readonly<Record<string, 'read' | null>>) {
  return openRedStage({
    prepare: ({ people, app }) => {
      const wanted = Object.entries({ ...app.permissions, ...changed });
      const permissions = Object.fromEntries(
        wanted.flatMap(([name, level]) => (level === null ? [] : [[name, level]])),
      );
      people.install(OWNER, { by: 'nora', permissions });
    },
  });
}

it('judges without a model, and comments on nothing unasked: bare facts are no news', async () => {
  await using stage = await openGithubStage();
  const desk = await openRedDesk(stage, null, 'corner/no-model');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('The change touches test/coupons.test.js, where it fails');
  expect([desk.comments(number), desk.writesBeside()]).toEqual([[], []]);
}, 180_000);

it('makes no check run where checks may only be read, and tries it once; the comment is due all the same', async () => {
  await using stage = await granted({ checks: 'read' });
  const desk = await stage.desk('corner/checks-read');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRuns(sha)).toEqual([]);
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
  await desk.run(sha, { lint: COUPONS }, { workflow: 'Lint' });
  const tried = stage.double.requests.filter(({ method, path }) => method !== 'GET' && path.includes('/check-runs'));
  expect(tried.length).toBeLessThanOrEqual(1);
  expect(desk.comments(number)).toHaveLength(1);
}, 180_000);

it('leaves Actions alone where it may not read its runs, for nobody can say who started them', async () => {
  await using stage = await granted({ actions: null });
  const desk = await stage.desk('corner/no-actions');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRuns(sha)).toEqual([]);
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
}, 180_000);

it('offers no pull request where contents may only be read', async () => {
  await using stage = await granted({ contents: 'read' });
  const desk = await stage.desk('corner/contents-read');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).buttons).toEqual([]);
  expect(desk.comments(number)).toHaveLength(1);
}, 180_000);
