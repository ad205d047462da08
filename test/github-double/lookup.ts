// Finds things in the double's state by the names that the wire uses.
import type { Account, App, Installation, Repository, State } from './state.ts';

export function accountByLogin(state: State, login: string): Account | undefined {
  const wanted = login.toLowerCase();
  return [...state.accounts.values()].find((account) => account.login.toLowerCase() === wanted);
}

/** Throws for a login that no test has made: a mistake in the test. */
export function account(state: State, login: string): Account {
  const found = accountByLogin(state, login);
  if (found === undefined)
    throw new Error(`The GitHub double has no account ${login}: make it with people.user() first.`);
  return found;
}

export function fullName(state: State, repository: Repository): string {
  return `${state.accounts.get(repository.ownerId)?.login}/${repository.name}`;
}

export function repositoryByName(state: State, name: string): Repository | undefined {
  const wanted = name.toLowerCase();
  return [...state.repositories.values()].find((one) => fullName(state, one).toLowerCase() === wanted);
}

/** Throws for a repository that no test has made. */
export function repository(state: State, name: string): Repository {
  const found = repositoryByName(state, name);
  if (found === undefined)
    throw new Error(`The GitHub double has no repository ${name}: open it with people.openRepository() first.`);
  return found;
}

export function owner(state: State, repository: Repository): Account {
  const found = state.accounts.get(repository.ownerId);
  if (found === undefined) throw new Error(`Repository ${repository.id} has no owner.`);
  return found;
}

export function appOf(state: State, installation: Installation): App {
  const found = state.apps.get(installation.appId);
  if (found === undefined) throw new Error(`Installation ${installation.id} has no App.`);
  return found;
}

/** Whether the installation was given that repository. */
export function covers(installation: Installation, repository: Repository): boolean {
  if (installation.accountId !== repository.ownerId) return false;
  return installation.selection === 'all' || installation.repositoryIds.has(repository.id);
}

export function repositoriesOf(state: State, installation: Installation): readonly Repository[] {
  return [...state.repositories.values()].filter((repository) => covers(installation, repository));
}

/** The App whose bot that account is. */
export function appOfBot(state: State, accountId: number | null): App | undefined {
  return [...state.apps.values()].find((app) => app.botId === accountId);
}

/** The time of the double as GitHub writes it: whole seconds. */
export function timestamp(state: State): string {
  return state.clock
    .now()
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z');
}
