// Ending a session of one's own, such as that of a browser that was left somewhere.
import type { Handler } from 'hono';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage } from '../refusal.ts';
import { endSession } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { isOwnId } from './own-id.ts';

/** POST /account/sessions/{id}/end */
export function postEndSession(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const id = c.req.param('sessionId') ?? '';
    const { account, session } = c.get('signedIn');
    if (id === session.id) {
      await endSession(c, deps);
      return c.redirect('/sign-in', 303);
    }
    const isEnded = isOwnId(id) && (await deps.store.endSession(id, account.id, deps.now().toISOString()));
    if (!isEnded) refuseAbsentPage();
    return c.redirect('/account/security-credentials?done=ended', 303);
  };
}
