// Which repository on GitHub may be read for another: by visibility and by the people whom GitHub lists for both.
import { expect, it } from 'vitest';
import type { GithubProject } from '../../../src/core/project/project.ts';
import { createContextAccess } from '../../../src/github/projects/context-access.ts';
import type { Said } from '../clients/github-api.ts';
import { NEVER, openGround, SHOP } from '../clients/ground.ts';

type Visibility = 'public' | 'internal' | 'private';

const CREATED = '2026-11-01T00:00:00.000Z';
const PROJECT: GithubProject = { id: 'prj_1', name: 'octo/shop', source: SHOP, createdAt: CREATED };
const LIBRARY: GithubProject = { ...PROJECT, id: 'prj_2', name: 'octo/lib', source: { ...SHOP, repositoryId: 502 } };

const toRepository = (id: number, visibility: Visibility): Said => ({
  body: { id, private: visibility !== 'public', visibility },
});
const toPeople = (ids: readonly number[]): Said => ({ body: ids.map((id) => ({ id, login: `p${id}` })) });

interface Setting {
  readonly own: Visibility;
  readonly other: Visibility;
  readonly ownPeople?: readonly number[];
  readonly otherPeople?: readonly number[];
}

async function isReadable({ own, other, ownPeople = [1], otherPeople = [1] }: Setting): Promise<boolean> {
  await using ground = await openGround({
    'GET /repos/octo/shop': () => toRepository(501, own),
    'GET /repos/octo/lib': () => toRepository(502, other),
    'GET /repos/octo/shop/collaborators': () => toPeople(ownPeople),
    'GET /repos/octo/lib/collaborators': () => toPeople(otherPeople),
  });
  return await createContextAccess(ground).isReadableByAll(PROJECT, LIBRARY, NEVER);
}

it.each<readonly [Visibility, Visibility, boolean]>([
  ['public', 'public', true],
  ['public', 'internal', false],
  ['public', 'private', false],
  ['internal', 'public', true],
  ['internal', 'internal', true],
  ['internal', 'private', false],
  ['private', 'public', true],
  ['private', 'internal', true],
  ['private', 'private', true],
])('a project that is %s reads a library that is %s: %s', async (own, other, expected) => {
  expect(await isReadable({ own, other })).toBe(expected);
});

it.each<readonly [string, readonly number[], readonly number[], boolean]>([
  ['more people read the library', [1, 2], [1, 2, 3], true],
  ['one person does not read the library', [1, 2], [1], false],
  ['there are too many people to know', Array.from({ length: 100 }, (_, id) => id), [1], false],
])('%s', async (_, ownPeople, otherPeople, expected) => {
  expect(await isReadable({ own: 'private', other: 'private', ownPeople, otherPeople })).toBe(expected);
});

it('reads nothing of another installation, without asking, and nothing that took over the name', async () => {
  await using ground = await openGround({ 'GET /repos/octo/lib': () => toRepository(999, 'public') });
  const access = createContextAccess(ground);
  const elsewhere = { ...LIBRARY, source: { ...LIBRARY.source, installationId: 8 } };
  expect(await access.isReadableByAll(PROJECT, elsewhere, NEVER)).toBe(false);
  expect(ground.api.calls()).toEqual([]);
  expect(await access.isReadableByAll(PROJECT, LIBRARY, NEVER)).toBe(false);
});
