// Who may sign in: allowed owners, and people who can reach a repository on which an allowed owner has the App.
import { describe, expect, it } from 'vitest';
import { SignInRefused } from '../../../src/core/account.ts';
import type { Person } from '../../../src/core/thread.ts';
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

  it('is nobody by an installation of which only GitHub knows', async () => {
    await using house = await signInHouse();
    const { people } = house.double;
    await people.openRepository('octo/shop', { isPrivate: true });
    people.grant('octo/shop', 'mona', 'read');
    people.install('octo');
    expect(await enter(house, 'mona')).toBeInstanceOf(SignInRefused);
    await house.reconcile();
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
  });

  it('is whoever lost access no more', async () => {
    const { house, people } = await two();
    await using _ = house;
    people.revoke('octo/shop', 'mona');
    expect(await enter(house, 'mona')).toBeInstanceOf(SignInRefused);
  });

  it('is found on a later page, and the reading of pages ends', async () => {
    await using house = await signInHouse();
    const { people } = house.double;
    await people.openRepository('octo/shop', { isPrivate: true });
    people.grant('octo/shop', 'mona', 'read');
    const known = people.install('octo');
    await house.reconcile();
    const { installations, nextId } = house.double.state;
    installations.delete(known.id);
    for (let before = 0; before < 100; before++) {
      const id = nextId();
      installations.set(id, { ...known, id });
    }
    installations.set(known.id, known);
    expect(await enter(house, 'mona')).toMatchObject({ login: 'mona' });
    const pages = house.asked().filter(({ path }) => path.startsWith('/user/installations'));
    expect(pages.map(({ path }) => path.replace(/.*&/, ''))).toEqual(['page=1', 'page=2']);
  });

  it('is not known while GitHub does not say whose the App is, which is nobody’s fault', async () => {
    await using house = await signInHouse({ allowedOwners: [] });
    house.double.faults.add({ path: /^\/app$/, times: 9, fault: { kind: 'html', when: 'before', status: 502 } });
    const arrival = await house.arrive('mona');
    await expect(house.signIn.person(arrival, NEVER)).rejects.toMatchObject({
      code: 'github_failed',
      message: 'GitHub does not say at the moment who owns the App: sign in again in a minute.',
    });
    expect(house.tokensLeft()).toBe(0);
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
