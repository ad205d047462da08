// The long run: kill -9 while it is looked at what became of an answer, before and right after GitHub's answers, and
// while votes arrive; every event is delivered again.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lookNow, readOutcomes } from '../stories/github-outcomes/look-now.ts';
import { type Desk, openDesk } from '../support/github-desk.ts';
import { shopModel } from '../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import { engine, storedRows } from '../support/records.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? (engine() === 'sqlite' ? 20 : 4));
/** What is found is stored within so long after GitHub's last answer. */
const STORED_MS = 40;

/** Kills the service at the first of each of these reads and writes, one after the other, and starts it again. */
function armKiller(stage: GithubStage, desk: Desk, pull: number, comment: number) {
  let [kills, up] = [0, Promise.resolve() as Promise<unknown>];
  const killLater = (ms: number) => () => {
    const killed = Promise.all([up, wait(ms)]).then(() => stage.service().end('SIGKILL'));
    up = killed.then(() => {
      kills += 1;
      return stage.restart();
    });
    return ms === 0 ? killed : Promise.resolve();
  };
  const at = (method: string, rest: string) => ({ method, path: new RegExp(`^/repos/${desk.name}${rest}`) });
  const reactions = at('GET', `/issues/comments/${comment}/reactions`);
  const moments = [
    { ...at('GET', `/pulls/${pull}$`), moment: 'carried_out', ms: 0 },
    // Its findings are being stored.
    { ...reactions, moment: 'answered', ms: Math.ceil(Math.random() * STORED_MS) },
    { ...reactions, skip: 1, moment: 'answered', ms: Math.ceil(Math.random() * STORED_MS) },
    // The vote is stored, and its reaction is on GitHub.
    { ...at('POST', '/issues/comments/\\d+/reactions'), moment: 'carried_out', ms: 0 },
  ] as const;
  for (const { moment, ms, ...request } of moments) {
    stage.double.faults.add({ ...request, fault: { kind: 'meanwhile', moment, act: killLater(ms) } });
  }
  return {
    all: moments.length,
    kills: () => kills,
    up: async () => {
      // A kill that was waited for may have led to another.
      for (let known: unknown = null; known !== up; ) {
        known = up;
        await up;
      }
    },
  };
}

async function playRound(stage: GithubStage, name: string): Promise<void> {
  const { people, app } = stage.double;
  const desk = await openDesk(stage, name);
  desk.label('mara');
  const { number } = await desk.pull();
  await desk.comment(`#${number}`);
  await stage.rest();
  const [comment] = desk.ours();
  if (comment === undefined) throw new Error('there is no comment');
  people.grant(name, 'kim', 'triage');
  people.react(comment, '-1', 'kim');
  const before = new Set(stage.double.webhooks.deliveries(app.id).map(({ id }) => id));
  const killer = armKiller(stage, desk, number, comment.id);
  const redeliver = async () => {
    await killer.up();
    for (const { id, redelivery } of stage.double.webhooks.deliveries(app.id)) {
      if (!before.has(id) && !redelivery) stage.double.webhooks.redeliver(id);
    }
    await stage.double.webhooks.settled();
    await killer.up();
  };
  desk.say('per', '/analyse wrong');
  await stage.double.webhooks.settled();
  await killer.up();
  await people.merge(name, number, 'mara');
  // News that arrived at no service; GitHub's list of failed deliveries would bring it later.
  await stage.until('all kills', async () => {
    await redeliver();
    if (killer.kills() < killer.all) await lookNow(stage, name);
    return killer.kills() >= killer.all;
  });
  await redeliver();
  await lookNow(stage, name);
  const found = await readOutcomes(stage, name);
  expect(found).toEqual([
    expect.objectContaining({ state: 'merged', votes: { right: 0, wrong: 2 }, judgement: 'wrong' }),
  ]);
  expect(desk.ours()).toHaveLength(1);
}

it(`${ROUNDS} answers, each killed at four moments and told of everything twice, count once`, async () => {
  await using model = await shopModel();
  await using stage = await openGithubStage({ env: model.env });
  for (let round = 0; round < ROUNDS; round++) await playRound(stage, `corner/counted-${round}`);
  const votes = await storedRows<{ person_id: number }>(stage.dataDir, 'select person_id from votes');
  expect(votes).toHaveLength(2 * ROUNDS);
  expect(await storedRows(stage.dataDir, "select subject from jobs where state = 'dead'")).toEqual([]);
  // Both take their votes along, and what is left is that it was merged.
  for (const login of ['kim', 'per']) {
    await stage.command('erase', '--account', String(stage.double.people.user(login).id), '--yes');
  }
  await lookNow(stage);
  const after = await readOutcomes(stage, 'corner/counted-0');
  expect(after).toEqual([
    expect.objectContaining({ state: 'merged', votes: { right: 0, wrong: 0 }, judgement: 'right' }),
  ]);
  expect(await storedRows(stage.dataDir, 'select person_id from votes')).toEqual([]);
}, 3_600_000);
