// Known failures by people: tied to an issue by a command or on a page, told there in one comment, and ended with the issue.
import type { Moment } from 'causeway-github-double';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersOn, type OpenBrowser, openBrowser } from '../../support/browser.ts';
import { BESIDE_THE_BUG, CHANGED_TESTS, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, jobLog } from '../../support/github-red-model.ts';
import { storedRows } from '../../support/records.ts';

const stage = redStage();

/** A change that touches nothing of what fails. */
const NOTES = { 'NOTES.md': 'Nothing of the shop.\n' };
const LATER_MS = 2_000;

type Desk = Awaited<ReturnType<typeof stage.desk>>;

/** A shop with an issue `number` about the coupons. */
async function shopWithIssue(name: string) {
  const desk = await stage.desk(name);
  const { number } = stage.double.people.openIssue(desk.name, {
    by: 'nora',
    title: 'Coupons in lower case fail',
    body: 'Since Tuesday.',
  });
  return { desk, issue: number };
}

let branches = 0;

/** A pull request that is red of this, and touches nothing of it. */
async function redPull(
  desk: RedDesk,
  jobs: Parameters<RedDesk['run']>[1],
  files: Readonly<Record<string, string>> = NOTES,
) {
  const pull = await desk.pull({ branch: `change-${++branches}`, files });
  stage.double.state.clock.advance(LATER_MS);
  await desk.run(pull.sha, jobs);
  return pull;
}

/** Of our only comment on the issue. */
const told = (desk: Desk, issue: number) => desk.comments(issue).map(({ text }) => text);

const newest = (desk: Desk, number: number) => stage.ourComments(desk.name, number).at(-1)?.body ?? '';

/** As if our comment was written so long ago, and its job is due. */
async function passTime(desk: Desk, hours: number): Promise<void> {
  const rows = await storedRows<{ id: string; record: string }>(
    stage.dataDir,
    `select known_issues.id, record from known_issues join projects on projects.id = known_issues.project_id where projects.name = $1`,
    [desk.name],
  );
  for (const { id, record } of rows) {
    const { comment, ...rest } = JSON.parse(record);
    const at = new Date(Date.parse(comment.at) - hours * 3_600_000).toISOString();
    const moved = JSON.stringify({ ...rest, comment: { ...comment, at } });
    await storedRows(stage.dataDir, 'update known_issues set record = $1 where id = $2', [moved, id]);
  }
  await storedRows(
    stage.dataDir,
    `update jobs set run_at = '2000-01-01T00:00:00.000Z' where kind = 'known' and state = 'waiting'`,
  );
}

it('covers a failure that was tied on a pull request, there and on others, and says so in one comment', async () => {
  const { desk, issue } = await shopWithIssue('corner/tied');
  const first = await redPull(desk, { test: COUPONS });
  const begun = desk.begun().length;
  const said = await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  expect(desk.reactions(said)).toEqual(['eyes']);
  const shown = desk.checkRun(first.sha);
  expect(shown.title).toMatch(new RegExp(`^Known: #${issue} · The discount is looked up`));
  expect(shown.summary.text).toContain('1 check failed, not because of this change');
  expect(shown.summary.links).toContainEqual(expect.stringMatching(new RegExp(`/corner/tied/issues/${issue}$`)));
  expect(shown.words).toContain(`People tied it to #${issue}; the checks alone: `);

  const second = await redPull(desk, { test: COUPONS });
  expect(desk.checkRun(second.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
  expect(desk.checkRun(second.sha).places).toEqual([]);
  expect([desk.begun().length, desk.comments(second.number)]).toEqual([begun, []]);
  const [comment] = told(desk, issue);
  expect(told(desk, issue)).toHaveLength(1);
  expect(comment).toMatch(/^Known failure · seen once/);
  expect(comment).toContain('by mara');
});

it('edits that comment once an hour at most', async () => {
  const { desk, issue } = await shopWithIssue('corner/hourly');
  const first = await redPull(desk, { test: COUPONS });
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  const [before] = stage.ourComments(desk.name, issue);
  const second = await redPull(desk, { test: COUPONS });
  const third = await redPull(desk, { test: COUPONS });
  expect(stage.ourComments(desk.name, issue).map(({ body }) => body)).toEqual([before?.body]);
  await passTime(desk, 1);
  await stage.rest();
  const [after, ...more] = stage.ourComments(desk.name, issue);
  expect([after?.id, more]).toEqual([before?.id, []]);
  expect(told(desk, issue)[0]).toMatch(/^Known failure · seen 3 times/);
  expect(told(desk, issue)[0]).toContain(`3 pull requests: #${third.number}, #${second.number}, #${first.number}.`);
  // By the commits: an address of the pull request would leave a mention there.
  expect(after?.body).not.toMatch(/\/pull\/\d/);
});

it('shows what a pattern would have matched, and counts it once it is confirmed', async () => {
  const { desk, issue } = await shopWithIssue('corner/pattern');
  const first = await redPull(desk, { test: COUPONS });
  const pattern = "Cannot destructure property '\\w+' of 'COUPONS";
  await desk.say(first.number, 'mara', `/analyse known #${issue} "${pattern}"`);
  const preview = newest(desk, first.number);
  expect(preview).toContain(`\`${pattern}\` would have matched`);
  expect(preview).toContain('1 failed check');
  expect(preview).toContain(`\`/analyse known #${issue} yes\``);
  expect(desk.checkRun(first.sha).title).not.toContain('Known');
  expect(told(desk, issue)).toEqual([]);

  // Taken back, nothing invites to confirm it any more.
  await desk.say(first.number, 'nora', `/analyse known #${issue} no`);
  expect(newest(desk, first.number)).toContain(`\`/analyse known #${issue} no\` was accepted`);
  expect(newest(desk, first.number)).not.toContain('yes');
  await desk.say(first.number, 'mara', `/analyse known corner/other#${issue} \`${pattern}\``);
  expect(newest(desk, first.number)).toContain('There is no such issue in this repository');
  await desk.say(first.number, 'mara', `/analyse known #${issue}\n\n\`\`\`\n${pattern}\n\`\`\``);
  expect(newest(desk, first.number)).toContain('has to stand in quotes on the line of the command');
  expect(desk.checkRun(first.sha).title).not.toContain('Known');
  await desk.say(
    first.number,
    'mara',
    `/analyse known ${stage.double.webUrl}/${desk.name}/issues/${issue} \`${pattern}\``,
  );
  expect(newest(desk, first.number)).toBe(preview);

  // Another failure of the same error.
  await desk.say(first.number, 'mara', `/analyse known #${issue} yes`);
  expect(newest(desk, first.number)).toContain(`are known: #${issue}.`);
  const second = await redPull(desk, { test: { ...COUPONS, test: 'a coupon may have spaces' } });
  expect(desk.checkRun(second.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
  expect(told(desk, issue)[0]).toContain(`lines that match ${pattern}`);
});

it('refuses a pattern that says too little, and one that says what passes too', async () => {
  const { desk, issue } = await shopWithIssue('corner/refused');
  const { number } = await redPull(desk, { test: COUPONS });
  const answer = async (words: string) => {
    const said = await desk.say(number, 'mara', `/analyse known ${words}`);
    expect([words, desk.reactions(said)]).toEqual([words, ['confused']]);
    return newest(desk, number);
  };
  expect(await answer(`#${issue} "TypeError"`)).toContain('only 9 literal characters');
  expect(await answer(`#${issue} "(TypeError: Cannot"`)).toContain("isn't a regular expression of RE2");
  expect(await answer(`#${issue} "no such line was ever seen"`)).toContain('matches no line');
  expect(await answer(`#999 "Cannot destructure property"`)).toContain('no such issue');
  expect(await answer(`#${number} "Cannot destructure property"`)).toContain('is a pull request');
  expect(await answer(`#${issue} yes`)).toContain('No pattern waits');
  expect(await answer(`#${issue} fal_00000000000000000000`)).toContain('has that id');
  expect(await answer('#x')).toContain('Write it as `/analyse known #123`');
  // Every job of the shop ends so.
  for (const [at, failing] of [DELIVERY, BASKET, { ...COUPONS, test: 'yet another' }].entries()) {
    await redPull(desk, { [`job-${at}`]: failing });
  }
  expect(await answer(`#${issue} "at TestContext.<anonymous>"`)).toContain('4 different failures');
  stage.double.people.close(desk.name, issue, 'nora');
  await stage.rest();
  expect(await answer(`#${issue} "Cannot destructure property"`)).toContain('is closed');
  expect(
    await storedRows(
      stage.dataDir,
      `select * from known_ties join known_issues on known_issues.id = known_id join projects on projects.id = project_id where projects.name = 'corner/refused'`,
    ),
  ).toEqual([]);
});

it('refuses a pattern that matches the log of a check that passed', async () => {
  const { desk, issue } = await shopWithIssue('corner/passing');
  const printed = 'warning: the coupons table has no index';
  const passing = { conclusion: 'success', log: `ok\n${printed}\n` } as const;
  await desk.run(await desk.tip(), { test: passing });
  const { number } = await redPull(desk, { test: { ...COUPONS, error: [printed, ...COUPONS.error] } });
  await desk.say(number, 'mara', `/analyse known #${issue} "the coupons table has no index"`);
  expect(newest(desk, number)).toContain('also matches the log of a check that passed');
});

it('does nothing for people without write, nor by an edit, nor twice for a redelivery', async () => {
  const { desk, issue } = await shopWithIssue('corner/outsiders');
  const { people } = stage.double;
  const first = await redPull(desk, { test: COUPONS });
  const writes = desk.writesBeside().length;
  const stranger = await desk.say(first.number, 'ola', `/analyse known #${issue}`);
  expect([desk.reactions(stranger), desk.writesBeside().length]).toEqual([[], writes]);
  await desk.say(first.number, 'per', `/analyse known #${issue}`);
  expect(newest(desk, first.number)).toContain('`/analyse known` needs write access');
  const edited = await desk.say(first.number, 'mara', 'Is this known?');
  people.editComment(desk.name, edited.id, { by: 'mara', body: `/analyse known #${issue}` });
  await stage.rest();
  expect(desk.checkRun(first.sha).title).not.toContain('Known');
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  const count = () =>
    storedRows<{ count: number }>(
      stage.dataDir,
      `select count(*) as count from known_ties join known_issues on known_issues.id = known_id
        join projects on projects.id = project_id where projects.name = 'corner/outsiders'`,
    );
  expect((await count()).map((row) => Number(row.count))).toEqual([1]);
  expect(told(desk, issue)).toHaveLength(1);
});

it('is tied on the thread of the issue as well, and covers forks, to which nothing is written', async () => {
  const { desk, issue } = await shopWithIssue('corner/on-issue');
  await redPull(desk, { test: COUPONS });
  const [failure] = await desk.failures();
  const unclear = await desk.say(issue, 'mara', '/analyse known');
  expect(desk.reactions(unclear)).toEqual(['confused']);
  expect(newest(desk, issue)).toContain('No failed check is known here');
  const said = await desk.say(issue, 'mara', `/analyse known ${failure?.id}`);
  expect(desk.reactions(said)).toEqual(['eyes']);
  const fork = await desk.forkPull();
  await desk.run(fork.sha, { test: COUPONS });
  expect(desk.checkRun(fork.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
  expect([desk.comments(fork.number), stage.writes('ola/on-issue')]).toEqual([[], []]);
});

it('covers no pull request that changes the failing test, or the file that fails', async () => {
  const { desk, issue } = await shopWithIssue('corner/touching');
  const first = await redPull(desk, { test: COUPONS });
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  const changes = { ...CHANGED_TESTS, ...BESIDE_THE_BUG };
  for (const path of ['test/coupons.test.js', 'src/coupons.js']) {
    const begun = desk.begun().length;
    const { sha } = await redPull(desk, { test: COUPONS }, { [path]: changes[path] ?? '' });
    const shown = desk.checkRun(sha);
    expect(shown.title).not.toContain('Known');
    expect(shown.words).toContain(`It looks like #${issue}, but this pull request changes ${path}`);
    expect(desk.begun().length).toBe(begun + 1);
  }
  expect(told(desk, issue)[0]).toMatch(/^Known failure · seen once/);
});

it('covers a machine that failed before any test did, whatever tests the pull request changes', async () => {
  const { desk, issue } = await shopWithIssue('corner/registry');
  const cut = ['npm error code ECONNRESET', 'npm error network request to https://registry.npmjs.org/left-pad failed'];
  const failed = { conclusion: 'failure', failedStep: 'npm ci', log: jobLog('npm ci', cut) } as const;
  const { number, sha } = await redPull(desk, { test: failed }, CHANGED_TESTS);
  await desk.say(number, 'mara', `/analyse known #${issue}`);
  expect(desk.checkRun(sha).title).toMatch(new RegExp(`^Known: #${issue}`));
});

it('ends when the issue is closed, and what comes back is a regression', async () => {
  const { desk, issue } = await shopWithIssue('corner/closed');
  const { people, state } = stage.double;
  const first = await redPull(desk, { test: COUPONS });
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  state.clock.advance(LATER_MS);
  people.close(desk.name, issue, 'nora');
  await stage.rest();
  state.clock.advance(LATER_MS);
  const second = await redPull(desk, { test: COUPONS });
  const shown = desk.checkRun(second.sha);
  expect(shown.title).not.toContain('Known');
  expect(shown.words).toMatch(new RegExp(`Regression: #${issue} was closed on \\d{4}-\\d\\d-\\d\\d`));
  await passTime(desk, 1);
  await stage.rest();
  expect(told(desk, issue)[0]).toContain('Seen once since it ended');
  // Reopened, it covers again once a person says so.
  people.reopen(desk.name, issue, 'nora');
  await stage.rest();
  const third = await redPull(desk, { test: COUPONS });
  expect(desk.checkRun(third.sha).title).not.toContain('Known');
  await desk.say(third.number, 'mara', `/analyse known #${issue}`);
  expect(desk.checkRun(third.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
});

it('goes on asking about a pattern where another issue is untied', async () => {
  const { desk, issue } = await shopWithIssue('corner/asked-on');
  const { number } = await redPull(desk, { test: COUPONS });
  const other = stage.double.people.openIssue(desk.name, { by: 'nora', title: 'Coupons fail again' }).number;
  await desk.say(number, 'mara', `/analyse known #${other}`);
  await desk.say(number, 'mara', `/analyse known #${issue} "Cannot destructure property"`);
  const asked = newest(desk, number);
  expect(asked).toContain(`/analyse known #${issue} yes`);
  await desk.say(number, 'nora', `/analyse known #${other} no`);
  expect(newest(desk, number)).toBe(asked);
});

describe('an issue that is no longer there', () => {
  it.each([
    ['was deleted', 'deleted'],
    ['was moved to a repository that the App does not see', 'hidden'],
    ['was moved to a public one, where another number is its own', 'moved'],
    ['was moved to a public one, where it has the same number', 'same-number'],
  ] as const)('covers nothing, and what comes back is no regression of it: it %s', async (_, how) => {
    const { desk, issue } = await shopWithIssue(`corner/gone-${how}`);
    const { people, state } = stage.double;
    const first = await redPull(desk, { test: COUPONS });
    await desk.say(first.number, 'mara', `/analyse known #${issue}`);
    expect(desk.checkRun(first.sha).title).toContain('Known');
    const to = `nora/gone-${how}`;
    if (how !== 'deleted') {
      await people.openRepository(to, { isPrivate: how === 'hidden' });
      const others = how === 'same-number' ? issue - 1 : issue;
      for (let at = 0; at < others; at += 1) people.openIssue(to, { by: 'nora', title: `Another ${at}` });
    }
    state.clock.advance(LATER_MS);
    if (how === 'deleted') people.deleteIssue(desk.name, issue, 'nora');
    else {
      const { number } = people.transferIssue(desk.name, issue, to, 'nora');
      expect(number === issue).toBe(how === 'same-number');
    }
    await stage.rest();
    state.clock.advance(LATER_MS);
    const second = await redPull(desk, { test: COUPONS });
    const { title, words } = desk.checkRun(second.sha);
    expect(title).not.toContain('Known');
    expect(words).not.toContain(`#${issue} was closed`);
    expect(words).not.toContain('Regression');
    // Tied to another that is there, it is known again.
    const other = people.openIssue(desk.name, { by: 'nora', title: 'Coupons fail again' }).number;
    await desk.say(second.number, 'mara', `/analyse known #${other}`);
    expect(desk.checkRun(second.sha).title).toMatch(new RegExp(`^Known: #${other} · `));
    expect(desk.writes().filter((write) => write.includes(`/issues/${issue}/comments`))).toHaveLength(1);
  });
});

it('asks GitHub whether the issue is open where the news of its end was lost', async () => {
  const { desk, issue } = await shopWithIssue('corner/lost-news');
  const first = await redPull(desk, { test: COUPONS });
  await desk.say(first.number, 'mara', `/analyse known #${issue}`);
  stage.double.faults.add({
    method: 'GET',
    path: new RegExp(`^/repos/corner/lost-news/issues/${issue}$`),
    fault: { kind: 'answer', when: 'before', status: 410 },
    times: 20,
  });
  const second = await redPull(desk, { test: COUPONS });
  expect(desk.checkRun(second.sha).title).not.toContain('Known');
});

it('asks which failure is meant where several are red', async () => {
  const { desk, issue } = await shopWithIssue('corner/several');
  const { number, sha } = await redPull(desk, { test: COUPONS, deliver: DELIVERY });
  await desk.say(number, 'mara', `/analyse known #${issue}`);
  const [command] = /\/analyse known #\d+ fal_\w+(?=` for `RangeError)/.exec(newest(desk, number)) ?? [];
  expect(command).toBeDefined();
  await desk.say(number, 'mara', command ?? '');
  expect(desk.checkRun(sha).title).toContain(`known: #${issue}`);
  await desk.say(number, 'mara', `/analyse known #${issue} no`);
  const next = await redPull(desk, { deliver: DELIVERY });
  expect(desk.checkRun(next.sha).words).not.toContain(`#${issue}`);
});

describe('in the account area', () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  it('is proposed by the label alone, tied by a form, and a pattern counts by a second button', async () => {
    const { desk, issue } = await shopWithIssue('corner/on-pages');
    const { people, signIns } = stage.double;
    const first = await redPull(desk, { test: COUPONS });
    const [failure] = await desk.failures();
    const writes = desk.writesBeside().length;
    people.edit(desk.name, issue, { by: 'nora', body: `We see this:\n\n${failure?.headline}` });
    people.label(desk.name, issue, 'known failure', 'per');
    await stage.rest();
    expect([desk.writesBeside().length, desk.checkRun(first.sha).title.includes('Known')]).toEqual([writes, false]);

    const { page, faults } = await browser.page();
    signIns.signedIn = 'mara';
    await page.goto(`${stage.service().address}/projects`);
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
    await page.getByRole('link', { name: desk.name }).first().click();
    await page.getByRole('link', { name: 'Failures' }).first().click();
    await expect.poll(() => page.locator('section[aria-labelledby=proposed]').innerText()).toContain(`#${issue}`);
    await page.locator('.failures .row-link').first().click();
    const known = page.locator('section[aria-labelledby=known]');
    expect(await known.innerText()).toContain(`Proposed: #${issue} Coupons in lower case fail`);
    expect(await barriersOn(page, 'failure')).toEqual([]);
    await known.getByText('Tie to another issue').click();
    await known.getByLabel('Issue', { exact: true }).fill(`#${issue}`);
    await known.getByLabel('Pattern (optional)').fill("Cannot destructure property '\\w+' of 'COUPONS");
    await known.getByRole('button', { name: 'Tie', exact: true }).click();
    await page.getByRole('heading', { name: `Count this pattern for #${issue}?` }).waitFor();
    expect(await page.locator('main').innerText()).toContain('it would have matched 1 failed check');
    expect(await barriersOn(page, 'preview')).toEqual([]);
    await page.getByRole('button', { name: 'Count it' }).click();
    await known.getByText('The pattern counts from now on.').waitFor();
    await stage.rest();
    const second = await redPull(desk, { test: COUPONS });
    expect(desk.checkRun(second.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
    await page.reload();
    expect(await known.innerText()).toContain('By the pattern');
    const api = await stage.api('mara');
    expect(await api.get(`/api/v1/failures/${failure?.id}/`)).toMatchObject({
      knownIssue: { number: issue, isOpen: true, endedAt: null, pattern: expect.stringContaining('COUPONS') },
    });
    const checks = `/api/v1/checks/?projectId=${encodeURIComponent(desk.name)}&pullRequest=${second.number}`;
    expect(await api.get(checks)).toMatchObject({
      causes: [{ whose: 'not_this_change', knownIssue: { number: issue, state: 'known', path: null, endedAt: null } }],
    });
    await known.getByRole('button', { name: `Untie all of #${issue}` }).click();
    await known.getByText('Untied.').waitFor();
    const third = await redPull(desk, { test: COUPONS });
    expect(desk.checkRun(third.sha).words).not.toContain(`#${issue}`);
    expect(faults).toEqual([]);
  });
});

describe('with a service that is killed at its writes', () => {
  const killed = redStage({ ownProcess: true });

  it.each<Moment>(['carried_out', 'answered'])(
    'has one tie, one comment and every red check once (%s)',
    async (moment) => {
      const name = `corner/killed-${moment.replace('_', '-')}`;
      const { double } = killed;
      const desk = await killed.desk(name);
      const { number: issue } = double.people.openIssue(name, { by: 'nora', title: 'Coupons fail', body: '' });
      const first = await desk.pull({ branch: 'first', files: NOTES });
      await desk.run(first.sha, { test: COUPONS });
      let up: Promise<unknown> = Promise.resolve();
      let kills = 0;
      // One after another, also where two writes wait for it at once.
      const act = () => {
        const kill = up.then(() => killed.service().end('SIGKILL'));
        up = kill.then(() => {
          kills += 1;
          return killed.restart();
        });
        return kill;
      };
      const below = (rest: string) => new RegExp(`^/repos/${name}${rest}$`);
      const fault = { kind: 'meanwhile', moment, act } as const;
      double.faults.add({ method: 'POST', path: below('/issues/comments/\\d+/reactions'), fault });
      double.faults.add({ method: 'PATCH', path: below('/check-runs/\\d+'), body: /Known: #/, fault });
      double.faults.add({ method: 'POST', path: below(`/issues/${issue}/comments`), fault });
      double.people.comment(name, first.number, { by: 'mara', body: `/analyse known #${issue}` });
      await killed.until('all kills', () => kills === 3);
      await up;
      await killed.rest();
      expect(desk.checkRun(first.sha).title).toMatch(new RegExp(`^Known: #${issue} · `));
      expect(killed.ourComments(name, issue)).toHaveLength(1);
      const rows = await storedRows<{ ties: number; hits: number }>(
        killed.dataDir,
        `select (select count(*) from known_ties where known_id = known_issues.id) as ties,
        (select count(*) from known_hits where known_id = known_issues.id) as hits
        from known_issues join projects on projects.id = known_issues.project_id where projects.name = $1`,
        [name],
      );
      expect(rows.map(({ ties, hits }) => [Number(ties), Number(hits)])).toEqual([[1, 1]]);
    },
  );
});
