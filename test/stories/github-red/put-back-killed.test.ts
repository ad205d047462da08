// The service killed at each write of a revert, or GitHub's answer lost before or after the write: one of each all the same.

import type { Fault, FaultRule, Moment } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHANGED_TESTS, minutesAgo, openRedDesk, type RedDesk } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage, SELDOM_MS } from '../../support/github-stage.ts';
import { LOST } from '../../support/lost-answers.ts';
import { storedRows } from '../../support/records.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ ownProcess: true });
});

afterAll(() => stage[Symbol.asyncDispose]());

type Request = Pick<FaultRule, 'method' | 'path' | 'body'>;

const REVERT: Request = { method: 'POST', path: /^\/graphql$/, body: /revertPullRequest/ };
const PROVEN: Request = { method: 'PATCH', path: /\/pulls\/2$/, body: /Red before, green with this revert/ };
const REASON: Request = { method: 'POST', path: /\/issues\/2\/comments$/ };
const CLOSE: Request = { method: 'PATCH', path: /\/pulls\/2$/, body: /"state":"closed"/ };

/** A red default branch whose only commit came by pull request 1. */
async function openBroken(name: string) {
  const desk = await openRedDesk(stage, null, name);
  const { people } = stage.double;
  const green = await people.push(name, { by: 'mara', files: { ...CHANGED_TESTS, 'NOTES.md': 'well\n' } });
  await desk.run(green, { test: 'success' }, { at: minutesAgo(3) });
  await people.push(name, { by: 'mara', branch: 'worse', files: { 'NOTES.md': 'worse\n' } });
  const { number } = await people.openPull(name, { by: 'mara', title: 'Make it worse', head: 'worse' });
  const sha = await people.merge(name, number, 'mara', 'squash');
  await desk.run(sha, { test: COUPONS });
  const run = desk.checkRun(sha).run;
  return { desk, sha, ask: () => people.pressAction(name, run, 'open_revert', 'mara') };
}

function revertsOf({ name }: RedDesk) {
  return stage.double.people.pulls(name).filter(({ pull }) => pull?.headRef.startsWith('revert-'));
}

/** From the press of the button until main is green again and the draft is closed, with what happens meanwhile. */
async function playRevert(name: string, up: () => Promise<unknown>): Promise<void> {
  const { desk, sha, ask } = await openBroken(name);
  await ask();
  await stage.until('the revert', async () => {
    await up();
    return revertsOf(desk).length > 0;
  });
  await up();
  const [revert] = revertsOf(desk);
  await stage.until('its record', async () => (await recordsOf(name))[0]?.includes('"opened"'), SELDOM_MS);
  await desk.report(revert?.pull?.headSha ?? '', { test: 'success' });
  await stage.until(
    'the proof',
    async () => {
      await up();
      return revert?.body?.includes('Red before, green with this revert');
    },
    SELDOM_MS,
  );
  await up();
  await stage.rest();
  const mended = await desk.push('main', { files: { 'NOTES.md': 'mended\n' } });
  await desk.report(mended, { test: 'success' });
  await stage.until(
    'its end',
    async () => {
      await up();
      return revert?.state === 'closed' && (await recordsOf(name))[0]?.includes(`"closedFor":"${mended}"`);
    },
    SELDOM_MS,
  );
  await up();
  await stage.rest();
  expect(revertsOf(desk)).toHaveLength(1);
  expect(await stage.double.git(name, 'branch', '--list', 'revert-*')).not.toContain('\n');
  expect(desk.comments(revert?.number ?? 0)).toHaveLength(1);
  expect((await recordsOf(name)).length).toBe(1);
  expect(desk.checkRun(sha).words).toContain('was closed: the branch passes again without it');
}

async function recordsOf(name: string): Promise<readonly string[]> {
  const query =
    'select put_backs.state from put_backs join projects on projects.id = put_backs.project_id where projects.name = $1';
  return (await storedRows<{ state: string }>(stage.dataDir, query, [name])).map(({ state }) => state);
}

it.each([
  ['answered', 'corner/answered'],
  ['carried_out', 'corner/carried-out'],
] as const satisfies readonly (readonly [Moment, string])[])(
  'leaves one revert, one reason and one end where it is killed at each write (%s)',
  async (moment, name) => {
    const killed: Request[] = [];
    let up: Promise<unknown> = Promise.resolve();
    for (const request of [REVERT, PROVEN, REASON, CLOSE]) {
      const act = async () => {
        await up;
        await stage.service().end('SIGKILL');
        killed.push(request);
        up = stage.restart();
      };
      stage.double.faults.add({ ...request, fault: { kind: 'meanwhile', moment, act } });
    }
    await playRevert(name, () => up);
    expect(killed).toEqual([REVERT, PROVEN, REASON, CLOSE]);
  },
);

it.each([
  ['after', LOST['502']],
  ['reset', LOST.reset],
  ['before', { kind: 'html', when: 'before', status: 502 }],
] as const satisfies readonly (readonly [string, Fault])[])(
  'opens no second one where GitHub gives no answer (%s)',
  async (name, fault) => {
    for (const request of [REVERT, REASON]) stage.double.faults.add({ ...request, fault });
    await playRevert(`corner/lost-${name}`, () => Promise.resolve());
  },
);
