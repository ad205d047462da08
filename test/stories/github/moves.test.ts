// What happens to a repository while it is investigated: it moves, changes hands, is archived, hidden or taken away.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectLeastTokens, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, mirrorsIn, OWNER, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel();
  stage = await openGithubStage({
    env: { ...model.env, ALLOWED_OWNERS: `${OWNER} market` },
    prepare: ({ people }) => {
      people.organization('market', { owners: ['nora'] });
      people.install('market', { by: 'nora' });
    },
  });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('finishes what it began under the new name of a repository', async () => {
  const desk = await openDesk(stage, 'corner/old-name');
  const { asked, release } = model.hold('Repository corner/old-name ');
  desk.label('mara');
  await asked;
  await desk.comment('Investigating');
  stage.double.people.renameRepository('corner/old-name', 'new-name', 'nora');
  await stage.double.webhooks.settled();
  release();
  const pull = await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
  expect(desk.headlines()).toEqual([expect.stringContaining('/corner/new-name/pull/2)')]);
  expect(pull.body).not.toContain('old-name');
  expectLeastTokens(stage);
});

it('finishes for a new owner who has the App as well', async () => {
  const desk = await openDesk(stage, 'corner/sold');
  const { asked, release } = model.hold('Repository corner/sold ');
  desk.label('mara');
  await asked;
  await desk.comment('Investigating');
  stage.double.people.transferRepository('corner/sold', 'market', 'nora');
  await stage.double.webhooks.settled();
  release();
  await stage.rest();
  const mara = await stage.api('mara');
  const projects = await mara.get<readonly { name: string }[]>('/api/v1/projects/');
  expect(projects.map(({ name }) => name)).toContain('market/sold');
  expect(projects.map(({ name }) => name)).not.toContain('corner/sold');
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
  expect(desk.headlines()).toEqual([expect.stringContaining('/market/sold/pull/2)')]);
});

it('opens no pull request in a repository that was archived meanwhile, and asks for nothing again and again', async () => {
  const desk = await openDesk(stage, 'corner/archived');
  const { asked, release } = model.hold('Repository corner/archived ');
  desk.label('mara');
  await asked;
  await desk.comment('Investigating');
  stage.double.people.archiveRepository('corner/archived', 'nora');
  await stage.double.webhooks.settled();
  const before = stage.double.requests.length;
  release();
  await stage.until('the end', async () => model.told('Repository corner/archived ').length >= 3);
  await stage.rest();
  expect(desk.pulls()).toEqual([]);
  expect(stage.double.requests.slice(before).filter(({ method }) => method !== 'GET').length).toBeLessThan(10);
});

it('goes on in a repository that was made private, whose source the world no longer reads', async () => {
  const desk = await openDesk(stage, 'corner/hidden');
  const { asked, release } = model.hold('Repository corner/hidden ');
  desk.label('mara');
  await asked;
  stage.double.people.publiciseRepository('corner/hidden', 'nora', true);
  await stage.double.webhooks.settled();
  release();
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
  const mara = await stage.api('mara');
  const projects = await mara.get<readonly { name: string }[]>('/api/v1/projects/');
  expect(projects.map(({ name }) => name)).toContain('corner/hidden');
});

it('ends everything at once when it is uninstalled: the question, the copy of the source, and every call', async () => {
  const desk = await openDesk(stage, 'corner/left');
  const mara = await stage.api('mara');
  const { asked, release } = model.hold('Repository corner/left ');
  const location = await mara.report({ data: 'Checkout stops: a call.', projectId: desk.name });
  desk.label('mara');
  const question = await asked;
  await desk.comment('Investigating');
  const installation = [...stage.double.state.installations.values()].find(
    ({ accountId }) => stage.double.state.accounts.get(accountId)?.login === OWNER,
  );
  if (installation === undefined) throw new Error('it is not installed');
  const writes = desk.writes().length;
  const calls = stage.double.requests.length;
  const projects = await mara.get<readonly { id: string; name: string }[]>('/api/v1/projects/');
  const projectId = projects.find(({ name }) => name === desk.name)?.id;
  expect(mirrorsIn(stage)).toContain(`${projectId}.git`);
  stage.double.people.uninstall(installation, 'nora');
  await question.closed;
  release();
  await stage.rest();
  expect(desk.writes()).toHaveLength(writes);
  expect([desk.pulls().length, desk.headlines()]).toEqual([0, [expect.stringContaining('Investigating')]]);
  expect(await mara.status(location)).toBe(404);
  expect(mirrorsIn(stage)).not.toContain(`${projectId}.git`);
  // Nobody knocks where the door is closed.
  expect(stage.double.requests.slice(calls).filter(({ status }) => status >= 400).length).toBeLessThan(5);

  stage.double.people.install(OWNER, { by: 'nora' });
  await stage.rest();
  expect(await mara.get(location)).toMatchObject({ state: 'gave_up', reason: { code: 'access_lost' } });
  await desk.comment('access to the repository was lost');
  expect(desk.ours()).toHaveLength(1);
});
