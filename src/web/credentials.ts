// Security credentials: the account's tokens, the secret that signs its webhooks, and its sessions, with the forms that end or rotate each.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { isRecent, isSessionAlive, type Session, type TokenRecord } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import { sanitiseLine } from '../core/inert-text.ts';
import { SECRET_OVERLAP_MS } from '../core/webhook.ts';
import { registerSecret } from '../log.ts';
import { visibleProjects } from '../services/access.ts';
import { formatPlural, renderBadge, renderCopyable, renderDone, renderJoined, renderMoment } from './components.ts';
import { readForm, renderOnceKey, requireOnce } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import { endSession } from './session.ts';
import type { SignedIn, WebDeps, WebEnv } from './web-deps.ts';

const ADDRESS = '/account/security-credentials';
/** Projects of a token that are named. */
const MAX_NAMES = 5;
/** Entries of the audit log that are searched for the last rotation. */
const LOOK_BACK = 500;

const DONE = {
  revoked: 'The token is revoked: the next call with it is refused.',
  already: 'The token was already revoked. Nothing has changed.',
  ended: 'The session has ended: that browser has to sign in again.',
};

/** Names of projects by id; null: GitHub does not answer. */
type Names = ReadonlyMap<string, string> | null;

/** GET /account/security-credentials */
export function getCredentials(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const { account } = c.get('signedIn');
    const tokens = await deps.store.listTokens(account.id);
    const names = await findNames(c, deps, tokens);
    const body = html`<h1>Security credentials</h1>
${renderDone(c, DONE)}
${renderTokens(tokens, c.get('signedIn'), names, deps.now())}
${await renderSecret(c, deps)}
${renderSessions(await deps.store.listSessions(account.id), c.get('signedIn'), deps.now())}`;
    return renderPage(c, deps, { title: 'Security credentials', section: 'credentials', body });
  };
}

/** Of the projects that tokens are bound to, as far as the person sees them. Tokens must stay revocable while GitHub does not answer. */
async function findNames(c: Context<WebEnv>, deps: WebDeps, tokens: readonly TokenRecord[]): Promise<Names> {
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

function renderTokens(tokens: readonly TokenRecord[], signedIn: SignedIn, names: Names, now: Date): Html {
  const active = tokens.filter(({ revokedAt }) => revokedAt === null);
  const revoked = tokens.filter(({ revokedAt }) => revokedAt !== null);
  const none = revoked.length > 0 ? 'All your tokens are revoked.' : 'You have no tokens yet.';
  const renderTable = (caption: string, rows: readonly TokenRecord[]) =>
    html`<table class="cards log"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Scopes</th><th scope="col">Projects</th>
<th scope="col">Last used</th><th scope="col">Expires</th><th scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody>${rows.map((token) => renderToken(token, signedIn, names, now))}</tbody></table>`;
  return html`<section aria-labelledby="tokens"><div class="title-line"><h2 id="tokens">Auth tokens</h2>
<a class="button primary" href="/account/tokens/new">Create new auth token</a></div>
<p>Programs call the <a href="/docs">API</a> with them, in your name. Only a hash of each is stored, so none can be shown again.</p>
${active.length === 0 ? html`<div class="empty"><p>${none} Create one to submit reports from a script, a monitoring system or CI.</p></div>` : renderTable('Active tokens', active)}
${revoked.length === 0 ? '' : html`<details id="revoked"><summary>${formatPlural(revoked.length, 'revoked token')}</summary>${renderTable('Revoked tokens', revoked)}</details>`}</section>`;
}

function renderToken(token: TokenRecord, signedIn: SignedIn, names: Names, now: Date): Html {
  const name = sanitiseLine(token.name, 100);
  const { id, scopes, createdAt, expiresAt, lastUsedAt, revokedAt } = token;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  const revoke = html`<form method="post" action="/account/tokens/${id}/revoke">${renderFormToken(signedIn)}
<button class="danger">Revoke<span class="hidden"> ${name}</span></button></form>`;
  return html`<tr><th scope="row"><strong>${name}</strong> <span class="cell-note"><code>${id}</code></span>
<span class="cell-note soft">created ${renderMoment(createdAt)}</span></th>
<td data-label="Scopes">${renderJoined(scopes.map((scope) => html`<code>${scope}</code>`))}</td>
<td data-label="Projects">${describeReach(token, names)}</td>
<td data-label="Last used">${lastUsedAt === null ? 'never' : renderMoment(lastUsedAt)}</td>
<td data-label="Expires">${isExpired ? html`${renderBadge('expired', 'bad')} ` : ''}${expiresAt === null ? 'never' : renderMoment(expiresAt)}</td>
<td>${revokedAt === null ? revoke : html`<span class="soft">revoked</span> ${renderMoment(revokedAt)}`}</td></tr>`;
}

/** Projects that the person does not see are counted, not named. */
function describeReach({ projectIds }: TokenRecord, names: Names): string {
  if (projectIds === null) return 'all projects';
  if (names === null)
    return `${formatPlural(projectIds.length, 'project')} (GitHub is not answering, so names are missing)`;
  const seen = projectIds.flatMap((id) => names.get(id) ?? []);
  const hidden = projectIds.length - seen.length;
  return [
    ...seen.slice(0, MAX_NAMES).map((name) => sanitiseLine(name, 120)),
    ...(seen.length > MAX_NAMES ? [`${seen.length - MAX_NAMES} more`] : []),
    ...(hidden > 0 ? [`${formatPlural(hidden, 'project')} not visible to you`] : []),
  ].join(', ');
}

/** POST /account/tokens/{id}/revoke */
export function postRevoke(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const id = c.req.param('tokenId') ?? '';
    const { account } = c.get('signedIn');
    const isRevoked = isAccountId(id) && (await deps.store.revokeToken(id, account.id, deps.now().toISOString()));
    // Revoked before, such as by a double click, is not an error.
    const isOwn = isRevoked || (await deps.store.listTokens(account.id)).some((token) => token.id === id);
    if (!isOwn) refuseAbsentPage();
    return c.redirect(`${ADDRESS}?done=${isRevoked ? 'revoked' : 'already'}`, 303);
  };
}

/** Whether the text can be the id of a token, a session or a webhook: the store is asked for nothing else. */
export function isAccountId(text: string): boolean {
  return /^(?:tok|ses|evt)_[0-9A-Za-z]{1,32}$/.test(text);
}

interface SecretState {
  /** Secrets that sign now: 0, 1, or 2 during a rotation. */
  readonly signing: number;
  /** ISO 8601; `never`; null: longer ago than the audit log is searched. */
  readonly rotatedAt: string | null;
  /** ISO 8601, or in words where the moment of the rotation is not known. */
  readonly overlapUntil: Html;
}

async function findSecretState({ store }: WebDeps, accountId: string, now: Date): Promise<SecretState> {
  const { length: signing } = await store.listSigningSecrets(accountId, now.toISOString());
  const entries = await store.listAuditEntries({ accountId, projectIds: [], limit: LOOK_BACK });
  const at = entries.find(({ verb }) => verb === 'secret.rotated' || verb === 'secret.rotated_by_operator')?.at;
  const overlapUntil = at === undefined ? html`24 hours after the rotation` : renderMoment(getOverlapEnd(new Date(at)));
  return { signing, rotatedAt: at ?? (entries.length < LOOK_BACK ? 'never' : null), overlapUntil };
}

function getOverlapEnd(rotated: Date): string {
  return new Date(rotated.getTime() + SECRET_OVERLAP_MS).toISOString();
}

async function renderSecret(c: Context<WebEnv>, deps: WebDeps): Promise<Html> {
  const signedIn = c.get('signedIn');
  const { signing, rotatedAt, overlapUntil } = await findSecretState(deps, signedIn.account.id, deps.now());
  const isRotating = signing > 1;
  const rotated = rotatedAt === null ? 'unknown' : rotatedAt === 'never' ? 'never' : renderMoment(rotatedAt);
  const consequence = isRotating
    ? 'Rotating now makes a third secret, and the oldest stops signing at once: receivers that still use it refuse every webhook.'
    : 'Rotating makes a new secret at once. Both sign for 24 hours, so receivers can switch over.';
  const buttons = html`<div class="actions">
<form method="post" action="/account/signing-secret/show">${renderFormToken(signedIn)}<button>Show<span class="hidden"> the signing secret</span></button></form>
<form method="post" action="/account/signing-secret/rotate">${renderFormToken(signedIn)}${renderOnceKey()}<button class="${isRotating ? 'danger' : ''}" aria-describedby="rotating">Rotate<span class="hidden"> the signing secret</span></button></form>
</div>
<p class="hint" id="rotating">${consequence}</p>`;
  const again = html`<p class="actions"><a class="button" href="/sign-in?return=${encodeURIComponent(ADDRESS)}&amp;again=1">Sign in again to show or rotate it</a></p>`;
  return html`<section aria-labelledby="signing-secret"><h2 id="signing-secret">Webhook signing secret</h2>
<p>Signs every webhook that is sent for you, so that your receiver can reject forged ones. There is one for the account.</p>
<dl class="facts"><dt>Last rotated</dt><dd>${rotated}</dd></dl>
${isRotating ? html`<p class="notice">Two secrets sign until ${overlapUntil}: the new one and the previous one. Switch your receivers over by then.</p>` : ''}
${isRecent(signedIn.session, deps.now()) ? buttons : again}
</section>`;
}

/** POST /account/signing-secret/show: by POST, so that neither a link nor a preloaded page shows it. */
export function postShowSecret(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const { account } = c.get('signedIn');
    const now = deps.now();
    const [newest] = await deps.store.listSigningSecrets(account.id, now.toISOString());
    if (newest === undefined) {
      const message = 'The account has no signing secret. Rotate it under Security credentials: that makes one.';
      throw new WebRefusal(409, message);
    }
    // Recorded first: without a record it is not shown.
    await deps.store.recordSecretShown(account.id, now.toISOString());
    const { signing, overlapUntil } = await findSecretState(deps, account.id, now);
    const words = signing > 1 ? html`<p>The previous one also signs until ${overlapUntil}.</p>` : html``;
    return renderSecretPage(c, deps, newest, words);
  };
}

/** POST /account/signing-secret/rotate: counts once, since a second rotation removes the secret that receivers still use. */
export function postRotate(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const once = requireOnce(c, deps, await readForm(c));
    const secret = deps.newSigningSecret();
    registerSecret(secret);
    const now = deps.now();
    const overlapUntil = getOverlapEnd(now);
    const rotation = { accountId: c.get('signedIn').account.id, secret, overlapUntil, once, now: now.toISOString() };
    if ((await deps.store.rotateSigningSecret(rotation)) === 'repeated') {
      const message =
        'This form was already sent, and nothing was rotated a second time. The current secret can be shown under Security credentials.';
      throw new WebRefusal(409, message);
    }
    const words = html`<p class="notice good" role="status">The secret was rotated.</p>
<p>The previous one also signs until ${renderMoment(overlapUntil)}: switch your receivers over by then.</p>`;
    return renderSecretPage(c, deps, secret, words);
  };
}

function renderSecretPage(c: Context<WebEnv>, deps: WebDeps, secret: string, words: Html): Promise<Response> {
  registerSecret(secret);
  const body = html`<div class="keys"><h1>Webhook signing secret</h1>
${words}
${renderCopyable('secret', secret, 'secret')}
<p class="hint">Give it to your receiver. Webhooks are signed as in <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a>, for which there are libraries.</p>
<p><a class="button" href="${ADDRESS}">Back to Security credentials</a></p></div>`;
  const crumbs = createCredentialCrumbs('Webhook signing secret');
  return renderPage(c, deps, { title: 'Webhook signing secret', section: 'credentials', crumbs, body });
}

export function createCredentialCrumbs(text: string) {
  return [
    { text: 'Security credentials', href: ADDRESS },
    { text, href: '' },
  ];
}

function renderSessions(sessions: readonly Session[], signedIn: SignedIn, now: Date): Html {
  const active = sessions.filter((session) => isSessionAlive(session, now));
  return html`<section aria-labelledby="sessions"><h2 id="sessions">Active sessions</h2>
<table class="cards log"><caption class="hidden">Active sessions</caption>
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last seen</th>
<th scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody>${active.map((session) => renderSession(session, signedIn))}</tbody></table>
<p class="hint">A session ends after 12 hours without use, and 7 days after the sign-in.</p></section>`;
}

function renderSession({ id, client, startedAt, lastSeenAt }: Session, signedIn: SignedIn): Html {
  const isThis = id === signedIn.session.id;
  const which = `the session of ${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const form = isThis
    ? html`<form method="post" action="/sign-out">${renderFormToken(signedIn)}<button>Sign out<span class="hidden"> of this browser</span></button></form>`
    : html`<form method="post" action="/account/sessions/${id}/end">${renderFormToken(signedIn)}
<button class="danger">End<span class="hidden"> ${which}</span></button></form>`;
  return html`<tr><th scope="row">${sanitiseLine(client, 200) || 'unknown browser'}${isThis ? html` ${renderBadge('this browser', 'good')}` : ''}</th>
<td data-label="Signed in">${renderMoment(startedAt)}</td><td data-label="Last seen">${renderMoment(lastSeenAt)}</td>
<td>${form}</td></tr>`;
}

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
    const isEnded = isAccountId(id) && (await deps.store.endSession(id, account.id, deps.now().toISOString()));
    if (!isEnded) refuseAbsentPage();
    return c.redirect(`${ADDRESS}?done=ended`, 303);
  };
}
