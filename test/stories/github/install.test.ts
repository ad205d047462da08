// Where the App is installed there are projects, seen by those whom GitHub lets see them; where it is not there are none.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../support/api-client.ts';
import { expectLeastTokens } from '../../support/github-desk.ts';
import { openShop, reportBug } from '../../support/github-shop.ts';
import { type GithubStage, mirrorsIn, OWNER, openGithubStage } from '../../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ installed: false });
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly issueIds: readonly string[];
}

async function names(api: ApiClient): Promise<readonly string[]> {
  return (await api.get<readonly Listed[]>('/api/v1/projects/')).map(({ name }) => name);
}

it('makes projects of the repositories it is installed on, follows what is added, removed and renamed, and ends with it', async () => {
  const { people, state } = stage.double;
  await openShop(stage.double, { name: 'corner/first' });
  await openShop(stage.double, { name: 'corner/second', isPrivate: true });
  await openShop(stage.double, { name: 'corner/third' });
  const installation = people.install(OWNER, { by: 'nora', repositories: ['corner/first', 'corner/second'] });
  await stage.rest();
  const mara = await stage.api('mara');
  expect(await names(mara)).toEqual(['corner/first', 'corner/second']);
  const [before] = await mara.get<readonly Listed[]>('/api/v1/projects/');

  people.changeRepositories(installation, { add: ['corner/third'], remove: ['corner/second'], by: 'nora' });
  await stage.rest();
  expect(await names(mara)).toEqual(['corner/first', 'corner/third']);

  people.renameRepository('corner/first', 'renamed', 'nora');
  await stage.rest();
  expect(await names(mara)).toEqual(['corner/renamed', 'corner/third']);
  // It is the number that makes the project, not the name.
  const [after] = await mara.get<readonly Listed[]>('/api/v1/projects/');
  expect(after?.id).toBe(before?.id);

  people.suspend(installation, 'nora');
  await stage.rest();
  expect(await names(mara)).toEqual([]);
  people.unsuspend(installation, 'nora');
  await stage.rest();
  expect(await names(mara)).toEqual(['corner/renamed', 'corner/third']);

  people.uninstall(installation, 'nora');
  await stage.rest();
  expect(await names(mara)).toEqual([]);
  expect(state.installations.size).toBe(0);
  expectLeastTokens(stage);
});

it('shows each caller what GitHub shows them, and takes no report of the rest', async () => {
  const { people } = stage.double;
  await openShop(stage.double, { name: 'corner/open' });
  await openShop(stage.double, { name: 'corner/hidden', isPrivate: true });
  people.revoke('corner/hidden', 'per');
  people.organization(OWNER).members.clear();
  people.organization(OWNER, { owners: ['nora'] });
  const installation = people.install(OWNER, { by: 'nora', repositories: ['corner/open', 'corner/hidden'] });
  await stage.rest();
  expect(await names(await stage.api('mara'))).toEqual(['corner/hidden', 'corner/open']);
  expect(await names(await stage.api('per'))).toEqual(['corner/open']);
  // All the world may read a public repository; what was found out about it is not for all the world.
  const ola = await stage.api('ola');
  expect(await names(ola)).toEqual([]);
  const [project] = await (await stage.api('mara')).get<readonly Listed[]>('/api/v1/projects/');
  expect(await ola.status(`/api/v1/projects/${project?.id}/`)).toBe(404);
  people.uninstall(installation, 'nora');
  await stage.rest();
});

it('lets nobody in who is not among the allowed owners', async () => {
  const { people } = stage.double;
  people.organization('elsewhere', { owners: ['eve'] });
  await openShop(stage.double, { name: 'elsewhere/shop' });
  people.install('elsewhere', { by: 'eve' });
  people.grant('elsewhere/shop', 'mara', 'admin');
  const number = await reportBug(stage.double, { name: 'elsewhere/shop' });
  people.label('elsewhere/shop', number, 'analyse', 'mara');
  await stage.rest();
  expect(await names(await stage.api('mara'))).toEqual([]);
  expect(stage.writes('elsewhere/shop')).toEqual([]);
  expect(stage.double.people.issue('elsewhere/shop', number).reactions).toEqual([]);
});

it('erases the copy of the source at once when it is uninstalled', async () => {
  const { people } = stage.double;
  await openShop(stage.double, { name: 'corner/copied' });
  const installation = people.install(OWNER, { by: 'nora', repositories: ['corner/copied'] });
  const number = await reportBug(stage.double, { name: 'corner/copied' });
  people.label('corner/copied', number, 'analyse', 'per');
  await stage.until('a result', () =>
    stage.ourComments('corner/copied', number).some(({ body }) => body.includes('Facts only')),
  );
  await stage.rest();
  expect(mirrorsIn(stage)).toHaveLength(1);
  people.uninstall(installation, 'nora');
  await stage.rest();
  expect(mirrorsIn(stage)).toEqual([]);
});
