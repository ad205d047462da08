// Accounts, Apps, installations and node ids as the REST API shows them.
import { appOf, appOfBot } from '../lookup.ts';
import type { App, AppInstallation, GithubAccount, State } from '../state.ts';

type NodeKind =
  | 'U'
  | 'O'
  | 'BOT'
  | 'A'
  | 'R'
  | 'I'
  | 'PR'
  | 'IC'
  | 'CR'
  | 'CE'
  | 'CS'
  | 'LA'
  | 'LE'
  | 'RE'
  | 'C'
  | 'REF'
  | 'SC'
  | 'PRR'
  | 'PRRC'
  | 'W'
  | 'MDI'
  | 'WFR';

export function nodeId(kind: NodeKind, ...parts: readonly (number | string)[]): string {
  return `${kind}_${Buffer.from(parts.join(':')).toString('base64url')}`;
}

export function readNodeId(id: string): { readonly kind: string; readonly parts: readonly string[] } {
  const at = id.indexOf('_');
  return {
    kind: id.slice(0, at),
    parts: Buffer.from(id.slice(at + 1), 'base64url')
      .toString()
      .split(':'),
  };
}

const NODE_KIND = { User: 'U', Organization: 'O', Bot: 'BOT' } as const;

type SimpleUser = ReturnType<typeof simpleUser>;

/** An account inside other things. */
export function simpleUser(state: State, account: GithubAccount) {
  const { api, web } = state.urls;
  const url = `${api}/users/${encodeURIComponent(account.login)}`;
  const app = appOfBot(state, account.id);
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(NODE_KIND[account.type], account.id),
    avatar_url: `${web}/avatars/${account.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: app === undefined ? `${web}/${account.login}` : `${web}/apps/${app.slug}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type as string,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** Null for accounts that are gone. */
export function simpleUserOf(state: State, id: number | null): SimpleUser | null {
  const account = id === null ? undefined : state.accounts.get(id);
  return account === undefined ? null : simpleUser(state, account);
}

/** The whole account, as `GET /users/{login}` gives it. */
export function publicUser(state: State, account: GithubAccount) {
  const repositories = [...state.repositories.values()].filter((one) => one.ownerId === account.id && !one.isPrivate);
  return {
    ...simpleUser(state, account),
    name: account.name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: repositories.length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

/** The signed-in account, as `GET /user` gives it. */
export function privateUser(state: State, account: GithubAccount) {
  const owned = [...state.repositories.values()].filter((one) => one.ownerId === account.id && one.isPrivate).length;
  return {
    ...publicUser(state, account),
    private_gists: 0,
    total_private_repos: owned,
    owned_private_repos: owned,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
  };
}

/** An organisation beside a repository in a webhook. */
export function organization(state: State, account: GithubAccount) {
  const url = `${state.urls.api}/orgs/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('O', account.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${state.urls.web}/avatars/${account.id}?v=4`,
    description: '',
  };
}

/** An App inside other things (`performed_via_github_app`, check runs). */
export function appBody(state: State, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('A', app.id),
    client_id: app.clientId,
    owner: simpleUserOf(state, app.ownerId),
    name: app.name,
    description: '',
    external_url: `${state.urls.web}/about/${app.slug}`,
    html_url: `${state.urls.web}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}

export function viaApp(state: State, appId: number | null) {
  const app = appId === null ? undefined : state.apps.get(appId);
  return app === undefined ? null : appBody(state, app);
}

/** As `GET /app` gives it. */
export function ownApp(state: State, app: App) {
  const count = [...state.installations.values()].filter((one) => one.appId === app.id).length;
  return { ...appBody(state, app), installations_count: count };
}

export function installationBody(state: State, installation: AppInstallation) {
  const account = state.accounts.get(installation.accountId);
  const { api, web } = state.urls;
  const app = appOf(state, installation);
  const settings = account?.type === 'Organization' ? `organizations/${account.login}/settings` : 'settings';
  return {
    id: installation.id,
    client_id: app.clientId,
    account: simpleUserOf(state, installation.accountId),
    repository_selection: installation.selection,
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${web}/${settings}/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app.slug,
    target_id: installation.accountId,
    target_type: account?.type ?? 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: simpleUserOf(state, installation.suspendedById),
    suspended_at: installation.suspendedAt,
  };
}
