// What happens to installations: made, changed, suspended, removed.
import { appOf, fullName, repositoriesOf, timestamp } from '../lookup.ts';
import { installationBody, nodeId, organization, simpleUserOf } from '../resources/user.ts';
import type { App, AppInstallation, AppPermissions, GithubAccount, GithubRepository, State } from '../state.ts';

export interface NewInstallation {
  readonly app: App;
  readonly account: GithubAccount;
  /** Null: all repositories. */
  readonly repositories: readonly GithubRepository[] | null;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  readonly byId: number;
}

export function addInstallation(state: State, made: NewInstallation): AppInstallation {
  const now = timestamp(state);
  const installation: AppInstallation = {
    id: state.nextId(),
    appId: made.app.id,
    accountId: made.account.id,
    selection: made.repositories === null ? 'all' : 'selected',
    repositoryIds: new Set((made.repositories ?? []).map((one) => one.id)),
    permissions: made.permissions,
    events: made.events,
    suspendedAt: null,
    suspendedById: null,
    createdAt: now,
    updatedAt: now,
  };
  state.installations.set(installation.id, installation);
  const parts = { repositories: shortList(state, repositoriesOf(state, installation)), requester: null };
  tellInstallation(state, installation, { event: 'installation', action: 'created', byId: made.byId, parts });
  return installation;
}

export function removeInstallation(state: State, installation: AppInstallation, byId: number): void {
  const parts = { repositories: shortList(state, repositoriesOf(state, installation)) };
  state.installations.delete(installation.id);
  tellInstallation(state, installation, { event: 'installation', action: 'deleted', byId, parts });
}

export function suspendInstallation(
  state: State,
  installation: AppInstallation,
  to: { suspended: boolean; byId: number },
): void {
  installation.updatedAt = timestamp(state);
  installation.suspendedAt = to.suspended ? installation.updatedAt : null;
  installation.suspendedById = to.suspended ? to.byId : null;
  const parts = { repositories: shortList(state, repositoriesOf(state, installation)) };
  const action = to.suspended ? 'suspend' : 'unsuspend';
  tellInstallation(state, installation, { event: 'installation', action, byId: to.byId, parts });
}

/** New permissions, which an owner accepted. */
export function acceptPermissions(
  state: State,
  installation: AppInstallation,
  permissions: AppPermissions,
  byId: number,
): void {
  installation.permissions = permissions;
  installation.updatedAt = timestamp(state);
  const action = 'new_permissions_accepted';
  tellInstallation(state, installation, { event: 'installation', action, byId, parts: { repositories: [] } });
}

/** Of an installation on selected repositories. */
export function changeRepositories(
  state: State,
  installation: AppInstallation,
  change: {
    readonly added: readonly GithubRepository[];
    readonly removed: readonly GithubRepository[];
    readonly byId: number;
  },
): void {
  for (const one of change.added) installation.repositoryIds.add(one.id);
  for (const one of change.removed) installation.repositoryIds.delete(one.id);
  installation.updatedAt = timestamp(state);
  for (const action of ['added', 'removed'] as const) {
    if (change[action].length > 0)
      tellRepositories(state, installation, { action, repositories: change[action], byId: change.byId });
  }
}

/** `installation_repositories`: also sent where a new repository falls under "all". */
export function tellRepositories(
  state: State,
  installation: AppInstallation,
  what: {
    readonly action: 'added' | 'removed';
    readonly repositories: readonly GithubRepository[];
    readonly byId: number;
  },
): void {
  const parts = {
    repository_selection: installation.selection,
    repositories_added: what.action === 'added' ? shortList(state, what.repositories) : [],
    repositories_removed: what.action === 'removed' ? shortList(state, what.repositories) : [],
    requester: null,
  };
  tellInstallation(state, installation, {
    event: 'installation_repositories',
    action: what.action,
    byId: what.byId,
    parts,
  });
}

interface InstallationNews {
  readonly event: 'installation' | 'installation_repositories';
  readonly action: string;
  readonly byId: number;
  readonly parts: object;
}

/** Every App gets these two events, subscribed or not. */
function tellInstallation(state: State, installation: AppInstallation, news: InstallationNews): void {
  const account = state.accounts.get(installation.accountId);
  const payload = {
    action: news.action,
    installation: installationBody(state, installation),
    ...news.parts,
    ...(account?.type === 'Organization' ? { organization: organization(state, account) } : {}),
    sender: simpleUserOf(state, news.byId) ?? simpleUserOf(state, appOf(state, installation).botId),
  };
  state.emit(news.event, payload, installation.id);
}

function shortList(state: State, repositories: readonly GithubRepository[]) {
  return repositories.map((one) => ({
    id: one.id,
    node_id: nodeId('R', one.id),
    name: one.name,
    full_name: fullName(state, one),
    private: one.isPrivate,
  }));
}
