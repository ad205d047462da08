// What people and agents are told of a proof: before anything is pushed, where the day's runs are taken, and what to do about tests that prove nothing.
import type { GithubIssue } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { openCodingAgent } from '../../support/coding-agent.ts';
import {
  HOLDS,
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

const TESTS = { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }) };

async function openFix(shop: ProvingShop, more: { readonly by?: string; readonly branch?: string } = {}) {
  return await shop.pull({ ...TESTS, 'src/coupons.js': await shop.mended() }, more);
}

function answersAt(shop: ProvingShop, { number }: Pick<GithubIssue, 'number'>): readonly string[] {
  return stage.ourComments(shop.name, number).map(({ body }) => body);
}

/** Bodies of the comments that we made, as they were made. */
function saidAt(shop: ProvingShop, { number }: Pick<GithubIssue, 'number'>): readonly string[] {
  const path = `/repos/${shop.name}/issues/${number}/comments`;
  return stage.double.requests.flatMap((one) =>
    one.method === 'POST' && one.path.endsWith(path) && one.status === 201 ? [String(JSON.parse(one.body).body)] : [],
  );
}

/** Does it once, after GitHub has opened our draft. */
function whileProving(shop: ProvingShop, act: () => void): void {
  const path = new RegExp(`^/repos/${shop.name}/pulls$`);
  const fault = { kind: 'meanwhile', moment: 'carried_out', act: async () => act() } as const;
  stage.double.faults.add({ method: 'POST', path, fault });
}

it('says before anything is pushed what will be, and which run of the day it is', async () => {
  const shop = await openProvingShop(stage, 'corner/said', { config: 'limits: {ci_runs_day: 3}\n' });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  expect(saidAt(shop, pull)).toEqual([
    expect.stringMatching(
      new RegExp(
        `pushed as \`causeway/prove/${pull.number}\`, with a draft \`Proof for #${pull.number} \\(do not merge\\)\` onto the same base, without reviewers\\. Both go .* one run of CI, the 1st of the 3 that are allowed here in 24 hours`,
      ),
    ),
  ]);
  const writes = stage.writes(shop.name).map((line) => line.replace(`/repos/${shop.name}`, ''));
  const said = writes.indexOf(`POST /issues/${pull.number}/comments`);
  const pushed = writes.indexOf('POST /git/refs');
  expect([said >= 0, pushed > said, writes.indexOf('POST /check-runs') < pushed]).toEqual([true, true, true]);
  const shown = stage.double.requests.find(
    ({ method, path }) => method === 'POST' && path.endsWith(`/${shop.name}/check-runs`),
  );
  expect(shown?.body).toMatch(/pushed as `causeway\/prove\/\d+`.* the 1st of the 3 that are allowed here/);
});

it('adds no note on a newer commit where it only observes by then', async () => {
  const shop = await openProvingShop(stage, 'corner/observes-later');
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  const { people } = stage.double;
  await people.push(shop.name, { by: 'mara', files: { '.github/causeway.yml': 'mode: observe\n' } });
  await shop.settle();
  await people.push(shop.name, { by: 'mara', branch: 'change', files: { 'src/money.js': '// none\n' } });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))).toBeNull();
});

it('says in the same answer what came of it, with its check run, unless somebody was told something else since', async () => {
  const shop = await openProvingShop(stage, 'corner/told');
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  const words = new RegExp(
    `^For \`@mara\`: Proof of \`${headOf(pull).slice(0, 7)}\`: The test added here fails without the change .* and passes with it\\. \\[Details\\]\\(http[^)]+/runs/\\d+\\)$`,
    'm',
  );
  expect(answersAt(shop, pull)).toEqual([expect.stringMatching(words)]);
  expect(saidAt(shop, pull)).toHaveLength(1);
  const other = await openFix(shop, { branch: 'other' });
  whileProving(shop, () => {
    stage.double.people.comment(shop.name, other.number, { by: 'per', body: '/analyse prove' });
  });
  await shop.prove(other.number);
  expect(shop.proofAt(headOf(other))?.conclusion).toBe('success');
  expect(answersAt(shop, other)).toEqual([expect.stringContaining('`/analyse prove` needs write access')]);
});

it('says both in the footer of the comment that is there already', async () => {
  const shop = await openProvingShop(stage, 'corner/footer');
  const pull = await shop.pull(TESTS);
  stage.double.people.comment(shop.name, pull.number, { by: 'mara', body: '/analyse' });
  await shop.settle();
  const [before = ''] = answersAt(shop, pull);
  expect(before).toContain('takes lower case');
  await stage.double.people.push(shop.name, {
    by: 'mara',
    branch: 'change',
    files: { 'src/coupons.js': await shop.mended() },
  });
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
  expect(answersAt(shop, pull)).toEqual([
    expect.stringMatching(
      /<sub>For `@mara`: Proof of `[0-9a-f]{7}`: The test added here fails .* \[Details\]\(.*<\/sub>/,
    ),
  ]);
});

it('begins none beyond the runs of the day, says when there is one again, and offers none where there never is', async () => {
  const shop = await openProvingShop(stage, 'corner/days', { config: 'limits: {ci_runs_day: 1}\n' });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  await stage.double.people.push(shop.name, { by: 'mara', branch: 'change', files: { 'notes.md': 'more\n' } });
  await shop.settle();
  const stale = shop.proofAt(headOf(pull));
  await shop.prove(pull.number);
  expect(answersAt(shop, pull)).toEqual([
    expect.stringMatching(
      /Nothing was started: the 1 run of CI .*\(`limits.ci_runs_day`\) is taken; one is free again at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./,
    ),
  ]);
  expect([shop.proofAt(headOf(pull)), shop.drafts().length]).toEqual([stale, 1]);
  const mara = await stage.api('mara', 'pull-requests:write');
  const { id } = await mara.project(shop.name);
  const answer = await mara.post(`/api/v1/projects/${id}/proofs/${pull.number}/`, { head: headOf(pull) });
  expect([answer.status, Number(answer.headers.get('Retry-After')) > 80_000]).toEqual([429, true]);
  await stage.double.people.push(shop.name, {
    by: 'mara',
    files: { '.github/causeway.yml': 'limits: {ci_runs_day: 0}\n' },
  });
  await shop.settle();
  await shop.prove(pull.number);
  expect(answersAt(shop, pull)).toEqual([expect.stringContaining('`limits.ci_runs_day: 0`')]);
  stage.double.people.comment(shop.name, pull.number, { by: 'mara', body: '/analyse help' });
  await shop.settle();
  expect(answersAt(shop, pull)).toEqual([expect.not.stringContaining('/analyse prove')]);
});

it('names the proof that runs or goes first, with its check run', async () => {
  const shop = await openProvingShop(stage, 'corner/first');
  const first = await openFix(shop);
  const second = await openFix(shop, { branch: 'other' });
  const { people } = stage.double;
  whileProving(shop, () => {
    people.comment(shop.name, first.number, { by: 'mara', body: '/analyse prove' });
    people.comment(shop.name, second.number, { by: 'mara', body: '@causeway prove' });
  });
  await shop.prove(first.number);
  expect(answersAt(shop, first)).toEqual([
    expect.stringMatching(/under way already, so nothing more is pushed\. .*\[check run\]\(http[^)]+\)/),
  ]);
  expect(saidAt(shop, second)).toEqual([
    expect.stringMatching(
      new RegExp(`It waits for \\[the proof of pull request ${first.number}\\]\\(http[^)]+\\).* the 2nd of the 6 `),
    ),
  ]);
  expect([first, second].map((pull) => shop.proofAt(headOf(pull))?.conclusion)).toEqual(['success', 'success']);
});

it('starts nothing where the mode allows no branch, and writes nothing where it only observes', async () => {
  const shop = await openProvingShop(stage, 'corner/modes', { config: 'mode: comment\n' });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  expect(answersAt(shop, pull)).toEqual([expect.stringMatching(/Nothing was started: .*`mode`.* is not `fix`/)]);
  const mara = await stage.api('mara', 'pull-requests:write');
  const { id } = await mara.project(shop.name);
  const path = `/api/v1/projects/${id}/proofs/${pull.number}/`;
  expect((await mara.post(path, { head: headOf(pull) })).status).toBe(409);
  await stage.double.people.push(shop.name, { by: 'mara', files: { '.github/causeway.yml': 'mode: observe\n' } });
  await shop.settle();
  const before = stage.writes(shop.name);
  await shop.prove(pull.number);
  expect([stage.writes(shop.name), shop.proofAt(headOf(pull)), await mara.status(path)]).toEqual([before, null, 404]);
});

it('writes nothing while the service is paused, tells programs so, and goes on afterwards', async () => {
  const shop = await openProvingShop(stage, 'corner/paused');
  const pull = await openFix(shop);
  const mara = await stage.api('mara', 'pull-requests:write');
  const { id } = await mara.project(shop.name);
  const isPaused = async () => {
    const text = await (await fetch(`${stage.service().address}/readyz`)).text();
    return text.includes('paused: reports are stored');
  };
  const before = stage.writes(shop.name);
  await stage.command('pause');
  await stage.until('the pause', isPaused);
  try {
    const asked = await mara.post(`/api/v1/projects/${id}/proofs/${pull.number}/`, { head: headOf(pull) });
    expect([asked.status, await asked.json()]).toEqual([
      202,
      expect.objectContaining({
        state: 'running',
        notice: expect.stringMatching(/the 1st of the 6 .* paused this service: it goes on when that ends\.$/),
      }),
    ]);
    await shop.prove(pull.number);
    expect(stage.writes(shop.name)).toEqual(before);
  } finally {
    await stage.command('resume');
  }
  await stage.until('the end of the pause', async () => !(await isPaused()));
  // It looks once a minute whether it may: sooner where something happens.
  await stage.double.people.reportCheck(shop.name, {
    ...{ sha: headOf(pull), name: 'style', app: 'other-ci', conclusion: 'success' },
  });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('hands over what an agent can do about quiet tests: open to a bot, folded to a person, and as data by program', async () => {
  const shop = await openProvingShop(stage, 'corner/handed');
  const { people } = stage.double;
  people.otherApp('fixing-agent');
  people.grant(shop.name, 'fixing-agent[bot]', 'write');
  const files = { [TEST_FILE]: writeTests({ 'takes capitals': HOLDS }), 'src/coupons.js': await shop.mended() };
  const ofBot = await shop.pull(files, { by: 'fixing-agent[bot]', branch: 'of-bot' });
  const ofPerson = await shop.pull(files);
  for (const { number } of [ofBot, ofPerson]) await shop.prove(number);
  const brief = expect.stringMatching(
    /```text\nRewrite each test [\s\S]*\nRepository: corner\/handed\n[\s\S]*Expected: [\s\S]*Don't weaken or skip a test\.[\s\S]*\n {4}test\/lower-case\.test\.js: takes capitals\n/,
  );
  const [bots, persons] = [ofBot, ofPerson].map((pull) => shop.proofAt(headOf(pull))?.summary ?? '');
  expect([bots, persons]).toEqual([brief, brief]);
  expect([bots, persons].map((summary) => summary?.includes('<summary>For a coding agent</summary>'))).toEqual([
    false,
    true,
  ]);
  await using agent = await openCodingAgent(stage, 'mara', 'issues:read,projects:read,pull-requests:write');
  const asked = { project: shop.name, pullRequest: ofBot.number };
  expect(await agent.call('get_proof', asked)).toMatchObject({
    state: 'not_reproduced',
    instructions: [
      expect.stringMatching(/^Rewrite each test/),
      expect.stringMatching(/^Expected: /),
      expect.any(String),
    ],
    quoted: {
      provesNothing: ['takes capitals'],
      places: [{ path: TEST_FILE, title: 'takes capitals' }],
      commands: expect.arrayContaining([`git fetch origin pull/${ofBot.number}/head`]),
    },
  });
  const again = await agent.call('prove', { ...asked, head: headOf(ofBot) });
  expect(again).toMatchObject({
    state: 'running',
    notice: expect.stringMatching(/`causeway\/prove\/\d+`.* the 3rd of the 6 that are allowed here/),
  });
  await shop.settle();
});
