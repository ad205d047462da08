// Who a login is on GitHub just now: accounts are bound to the number, since logins change hands.
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/project/index.ts';
import type { InstallationStore } from '../../db/index.ts';
import { createGithubClient, type GithubCaller, type GithubClients, type GithubOptions } from '../clients/index.ts';

export interface FindPersonDeps {
  /** Null: the App's credentials are not known here. */
  readonly clients: Pick<GithubClients, 'installation'> | null;
  readonly store: Pick<InstallationStore, 'listInstallations'>;
  /** Without an installation, or without the credentials: read anonymously, or with GITHUB_TOKEN. */
  readonly github: GithubOptions;
}

/** Throws `absent` where no person has the login. */
export async function findPerson(deps: FindPersonDeps, login: string, signal: AbortSignal): Promise<Person> {
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/.test(login)) throw createUnknownError(login);
  const user = await userOf(deps, login, signal);
  if (user.type !== 'User') throw createUnknownError(login);
  return { id: user.id, login: user.login };
}

interface User {
  readonly id: number;
  readonly login: string;
  readonly type: string;
}

async function userOf({ clients, store, github }: FindPersonDeps, login: string, signal: AbortSignal): Promise<User> {
  const usable = (await store.listInstallations()).find(({ isSuspended }) => !isSuspended);
  if (clients !== null && usable !== undefined) return await throughApp(clients.installation(usable.id), login, signal);
  const client = createGithubClient(github);
  try {
    return await client.call(`the user ${login}`, signal, (deadline) =>
      client.octokit.rest.users.getByUsername({ username: login, request: { signal: deadline } }),
    );
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') throw createUnknownError(login);
    throw error;
  }
}

async function throughApp(caller: GithubCaller, login: string, signal: AbortSignal): Promise<User> {
  try {
    const { data } = await caller.call(
      (octokit, request) => octokit.rest.users.getByUsername({ username: login, request }),
      signal,
    );
    return data;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) throw createUnknownError(login);
    throw error;
  }
}

function createUnknownError(login: string): CausewayError {
  return new CausewayError(
    'absent',
    `There is no person "${login}" on GitHub: give the login as it appears in the profile's address.`,
  );
}
