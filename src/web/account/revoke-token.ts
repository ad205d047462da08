// Revoking a token of one's own.
import type { Handler } from 'hono';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage } from '../refusal.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { isOwnId } from './own-id.ts';

/** POST /account/tokens/{id}/revoke */
export function postRevoke(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const id = c.req.param('tokenId') ?? '';
    const { account } = c.get('signedIn');
    const isRevoked = isOwnId(id) && (await deps.store.revokeToken(id, account.id, deps.now().toISOString()));
    if (!isRevoked && !(await isOwn(deps, account.id, id))) refuseAbsentPage();
    return c.redirect(`/account/security-credentials?done=${isRevoked ? 'revoked' : 'already'}`, 303);
  };
}

/** Revoked before, by a double click, say: that is no error. */
async function isOwn({ store }: WebDeps, accountId: string, id: string): Promise<boolean> {
  return (await store.tokens(accountId)).some((token) => token.id === id);
}
