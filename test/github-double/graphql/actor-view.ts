// Accounts as GraphQL shows them.
import { nodeId } from '../resources/node-id.ts';
import type { Call } from '../route.ts';

/** Null for accounts that are gone. A bot's login has no `[bot]` here. */
export function actorView(call: Call, id: number | null) {
  const account = id === null ? undefined : call.state.accounts.get(id);
  if (account === undefined) return null;
  const kind = { User: 'U', Organization: 'O', Bot: 'BOT' } as const;
  const login = account.login.replace(/\[bot\]$/, '');
  return {
    __typename: account.type,
    id: nodeId(kind[account.type], account.id),
    databaseId: account.id,
    login,
    name: account.name,
    createdAt: account.createdAt,
    avatarUrl: `${call.state.urls.web}/avatars/${account.id}?v=4`,
    resourcePath: account.type === 'Bot' ? `/apps/${login}` : `/${login}`,
    url: `${call.state.urls.web}/${account.type === 'Bot' ? 'apps/' : ''}${login}`,
  };
}
