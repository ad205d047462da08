// The webhook signing secret: shown to whoever signed in a moment ago, and rotated.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { registerSecret } from '../../log.ts';
import { readForm } from '../read-form.ts';
import { WebRefusal } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { moment } from '../words.ts';
import { copyable } from './copyable.ts';
import { onceOf } from './form-once.ts';
import { overlapEnd, secretStanding } from './secret-standing.ts';

const AGAIN =
  'This form was sent before, and nothing was rotated a second time. The secret that signs now can be shown under Security credentials.';
const NONE = 'The account has no signing secret. Rotate it under Security credentials: that makes one.';

/** POST /account/signing-secret/show: by POST, so that no link and no page that is loaded ahead shows it. */
export function postShowSecret(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const { account } = c.get('signedIn');
    const now = deps.now();
    const [newest] = await deps.store.signingSecrets(account.id, now.toISOString());
    if (newest === undefined) throw new WebRefusal(409, NONE);
    // Noted first: what cannot be noted is not shown.
    await deps.store.noteSecretShown(account.id, now.toISOString());
    const { signing, overlapUntil } = await secretStanding(deps.store, account.id, now);
    const until = overlapUntil === '' ? html`24 hours after the rotation` : moment(overlapUntil);
    const words =
      signing > 1 ? html`<p>The one before it signs as well until ${until}.</p>` : html`<p>It signs alone.</p>`;
    return secretPage(c, deps, newest, words);
  };
}

/** POST /account/signing-secret/rotate: counts once, since a second rotation takes away what receivers still hold. */
export function postRotate(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const once = onceOf(c, deps, await readForm(c));
    const secret = deps.newSigningSecret();
    registerSecret(secret);
    const now = deps.now();
    const rotation = { accountId: c.get('signedIn').account.id, secret, overlapUntil: overlapEnd(now) };
    const done = await deps.store.rotateSigningSecret({ ...rotation, once, now: now.toISOString() });
    if (done === 'repeated') throw new WebRefusal(409, AGAIN);
    const words = html`<p class="notice good" role="status">The secret was rotated.</p>
<p>The one before it signs as well until ${moment(rotation.overlapUntil)}: change your receivers over by then.</p>`;
    return secretPage(c, deps, secret, words);
  };
}

function secretPage(c: Context<WebEnv>, deps: WebDeps, secret: string, words: Html): Promise<Response> {
  registerSecret(secret);
  const body = html`<div class="keys"><h1>Webhook signing secret</h1>
${words}
${copyable('secret', secret, 'secret')}
<p class="hint">Give it to your receiver. Webhooks are signed as <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a> has it, for which there are libraries.</p>
<p><a class="button" href="/account/security-credentials">Back to Security credentials</a></p></div>`;
  const crumbs = [
    { text: 'Security credentials', href: '/account/security-credentials' },
    { text: 'Webhook signing secret', href: '' },
  ];
  return show(c, deps, { title: 'Webhook signing secret', section: 'credentials', crumbs, body });
}
