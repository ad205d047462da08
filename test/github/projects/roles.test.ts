// What a person may do: as GitHub says, of the right person, and not for longer than promised.
import { expect, it } from 'vitest';
import type { Account } from '../../../src/core/account/account.ts';
import type { Role } from '../../../src/core/project/person.ts';
import type { Project } from '../../../src/core/project/project.ts';
import { createPermissions, type GithubPermissions } from '../../../src/github/projects/roles.ts';
import type { Said } from '../clients/github-api.ts';
import { type Ground, NEVER, openGround, SHOP } from '../clients/ground.ts';

const PROJECT: Project = { id: 'prj_1', name: 'octo/shop', source: SHOP, createdAt: '2026-11-01T00:00:00.000Z' };
const MONA: Account = { id: 'acc_1', login: 'mona', githubId: 42 };
const PERSON = { id: 42, login: 'mona' };

/** The flags that GitHub sets for a role: its own and all below it. */
function flags(role: Role): Record<string, boolean> {
  const ladder = ['read', 'triage', 'write', 'maintain', 'admin'];
  const names = ['pull', 'triage', 'push', 'maintain', 'admin'];
  return Object.fromEntries(names.map((name, index) => [name, index <= ladder.indexOf(role)]));
}

function says(role: Role, name: string = role, id = 42): Said {
  const permission = role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role;
  return { body: { permission, role_name: name, user: { id, login: 'mona', permissions: flags(role) } } };
}

async function open(answer: () => Said): Promise<Ground & { readonly permissions: GithubPermissions }> {
  const ground = await openGround({ 'GET /repos/octo/shop/collaborators/*/permission': answer });
  const permissions = createPermissions({ clients: ground.clients, now: () => ground.clock.now });
  return Object.assign(ground, { permissions });
}

function later({ clock }: Ground, seconds: number): void {
  clock.now = new Date(clock.now.getTime() + seconds * 1_000);
}

it.each<Role>(['none', 'read', 'triage', 'write', 'maintain', 'admin'])('%s is %s', async (role) => {
  await using ground = await open(() => says(role));
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe(role);
  expect(ground.api.calls()).toEqual(['GET /repos/octo/shop/collaborators/mona/permission']);
});

it.each<readonly [Role, string]>([
  ['triage', 'Support'],
  ['write', 'security-champion'],
  ['read', 'admin of docs'],
])("an organisation's own role on top of %s is that role", async (base, name) => {
  await using ground = await open(() => says(base, name));
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe(base);
});

it('a stranger at a public repository may read, and at a private one nothing', async () => {
  const nothing = { pull: false, triage: false, push: false, maintain: false, admin: false };
  for (const permission of ['read', 'none'] as const) {
    const user = { id: 42, permissions: nothing };
    await using ground = await open(() => ({ body: { permission, role_name: permission, user } }));
    expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe(permission);
  }
});

it('a login that belongs to somebody else now is somebody else', async () => {
  await using ground = await open(() => says('admin', 'admin', 43));
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe('none');
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('none');
});

it.each<readonly [string, Said]>([
  ['a login that nobody has', { status: 404, body: { message: 'mona is not a user' } }],
  ['an answer about nobody', { body: { permission: 'admin', role_name: 'admin', user: null } }],
])('%s has no role', async (_name, said) => {
  await using ground = await open(() => said);
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe('none');
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('none');
});

it('an answer holds for five minutes, then GitHub is asked again', async () => {
  let role: Role = 'write';
  await using ground = await open(() => says(role));
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe('write');
  role = 'none';
  later(ground, 299);
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe('write');
  later(ground, 1);
  expect(await ground.permissions.roleOf(MONA, PROJECT, { signal: NEVER })).toBe('none');
});

it('for whoever caused an event it holds for a minute', async () => {
  let role: Role = 'write';
  await using ground = await open(() => says(role));
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('write');
  role = 'read';
  later(ground, 59);
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('write');
  later(ground, 1);
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('read');
});

it('before what cannot be taken back it is asked anew, however lately it was known', async () => {
  let role: Role = 'write';
  await using ground = await open(() => says(role));
  expect(await ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).toBe('write');
  role = 'none';
  expect(await ground.permissions.roleNow(PERSON, PROJECT, NEVER)).toBe('none');
});

it('an event whose sender cannot be asked for is left for later instead of being taken for a stranger', async () => {
  await using ground = await open(() => ({ status: 429, headers: { 'retry-after': '60' }, body: { message: 'Slow' } }));
  await expect(ground.permissions.roleOfPerson(PERSON, PROJECT, NEVER)).rejects.toMatchObject({ kind: 'busy' });
});
