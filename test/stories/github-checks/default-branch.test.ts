// A red default branch: its fix is a draft pull request where it is proven and sure, and a button where it is not; nobody is told in a comment.

import { setTimeout as wait } from 'node:timers/promises';
import { renderMarkdown } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { minutesAgo, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import {
  BASKET,
  COUPONS,
  DELIVERY,
  ELSEWHERE_TURNS,
  type Failing,
  SCRIPT,
  SCRIPT_TURNS,
} from '../../support/github-red-model.ts';

const stage = redStage({
  turns: [
    { of: SCRIPT, turns: SCRIPT_TURNS },
    { of: BASKET, turns: ELSEWHERE_TURNS },
  ],
});

interface Red {
  readonly by?: string;
  readonly jobs?: Readonly<Record<string, Failing>>;
  readonly config?: string;
}

/** A shop whose default branch was green, and is red after a push. */
async function redMain(name: string, { by = 'mara', jobs = { test: COUPONS }, config }: Red = {}) {
  const desk = await stage.desk(name, config === undefined ? {} : { config });
  const { people } = stage.double;
  const green = await people.push(name, { by: 'mara', files: { 'NOTES.md': 'all well\n' }, message: 'All is well' });
  const before = Object.fromEntries(Object.keys(jobs).map((job) => [job, 'success' as const]));
  await desk.run(green, before, { at: minutesAgo(3) });
  const sha = await people.push(name, { by, files: { 'NOTES.md': 'worse\n' }, message: 'Make it worse' });
  await desk.run(sha, jobs);
  return { desk, green, sha };
}

/** Of issues and pull requests alike. */
function expectNoComment({ name }: RedDesk): void {
  const said = stage.writes(name).filter((write) => /comments|reviews|reactions/.test(write));
  expect(said).toEqual([]);
}

it('gets a draft pull request unasked that names failure and commits, and no comment anywhere', async () => {
  const { desk, green, sha } = await redMain('corner/mended');
  const [pull, ...more] = desk.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull).toMatchObject({
    baseRef: 'main',
    isDraft: true,
    headRef: expect.stringMatching(/^causeway\/failure-/),
  });
  const { text } = shown(pull?.body ?? '', desk.name);
  expect(text).toContain('For failing checks on main: test.');
  expect(text).toContain('First error:');
  expect(text).toContain(COUPONS.test);
  expect(text).toContain(`Passing at ${green.slice(0, 12)}, failing at ${sha.slice(0, 12)}, 1 commit later`);
  expect(text).toContain('Make it worse');
  expect(text).toContain('after a push by mara');
  expectNoComment(desk);
  const run = desk.checkRun(sha);
  expect(run.title).toMatch(/^This push: /);
  expect(run.words).toContain(`next: review #${pull?.number}`);
  expect([run.buttons, run.places]).toEqual([['Open revert'], expect.arrayContaining(['src/coupons.js:14'])]);
});

it('has the checks of that pull request followed, one pull request alone however often it is red, and an end when it is green', async () => {
  const { desk } = await redMain('corner/followed');
  const [pull] = desk.pulls();
  await desk.run(pull?.pull?.headSha ?? '', { test: 'success' });
  expect(shown(pull?.body ?? '', desk.name).text).toContain("Proven in this repository's own CI");
  expect(pull?.pull?.isDraft).toBe(true);
  const again = await desk.push('main', { files: { 'NOTES.md': 'still worse\n' } });
  await desk.run(again, { test: COUPONS });
  expect(desk.pulls()).toHaveLength(1);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.checkRun(again).summary.links).toContainEqual(expect.stringMatching(`/pull/${pull?.number}$`));
  await stage.double.people.merge(desk.name, pull?.number ?? 0, 'mara');
  await stage.rest();
  await desk.run(await desk.tip(), { test: 'success' });
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['closed']);
  expect([desk.pulls().length, desk.checkRuns(await desk.tip())]).toEqual([1, []]);
  expectNoComment(desk);
});

it('says in its pull request when main is green without it, and again when it is red once more', async () => {
  const { desk } = await redMain('corner/without');
  const body = () => shown(desk.pulls()[0]?.body ?? '', desk.name).text;
  expect(body()).not.toMatch(/without this change/);
  const green = await desk.push('main', { files: { 'NOTES.md': 'mended by hand\n' } });
  await desk.run(green, { test: 'success' });
  expect(body()).toContain(`main has passed since ${green.slice(0, 7)} without this change`);
  // GitHub's times are whole seconds: what is red within the second of the green is not after it.
  await wait(1_100);
  const red = await desk.push('main', { files: { 'NOTES.md': 'worse again\n' } });
  await desk.run(red, { test: COUPONS });
  expect(body()).toContain(`main is failing again: it passed at ${green.slice(0, 7)} without this change`);
  expect(body()).not.toContain(red.slice(0, 12));
  expect(desk.checkRun(red).words).toContain(`next: review or close #${desk.pulls()[0]?.number}`);
  expect(desk.pulls()).toHaveLength(1);
});

it('is linked from a pull request that is red for it: to the one that mends it, with nothing else written there', async () => {
  const { desk } = await redMain('corner/linked');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const run = desk.checkRun(sha);
  expect(run.title).toBe('Broken on main, not your change');
  expect(run.words).toMatch(/First seen .* 2 times in total\./);
  expect(run.summary.links).toContainEqual(expect.stringMatching(`/pull/${desk.pulls()[0]?.number}$`));
  expect([run.buttons, desk.comments(number)]).toEqual([[], []]);
  expect(desk.begun()).toHaveLength(1);
});

it('gets one pull request unasked for two causes; the other has a button', async () => {
  const { desk, sha } = await redMain('corner/two', { jobs: { a: COUPONS, b: DELIVERY } });
  expect(desk.pulls()).toHaveLength(1);
  expect(desk.begun()).toHaveLength(2);
  expect(desk.checkRun(sha).buttons).toEqual(['Open fix', 'Open revert']);
  await desk.press(sha, 'mara');
  expect(desk.pulls()).toHaveLength(2);
  expect(desk.pulls().map(({ pull }) => pull?.baseRef)).toEqual(['main', 'main']);
  expect(desk.checkRun(sha).buttons).toEqual(['Open revert']);
  expectNoComment(desk);
});

const NOT_UNASKED: readonly (readonly [string, string, Red])[] = [
  ['the fix is not where the failure points', 'unsure', { jobs: { test: BASKET } }],
  ['the fix needs a look first', 'guarded', { jobs: { test: SCRIPT } }],
  ['nobody with write pushed it', 'stranger', { by: 'lena' }],
  ['a second look refutes it', 'refuted', {}],
];

it.each(NOT_UNASKED)('gets none unasked where %s, but one on request', async (_, name, red) => {
  const { desk, sha } = await redMain(`corner/${name}`, red);
  expect(desk.pulls()).toEqual([]);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.checkRun(sha).buttons).toEqual(['Open fix', 'Open revert']);
  expectNoComment(desk);
  await desk.press(sha, 'per');
  expect(desk.pulls()).toEqual([]);
  await desk.press(sha, 'mara');
  const [pull, ...more] = desk.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull).toMatchObject({ baseRef: 'main', isDraft: true });
  expect(shown(pull?.body ?? '', desk.name).text).toContain('requested by mara');
  expect(desk.checkRun(sha).words).toContain(`next: review #${pull?.number}`);
  expectNoComment(desk);
});

it('gets none, and no button, in mode comment, and nothing at all in mode observe', async () => {
  const comment = await redMain('corner/comment', { config: 'mode: comment\n' });
  expect([comment.desk.pulls(), comment.desk.checkRun(comment.sha).buttons]).toEqual([[], []]);
  expect(comment.desk.checkRun(comment.sha).words).toContain('src/coupons.js');
  expect(comment.desk.writesBeside()).toEqual([]);
  const observe = await redMain('corner/observe', { config: 'mode: observe\n' });
  expect(observe.desk.writes()).toEqual([]);
  expect((await observe.desk.failures()).map(({ state }) => state)).toEqual(['open']);
});

it('gets none where it is green again by the time the cause is found', async () => {
  const desk = await stage.desk('corner/meanwhile');
  const { people } = stage.double;
  const sha = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'worse\n' } });
  const { release } = await desk.runHeld(sha, { test: COUPONS });
  const mended = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'better\n' } });
  await desk.report(mended, { test: { conclusion: 'success' } });
  await stage.until('the end of the failure', async () => (await desk.failures())[0]?.state === 'closed');
  await release();
  expect(desk.pulls()).toEqual([]);
  expect(desk.checkRun(sha).buttons).toEqual([]);
});

function shown(body: string, name: string) {
  return renderMarkdown(body, { repository: name, webUrl: stage.double.webUrl });
}
