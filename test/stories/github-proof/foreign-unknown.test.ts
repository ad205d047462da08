// What is not known speaks against a proof: nothing is pushed, or what was is taken back, and it says what could not be read, or which right is missing.
import type { GithubIssue } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { openCodingAgent } from '../../support/coding-agent.ts';
import {
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

async function openHonest(name: string) {
  const shop = await openProvingShop(stage, name);
  const files = { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  return { shop, pull: await shop.pull(files) };
}

const OFTEN = 1_000;

interface RefusedCall {
  readonly method?: string;
  readonly below: string;
  readonly status: number;
  readonly message: string;
  readonly skip?: number;
}

function refuse({ name }: ProvingShop, { method = 'GET', below, status, message, skip = 0 }: RefusedCall): void {
  const path = new RegExp(`^/repos/${name}${below}`);
  const fault = { kind: 'answer', when: 'before', status, body: { message } } as const;
  stage.double.faults.add({ method, path, skip, times: OFTEN, fault });
}

/** As if GitHub had a full page of it each time that it is asked. */
function lengthen({ name }: ProvingShop, below: string, member: string): void {
  const path = new RegExp(`^/repos/${name}${below}`);
  let first: unknown;
  stage.double.faults.add({
    method: 'GET',
    path,
    times: OFTEN,
    fault: {
      kind: 'altered',
      alter: (answer) => {
        const body = answer.body as Readonly<Record<string, readonly unknown[]>>;
        first ??= body[member]?.[0];
        return first === undefined ? answer : { ...answer, body: { ...body, [member]: Array(100).fill(first) } };
      },
    },
  });
}

async function resultOf(shop: ProvingShop, { number }: Pick<GithubIssue, 'number'>): Promise<unknown> {
  const mara = await stage.api('mara', 'projects:read');
  const { id } = await mara.project(shop.name);
  const { state, result } = (await mara.get(`/api/v1/projects/${id}/proofs/${number}/`)) as {
    state: string;
    result: string;
  };
  return { state, result };
}

const RULES = '/rules/branches/main';
const NO_RULES = 'it is not known which workflows rulesets require of pull requests here: GitHub refused the rules';

it.each([
  [403, 'Must have admin rights to Repository.', / of the base branch \(403\): “Must have admin rights/],
  [403, 'Resource not accessible by integration', / of the base branch \(403\): “Resource not accessible by/],
  [404, 'Not Found', / of the base branch \(404\): it is gone, or the App has lost access to it$/],
])('pushes nothing where the rules of the base can’t be read: %i %s', async (status, message, words) => {
  const { shop, pull } = await openHonest(`corner/rules-${status}-${message.length}`);
  refuse(shop, { below: RULES, status, message });
  await shop.prove(pull.number);
  const { title = '', conclusion } = shop.proofAt(headOf(pull)) ?? {};
  expect([conclusion, title.startsWith(`Not run: ${NO_RULES}`)]).toEqual(['action_required', true]);
  expect(title).toMatch(words);
  expect(shop.drafts()).toEqual([]);
  expect(await resultOf(shop, pull)).toEqual({ state: 'refused', result: expect.stringMatching(words) });
});

it('goes on where the plan has no rulesets for the repository, so that none is in force', async () => {
  const { shop, pull } = await openHonest('corner/rules-of-no-plan');
  const message = 'Upgrade to GitHub Pro or make this repository public to enable this feature.';
  refuse(shop, { below: RULES, status: 403, message });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('takes the draft back where the rules can’t be read once it is there', async () => {
  const { shop, pull } = await openHonest('corner/rules-later');
  refuse(shop, { below: RULES, status: 403, message: 'Must have admin rights to Repository.', skip: 2 });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toContain(`Given up: ${NO_RULES}`);
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed']]);
});

it.each<[string, (shop: ProvingShop, pull: GithubIssue) => Promise<void> | void, string]>([
  [
    'runs of its own',
    (shop, pull) => lengthen(shop, `/actions/runs\\?.*head_sha=${headOf(pull)}`, 'workflow_runs'),
    'this commit has more runs of GitHub Actions than the 500 that are read, and one that is not read could speak against it; push a new one, and comment `/analyse prove` there',
  ],
  [
    'checks of its own',
    (shop, pull) => lengthen(shop, `/commits/${headOf(pull)}/check-runs`, 'check_runs'),
    'this commit has more checks than the 500 that are read, and one that is not read could speak against it; push a new one, and comment `/analyse prove` there',
  ],
  [
    'checks of its base',
    async (shop) => {
      const base = (await stage.double.git(shop.name, 'rev-parse', 'refs/heads/main')).trim();
      lengthen(shop, `/commits/${base}/check-runs`, 'check_runs');
    },
    'the commit of the base that this branch left has more checks than the 500 that are read, and one that is not read could speak against it; bring the branch up to date with its base, and comment `/analyse prove` there',
  ],
])('pushes nothing where GitHub lists more %s than are read', async (what, act, words) => {
  const { shop, pull } = await openHonest(`corner/many-${what.replaceAll(' ', '-')}`);
  await act(shop, pull);
  await shop.prove(pull.number);
  expect(await resultOf(shop, pull)).toEqual({ state: 'refused', result: `Not run: ${words}` });
  expect([shop.proofAt(headOf(pull))?.conclusion, shop.drafts()]).toEqual(['action_required', []]);
});

it('takes the draft back where the tests alone have more checks than are read', async () => {
  const { shop, pull } = await openHonest('corner/many-red');
  shop.meanwhile('POST', '/pulls', async () => {
    const sha = await stage.double.git(shop.name, 'rev-parse', `refs/heads/causeway/prove/${pull.number}`);
    lengthen(shop, `/commits/${sha.trim()}/check-runs`, 'check_runs');
  });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toMatch(
    /^Given up: (?:the commit with the tests alone has more checks|a draft of ours has more checks, runs or events) than the 500/,
  );
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed']]);
});

it.each<[string, RefusedCall, RegExp]>([
  [
    'a rule for branches',
    {
      method: 'POST',
      below: '/git/refs$',
      status: 422,
      message: 'Repository rule violations found\n\nCannot create ref due to creations being restricted.',
    },
    /^Not run: GitHub refused our branch \(422\): “Repository rule violations found Cannot create ref due to creations being restricted\.”$/,
  ],
  [
    'a rule for pull requests',
    { method: 'POST', below: '/pulls$', status: 403, message: 'Pull requests are restricted to collaborators.' },
    /^Not run: GitHub refused our draft \(403\): “Pull requests are restricted to collaborators\.”$/,
  ],
])('says what GitHub refused and in which words: %s', async (what, call, words) => {
  const { shop, pull } = await openHonest(`corner/refused-${what.replaceAll(' ', '-')}`);
  refuse(shop, call);
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title: expect.stringMatching(words),
  });
  expect(await resultOf(shop, pull)).toEqual({ state: 'refused', result: expect.stringMatching(words) });
  expect(stage.ourComments(shop.name, pull.number).map(({ body }) => body)).toEqual([
    expect.stringContaining('GitHub refused our '),
  ]);
  expect(await shop.branches()).toEqual([]);
});

it('says which permission was not granted, and where it is', async () => {
  const { state, app, people } = stage.double;
  const installation = [...state.installations.values()].find(({ appId }) => appId === app.id);
  if (installation === undefined) throw new Error('The App is installed nowhere.');
  const { shop, pull } = await openHonest('corner/no-right');
  const before = installation.permissions;
  people.acceptPermissions(installation, { ...before, contents: 'read' }, 'nora');
  await stage.rest();
  await shop.prove(pull.number);
  people.acceptPermissions(installation, before, 'nora');
  await stage.rest();
  expect(shop.proofAt(headOf(pull))?.title).toBe(
    'Not run: GitHub refused the commit with the tests alone (403), which takes the permission “contents: write”: grant it to the App, and accept it at its installation',
  );
});

it('tells an agent which role is missing, and starts nothing', async () => {
  const { shop, pull } = await openHonest('corner/no-role');
  await using agent = await openCodingAgent(stage, 'per', 'issues:read,projects:read,pull-requests:write');
  const asked = { project: shop.name, pullRequest: pull.number, head: headOf(pull) };
  const answer = await agent.ask('prove', asked);
  expect([answer.isError, JSON.stringify(answer.content)]).toEqual([
    true,
    expect.stringContaining(`it takes write access to ${shop.name}, and the role of per there is triage`),
  ]);
  expect([shop.proofAt(headOf(pull)), shop.drafts()]).toEqual([null, []]);
});
