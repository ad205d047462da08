// A failure that is known already: counted and linked wherever it is seen again, looked into once, told once.
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, CHANGED_TESTS, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';

const stage = redStage();

/** A shop in which a first pull request was told of the coupons. */
async function told(name: string) {
  const desk = await stage.desk(name);
  const { number, sha } = await desk.pull({ branch: 'first' });
  await desk.run(sha, { test: COUPONS });
  const comment = desk.onlyComment(number);
  expect([desk.begun().length, (await desk.failures()).map(({ hits }) => hits)]).toEqual([1, [1]]);
  return { desk, number, sha, comment, address: `${number}#issuecomment-${comment.id}` };
}

async function expectLinked(
  desk: RedDesk,
  sha: string,
  { address, hits }: { address: string; hits: number },
): Promise<void> {
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.words).toMatch(new RegExp(`First seen .* in #\\d+, ${hits} times in total\\.`));
  expect(shown.summary.links).toContainEqual(expect.stringMatching(`/pull/${address}$`));
  expect(shown.buttons).toEqual([]);
  expect(desk.begun()).toHaveLength(1);
  expect((await desk.failures()).map((failure) => [failure.hits, failure.state])).toEqual([[hits, 'open']]);
}

it('is linked on another pull request, with no question and no second comment', async () => {
  const { desk, number, address, comment } = await told('corner/other-pull');
  const other = await desk.pull({ branch: 'second', by: 'mara' });
  await desk.run(other.sha, { test: COUPONS });
  await expectLinked(desk, other.sha, { address, hits: 2 });
  expect(desk.comments(other.number)).toEqual([]);
  expect(desk.comments(number).map(({ body }) => body)).toEqual([comment.body]);
});

it('is linked on a branch without a pull request, where nothing else is written', async () => {
  const { desk, address } = await told('corner/other-branch');
  const written = desk.writesBeside();
  const sha = await desk.push('aside');
  await desk.run(sha, { test: COUPONS });
  await expectLinked(desk, sha, { address, hits: 2 });
  expect(desk.writesBeside()).toEqual(written);
});

it('is linked on a fork, to which nothing is written', async () => {
  const { desk, address } = await told('corner/other-fork');
  const written = desk.writesBeside();
  const { number, sha } = await desk.forkPull(CHANGED_TESTS);
  await desk.run(sha, { test: COUPONS });
  await expectLinked(desk, sha, { address, hits: 2 });
  expect(desk.comments(number)).toEqual([]);
  expect([desk.writesBeside(), stage.writes('ola/other-fork')]).toEqual([written, []]);
});

it('is the same in a later run at the same commit: one check run, one comment, one more sighting', async () => {
  const { desk, number, sha, comment } = await told('corner/later-run');
  await desk.run(sha, { nightly: COUPONS }, { workflow: 'Nightly' });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('nightly');
  expect(shown.title).toMatch(/^Your change: /);
  expect(desk.begun()).toHaveLength(1);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([2]);
  expect(stage.ourComments(desk.name, number).map(({ id }) => id)).toEqual([comment.id]);
});

it('leaves its comment as it is when the next push of the same pull request is red for it again', async () => {
  const { desk, number, comment } = await told('corner/next-push');
  const { body, updatedAt } = comment;
  stage.double.state.clock.advance(5_000);
  const sha = await desk.push('first');
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
  expect(desk.begun()).toHaveLength(1);
  const comments = stage.ourComments(desk.name, number);
  expect(comments.map((one) => [one.id, one.body, one.updatedAt])).toEqual([[comment.id, body, updatedAt]]);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([2]);
});

it('is told in the same comment when the next push of the pull request adds another cause', async () => {
  const { desk, number, comment } = await told('corner/added-cause');
  const sha = await desk.push('first');
  await desk.run(sha, { test: COUPONS, deliver: DELIVERY });
  expect(desk.begun()).toHaveLength(2);
  const comments = desk.comments(number);
  expect(stage.ourComments(desk.name, number).map(({ id }) => id)).toEqual([comment.id]);
  expect(comments[0]?.text).toContain('src/coupons.js');
  expect(comments[0]?.text).toContain('src/delivery.js');
});

/** A change of that file, which says no more about itself. */
const changeOf = (path: string) => ({ [path]: BESIDE_THE_BUG[path] ?? `// ${path}, written again\n` });

it('is looked into again for a pull request that changes other files of what fails, and linked where it changes the same', async () => {
  const desk = await stage.desk('corner/two-causes', { green: ['test'] });
  const money = await desk.pull({ branch: 'money', files: changeOf('src/money.js') });
  await desk.run(money.sha, { test: COUPONS });
  const coupons = await desk.pull({ branch: 'coupons', by: 'mara', files: changeOf('src/coupons.js') });
  await desk.run(coupons.sha, { test: COUPONS });
  const shown = desk.checkRun(coupons.sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).not.toContain('the analysis there');
  expect([desk.begun().length, desk.comments(money.number).length]).toEqual([2, 1]);
  const answered = desk.onlyComment(coupons.number);

  const picked = await desk.pull({ branch: 'picked', files: changeOf('src/coupons.js') });
  await desk.run(picked.sha, { test: COUPONS });
  const linked = desk.checkRun(picked.sha);
  expect(linked.title).toMatch(new RegExp(`^Your change, the same failure as #${coupons.number}: `));
  expect(linked.words).toContain('1 check failed because of this change');
  const address = `/pull/${coupons.number}#issuecomment-${answered.id}`;
  expect(linked.summary.links).toContainEqual(expect.stringContaining(address));

  const pushed = await desk.push('money', { files: changeOf('src/money.js') });
  await desk.run(pushed, { test: COUPONS });
  expect(desk.checkRun(pushed).title).not.toContain('Same failure');
  expect([desk.begun().length, desk.comments(picked.number)]).toEqual([2, []]);
});
