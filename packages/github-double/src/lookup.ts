// Finds things in the double's state by the names that the wire uses, and says what a person may do in a repository.
import type { App, AppInstallation, GithubAccount, GithubRepository, RepositoryRole, State } from './state.ts';

export function accountByLogin(state: State, login: string): GithubAccount | undefined {
  const wanted = login.toLowerCase();
  return [...state.accounts.values()].find((account) => account.login.toLowerCase() === wanted);
}

/** Throws for a login that no test has made: a mistake in the test. */
export function account(state: State, login: string): GithubAccount {
  const found = accountByLogin(state, login);
  if (found === undefined)
    throw new Error(`The GitHub double has no account ${login}: make it with people.user() first.`);
  return found;
}

export function fullName(state: State, repository: GithubRepository): string {
  return `${state.accounts.get(repository.ownerId)?.login}/${repository.name}`;
}

export function repositoryByName(state: State, name: string): GithubRepository | undefined {
  const wanted = name.toLowerCase();
  return [...state.repositories.values()].find((one) => fullName(state, one).toLowerCase() === wanted);
}

/** Throws for a repository that no test has made. */
export function repository(state: State, name: string): GithubRepository {
  const found = repositoryByName(state, name);
  if (found === undefined)
    throw new Error(`The GitHub double has no repository ${name}: open it with people.openRepository() first.`);
  return found;
}

export function owner(state: State, repository: GithubRepository): GithubAccount {
  const found = state.accounts.get(repository.ownerId);
  if (found === undefined) throw new Error(`Repository ${repository.id} has no owner.`);
  return found;
}

export function appOf(state: State, installation: AppInstallation): App {
  const found = state.apps.get(installation.appId);
  if (found === undefined) throw new Error(`Installation ${installation.id} has no App.`);
  return found;
}

/** Whether the installation was given that repository. */
export function covers(installation: AppInstallation, repository: GithubRepository): boolean {
  if (installation.accountId !== repository.ownerId) return false;
  return installation.selection === 'all' || installation.repositoryIds.has(repository.id);
}

export function repositoriesOf(state: State, installation: AppInstallation): readonly GithubRepository[] {
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

const LADDER: readonly RepositoryRole[] = ['pull', 'triage', 'push', 'maintain', 'admin'];

/** The four words of the older field: triage is read there, and maintain is write. */
const PERMISSION = { pull: 'read', triage: 'read', push: 'write', maintain: 'write', admin: 'admin' } as const;

const ROLE_NAME = { pull: 'read', triage: 'triage', push: 'write', maintain: 'maintain', admin: 'admin' } as const;

export interface Grant {
  readonly base: RepositoryRole | null;
  readonly permission: 'none' | 'read' | 'write' | 'admin';
  readonly roleName: string;
}

/** Owners have everything; a collaborator what was given; members of the organisation, and anybody of a public repository, may read. */
export function grantOf(state: State, repository: GithubRepository, account: GithubAccount): Grant {
  const holder = owner(state, repository);
  if (holder.id === account.id || holder.members.get(account.id) === 'owner') return grant('admin');
  const given = repository.collaborators.get(account.id);
  if (given !== undefined) return { ...grant(given.base), roleName: given.roleName };
  const canRead = account.type === 'User' && (!repository.isPrivate || holder.members.has(account.id));
  return canRead ? grant('pull') : { base: null, permission: 'none', roleName: '' };
}

/** What the person was given; that all the world may read a public repository is nothing of theirs. */
export function explicitGrantOf(state: State, repository: GithubRepository, account: GithubAccount): Grant {
  return grantOf(state, { ...repository, isPrivate: true }, account);
}

function grant(base: RepositoryRole): Grant {
  return { base, permission: PERMISSION[base], roleName: ROLE_NAME[base] };
}

export function mayAtLeast({ base }: Grant, wanted: RepositoryRole): boolean {
  return base !== null && LADDER.indexOf(base) >= LADDER.indexOf(wanted);
}

/** The five flags of `user.permissions` and `repository.permissions`. */
export function permissionFlags(given: Grant): Record<RepositoryRole, boolean> {
  const flag = (role: RepositoryRole) => mayAtLeast(given, role);
  return {
    admin: flag('admin'),
    maintain: flag('maintain'),
    push: flag('push'),
    triage: flag('triage'),
    pull: flag('pull'),
  };
}

/** OWNER, MEMBER, COLLABORATOR or NONE, as it stands on issues and comments. */
export function associationOf(state: State, repository: GithubRepository, accountId: number | null) {
  const holder = owner(state, repository);
  if (accountId === holder.id) return 'OWNER' as const;
  if (accountId !== null && holder.members.has(accountId)) return 'MEMBER' as const;
  if (accountId !== null && repository.collaborators.has(accountId)) return 'COLLABORATOR' as const;
  return 'NONE' as const;
}
