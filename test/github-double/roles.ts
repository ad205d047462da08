// What a person may do in a repository, as GitHub's collaborator permission says it.
import { owner } from './lookup.ts';
import type { Account, Repository, RepositoryRole, State } from './state.ts';

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
export function grantOf(state: State, repository: Repository, account: Account): Grant {
  const holder = owner(state, repository);
  if (holder.id === account.id || holder.members.get(account.id) === 'owner') return grant('admin');
  const given = repository.collaborators.get(account.id);
  if (given !== undefined) return { ...grant(given.base), roleName: given.roleName };
  const canRead = account.type === 'User' && (!repository.isPrivate || holder.members.has(account.id));
  return canRead ? grant('pull') : { base: null, permission: 'none', roleName: '' };
}

/** What the person was given; that all the world may read a public repository is nothing of theirs. */
export function explicitGrantOf(state: State, repository: Repository, account: Account): Grant {
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
export function associationOf(state: State, repository: Repository, accountId: number | null) {
  const holder = owner(state, repository);
  if (accountId === holder.id) return 'OWNER' as const;
  if (accountId !== null && holder.members.has(accountId)) return 'MEMBER' as const;
  if (accountId !== null && repository.collaborators.has(accountId)) return 'COLLABORATOR' as const;
  return 'NONE' as const;
}
