// A house without a model, and one that was granted less: what it knows it says in the check run, what it may not do it leaves out.
import { expect, it } from 'vitest';
import type { Issue } from '../../../src/core/issue/issue.ts';
import { BESIDE_THE_BUG, openRedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { openGithubStage } from '../../support/github-stage.ts';

const OWNERS = ['checks-read', 'no-actions', 'contents-read'] as const;

const stage = redStage({ env: { ALLOWED_OWNERS: OWNERS.join(',') } });

/** A shop of an organisation of its own, which has granted the App less: without a permission, or with less of one. */
function grantedLess(owner: (typeof OWNERS)[number], changed: Readonly<Record<string, 'read' | null>>) {
  const { people, app } = stage.double;
  const wanted = Object.entries({ ...app.permissions, ...changed });
  const permissions = Object.fromEntries(wanted.flatMap(([name, level]) => (level === null ? [] : [[name, level]])));
  people.organization(owner, { owners: ['nora'], members: ['per'] });
  people.install(owner, { by: 'nora', permissions });
  return stage.desk(`${owner}/shop`);
}

it('judges without a model, and comments on nothing unasked: bare facts are no news', async () => {
  await using alone = await openGithubStage();
  const desk = await openRedDesk(alone, null, 'corner/no-model');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('the change touches test/coupons.test.js, where the check fails');
  expect([desk.comments(number), desk.writesBeside()]).toEqual([[], []]);
});

it('starts where the change touches what fails, and offers no older change', async () => {
  await using alone = await openGithubStage();
  const desk = await openRedDesk(alone, null, 'corner/no-model');
  const { sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: COUPONS });
  const api = await alone.api('mara');
  const { issueIds } = await api.project(desk.name);
  const { rootCause, solutionSteps } = await api.get<Pick<Issue, 'rootCause' | 'solutionSteps'>>(
    `/api/v1/issues/${issueIds[0]}/`,
  );
  expect(rootCause).toMatch(
    /^Most likely place: `src\/coupons\.js:\d+`( in `discountFor\(\)`)? \(this change touches it[;)]/,
  );
  expect(JSON.stringify(solutionSteps)).not.toContain('recent changes');
});

it('makes no check run where checks may only be read, and tries it once; the comment is due all the same', async () => {
  const desk = await grantedLess('checks-read', { checks: 'read' });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRuns(sha)).toEqual([]);
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
  await desk.run(sha, { lint: COUPONS }, { workflow: 'Lint' });
  const tried = stage.double.requests.filter(
    ({ method, path }) => method !== 'GET' && path.startsWith(`/repos/${desk.name}/check-runs`),
  );
  expect(tried.length).toBeLessThanOrEqual(1);
  expect(desk.comments(number)).toHaveLength(1);
});

it('leaves Actions alone where it may not read its runs, for nobody can say who started them', async () => {
  const desk = await grantedLess('no-actions', { actions: null });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRuns(sha)).toEqual([]);
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
});

it('offers no pull request where contents may only be read', async () => {
  const desk = await grantedLess('contents-read', { contents: 'read' });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).buttons).toEqual([]);
  expect(desk.comments(number)).toHaveLength(1);
});
