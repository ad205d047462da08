// After our fix was merged, a report from before it is known to be one, and the fix is not named as what may have broken it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Played } from '../../../packages/models/test/played.ts';
import type { Issue } from '../../../src/core/issue/issue.ts';
import { deskOf, openDesk } from '../../support/github-desk.ts';
import { SHOP_TURNS, type ShopModel, shopModel } from '../../support/github-model.ts';
import { reportBug } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { conclusion, playTurn, textsIn } from '../../support/played-model.ts';

const MERGED = 'causeway[bot]: Fix: ';

/** Once its fix is in the history it knows no more. */
const TURNS: readonly Played[] = SHOP_TURNS.map((_, turn) => (asked) => {
  if (!textsIn(asked).join('\n').includes(MERGED)) return playTurn(SHOP_TURNS, asked);
  return turn > 0 ? {} : { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['The payment page answers.'] })] };
});

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel(TURNS);
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('asks whether it still happens with the fix, for a retry and for the same report by somebody else', async () => {
  const name = 'corner/again';
  const desk = await openDesk(stage, name);
  desk.label('mara');
  const { number } = await desk.pull();
  await stage.double.people.merge(name, number, 'mara');
  await stage.rest();
  stage.double.state.clock.advance(2_000);
  desk.say('mara', '/analyse retry it still happens');
  await stage.rest();
  const second = deskOf(stage, name, await reportBug(stage.double, { name }));
  second.label('mara');
  await stage.rest();

  const api = await stage.api('mara');
  const { issueIds } = await api.project(name);
  const issues = await Promise.all(issueIds.map((id) => api.get<Issue>(`/api/v1/issues/${id}/`)));
  const later = issues.filter(({ analysis }) => analysis.outcome === 'inconclusive');
  expect(later).toHaveLength(2);
  for (const { analysis, solutionSteps } of later) {
    expect(analysis.questions).toEqual([
      expect.stringMatching(
        /^Does it still happen at [0-9a-f]{7}, and what is the trace there\? The report prints a line that [0-9a-f]{7} \(\d{4}-\d\d-\d\d, “Fix: .+”\) removed\.$/,
      ),
    ]);
    expect(solutionSteps.map(({ description }) => description).join('\n')).not.toContain('Fix: ');
  }
});
