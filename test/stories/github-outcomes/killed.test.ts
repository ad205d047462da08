// A look that is cut short by the end of its process is taken again, and what it finds counts once.
import { expect, it } from 'vitest';
import { openDesk } from '../../support/github-desk.ts';
import { shopModel } from '../../support/github-model.ts';
import { openGithubStage } from '../../support/github-stage.ts';
import { storedRows } from '../../support/records.ts';
import { readOutcomes } from './look-now.ts';

it('finds a merge once where the service is killed while it looks', async () => {
  await using model = await shopModel();
  await using stage = await openGithubStage({ env: model.env, ownProcess: true });
  const name = 'corner/killed';
  const desk = await openDesk(stage, name);
  desk.label('mara');
  const { number } = await desk.pull();
  await desk.comment(`#${number}`);
  await stage.rest();
  const { faults, people, requests } = stage.double;
  const path = new RegExp(`/pulls/${number}$`);
  faults.add({ method: 'GET', path, fault: { kind: 'hang', when: 'before' }, times: 2 });
  const before = requests.length;
  await people.merge(name, number, 'mara');
  desk.say('per', '/analyse wrong');
  await stage.until('a look', () => requests.slice(before).filter((one) => path.test(one.path)).length >= 2);
  await stage.service().end('SIGKILL');
  await stage.restart();
  await stage.rest();
  expect(await readOutcomes(stage, name)).toEqual([
    expect.objectContaining({ state: 'merged', votes: { right: 0, wrong: 1 }, judgement: 'wrong' }),
  ]);
  const jobs = await storedRows(stage.dataDir, "select subject from jobs where kind = 'outcome' and state = 'dead'");
  expect(jobs).toEqual([]);
});
