// Accounts as the API shows them.
import { appOfBot } from '../lookup.ts';
import type { Account, State } from '../state.ts';
import { nodeId } from './node-id.ts';

const NODE_KIND = { User: 'U', Organization: 'O', Bot: 'BOT' } as const;

export type SimpleUser = ReturnType<typeof simpleUser>;

/** An account inside other things. */
export function simpleUser(state: State, account: Account) {
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
export function publicUser(state: State, account: Account) {
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
export function privateUser(state: State, account: Account) {
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
export function organization(state: State, account: Account) {
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
