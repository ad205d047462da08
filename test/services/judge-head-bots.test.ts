// Pull requests of bots: what `checks.bots` decides, how many a day are investigated, and in whose name.
import { expect, it } from 'vitest';
import type { CheckRules } from '../../src/core/check/check.ts';
import { CODE_LOG, HEAD, type HeadGround, headGround, logOf, pullRequestPlace } from '../support/head-ground.ts';
import { ON_MAIN } from '../support/store-samples.ts';

const BOT = { isBot: true, isTrusted: false, author: { id: 9, login: 'renovate[bot]' } } as const;
/** As the checks in memory call our own. */
const OURS = { id: 900, login: 'causeway[bot]' };

type Place = Parameters<typeof pullRequestPlace>[0];

async function lookAt(bots: CheckRules['bots'], place: Place = {}): Promise<HeadGround> {
  const at = await headGround();
  at.world.rules = { ...at.world.rules, bots };
  at.world.places.set(HEAD, pullRequestPlace({ ...BOT, ...place }));
  at.run('test', 'red', { log: CODE_LOG });
  return at;
}

async function countBegun({ store, project }: HeadGround): Promise<number> {
  return (await store.listInvestigations({ projectIds: [project.id], limit: 100 })).length;
}

it.each<[CheckRules['bots'], Place, string | null]>([
  ['verdict', {}, 'bot_author'],
  ['investigate', {}, null],
  ['investigate', { isDraft: true }, 'draft'],
  ['investigate', { isFork: true }, 'fork'],
  ['investigate', { isBot: false }, 'untrusted_author'],
  // A person pushed to it.
  ['verdict', { isTrusted: true }, null],
  ['ignore', { isTrusted: true }, null],
])('with %s and %j begins nothing for the reason %s', async (bots, place, code) => {
  await using at = await lookAt(bots, place);
  const { head } = await at.look();
  expect(head.findings).toMatchObject([{ verdict: 'code', notBegun: code === null ? null : { code } }]);
  expect(await countBegun(at)).toBe(code === null ? 1 : 0);
});

it('is investigated in our own name, and no pull request is requested', async () => {
  await using at = await lookAt('investigate');
  const [finding] = (await at.look()).head.findings;
  expect(await at.store.findThread(finding?.threadId ?? '')).toMatchObject({
    ...{ subject: { kind: 'pull_request', number: 5 }, fixRequest: null },
    trigger: { kind: 'checks', by: OURS, role: 'none' },
  });
});

it.each<[string, CheckRules['bots'], Place]>([
  ['a bot, where bots are ignored,', 'ignore', {}],
  ['our own App', 'investigate', { author: OURS }],
])('of %s is not examined at all', async (_, bots, place) => {
  await using at = await lookAt(bots, place);
  expect((await at.look()).head).toMatchObject({ state: 'ignored', findings: [] });
  expect(await at.store.listFailures([at.project.id], { limit: 1 })).toEqual([]);
});

it('is investigated five times a day, which people and the default branch do not share', async () => {
  await using at = await lookAt('investigate');
  const shas = Array.from({ length: 4 }, (_, index) => `${index + 1}`.repeat(40));
  for (const [index, sha] of shas.entries()) {
    at.world.places.set(sha, pullRequestPlace({ ...BOT, number: 6 + index, sha }));
    for (const check of [0, 1]) at.run(`check ${check}`, 'red', { sha, log: logOf(2 * index + check) });
  }
  for (const sha of [HEAD, ...shas]) await at.look(sha);
  expect(await countBegun(at)).toBe(5);
  const last = async () => (await at.look(shas[3])).head.findings.map(({ notBegun }) => notBegun);
  expect(await last()).toEqual(Array(2).fill({ code: 'bot_limit', limit: 5 }));
  const [person, main] = ['e'.repeat(40), 'f'.repeat(40)];
  at.world.places.set(person, pullRequestPlace({ number: 20, sha: person }));
  at.world.places.set(main, ON_MAIN);
  for (const [index, sha] of [person, main].entries()) {
    at.run('till', 'red', { sha, log: logOf(20 + index) });
    expect((await at.look(sha)).head.findings).toMatchObject([{ notBegun: null }]);
  }
  at.seconds = 24 * 60 * 60 + 1;
  expect(await last()).toEqual([null, null]);
});
