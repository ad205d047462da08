// Who a login is on GitHub just now: accounts are bound to the number, since logins change hands.
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/project/index.ts';
import type { InstallationStore } from '../../db/index.ts';
import { createPersonalClient, type GithubClients, type GithubOptions } from '../clients/index.ts';

export interface FindPersonDeps {
  /** Null: the App's credentials are not known here. */
  readonly clients: Pick<GithubClients, 'installation'> | null;
  readonly store: Pick<InstallationStore, 'listInstallations'>;
  /** Without an installation, or without the credentials: read anonymously, or with GITHUB_TOKEN. */
  readonly github: GithubOptions;
}

/** Throws `absent` where no person has the login. */
export async function findPerson(deps: FindPersonDeps, login: string, signal: AbortSignal): Promise<Person> {
  const user = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/.test(login) ? await readUser(deps, login, signal) : null;
  if (user?.type === 'User') return { id: user.id, login: user.login };
  const repair = "give the login as it appears in the profile's address";
  throw new CausewayError('absent', `There is no person "${login}" on GitHub: ${repair}.`);
}

/** Null: there is no account of that login. */
async function readUser({ clients, store, github }: FindPersonDeps, username: string, signal: AbortSignal) {
  const usable = (await store.listInstallations()).find(({ isSuspended }) => !isSuspended);
  try {
    if (clients === null || usable === undefined) {
      const { octokit, call } = createPersonalClient(github);
      return await call(`the user ${username}`, signal, (deadline) =>
        octokit.rest.users.getByUsername({ username, request: { signal: deadline } }),
      );
    }
    const { data } = await clients
      .installation(usable.id)
      .call((octokit, request) => octokit.rest.users.getByUsername({ username, request }), signal);
    return data;
  } catch (error) {
    const isAbsent = error instanceof CausewayError && error.code === 'absent';
    if (isAbsent || (error instanceof Error && 'status' in error && error.status === 404)) return null;
    throw error;
  }
}
