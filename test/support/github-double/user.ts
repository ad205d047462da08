// A GitHub user as the API gives it inside other things.

export function simpleUser(login: string, apiUrl: string) {
  const api = `${apiUrl}/users/${login}`;
  return {
    login,
    id: [...login].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_000,
    node_id: `U_${login}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${login}`,
    gravatar_id: '',
    url: api,
    html_url: `https://github.com/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: 'User',
    site_admin: false,
  };
}
