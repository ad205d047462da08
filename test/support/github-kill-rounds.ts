// Kills the service at the writes of one thread, or loses GitHub's answers to them, while a thread is played from its label to its hand-over.
import type { FaultRule, Moment } from 'causeway-github-double';
import { expect } from 'vitest';
import { type Desk, openDesk } from './github-desk.ts';
import { countLeft } from './github-kill-count.ts';
import { MENDED_FILE, type ShopModel } from './github-model.ts';
import { openProofDesk, TEST_FILE } from './github-proof.ts';
import { type GithubStage, SELDOM_MS } from './github-stage.ts';
import { LOST, type Loss } from './lost-answers.ts';

/** What we write on GitHub from the label to the hand-over, in that order. */
export const WRITES = [
  ...['eyes', 'facts', 'result', 'deletion', 'branch', 'commit', 'pull request'],
  ...['further commit', 'hand-over'],
] as const;
/** From the label to the end of a proof, whose first commit is the test and whose further one is the fix. */
export const PROOF_WRITES = [
  ...['eyes', 'facts', 'result', 'deletion', 'branch', 'commit', 'pull request', 'further commit', 'certificate'],
] as const;
export type Write = (typeof WRITES)[number] | 'certificate';

/** Which request it is; the issue of the round is number 1, its pull request number 2. */
function requestOf(write: Write, repository: string): Pick<FaultRule, 'method' | 'path' | 'body'> {
  const below = (rest: string) => new RegExp(`^/repos/${repository}${rest}$`);
  const commit = { method: 'POST', path: /^\/graphql$/, body: new RegExp(`createCommitOnBranch[^]*"${repository}"`) };
  switch (write) {
    case 'eyes':
      return { method: 'POST', path: below('/issues/1/reactions') };
    case 'facts':
    case 'result':
      return { method: 'POST', path: below('/issues/1/comments'), body: new RegExp(`kind=${write} `) };
    case 'deletion':
      return { method: 'DELETE', path: below('/issues/comments/\\d+') };
    case 'branch':
      return { method: 'POST', path: below('/git/refs') };
    case 'commit':
    case 'further commit':
      return commit;
    case 'pull request':
      return { method: 'POST', path: below('/pulls') };
    case 'hand-over':
      return { method: 'POST', path: below('/issues/2/comments') };
    case 'certificate':
      return { method: 'PATCH', path: below('/pulls/2'), body: /Proven in this repository/ };
  }
}

interface Killer {
  /** Writes at which the service was killed so far. */
  readonly killed: readonly Write[];
  /** Resolves when it runs, after as many kills as there were. */
  up(): Promise<unknown>;
}

/** From now on the service dies at the first of each of these writes, and is started again. */
function armKiller(stage: GithubStage, repository: string, moment: Moment, writes: readonly Write[]): Killer {
  const killed: Write[] = [];
  let up: Promise<unknown> = Promise.resolve();
  for (const write of writes) {
    const act = async () => {
      await up;
      await stage.service().end('SIGKILL');
      killed.push(write);
      up = stage.restart();
    };
    stage.double.faults.add({ ...requestOf(write, repository), fault: { kind: 'meanwhile', moment, act } });
  }
  return { killed, up: () => up };
}

export interface Round {
  readonly desk: Desk;
  readonly killed: readonly Write[];
}

/** A label on the issue of a new shop, and a service that is killed at each of these writes. Ends when nothing is left to do. */
export async function killRound(
  stage: GithubStage,
  model: ShopModel,
  plan: { readonly repository: string; readonly moment: Moment; readonly writes: readonly Write[] },
): Promise<Round> {
  const { repository, moment, writes } = plan;
  const desk = await openDesk(stage, repository);
  await stage.rest();
  const killer = armKiller(stage, repository, moment, writes);
  await play(stage, model, { desk, writes, up: killer.up });
  return { desk, killed: killer.killed };
}

/** The same in a shop whose CI runs, until the fix is proven: one of each stands there, however often the service was killed. */
export async function expectOneProof(
  stage: GithubStage,
  model: ShopModel,
  plan: { readonly repository: string; readonly moment: Moment; readonly writes: readonly Write[] },
): Promise<void> {
  const { repository, moment, writes } = plan;
  const shop = await openProofDesk(stage, repository);
  await stage.rest();
  const killer = armKiller(stage, repository, moment, writes);
  const { release } = model.hold(`Repository ${repository} `);
  shop.desk.label('mara');
  await shop.desk.comment('Investigating');
  await killer.up();
  release();
  const pull = await shop.desk.pull();
  await stage.until(
    'the proof',
    async () => {
      await killer.up();
      await shop.settle();
      return killer.killed.length === writes.length && shop.desk.headlines()[0]?.includes('proven in CI');
    },
    SELDOM_MS,
  );
  await shop.settle();
  expect(killer.killed).toEqual(writes);
  expect((await shop.commits()).map(({ files }) => files)).toEqual([[TEST_FILE], [MENDED_FILE]]);
  expect(pull.body?.match(/"state": "proven"/g)).toHaveLength(1);
  expect(shop.desk.reactions()).toEqual(['eyes']);
  expect(stage.ourComments(repository, pull.number)).toEqual([]);
  // The base, the test and the fix.
  expect(shop.ci.ran).toHaveLength(3);
  const left = await countLeft(stage, shop.desk);
  expect(left).toMatchObject({ branches: 1, commits: 2, pulls: 1, isRecorded: true, unsettled: 0 });
  expect(left.comments).toHaveLength(1);
}

/** Writes whose answers can be lost in one thread without it taking too long: what is unsure is looked at again after a while. */
export const LOST_TOGETHER: readonly (readonly Write[])[] = [
  ['facts', 'branch'],
  ['result', 'commit'],
  ['deletion', 'pull request'],
  ['eyes', 'further commit', 'hand-over'],
];

/** The same, with a service that lives and hears nothing, or a 502, when each of these writes was carried out. */
export async function lossRound(
  stage: GithubStage,
  model: ShopModel,
  plan: { readonly repository: string; readonly loss: Loss; readonly writes: readonly Write[] },
): Promise<Desk> {
  const { repository, loss, writes } = plan;
  const desk = await openDesk(stage, repository);
  for (const write of writes) stage.double.faults.add({ ...requestOf(write, repository), fault: LOST[loss] });
  await play(stage, model, { desk, writes, up: async () => {} });
  return desk;
}

interface Played {
  readonly desk: Desk;
  /** Those that something happens at: what only comes after them is not played. */
  readonly writes: readonly Write[];
  /** Resolves when there is a service to hear what happens on GitHub. */
  readonly up: () => Promise<unknown>;
}

async function play(stage: GithubStage, model: ShopModel, { desk, writes, up }: Played): Promise<void> {
  // No result before the facts stand there.
  const { release } = model.hold(`Repository ${desk.name} `);
  desk.label('mara');
  await desk.comment('Investigating');
  await up();
  release();
  const pull = await desk.pull();
  await quiet(stage, desk, up);
  if (!writes.includes('further commit') && !writes.includes('hand-over')) return;
  const first = pull.pull?.headSha ?? '';
  await redChecks(stage, desk, first);
  await stage.until('a further commit', () => pull.pull?.headSha !== first);
  await quiet(stage, desk, up);
  await redChecks(stage, desk, pull.pull?.headSha ?? '');
  await stage.until('the hand-over', () => stage.ourComments(desk.name, pull.number).length > 0);
  await quiet(stage, desk, up);
}

/** What stands on GitHub is recorded, nothing is due, and the service is there. */
async function quiet(stage: GithubStage, desk: Desk, up: () => Promise<unknown>): Promise<void> {
  await stage.until('the pull request in the comment', () => desk.headlines().some((line) => line.includes('#2')));
  await up();
  await stage.rest();
  await stage.until('the record', async () => (await countLeft(stage, desk)).isRecorded, SELDOM_MS);
  await up();
  await stage.rest();
}

/** A run of Actions whose only job fails, with its log. */
async function redChecks(stage: GithubStage, desk: Desk, sha: string): Promise<void> {
  const log = `not ok 3 - takes coupons in lower case at ${sha}\n`;
  const jobs = [{ name: 'test', conclusion: 'failure', failedStep: 'npm test', log } as const];
  await stage.double.people.reportWorkflowRun(desk.name, { sha, jobs });
}
