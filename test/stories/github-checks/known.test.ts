// A failure that is known already: counted and linked wherever it is seen again, looked into once, told once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redActs } from '../../support/github-red-acts.ts';
import { openRedDesk, type RedDesk } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-logs.ts';
import { type RedModel, redModel } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: RedModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await redModel();
  stage = await openGithubStage({ env: model.env });
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A shop in which a first pull request was told of the coupons. */
async function told(name: string) {
  const desk = await openRedDesk(stage, model, name);
  const { number, pull } = await desk.pull({ branch: 'first' });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const [comment, ...more] = stage.ourComments(name, number);
  if (comment === undefined || more.length > 0) throw new Error(`${name} has ${more.length} more comments than one`);
  expect([desk.begun().length, desk.failures().map(({ hits }) => hits)]).toEqual([1, [1]]);
  return { desk, acts: redActs(stage, desk), number, sha, comment, address: `${number}#issuecomment-${comment.id}` };
}

function expectLinked(desk: RedDesk, sha: string, { address, hits }: { address: string; hits: number }): void {
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.words).toMatch(new RegExp(`Known, first seen on .* at #\\d+, ${hits} times in all: where it is told`));
  expect(shown.summary.links).toContainEqual(expect.stringMatching(`/pull/${address}$`));
  expect(shown.buttons).toEqual([]);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.failures().map((failure) => [failure.hits, failure.state])).toEqual([[hits, 'open']]);
}

it('is linked on another pull request, with no question and no second comment', async () => {
  const { desk, number, address, comment } = await told('corner/other-pull');
  const other = await desk.pull({ branch: 'second', by: 'mara' });
  await desk.run(other.pull?.headSha ?? '', { test: COUPONS });
  expectLinked(desk, other.pull?.headSha ?? '', { address, hits: 2 });
  expect(desk.comments(other.number)).toEqual([]);
  expect(desk.comments(number).map(({ body }) => body)).toEqual([comment.body]);
}, 60_000);

it('is linked on a branch without a pull request, where nothing else is written', async () => {
  const { desk, address } = await told('corner/other-branch');
  const written = desk.writesBeside();
  const sha = await desk.push('aside');
  await desk.run(sha, { test: COUPONS });
  expectLinked(desk, sha, { address, hits: 2 });
  expect(desk.writesBeside()).toEqual(written);
}, 60_000);

it('is linked on a fork, to which nothing is written', async () => {
  const { desk, acts, address } = await told('corner/other-fork');
  const written = desk.writesBeside();
  const { number, pull } = await acts.forkPull();
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  expectLinked(desk, pull?.headSha ?? '', { address, hits: 2 });
  expect(desk.comments(number)).toEqual([]);
  expect([desk.writesBeside(), stage.writes('ola/other-fork')]).toEqual([written, []]);
}, 60_000);

it('is the same in a later run at the same commit: one check run, one comment, one more sighting', async () => {
  const { desk, number, sha, comment } = await told('corner/later-run');
  await desk.run(sha, { nightly: COUPONS }, { workflow: 'Nightly' });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('nightly');
  expect(shown.title).toMatch(/^Your change: /);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.failures().map(({ hits }) => hits)).toEqual([2]);
  expect(stage.ourComments(desk.name, number).map(({ id }) => id)).toEqual([comment.id]);
}, 60_000);

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
  expect(desk.failures().map(({ hits }) => hits)).toEqual([2]);
}, 60_000);

it('is told in the same comment when the next push of the pull request adds another cause', async () => {
  const { desk, number, comment } = await told('corner/added-cause');
  const sha = await desk.push('first');
  await desk.run(sha, { test: COUPONS, deliver: DELIVERY });
  expect(desk.begun()).toHaveLength(2);
  const comments = desk.comments(number);
  expect(stage.ourComments(desk.name, number).map(({ id }) => id)).toEqual([comment.id]);
  expect(comments[0]?.text).toContain('src/coupons.js');
  expect(comments[0]?.text).toContain('src/delivery.js');
}, 60_000);
