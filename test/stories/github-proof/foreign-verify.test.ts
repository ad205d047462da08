// The certificate of somebody else's fix: what our own check run says is believed as far as GitHub confirms it, and nothing else is; and what is
// said when GitHub no longer has what it rests on.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { formatBlock, openProven, type ProvenPull, verifyPull } from '../../support/foreign-certificate.ts';
import { SHOWS, writeTests } from '../../support/foreign-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

const NAME = 'corner/proven';

let stage: GithubStage;
let proven: ProvenPull;

beforeAll(async () => {
  stage = await openGithubStage();
  proven = await openProven(stage, NAME);
});

afterEach(() => {
  proven.rewrite({});
  stage.double.faults.clear();
});

afterAll(async () => {
  await proven.shop.settle();
  await stage[Symbol.asyncDispose]();
});

it('is confirmed, with and without a file of it, though branch and draft are gone', async () => {
  const { certificate, shop, verify } = proven;
  expect(certificate).toMatchObject({ kind: 'foreign', author: 'mara' });
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed']]);
  for (const more of [{}, { text: certificate }, { app: null, by: 'ola' }, { app: 'Causeway[bot]' }])
    expect(await verify(more)).toMatch(/^Yes\. This test of corner/);
  expect(await verify({ app: 'somebody-else' })).toContain('has no certificate in its body');
});

it('is read to the letter, whatever the names of its tests, also once it is merged', async () => {
  const title = 'takes `lower` case [skip ci], fixes #12 <b>@mara</b> – ÄÖ';
  const named = await openProven(stage, 'corner/named', writeTests({ [title]: SHOWS }));
  expect(named.certificate.turned).toEqual([title]);
  expect(await named.verify()).toMatch(/^Yes\. /);
  await stage.double.people.merge(named.shop.name, named.pull.number, 'mara', 'squash');
  await named.shop.settle();
  expect(await named.verify()).toMatch(/^Yes\. /);
});

it.each<[string, object]>([
  ['another head', { head: 'a'.repeat(40) }],
  ['another base', { base: 'a'.repeat(40) }],
  ['another test commit', { testCommit: 'a'.repeat(40) }],
  ['another test', { turned: ['takes everything'] }],
  ['another author', { author: 'ola' }],
  ['another pull request', { pullRequest: 'https://github.com/corner/proven/pull/99' }],
  ['another change', { diffHash: '0'.repeat(64) }],
])('denies a file with %s', async (_, tampered) => {
  const said = await proven.verify({ text: { ...proven.certificate, ...tampered } });
  expect(said).toContain('not the certificate in the check run');
});

it('reads no check run of that name by another App, nor by a workflow', async () => {
  const { people } = stage.double;
  const files = { 'notes.md': 'Mine.\n' };
  const sha = await people.push(NAME, { by: 'mara', branch: 'forged', files });
  const { number } = await people.openPull(NAME, { by: 'mara', title: 'Forged', head: 'forged' });
  const output = { title: 'Proven', summary: formatBlock({ ...proven.certificate, head: sha }) };
  for (const app of ['somebody-else', 'github-actions']) {
    await people.reportCheck(NAME, { sha, name: 'Causeway / proof', app, conclusion: 'success', output });
  }
  expect(await proven.verify({ number })).toContain('has no certificate in its body: its fix is not proven');
});

it('says nothing of a file alone, and which pull request it names', async () => {
  const { certificate, verify } = proven;
  expect(await verify({ alone: certificate })).toContain(
    `causeway verify-proof ${certificate.pullRequest} certificate.json`,
  );
});

it('denies the certificate for a newer head', async () => {
  const newer = await openProven(stage, 'corner/newer');
  expect(await newer.verify()).toMatch(/^Yes\. /);
  await stage.double.people.push(newer.shop.name, { by: 'mara', branch: 'change', files: { 'notes.md': 'more\n' } });
  await newer.shop.settle();
  const { name } = newer.shop;
  const { number } = newer.pull;
  expect(await verifyPull(stage, { name, number, text: newer.certificate })).not.toMatch(/^Yes/);
  expect(await newer.verify()).not.toMatch(/^Yes/);
});

const GONE = /^Not verifiable\. GitHub no longer keeps the logs of its checks, so it can't be verified any more\./;

it.each(['red', 'green'] as const)(
  'says that it can’t be verified any more once the log of its %s half has expired',
  async (half) => {
    const [job] = proven.runOf(half).attempts[0] ?? [];
    const { log = null } = job ?? {};
    Object.assign(job ?? {}, { log: null });
    try {
      expect(await proven.verify()).toMatch(GONE);
      // What is known to be wrong is said all the same.
      proven.rewrite({ author: 'ola' });
      expect(await proven.verify()).toContain('it was opened by mara, and it names ola');
    } finally {
      Object.assign(job ?? {}, { log });
    }
  },
);

it('says that it can’t be verified any more once its run is deleted', async () => {
  const run = proven.runOf('red');
  const { workflowRuns } = stage.double.repository(NAME);
  workflowRuns.delete(run.id);
  try {
    expect(await proven.verify()).toMatch(GONE);
  } finally {
    workflowRuns.set(run.id, run);
  }
});

it('has the record of its run stand for a commit that is gone, but not for what that held', async () => {
  const { base, testCommit, checks } = proven.certificate;
  const answer = (path: string, status: number) =>
    stage.double.faults.add({
      ...{ path: new RegExp(path), times: 100 },
      fault: { kind: 'answer', when: 'before', status },
    });
  answer(`/compare/${base}\\.\\.\\.${testCommit}`, 404);
  answer(`/commits/${testCommit}/`, 422);
  const said = await proven.verify();
  expect(said).toMatch(/^Not verifiable\. GitHub no longer has the commit with the tests alone/);
  expect(said).toContain("The rest holds: the App's bot started its run");
  const run = proven.runOf('red');
  const { actorId, headSha } = run;
  Object.assign(run, { actorId: stage.double.people.user('mara').id });
  expect(await proven.verify()).toContain('the run of "test" was started by mara, not by causeway[bot]');
  // Such as that of another proof.
  Object.assign(run, { actorId, headSha: base });
  expect(await proven.verify()).toContain(`the run of "test" is of ${base.slice(0, 12)}, not of`);
  Object.assign(run, { headSha });
  // Of the green half, which is red nowhere.
  proven.rewrite({ checks: checks.map((check) => ({ ...check, red: check.green })) });
  expect(await proven.verify()).toContain('"test" did not fail at the test commit as it says');
});

it('says of checks of other CI that GitHub has no logs of them', async () => {
  const { people } = stage.double;
  const { testCommit, checks } = proven.certificate;
  const of = { context: 'ci/other', targetUrl: 'https://ci.example/1' };
  const red = await people.reportStatus(NAME, { ...of, sha: testCommit, state: 'failure' });
  const green = await people.reportStatus(NAME, { ...of, sha: proven.head, state: 'success' });
  const [run, passed] = [red, green].map(({ createdAt: at }) => ({ url: of.targetUrl, at }));
  proven.rewrite({ checks: [...checks, { name: of.context, red: run, green: passed }] });
  expect(await proven.verify()).toMatch(/^Not verifiable\. It names checks that are no jobs of GitHub Actions/);
});
