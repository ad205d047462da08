// Security credentials: the account's tokens, the secret that signs its webhooks, and its sessions, with the forms that
// end or rotate each.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type BrowserSession,
  isRecent,
  isSessionAlive,
  SECRET_OVERLAP_MS,
  type TokenRecord,
} from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import { registerSecret } from '../log.ts';
import { listVisibleProjects } from '../services/index.ts';
import {
  formatPlural,
  renderBadge,
  renderCopyable,
  renderDone,
  renderEmpty,
  renderJoined,
  renderMoment,
  renderSection,
  renderTable,
} from './components.ts';
import { readForm, renderOnceKey, requireOnce } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import { endSession } from './session.ts';
import type { PageContext, SignedIn, WebDeps } from './web-deps.ts';

const ADDRESS = '/account/security-credentials';
/** Projects of a token that are named. */
const MAX_NAMES = 5;
/** Entries of the audit log that are searched for the last rotation. */
const LOOK_BACK = 500;

const DONE = {
  revoked: 'Token revoked. It no longer works.',
  already: 'The token was already revoked. Nothing has changed.',
  ended: 'The session has ended: that browser has to sign in again.',
};

/** Names of projects by id; null: GitHub does not answer. */
type MaybeProjectNames = ReadonlyMap<string, string> | null;

/** GET /account/security-credentials */
export async function getCredentials(c: PageContext, deps: WebDeps): Promise<Response> {
  const signedIn = c.get('signedIn');
  const tokens = await deps.store.listTokens(signedIn.account.id);
  const names = await findProjectNames(c, deps, tokens);
  const sessions = await deps.store.listSessions(signedIn.account.id);
  const body = html`<h1>Security credentials</h1>
${renderDone(c, DONE)}
${renderTokens(tokens, signedIn, names, deps.now())}
${renderSection('signing-secret', 'Webhook signing secret', await renderTokenSecret(c, deps))}
${renderSection('sessions', 'Active sessions', renderSessions(sessions, signedIn, deps.now()))}`;
  return renderPage(c, deps, { title: 'Security credentials', section: 'credentials', body });
}

/**
 * Of the projects that tokens are bound to, as far as the person sees them. Tokens must stay revocable while GitHub
 * does not answer.
 */
async function findProjectNames(
  c: PageContext,
  deps: WebDeps,
  tokens: readonly TokenRecord[],
): Promise<MaybeProjectNames> {
  const reach = [...new Set(tokens.flatMap(({ projectIds }) => projectIds ?? []))];
  if (reach.length === 0) return new Map();
  try {
    const projects = await listVisibleProjects(deps, { ...c.get('asking'), reach });
    return new Map(projects.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return null;
    throw error;
  }
}

function renderTokens(tokens: readonly TokenRecord[], signedIn: SignedIn, names: MaybeProjectNames, now: Date): Html {
  const active = tokens.filter(({ revokedAt }) => revokedAt === null);
  const revoked = tokens.filter(({ revokedAt }) => revokedAt !== null);
  const none = revoked.length > 0 ? 'All your tokens are revoked.' : 'You have no tokens yet.';
  const renderList = (caption: string, listed: readonly TokenRecord[]) =>
    renderTable({
      caption,
      columns: ['Name', 'Scopes', 'Projects', 'Last used', 'Expires', ''],
      rows: listed.map((token) => renderToken(token, signedIn, names, now)),
    });
  return html`<section aria-labelledby="tokens"><div class="title-line"><h2 id="tokens">Auth tokens</h2>
<a class="button primary" href="/account/tokens/new">Create new auth token</a></div>
<p>Programs call the <a href="/docs">API</a> with them, in your name. Only a hash of each is stored, so none can be shown again.</p>
${active.length === 0 ? renderEmpty(`${none} Create one to submit reports from a script, a monitoring system or CI.`) : renderList('Active tokens', active)}
${revoked.length === 0 ? '' : html`<details id="revoked"><summary>${formatPlural(revoked.length, 'revoked token')}</summary>${renderList('Revoked tokens', revoked)}</details>`}</section>`;
}

/** The cells of its row. */
function renderToken(
  token: TokenRecord,
  signedIn: SignedIn,
  names: MaybeProjectNames,
  now: Date,
): readonly (Html | string)[] {
  const name = sanitiseLine(token.name, 100);
  const { id, scopes, createdAt, expiresAt, lastUsedAt, revokedAt } = token;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  return [
    html`<strong>${name}</strong> <span class="cell-note"><code>${id}</code></span>
<span class="cell-note soft">created ${renderMoment(createdAt)}</span>`,
    renderJoined(scopes.map((scope) => html`<code>${scope}</code>`)),
    describeReach(token, names),
    lastUsedAt === null ? 'never' : renderMoment(lastUsedAt),
    html`${isExpired ? html`${renderBadge('expired', 'bad')} ` : ''}${expiresAt === null ? 'never' : renderMoment(expiresAt)}`,
    revokedAt === null
      ? html`<form method="post" action="/account/tokens/${id}/revoke">${renderFormToken(signedIn)}
<button class="danger">Revoke<span class="hidden"> ${name}</span></button></form>`
      : html`<span class="soft">revoked</span> ${renderMoment(revokedAt)}`,
  ];
}

/** Projects that the person does not see are counted, not named. */
function describeReach({ projectIds }: TokenRecord, names: MaybeProjectNames): string {
  if (projectIds === null) return 'all projects';
  if (names === null) {
    return `${formatPlural(projectIds.length, 'project')} (GitHub is not answering, so names are missing)`;
  }
  const seen = projectIds.flatMap((id) => names.get(id) ?? []);
  const hidden = projectIds.length - seen.length;
  return [
    ...seen.slice(0, MAX_NAMES).map((name) => sanitiseLine(name, 120)),
    ...(seen.length > MAX_NAMES ? [`${seen.length - MAX_NAMES} more`] : []),
    ...(hidden > 0 ? [`${formatPlural(hidden, 'project')} not visible to you`] : []),
  ].join(', ');
}

/** POST /account/tokens/{id}/revoke */
export async function postRevoke(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const id = c.req.param('tokenId') ?? '';
  const { account } = c.get('signedIn');
  const isRevoked = isAccountId(id) && (await deps.store.revokeToken(id, account.id, deps.now().toISOString()));
  // Revoked before, such as by a double click, is not an error.
  const isOwn = isRevoked || (await deps.store.listTokens(account.id)).some((token) => token.id === id);
  if (!isOwn) refuseAbsentPage();
  return c.redirect(`${ADDRESS}?done=${isRevoked ? 'revoked' : 'already'}`, 303);
}

/** Whether the text can be the id of a token, a session or a webhook: nothing else is looked up. */
export function isAccountId(text: string): boolean {
  return /^(?:tok|ses|evt)_[0-9A-Za-z]{1,32}$/.test(text);
}

interface SecretState {
  /** More than one secret signs now. */
  readonly isRotating: boolean;
  readonly rotated: Html;
  /** A moment, or words where that of the rotation is not known. */
  readonly overlapUntil: Html;
}

async function findSecretState({ store }: WebDeps, accountId: string, now: Date): Promise<SecretState> {
  const secrets = await store.listSigningSecrets(accountId, now.toISOString());
  const entries = await store.listAuditEntries({ accountId, projectIds: [], limit: LOOK_BACK });
  const at = entries.find(({ verb }) => verb === 'secret.rotated' || verb === 'secret.rotated_by_operator')?.at;
  const unknown = entries.length < LOOK_BACK ? html`never` : html`unknown`;
  return {
    isRotating: secrets.length > 1,
    rotated: at === undefined ? unknown : renderMoment(at),
    overlapUntil: at === undefined ? html`24 hours after the rotation` : renderMoment(getOverlapEnd(new Date(at))),
  };
}

function getOverlapEnd(rotated: Date): string {
  return new Date(rotated.getTime() + SECRET_OVERLAP_MS).toISOString();
}

async function renderTokenSecret(c: PageContext, deps: WebDeps): Promise<Html> {
  const signedIn = c.get('signedIn');
  const { isRotating, rotated, overlapUntil } = await findSecretState(deps, signedIn.account.id, deps.now());
  const consequence = isRotating
    ? 'Rotating again retires the oldest secret immediately. Receivers that still use it will reject every webhook.'
    : 'Rotating makes a new secret at once. Both sign for 24 hours, so receivers can switch over.';
  const buttons = html`<div class="actions">
<form method="post" action="/account/signing-secret/show">${renderFormToken(signedIn)}<button>Show<span class="hidden"> the signing secret</span></button></form>
<form method="post" action="/account/signing-secret/rotate">${renderFormToken(signedIn)}${renderOnceKey()}<button class="${isRotating ? 'danger' : ''}" aria-describedby="rotating">Rotate<span class="hidden"> the signing secret</span></button></form>
</div>
<p class="hint" id="rotating">${consequence}</p>`;
  const again = html`<p class="actions"><a class="button" href="/sign-in?return=${encodeURIComponent(ADDRESS)}&amp;again=1">Sign in again to show or rotate it</a></p>`;
  return html`<p>Signs every webhook that is sent for you, so that your receiver can reject forged ones. There is one for the account.</p>
<dl class="facts"><dt>Last rotated</dt><dd>${rotated}</dd></dl>
${isRotating ? html`<p class="notice">Two secrets sign until ${overlapUntil}: the new one and the previous one. Switch your receivers over by then.</p>` : ''}
${isRecent(signedIn.session, deps.now()) ? buttons : again}`;
}

/** POST /account/signing-secret/show: by POST, so that neither a link nor a preloaded page shows it. */
export async function postShowSecret(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const { account } = c.get('signedIn');
  const now = deps.now();
  const [newest] = await deps.store.listSigningSecrets(account.id, now.toISOString());
  if (newest === undefined) {
    throw new WebRefusal(
      409,
      'The account has no signing secret yet. Rotate it under Security credentials to create one.',
    );
  }
  // Recorded first: without a record it is not shown.
  await deps.store.recordSecretShown(account.id, now.toISOString());
  const { isRotating, overlapUntil } = await findSecretState(deps, account.id, now);
  return renderSecretPage(
    c,
    deps,
    newest,
    isRotating ? html`<p>The previous secret stays valid until ${overlapUntil}.</p>` : '',
  );
}

/**
 * POST /account/signing-secret/rotate: counts once, since a second rotation removes the secret that receivers still
 * use.
 */
export async function postRotate(c: PageContext, deps: WebDeps): Promise<Response> {
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
  const notice = html`<p class="notice good" role="status">The secret was rotated.</p>
<p>The previous secret stays valid until ${renderMoment(overlapUntil)}: switch your receivers over by then.</p>`;
  return renderSecretPage(c, deps, secret, notice);
}

function renderSecretPage(c: PageContext, deps: WebDeps, secret: string, notice: Html | string): Promise<Response> {
  registerSecret(secret);
  const title = 'Webhook signing secret';
  const body = html`<div class="keys"><h1>${title}</h1>
${notice}
${renderCopyable('secret', secret, 'secret')}
<p class="hint">Configure it in your receiver. Webhooks are signed as in <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a>, for which there are libraries.</p>
<p><a class="button" href="${ADDRESS}">Back to Security credentials</a></p></div>`;
  return renderPage(c, deps, { title, section: 'credentials', crumbs: createCredentialCrumbs(title), body });
}

export function createCredentialCrumbs(text: string) {
  return [
    { text: 'Security credentials', href: ADDRESS },
    { text, href: '' },
  ];
}

function renderSessions(sessions: readonly BrowserSession[], signedIn: SignedIn, now: Date): Html {
  const rows = sessions
    .filter((session) => isSessionAlive(session, now))
    .map(({ id, client, startedAt, lastSeenAt }) => {
      const isThis = id === signedIn.session.id;
      const which = `the session of ${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
      const form = isThis
        ? html`<form method="post" action="/sign-out">${renderFormToken(signedIn)}<button>Sign out<span class="hidden"> of this browser</span></button></form>`
        : html`<form method="post" action="/account/sessions/${id}/end">${renderFormToken(signedIn)}
<button class="danger">End<span class="hidden"> ${which}</span></button></form>`;
      const name = sanitiseLine(client, 200) || 'unknown browser';
      const badge = isThis ? html` ${renderBadge('this browser', 'good')}` : '';
      return [html`${name}${badge}`, renderMoment(startedAt), renderMoment(lastSeenAt), form];
    });
  const table = renderTable({ caption: 'Active sessions', columns: ['Browser', 'Signed in', 'Last seen', ''], rows });
  return html`${table}<p class="hint">A session ends after 12 hours without use, and 7 days after the sign-in.</p>`;
}

/** POST /account/sessions/{id}/end */
export async function postEndSession(c: PageContext, deps: WebDeps): Promise<Response> {
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
}
