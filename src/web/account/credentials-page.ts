// Security credentials: the account's tokens, the secret that signs its webhooks, and where it is signed in.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { isRecent, type TokenRecord } from '../../core/account.ts';
import { CausewayError } from '../../core/errors.ts';

import { visibleProjects } from '../../services/access.ts';
import { doneNotice } from '../done-notice.ts';
import { show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { secretSection } from './secret-section.ts';
import { secretStanding } from './secret-standing.ts';
import { sessionSection } from './session-section.ts';
import { tokenSection } from './token-section.ts';

const DONE = {
  revoked: 'The token is revoked: the next call with it is refused.',
  already: 'The token was revoked before. Nothing has changed.',
  ended: 'The session has ended: that browser has to sign in again.',
};

/** GET /account/security-credentials */
export function getCredentials(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const signedIn = c.get('signedIn');
    const now = deps.now();
    const tokens = await deps.store.tokens(signedIn.account.id);
    const names = await namesOfBounds(c, deps, tokens);
    const standing = await secretStanding(deps.store, signedIn.account.id, now);
    const sessions = await deps.store.sessions(signedIn.account.id);
    const body = html`<h1>Security credentials</h1>
${doneNotice(c, DONE)}
${tokenSection(tokens, { signedIn, names, now })}
${secretSection(standing, { signedIn, isRecent: isRecent(signedIn.session, now) })}
${sessionSection(sessions, { signedIn, now })}`;
    return show(c, deps, { title: 'Security credentials', section: 'credentials', body, isWide: true });
  };
}

/** Names of the projects that tokens are bound to, as far as the person sees them; null: GitHub cannot say just now, and keys must stay revocable. */
async function namesOfBounds(
  c: Context<WebEnv>,
  deps: WebDeps,
  tokens: readonly TokenRecord[],
): Promise<ReadonlyMap<string, string> | null> {
  const reach = [...new Set(tokens.flatMap(({ projectIds }) => projectIds ?? []))];
  if (reach.length === 0) return new Map();
  try {
    const projects = await visibleProjects(deps, { ...c.get('asking'), reach });
    return new Map(projects.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return null;
    throw error;
  }
}
