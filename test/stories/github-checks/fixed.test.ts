// Green again: what was said shrinks to one line and is folded away, the ledger closes; red once more, and the same comment is back.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

const ONE_LINE = /^[^\n]*$/;

/** A shop whose pull request was told of the coupons, with suggestions. */
async function told(name: string) {
  const desk = await stage.desk(name);
  const { number, sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: COUPONS });
  const comment = desk.onlyComment(number);
  expect(comment.minimized).toBeNull();
  const now = () => {
    const [only, ...others] = desk.comments(number);
    expect(others).toEqual([]);
    return { text: only?.text.trim() ?? '', minimized: only?.minimized?.toUpperCase() ?? null };
  };
  const mend = (branch = 'coupons') => desk.push(branch, { files: { 'NOTES.md': 'mended\n' } });
  return { desk, number, sha, comment, now, mend };
}

it('shrinks its comment to one line when a later push is green, and folds it away with its suggestions', async () => {
  const { desk, number, sha, now, mend } = await told('corner/mended');
  expect(desk.reviews(number).map(({ minimized }) => minimized)).toEqual([null]);
  const green = await mend();
  await desk.run(green, { test: 'success' });
  expect(now()).toEqual({ text: expect.stringMatching(ONE_LINE), minimized: 'RESOLVED' });
  expect(now().text).toContain(`Green again at ${green.slice(0, 7)}: test passed`);
  expect(desk.reviews(number).map(({ minimized }) => minimized?.toUpperCase())).toEqual(['RESOLVED']);
  expect((await desk.failures()).map(({ state, hits }) => [state, hits])).toEqual([['closed', 1]]);
  expect([desk.checkRuns(sha).length, desk.checkRuns(green)]).toEqual([1, []]);
  expect(desk.begun()).toHaveLength(1);
});

it('brings the same comment back when the pull request is red again, and never a second', async () => {
  const { desk, number, comment, now, mend } = await told('corner/back');
  const before = comment.body;
  await desk.run(await mend(), { test: 'success' });
  for (const round of [1, 2]) {
    // GitHub's times are whole seconds: within one, nothing comes back.
    await wait(1_100);
    const red = await desk.push('coupons', { files: { 'NOTES.md': `red ${round}\n` } });
    await desk.run(red, { test: COUPONS });
    expect(now().minimized).toBeNull();
    expect(now().text).toContain('src/coupons.js');
    expect(desk.checkRun(red).title).toMatch(/^Your change: /);
    // Soon after its end it is told of by what was found before.
    expect([desk.reviews(number).length, desk.begun().length]).toEqual([1, 1]);
    const green = await desk.push('coupons', { files: { 'NOTES.md': `green ${round}\n` } });
    await desk.run(green, { test: 'success' });
    expect(now()).toEqual({ text: expect.stringMatching(ONE_LINE), minimized: 'RESOLVED' });
  }
  expect(stage.ourComments(desk.name, number).map(({ id }) => id)).toEqual([comment.id]);
  expect(before).not.toBe(comment.body);
});

it('keeps quiet on a push that is still being checked, and on a check that was skipped beside the red one', async () => {
  const { desk, comment, now, mend } = await told('corner/not-yet');
  const before = comment.body;
  const sha = await mend();
  const { people } = stage.double;
  const run = await people.startRun(desk.name, { sha, jobs: ['lint', 'test'] });
  await people.finishJob(desk.name, run, 'lint', { conclusion: 'success' });
  await stage.rest();
  expect([comment.body, now().minimized]).toEqual([before, null]);
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['open']);
  await people.finishJob(desk.name, run, 'test', { conclusion: 'success' });
  await stage.rest();
  expect(now().minimized).toBe('RESOLVED');
});

it('closes the failure of a default branch when it is green there, with nothing written', async () => {
  const desk = await stage.desk('corner/main-mended', { config: 'mode: comment\n' });
  const red = await desk.tip();
  await desk.run(red, { test: COUPONS, lint: 'success' });
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['open']);
  const written = desk.writes().length;
  const half = await desk.push('main', { files: { 'NOTES.md': 'half\n' } });
  await desk.run(half, { lint: 'success' }, { workflow: 'Lint' });
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['open']);
  await desk.run(await desk.push('main', { files: { 'NOTES.md': 'mended\n' } }), { test: 'success' });
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['closed']);
  expect(desk.writes()).toHaveLength(written);
});

it.each(['merged', 'closed'] as const)(
  'lets a pull request that was %s rest: nothing new is said there',
  async (how) => {
    const { desk, number, sha, comment } = await told(`corner/was-${how}`);
    const { people } = stage.double;
    const before = comment.body;
    if (how === 'merged') await people.merge(desk.name, number, 'mara');
    else people.close(desk.name, number, 'mara');
    await stage.rest();
    expect((await desk.failures()).map(({ state }) => state)).toEqual(['closed']);
    const written = desk.writes().length;
    await desk.run(sha, { late: COUPONS }, { workflow: 'Late' });
    expect(stage.ourComments(desk.name, number).map(({ id, body }) => [id, body])).toEqual([[comment.id, before]]);
    expect(desk.checkRun(sha).status).toBe('completed');
    expect([desk.begun().length, desk.writesBeside().filter((one) => one.startsWith('mutation'))]).toEqual([1, []]);
    expect(desk.writes().length).toBe(written);
  },
);

it('says nothing of a pull request that was closed while the cause was looked for', async () => {
  const desk = await stage.desk('corner/closed-meanwhile');
  const { number, sha } = await desk.pull();
  const { release } = await desk.runHeld(sha, { test: COUPONS });
  stage.double.people.close(desk.name, number, 'mara');
  await release();
  expect([desk.comments(number), desk.reviews(number)]).toEqual([[], []]);
  expect(desk.checkRun(sha).status).toBe('completed');
});
