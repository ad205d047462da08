// The proof of our own pull request where time, permissions and people are in its way; and after a crash at each write.

import type { FileChange } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import type { ProofProgress } from '../../../src/core/proof/proof.ts';
import { testLog } from '../../support/github-red-model.ts';
import { FILES, FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const TITLE = 'the second line is a number';
const TEST_FILE = 'test/cart.test.js';
const TEST_TEXT = `test('${TITLE}', () => {\n  assert.equal(read(2), '2');\n});\n`;
const CHANGE: readonly FileChange[] = [
  { kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: FIXED },
  { kind: 'added', path: TEST_FILE, mode: '100644', after: TEST_TEXT },
];
const RED_LOG = testLog({
  ...{ test: TITLE, at: `${TEST_FILE}:1:1` },
  error: [
    "AssertionError [ERR_ASSERTION]: 'two' !== '2'",
    '    at TestContext.<anonymous> (file:///w/test/cart.test.js:2:10)',
  ],
});
const HOUR = 3_600;

interface Proving {
  readonly house: PublishingHouse;
  readonly head: () => Promise<string>;
  readonly body: () => string;
  /** A run of Actions at our head whose only job ends so. */
  readonly run: (conclusion: 'success' | 'failure') => Promise<void>;
  readonly proof: () => Promise<ProofProgress | undefined>;
}

async function openProving(house: PublishingHouse): Promise<Proving> {
  const passed = [{ name: 'test', conclusion: 'success', log: 'ok' } as const];
  await house.double.people.reportWorkflowRun(SHOP, { sha: await house.head(), jobs: passed });
  await house.ask();
  await house.conclude({ files: CHANGE });
  await house.settle();
  const [pull] = house.pulls();
  const head = () => house.head(pull?.pull?.headRef);
  return {
    ...{ house, head },
    body: () => house.pulls()[0]?.body ?? '',
    run: async (conclusion) => {
      const log = conclusion === 'failure' ? RED_LOG : `✔ ${TITLE}\n`;
      const jobs = [{ name: 'test', conclusion, log, ...(conclusion === 'failure' && { failedStep: 'npm test' }) }];
      await house.double.people.reportWorkflowRun(SHOP, { sha: await head(), jobs });
    },
    proof: async () => (await house.thread()).record.pullRequest?.proof,
  };
}

async function expectProven({ house, run, proof, body }: Proving): Promise<void> {
  await run('failure');
  await house.settle();
  expect(await proof()).toMatchObject({ phase: 'green' });
  await run('success');
  await house.settle();
  expect(await proof()).toMatchObject({ phase: 'ended', verdict: { state: 'proven', turned: [TITLE] } });
  expect(body()).toContain('Proven in this repository');
}

describe('time', () => {
  it('ends it where no CI runs on the draft, and the fix is pushed', async () => {
    await using house = await publishingHouse();
    const { body, proof, head } = await openProving(house);
    const first = await head();
    expect(body()).not.toContain('Fixes #');
    house.advance(600);
    await house.settle();
    expect(await proof()).toMatchObject({ verdict: { state: 'not_run', because: 'no_checks' } });
    expect(await head()).not.toBe(first);
    expect(body()).toContain('Not verified:** no CI ran');
    expect(body()).toContain('Fixes #');
    expect(house.comments(house.pulls()[0]?.number)).toEqual([]);
  });

  it('ends it where CI never ends', async () => {
    await using house = await publishingHouse();
    const { proof, head } = await openProving(house);
    await house.double.people.startRun(SHOP, { sha: await head(), jobs: ['test'] });
    await house.settle();
    expect(await proof()).toMatchObject({ phase: 'red' });
    house.advance(2 * HOUR);
    await house.settle();
    expect(await proof()).toMatchObject({ verdict: { state: 'not_run', because: 'too_long' } });
  });

  it("does not wait for another App's check for ever", async () => {
    await using house = await publishingHouse();
    const { proof, head, run } = await openProving(house);
    const hang = async () =>
      house.double.people.reportCheck(SHOP, { sha: await head(), name: 'scan', app: 'scanner', conclusion: null });
    await hang();
    await run('failure');
    await house.settle();
    expect(await proof()).toMatchObject({ phase: 'red' });
    house.advance(2 * HOUR);
    await house.settle();
    expect(await proof()).toMatchObject({ phase: 'green' });
    await hang();
    await run('success');
    house.advance(2 * HOUR);
    await house.settle();
    expect(await proof()).toMatchObject({ verdict: { state: 'proven' } });
  });
});

it('is one commit, and says how people can run the test, where nothing on the base or in its files is CI', async () => {
  await using house = await publishingHouse();
  await house.ask();
  await house.conclude({ files: CHANGE });
  await house.settle();
  expect(house.pulls()[0]?.pull?.stats).toMatchObject({ commits: 1, files: 2 });
  expect((await house.thread()).record.pullRequest?.proof).toMatchObject({
    ...{ phase: 'ended', testCommit: '', verdict: { state: 'not_run', because: 'no_ci' } },
  });
  const body = house.pulls()[0]?.body;
  expect(body).toContain('**Not verified:** this repository has no CI.');
  expect(body).not.toMatch(/\bCI (?:hasn't|passes|is failing)/);
  expect(house.comments().at(-1)?.body).toContain(', without a CI result**');
  expect(body).toContain('<summary>Run the test yourself</summary>');
  expect(body).toContain(`git fetch origin pull/${house.pulls()[0]?.number}/head`);
  expect(body).toMatch(/git checkout FETCH_HEAD -- '.+' {3}# the tests alone/);
  expect(body).toContain('Fixes #');
});

it('pushes no fix for a person who may not write any more', async () => {
  await using house = await publishingHouse();
  const { proof, head, run, body } = await openProving(house);
  const first = await head();
  await run('failure');
  house.double.people.grant(SHOP, 'wanda', 'triage');
  house.advance(400);
  await house.settle();
  expect(await proof()).toMatchObject({ fixCommit: null, verdict: { state: 'not_run', because: 'not_permitted' } });
  expect(await head()).toBe(first);
  expect(body()).toContain('The fix was not pushed');
  expect(body()).not.toContain('Fixes #');
});

it('opens an ordinary pull request with both commits where there are no drafts', async () => {
  await using house = await publishingHouse({ isPrivate: true });
  house.double.people.organization('octo').plan = 'free';
  const { proof } = await openProving(house);
  await house.settle();
  expect(await proof()).toMatchObject({ verdict: { state: 'not_run', because: 'no_drafts' } });
  expect(house.pulls()[0]?.pull?.stats.commits).toBe(2);
});

it('ends with the merge while the fix is checked', async () => {
  await using house = await publishingHouse();
  const { proof, run } = await openProving(house);
  await run('failure');
  await house.settle();
  await house.double.people.merge(SHOP, house.pulls()[0]?.number ?? 0, 'wanda');
  await house.settle();
  expect(await proof()).toMatchObject({ phase: 'ended', verdict: { state: 'not_run', because: 'closed' } });
});

it('is no proof any more when a further attempt changes the test', async () => {
  await using house = await publishingHouse();
  const { proof, run, head } = await openProving(house);
  await run('failure');
  await house.settle();
  await run('failure');
  await house.publish();
  const weaker = TEST_TEXT.replace("'2'", "'two'");
  await house.conclude({
    base: await head(),
    files: [{ kind: 'modified', path: TEST_FILE, before: TEST_TEXT, after: weaker }],
  });
  await house.settle();
  await run('success');
  await house.settle();
  expect(await proof()).toMatchObject({ verdict: { state: 'fails_otherwise', because: { code: 'tests_changed' } } });
});

it('makes one of each and is proven, whichever answer of GitHub is lost', async () => {
  const lost: string[] = [];
  const onAnswer = (method: string, path: string) => {
    const write = `${method} ${path}`;
    if (method === 'GET' || path.includes('access_tokens') || lost.filter((one) => one === write).length === 4) return;
    // The first, third, … answer to the same address is lost.
    lost.push(write);
    if (lost.filter((one) => one === write).length % 2 === 1) throw new TypeError('fetch failed');
  };
  await using house = await publishingHouse({ onAnswer });
  const proving = await openProving(house);
  await expectProven(proving);
  expect(house.pulls()).toHaveLength(1);
  expect(house.pulls()[0]?.pull?.stats).toMatchObject({ commits: 2, files: 2 });
  expect(new Set(lost.map((write) => write.replace(/\d+/g, 'N'))).size).toBeGreaterThan(3);
});

it('makes one of each and is proven when the process dies before every other record', async () => {
  await using house = await publishingHouse();
  const { saveThreadRecord } = house.store;
  let saves = 0;
  const dying: typeof house.store = {
    ...house.store,
    saveThreadRecord: async (...args) => {
      saves += 1;
      if (saves % 2 === 1) throw new Error('the process has died');
      await saveThreadRecord(...args);
    },
  };
  Object.assign(house.deps, { store: dying });
  const { publish } = house;
  Object.assign(house, {
    publish: async () => {
      for (;;) {
        const result = await publish().catch(() => null);
        if (result !== null) return result;
      }
    },
  });
  await expectProven(await openProving(house));
  expect(house.pulls()).toHaveLength(1);
  expect(house.pulls()[0]?.pull?.stats).toMatchObject({ commits: 2, files: 2 });
});

describe('what was proven is one commit', () => {
  it('of which nothing is said any more after a push, be it merged at once', async () => {
    await using house = await publishingHouse();
    const proving = await openProving(house);
    await expectProven(proving);
    const [pull] = house.pulls();
    expect(proving.body()).toContain(`own CI at \`${(await proving.head()).slice(0, 12)}\`:**`);
    const branch = pull?.pull?.headRef ?? '';
    await house.double.people.push(SHOP, { by: 'wanda', branch, files: { 'NOTES.md': 'Mine.\n' } });
    await house.double.people.merge(SHOP, pull?.number ?? 0, 'wanda');
    await house.publish();
    await house.settle();
    expect(await proving.proof()).toMatchObject({ phase: 'ended', verdict: { state: 'not_run', because: 'pushed' } });
    expect(proving.body()).not.toContain('Proven');
    expect(proving.body()).not.toContain('"proven"');
  });

  it('and not the further attempt that follows it', async () => {
    await using house = await publishingHouse();
    const proving = await openProving(house);
    await expectProven(proving);
    const proven = await proving.head();
    const failed = { name: 'lint', conclusion: 'failure', log: 'Error: no\n', failedStep: 'npm run lint' } as const;
    await house.double.people.reportWorkflowRun(SHOP, { sha: proven, jobs: [failed] });
    await house.publish();
    const more = [{ kind: 'modified', path: 'src/cart.js', before: FIXED, after: `${FIXED}// more\n` }] as const;
    await house.conclude({ base: proven, files: more });
    await house.settle();
    expect(await proving.head()).not.toBe(proven);
    expect(await proving.proof()).toMatchObject({ phase: 'ended', verdict: { state: 'not_run', because: 'moved' } });
    expect(proving.body()).not.toContain('Proven');
  });
});

describe('a fix for failing checks', () => {
  const FIX = CHANGE.slice(0, 1);

  async function openForChecks(files: readonly FileChange[], attempt: readonly FileChange[] = []) {
    const house = await publishingHouse();
    const base = await house.head();
    const failed = { name: 'test', conclusion: 'failure', log: RED_LOG, failedStep: 'npm test' } as const;
    await house.double.people.reportWorkflowRun(SHOP, { sha: base, jobs: [failed] });
    await house.found({ names: ['test'], subject: 'failure', sha: base, fixRequest: 'wanda' });
    await house.conclude({ files, analysis: { verdict: 'code' } });
    await house.settle();
    const branch = house.pulls()[0]?.pull?.headRef;
    if (attempt.length > 0) {
      const first = await house.head(branch);
      const jobs = [{ ...failed, name: 'lint' }];
      await house.double.people.reportWorkflowRun(SHOP, { sha: first, jobs });
      await house.publish();
      await house.conclude({ base: first, files: attempt, analysis: { verdict: 'code' } });
      await house.settle();
    }
    const head = await house.head(branch);
    const passed = [{ name: 'test', conclusion: 'success', log: 'ok' } as const];
    await house.double.people.reportWorkflowRun(SHOP, { sha: head, jobs: passed });
    await house.settle();
    return { house, base, head, proof: (await house.thread()).record.pullRequest?.proof };
  }

  it('has its red half already, and is one commit', async () => {
    const { house, base, head, proof } = await openForChecks(FIX);
    await using _ = house;
    const verdict = { state: 'proven', turned: [TITLE], checks: [{ name: 'test' }] };
    expect(proof).toMatchObject({ phase: 'ended', base, testCommit: base, fixCommit: head, verdict });
    expect(house.pulls()[0]?.pull?.stats.commits).toBe(1);
    expect(house.pulls()[0]?.body).toContain('Proven in this repository');
  });

  it('has it after a further attempt as well', async () => {
    const more = [{ kind: 'modified', path: 'src/cart.js', before: FIXED, after: `${FIXED}// more\n` }] as const;
    const { house, base, head, proof } = await openForChecks(FIX, more);
    await using _ = house;
    expect(house.pulls()[0]?.pull?.stats.commits).toBe(2);
    expect(proof).toMatchObject({
      base,
      testCommit: base,
      fixCommit: head,
      verdict: { state: 'proven', turned: [TITLE] },
    });
  });
});
