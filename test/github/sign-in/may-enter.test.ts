// Who may sign in: allowed owners, and people who can reach a repository on which an allowed owner has the App.
import { describe, expect, it } from 'vitest';
import { SignInRefused } from '../../../src/core/account/account.ts';
import type { Person } from '../../../src/core/project/person.ts';
import { NEVER } from '../clients/ground.ts';
import { type SignInHouse, type SignInHouseOptions, signInHouse } from './sign-in-house.ts';

async function enter(house: SignInHouse, login: string): Promise<Person | SignInRefused> {
  const arrival = await house.arrive(login);
  return await house.signIn.person(arrival, NEVER).catch((error: unknown) => {
    if (error instanceof SignInRefused) return error;
    throw error;
  });
}

/** `octo` and `acme` have the App, each on a private repository of its own, which mona and wren read. */
async function two(options: SignInHouseOptions = {}) {
  const house = await signInHouse(options);
  const { people } = house.double;
  people.organization('acme', { owners: ['wren'] });
  for (const [name, login] of [
    ['octo/shop', 'mona'],
    ['acme/shop', 'wren'],
  ] as const) {
    await people.openRepository(name, { isPrivate: true });
    people.grant(name, login, 'read');
  }
  const installed = { octo: people.install('octo'), acme: people.install('acme', { by: 'wren' }) };
  await house.reconcile();
  return { house, people, installed };
}

describe('whoever may enter', () => {
  it('reaches a repository of an allowed owner; others are told why not, and their token is handed back too', async () => {
    const { house } = await two({ allowedOwners: ['OCTO'] });
    await using _ = house;
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
    const refused = await enter(house, 'wren');
    expect(refused).toMatchObject({ kind: 'person', message: expect.stringContaining('signed in to GitHub as wren') });
    expect(refused).toMatchObject({
      message: expect.stringMatching(/Get access .* install its App .* ask the operator .* ALLOWED_OWNERS/),
    });
    expect(house.tokensLeft()).toBe(0);
  });

  it('is by default whoever reaches a repository of the owner of the App', async () => {
    const { house } = await two({ allowedOwners: [] });
    await using _ = house;
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
    expect(await enter(house, 'wren')).toBeInstanceOf(SignInRefused);
  });

  it('is an allowed owner themself, without any installation, however the name is written', async () => {
    await using house = await signInHouse({ allowedOwners: ['Mona'] });
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
    expect(await enter(house, 'eve')).toBeInstanceOf(SignInRefused);
  });

  it('is nobody by a suspended installation, and somebody again when it is back', async () => {
    const { house, people, installed } = await two();
    await using _ = house;
    people.suspend(installed.octo, 'octo');
    await house.reconcile();
    expect(await enter(house, 'mona')).toBeInstanceOf(SignInRefused);
    people.unsuspend(installed.octo, 'octo');
    await house.reconcile();
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
  });
});

it('a list of installations that never ends is read for ten pages', async () => {
  const asked: string[] = [];
  const endless = async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const { pathname, search, origin } = new URL(String(input));
    if (pathname !== '/user/installations') return fetch(input, init);
    asked.push(search);
    return Response.json(
      { installations: [{ id: 1 }] },
      { headers: { link: `<${origin}${pathname}?page=2>; rel="next"` } },
    );
  };
  await using house = await signInHouse({ change: { fetch: endless as typeof fetch } });
  expect(await enter(house, 'mona')).toBeInstanceOf(SignInRefused);
  expect(asked).toHaveLength(10);
});
