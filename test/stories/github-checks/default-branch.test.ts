// A red default branch: its fix is a draft pull request where it is proven and sure, and a button where it is not; nobody is told in a comment.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderMarkdown } from '../../github-double/page/markdown.ts';
import { minutesAgo, redActs } from '../../support/github-red-acts.ts';
import { openRedDesk, type RedDesk, resultOf } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, type Failing } from '../../support/github-red-logs.ts';
import { type RedModel, redModel } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { call, conclusion, type Played, stepWith } from '../../support/played-model.ts';

let model: RedModel;
let stage: GithubStage;

/** A cause that is mended where people must look first: what runs with the repository's secrets. */
const SCRIPT: Failing = {
  test: 'the package says how it is tested',
  at: 'test/package.test.js:5:1',
  error: [
    'AssertionError: expected node --test --strict',
    '    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/package.test.js:6:10)',
  ],
};
const SCRIPT_TURNS: readonly Played[] = [
  { say: 'The script.', calls: [call('read_files', { files: [{ path: 'package.json' }] })] },
  {
    say: 'It is not strict.',
    calls: [call('replace', { path: 'package.json', old: '"node --test"', new: '"node --test --strict"' })],
  },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'The tests are not strict.',
        rootCause: [
          {
            text: 'The script of the tests is not strict',
            citations: [{ step: stepWith(asked, '"test": "node --test"'), quote: '"test": "node --test"' }],
            places: [{ file: 'package.json', line: 8 }],
          },
        ],
        solutionSteps: ['Make it strict.'],
        suspects: [{ file: 'package.json', line: 8, function: '', why: 'has the script' }],
      }),
    ],
  }),
];

beforeAll(async () => {
  model = await redModel([{ of: SCRIPT, turns: SCRIPT_TURNS }]);
  stage = await openGithubStage({ env: model.env });
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

interface Red {
  readonly by?: string;
  readonly jobs?: Readonly<Record<string, Failing>>;
  readonly config?: string;
}

/** A shop whose default branch was green, and is red after a push. */
async function redMain(name: string, { by = 'mara', jobs = { test: COUPONS }, config }: Red = {}) {
  const desk = await openRedDesk(stage, model, name, config === undefined ? {} : { config });
  const { people } = stage.double;
  const green = await people.push(name, { by: 'mara', files: { 'NOTES.md': 'all well\n' }, message: 'All is well' });
  const before = Object.fromEntries(Object.keys(jobs).map((job) => [job, 'success' as const]));
  await desk.run(green, before, { at: minutesAgo(3) });
  const sha = await people.push(name, { by, files: { 'NOTES.md': 'worse\n' }, message: 'Make it worse' });
  await desk.run(sha, jobs);
  return { desk, acts: redActs(stage, desk), green, sha };
}

/** Of issues and pull requests alike. */
function expectNoComment({ name }: RedDesk): void {
  const said = stage.writes(name).filter((write) => /comments|reviews|reactions/.test(write));
  expect(said).toEqual([]);
}

it('gets a draft pull request unasked that names failure and commits, and no comment anywhere', async () => {
  const { desk, acts, green, sha } = await redMain('corner/mended');
  const [pull, ...more] = acts.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull).toMatchObject({
    baseRef: 'main',
    isDraft: true,
    headRef: expect.stringMatching(/^causeway\/failure-/),
  });
  const { text } = shown(pull?.body ?? '', desk.name);
  expect(text).toContain('For red checks of main: test.');
  expect(text).toContain('First error:');
  expect(text).toContain(COUPONS.test);
  expect(text).toContain(`Green at ${green.slice(0, 12)}, red at ${sha.slice(0, 12)}, 1 commit later`);
  expect(text).toContain('Make it worse');
  expect(text).toContain('after a push by mara');
  expectNoComment(desk);
  const run = desk.checkRun(sha);
  expect(run.title).toMatch(/^This push: /);
  expect(run.words).toContain(`next: review #${pull?.number}`);
  expect([run.buttons, run.places]).toEqual([[], expect.arrayContaining(['src/coupons.js:14'])]);
}, 60_000);

it('has the checks of that pull request followed, one pull request alone however often it is red, and an end when it is green', async () => {
  const { desk, acts } = await redMain('corner/followed');
  const [pull] = acts.pulls();
  await desk.run(pull?.pull?.headSha ?? '', { test: 'success' });
  expect(shown(pull?.body ?? '', desk.name).text).toContain('they are green on this head');
  expect(pull?.pull?.isDraft).toBe(true);
  const again = await desk.push('main', { files: { 'NOTES.md': 'still worse\n' } });
  await desk.run(again, { test: COUPONS });
  expect(acts.pulls()).toHaveLength(1);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.checkRun(again).summary.links).toContainEqual(expect.stringMatching(`/pull/${pull?.number}$`));
  await stage.double.people.merge(desk.name, pull?.number ?? 0, 'mara');
  await stage.rest();
  await desk.run(await desk.tip(), { test: 'success' });
  expect(desk.failures().map(({ state }) => state)).toEqual(['closed']);
  expect([acts.pulls().length, desk.checkRuns(await desk.tip())]).toEqual([1, []]);
  expectNoComment(desk);
}, 60_000);

it('says in its pull request when main is green without it, and again when it is red once more', async () => {
  const { desk, acts } = await redMain('corner/without');
  const body = () => shown(acts.pulls()[0]?.body ?? '', desk.name).text;
  expect(body()).not.toMatch(/without this change/);
  const green = await desk.push('main', { files: { 'NOTES.md': 'mended by hand\n' } });
  await desk.run(green, { test: 'success' });
  expect(body()).toContain(`Not red on main any more since ${green.slice(0, 7)}, without this change`);
  // GitHub's times are whole seconds: what is red within the second of the green is not after it.
  await wait(1_100);
  const red = await desk.push('main', { files: { 'NOTES.md': 'worse again\n' } });
  await desk.run(red, { test: COUPONS });
  expect(body()).toContain(`Red on main again: it was mended at ${green.slice(0, 7)} without this change`);
  expect(body()).not.toContain(red.slice(0, 12));
  expect(desk.checkRun(red).words).toContain(`next: review or close #${acts.pulls()[0]?.number}`);
  expect(acts.pulls()).toHaveLength(1);
}, 60_000);

it('is linked from a pull request that is red for it: to the one that mends it, with nothing else written there', async () => {
  const { desk, acts } = await redMain('corner/linked');
  const { number, pull } = await desk.pull();
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  const run = desk.checkRun(pull?.headSha ?? '');
  expect(run.title).toBe('Red on main as well, not your change');
  expect(run.words).toContain('2 times in all: where it is told');
  expect(run.summary.links).toContainEqual(expect.stringMatching(`/pull/${acts.pulls()[0]?.number}$`));
  expect([run.buttons, desk.comments(number)]).toEqual([[], []]);
  expect(desk.begun()).toHaveLength(1);
}, 60_000);

it('gets one pull request unasked for two causes; the other has a button', async () => {
  const { desk, acts, sha } = await redMain('corner/two', { jobs: { a: COUPONS, b: DELIVERY } });
  expect(acts.pulls()).toHaveLength(1);
  expect(desk.begun()).toHaveLength(2);
  expect(desk.checkRun(sha).buttons).toHaveLength(1);
  await acts.press(sha, 'mara');
  expect(acts.pulls()).toHaveLength(2);
  expect(acts.pulls().map(({ pull }) => pull?.baseRef)).toEqual(['main', 'main']);
  expect(desk.checkRun(sha).buttons).toEqual([]);
  expectNoComment(desk);
}, 60_000);

const NOT_UNASKED: readonly (readonly [string, string, Red])[] = [
  ['the fix is not where the failure points', 'unsure', { jobs: { test: BASKET } }],
  ['the fix needs a look first', 'guarded', { jobs: { test: SCRIPT } }],
  ['nobody with write pushed it', 'stranger', { by: 'lena' }],
];

it.each(NOT_UNASKED)(
  'gets none unasked where %s, but one on request',
  async (_, name, red) => {
    const { desk, acts, sha } = await redMain(`corner/${name}`, red);
    expect(acts.pulls()).toEqual([]);
    expect(desk.begun()).toHaveLength(1);
    expect(desk.checkRun(sha).buttons).toEqual(['Open fix']);
    expectNoComment(desk);
    await acts.press(sha, 'per');
    expect(acts.pulls()).toEqual([]);
    await acts.press(sha, 'mara');
    const [pull, ...more] = acts.pulls();
    expect(more).toEqual([]);
    expect(pull?.pull).toMatchObject({ baseRef: 'main', isDraft: true });
    expect(shown(pull?.body ?? '', desk.name).text).toContain('asked for by mara');
    expect(desk.checkRun(sha).words).toContain(`next: review #${pull?.number}`);
    expectNoComment(desk);
  },
  60_000,
);

it('gets none, and no button, in mode comment, and nothing at all in mode observe', async () => {
  const comment = await redMain('corner/comment', { config: 'mode: comment\n' });
  expect([comment.acts.pulls(), comment.desk.checkRun(comment.sha).buttons]).toEqual([[], []]);
  expect(comment.desk.checkRun(comment.sha).words).toContain('src/coupons.js');
  expect(comment.desk.writesBeside()).toEqual([]);
  const observe = await redMain('corner/observe', { config: 'mode: observe\n' });
  expect(observe.desk.writes()).toEqual([]);
  expect(observe.desk.failures().map(({ state }) => state)).toEqual(['open']);
}, 60_000);

it('gets none where it is green again by the time the cause is found', async () => {
  const desk = await openRedDesk(stage, model, 'corner/meanwhile');
  const { people } = stage.double;
  const sha = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'worse\n' } });
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  await people.reportWorkflowRun(desk.name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
  await asked;
  const mended = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'better\n' } });
  await people.reportWorkflowRun(desk.name, { sha: mended, jobs: [{ name: 'test', conclusion: 'success' }] });
  await stage.until('the end of the failure', () => desk.failures()[0]?.state === 'closed');
  release();
  await stage.rest();
  expect(redActs(stage, desk).pulls()).toEqual([]);
  expect(desk.checkRun(sha).buttons).toEqual([]);
}, 60_000);

function shown(body: string, name: string) {
  return renderMarkdown(body, { repository: name, webUrl: stage.double.webUrl });
}
