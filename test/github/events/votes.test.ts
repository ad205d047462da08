// Votes by command: on what they count, how often, and what they leave alone.
import { describe, expect, it } from 'vitest';
import { conclusion } from '../../support/store-samples.ts';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';

/** An issue with an answer. */
async function answered(): Promise<{ readonly house: EventHouse; readonly issueId: string }> {
  const house = await shop();
  house.double.people.label(NAME, 1, 'analyse', 'ada');
  await house.settle();
  const [run] = await house.runs();
  const now = house.double.state.clock.now().toISOString();
  const [issueId = ''] = await house.store.conclude(run!, conclusion(), now);
  return { house, issueId };
}

async function say(house: EventHouse, by: string, body: string): Promise<readonly string[]> {
  house.double.state.clock.advance(2_000);
  const comment = house.double.people.comment(NAME, 1, { by, body });
  await house.settle();
  return comment.reactions.map(({ content }) => content);
}

async function votesOn({ store }: EventHouse, issueId: string) {
  const votes = (await store.findOutcomeOfIssue(issueId))?.votes ?? [];
  return votes.map(({ vote, why }) => [vote, why]);
}

describe('a vote', () => {
  it('counts once for each person, the latest of each, however often it is delivered, and keeps its words', async () => {
    const { house, issueId } = await answered();
    await using _ = house;
    expect(await say(house, 'tria', '/analyse wrong, it is the cache')).toEqual(['eyes']);
    expect(await say(house, 'tria', '/analyse wrong')).toEqual(['eyes']);
    expect(await say(house, 'wren', '/analyse RIGHT that was it')).toEqual(['eyes']);
    expect(await say(house, 'reader', '/analyse wrong')).toEqual([]);
    expect(await votesOn(house, issueId)).toEqual([
      ['wrong', 'it is the cache'],
      ['right', 'that was it'],
    ]);
    house.double.state.clock.advance(2_000);
    house.double.people.comment(NAME, 1, { by: 'tria', body: '/analyse right' });
    const [delivered] = house.announced.splice(0);
    for (const id of ['d-1', 'd-1', 'd-2']) await house.handle(delivered!, id);
    expect(await votesOn(house, issueId)).toEqual([
      ['right', 'that was it'],
      ['right', ''],
    ]);
    expect(await house.store.listInvestigations({ limit: 10 })).toHaveLength(1);
  });

  it('asks back once the answer is erased, and starts nothing', async () => {
    const { house, issueId } = await answered();
    await using _ = house;
    await house.store.eraseIssue(issueId, house.double.state.clock.now().toISOString());
    expect(await say(house, 'tria', '/analyse right')).toEqual(['confused']);
    expect(await house.runs()).toEqual([]);
    const said = house.double.people.comments(NAME, 1).at(-1)?.body;
    expect(said).toContain('There is no answer here to rate. With triage access, you can comment `/analyse`');
  });
});

it('a label on a closed issue with an answer starts nothing, and a retry does', async () => {
  const { house } = await answered();
  await using _ = house;
  const { people, state } = house.double;
  people.close(NAME, 1, 'ada');
  people.unlabel(NAME, 1, 'analyse', 'ada');
  state.clock.advance(2_000);
  people.label(NAME, 1, 'analyse', 'ada');
  await house.settle();
  expect(await say(house, 'ada', '/analyse')).toEqual(['confused']);
  expect(await house.runs()).toEqual([]);
  expect(people.comments(NAME, 1).at(-1)?.body).toBe('/analyse');
  expect(await say(house, 'tria', '/analyse retry')).toEqual(['eyes']);
  expect(await house.runs()).toHaveLength(1);
});
