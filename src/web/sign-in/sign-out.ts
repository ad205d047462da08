// Signing out: the session ends here, whoever has a copy of its cookie.
import type { Handler } from 'hono';
import { readForm } from '../read-form.ts';
import { endSession } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

/** POST /sign-out */
export function signOut(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    await endSession(c, deps);
    return c.redirect('/sign-in', 303);
  };
}
