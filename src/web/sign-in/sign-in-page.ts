// The page before the account area: how to come in, in this installation.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { cookieOf } from '../cookies.ts';
import { pageHeaders } from '../headers.ts';
import { safeReturnPath } from '../return-path.ts';
import { type Html, show } from '../show.ts';
import { sessionOf } from '../signed-in.ts';
import type { Entrance, WebDeps, WebEnv } from '../web-deps.ts';
import { keepReturnPath } from './return-cookie.ts';

/** GET /sign-in */
export function getSignIn(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const returnPath = safeReturnPath(c.req.query('return') ?? '');
    const isAgain = c.req.query('again') !== undefined;
    const signedIn = await sessionOf(deps, cookieOf(c, deps, 'session'));
    if (signedIn !== null && !isAgain) return c.redirect(returnPath, 303);
    const { entrance } = deps;
    if (entrance.kind === 'local' && c.req.query('return') !== undefined) keepReturnPath(c, deps, returnPath);
    const formTarget = entrance.kind === 'github' ? entrance.origin : '';
    const body = html`<h1>Sign in</h1>
${isAgain ? html`<p class="notice">Keys are handed out only to somebody who signed in within the last 30 minutes.</p>` : ''}
${wayIn(entrance, returnPath)}`;
    const headers = pageHeaders({ isHttps: deps.baseUrl().startsWith('https:'), formTarget });
    return show(c, deps, { title: 'Sign in', body, headers });
  };
}

function wayIn(entrance: Entrance, returnPath: string): Html {
  if (entrance.kind === 'local') {
    return html`<p class="lead">Whoever sits at this machine signs in with a link from the terminal. It works once.</p>
<p>Run this where Causeway is installed, and open the address that it prints:</p>
<pre tabindex="0"><code>${entrance.command}</code></pre>`;
  }
  if (entrance.signIn === null) {
    return html`<p class="lead">Nobody can sign in yet: the client id and the client secret of the GitHub App are not configured.</p>
<p>Whoever runs this service sets <code>GITHUB_CLIENT_ID</code> and <code>GITHUB_CLIENT_SECRET</code>; both stand on the page of the App on GitHub.</p>`;
  }
  return html`<p class="lead">See what was found in your repositories, steer what runs, and hold the keys of your account.</p>
<form method="post" action="/sign-in"><input type="hidden" name="return" value="${returnPath}">
<button class="primary">Sign in with GitHub</button></form>
<p class="hint">Causeway learns who you are and forgets GitHub's token at once. What you may see here follows your role in each repository.</p>`;
}
