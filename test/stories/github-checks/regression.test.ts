// A failure of the default branch that was mended comes back: it is called so, and the commits that brought it are named.
import { renderMarkdown } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, minutesAgo, type RedDesk, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

/** Where the checks of main alone matter, nothing is pushed. */
const COMMENT = { config: 'mode: comment\n' };

/** A commit on main by that person. */
async function commit(desk: RedDesk, subject: string, by = 'mara', files = {}): Promise<string> {
  const { people } = stage.double;
  return people.push(desk.name, { by, files: { 'NOTES.md': `${subject}\n`, ...files }, message: subject });
}

it('names the commits between green and red where a failure comes back on main, with links', async () => {
  const desk = await stage.desk('corner/back', COMMENT);
  const first = await desk.tip();
  await desk.run(first, { test: COUPONS }, { at: minutesAgo(9) });
  expect((await desk.failures()).map(({ state, opening }) => [state, opening])).toEqual([['open', 1]]);
  const green = await commit(desk, 'Mend the coupons');
  await desk.run(green, { test: 'success' }, { at: minutesAgo(6) });
  expect((await desk.failures()).map(({ state, opening }) => [state, opening])).toEqual([['closed', 1]]);
  const between = await commit(desk, 'Tidy the basket', 'lena');
  const red = await commit(desk, 'Undo the coupons');
  await desk.run(red, { test: COUPONS });
  expect((await desk.failures()).map(({ state, opening, hits }) => [state, opening, hits])).toEqual([['open', 2, 2]]);
  const shown = desk.checkRun(red);
  expect(shown.title).toMatch(/^Broken again on main: /);
  expect(shown.words).toContain('Regression: it was fixed before. First seen');
  expect(shown.words).toContain(`Introduced by 2 commits, ${green.slice(0, 7)}…${red.slice(0, 7)}`);
  expect(shown.words).toContain('Tidy the basket, by lena');
  expect(shown.words).toContain('Undo the coupons, by mara');
  expect(shown.words).not.toContain('Mend the coupons');
  const links = shown.summary.links.map((link) => link.slice(link.indexOf('/corner/')));
  expect(links).toContain(`/corner/back/compare/${green}...${red}`);
  expect(links).toContain(`/corner/back/commit/${between}`);
  expect(links).toContain(`/corner/back/commit/${red}`);
  // What came back is looked into anew.
  expect(desk.begun()).toHaveLength(2);
  expect(desk.begun()[1]).toContain(between.slice(0, 7));
});

it('names the commit that brought a failure which main has never had', async () => {
  const desk = await stage.desk('corner/never', COMMENT);
  const green = await desk.tip();
  await desk.run(green, { test: 'success' }, { at: minutesAgo(6) });
  const red = await commit(desk, 'Break the coupons');
  await desk.run(red, { test: COUPONS });
  const shown = desk.checkRun(red);
  expect(shown.title).toMatch(/^This push: /);
  expect(shown.words).toContain(`Introduced by 1 commit, ${green.slice(0, 7)}…${red.slice(0, 7)}`);
});

it('names first the commit that touches what fails, with the reason, in the check run and in the pull request', async () => {
  const desk = await stage.desk('corner/which');
  const green = await desk.tip();
  await desk.run(green, { test: 'success' }, { at: minutesAgo(6) });
  const early = await commit(desk, 'Tidy the basket', 'lena');
  const guilty = await commit(desk, 'Ask more of coupons', 'per', BESIDE_THE_BUG);
  const red = await commit(desk, 'Say more');
  await desk.run(red, { test: COUPONS });
  const why = 'most likely: touches src/coupons.js, which the failing lines name';
  const { words } = desk.checkRun(red);
  expect(words).toContain(`Introduced by 3 commits, ${green.slice(0, 7)}…${red.slice(0, 7)}`);
  expect(words.split('\n').filter((line) => line.includes(', by '))).toEqual([
    expect.stringContaining(`${guilty.slice(0, 7)} Ask more of coupons, by per · ${why}`),
    expect.stringContaining(`${red.slice(0, 7)} Say more, by mara`),
    expect.stringContaining(`${early.slice(0, 7)} Tidy the basket, by lena`),
  ]);
  expect(words.split('most likely:')).toHaveLength(2);
  const [pull] = desk.pulls();
  const body = renderMarkdown(pull?.body ?? '', { repository: desk.name, webUrl: stage.double.webUrl }).text;
  expect(body).toMatch(
    /failing at [0-9a-f]{12}, 3 commits later:\s+\S*\s*[0-9a-f]{12} by per: Ask more of coupons · most likely/,
  );
  expect(body).toContain(`${guilty.slice(0, 12)} by per: Ask more of coupons · ${why}`);
});

it('does not name another range while it stays red', async () => {
  const desk = await stage.desk('corner/stays', COMMENT);
  const green = await desk.tip();
  await desk.run(green, { test: 'success' }, { at: minutesAgo(6) });
  const red = await commit(desk, 'Break the coupons');
  await desk.run(red, { test: COUPONS }, { at: minutesAgo(3) });
  const next = await commit(desk, 'Something else');
  await desk.run(next, { test: COUPONS });
  const shown = desk.checkRun(next);
  expect(shown.words).toContain(`Introduced by 1 commit, ${green.slice(0, 7)}…${red.slice(0, 7)}`);
  expect(shown.words).toContain('First seen');
  expect(desk.begun()).toHaveLength(1);
});

it('looks at a red commit of main on which others stand by the time its checks have ended', async () => {
  const desk = await stage.desk('corner/busy', COMMENT);
  const { people } = stage.double;
  const green = await desk.tip();
  await desk.run(green, { test: 'success' }, { at: minutesAgo(6) });
  const red = await commit(desk, 'Break the coupons');
  const slow = await people.startRun(desk.name, { sha: red, jobs: ['test'] });
  const next = await commit(desk, 'Something else', 'lena');
  await stage.rest();
  await people.finishJob(desk.name, slow, 'test', resultOf(COUPONS));
  await stage.rest();
  const shown = desk.checkRun(red);
  expect(shown.title).toMatch(/^This push: /);
  expect(shown.words).toContain(`Introduced by 1 commit, ${green.slice(0, 7)}…${red.slice(0, 7)}`);
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['open']);
  await desk.run(next, { test: COUPONS });
  expect(desk.checkRun(next).words).toContain('First seen');
  expect(desk.begun()).toHaveLength(1);
});

it('leaves a slow red commit of main alone where a later one was green meanwhile', async () => {
  const desk = await stage.desk('corner/overtaken', COMMENT);
  const { people } = stage.double;
  const red = await commit(desk, 'Break the coupons');
  const at = minutesAgo(3);
  const slow = await people.startRun(desk.name, { sha: red, jobs: ['test'], at });
  const next = await commit(desk, 'Mend the coupons');
  await desk.run(next, { test: 'success' });
  await people.finishJob(desk.name, slow, 'test', resultOf(COUPONS));
  await stage.rest();
  expect([desk.checkRuns(red), desk.begun()]).toEqual([[], []]);
  expect(await desk.failures()).toEqual([]);
});

it('leaves the check run of an earlier time as it was when its fix was merged and the failure is back', async () => {
  const desk = await stage.desk('corner/cycles', { green: ['test'] });
  const { people } = stage.double;
  const first = await commit(desk, 'Ask more of coupons', 'mara', BESIDE_THE_BUG);
  await desk.run(first, { test: COUPONS }, { at: minutesAgo(2) });
  const merged = await people.merge(desk.name, desk.pulls()[0]?.number ?? 0, 'mara');
  await desk.run(merged, { test: 'success' }, { at: minutesAgo(1) });
  expect((await desk.failures()).map(({ state }) => state)).toEqual(['closed']);
  const before = desk.checkRun(first);
  expect([before.title, before.words.split('\n')[0]]).toEqual([
    expect.stringMatching(/^This push: /),
    'This push: the change touches src/coupons.js, where the check fails · merged in #1',
  ]);
  const second = await commit(desk, 'Undo it', 'lena', BESIDE_THE_BUG);
  await desk.run(second, { test: COUPONS });
  expect(desk.checkRun(second).title).toMatch(/^Broken again on main: /);
  expect(desk.checkRun(second).words).toContain('Undo it, by lena');
  const { title, words } = desk.checkRun(first);
  expect([title, words]).toEqual([before.title, before.words]);
  const next = await commit(desk, 'Something else');
  await desk.run(next, { test: COUPONS });
  expect(desk.checkRun(next).title).toMatch(`Broken on main since ${second.slice(0, 7)}: `);
});
