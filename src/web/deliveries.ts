// Deliveries: the webhooks of an account, each with its attempts and its current body, and the form that sends it again.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { sanitiseLine, sanitiseText } from '../core/inert-text.ts';
import type { Webhook, WebhookState } from '../core/webhook.ts';
import type { WebhookAttempt, WebhookFilter, WebhookStore } from '../db/webhooks.ts';
import { visibleInvestigation } from '../services/access.ts';
import {
  formatCount,
  renderBadge,
  renderDone,
  renderFilters,
  renderMoment,
  renderPager,
  renderPlainLine,
  type Tone,
} from './components.ts';
import { isAccountId } from './credentials.ts';
import { readForm } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

const ADDRESS = '/account/deliveries';
const PAGE = 100;
/** A page of millions of characters is of no use. */
const MAX_BODY = 100_000;
/** Longer path segments are probably a key. */
const MAX_SEGMENT = 24;

const DONE = { resent: 'It is being sent again, with the whole schedule of attempts ahead of it.' };
const NOT_NOW =
  'It is already being sent, or its subject was deleted. Nothing was changed: the page of the delivery shows its state.';

const STATES: Readonly<Record<WebhookState, readonly [text: string, tone: Tone]>> = {
  pending: ['pending', 'busy'],
  delivered: ['delivered', 'good'],
  dead: ['failed', 'bad'],
  stopped: ['stopped by its receiver', 'quiet'],
};

/** GET /account/deliveries; `?state=dead`: failed ones only; `?before=`: older than that one. */
export function getDeliveries(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const before = c.req.query('before') ?? '';
    if (before !== '' && !isAccountId(before)) refuseAbsentPage();
    const isFailed = c.req.query('state') === 'dead';
    const filter = toFilter(isFailed, before);
    const found = await deps.store.listWebhooks(c.get('signedIn').account.id, PAGE + 1, filter);
    const webhooks = found.slice(0, PAGE);
    const last = found.length > PAGE ? webhooks.at(-1) : undefined;
    const body = html`<h1>Deliveries</h1>
<p>Webhooks sent for your reports.</p>
${renderFilters('State', [
  { href: toAddress(false), text: 'All', isCurrent: !isFailed },
  { href: toAddress(true), text: 'Failed', isCurrent: isFailed },
])}
${webhooks.length === 0 ? renderNothing(isFailed, before !== '') : renderTable(webhooks)}
${renderPager({
  label: 'Pages of deliveries',
  first: before === '' ? null : { href: toAddress(isFailed), text: 'Newest' },
  next: last === undefined ? null : { href: toAddress(isFailed, last.id), text: 'Older' },
})}`;
    return renderPage(c, deps, { title: 'Deliveries', section: 'deliveries', body });
  };
}

function toFilter(isFailed: boolean, before: string): WebhookFilter {
  return { ...(before === '' ? {} : { before }), ...(isFailed ? { state: 'dead' } : {}) };
}

function toAddress(isFailed: boolean, before = ''): string {
  const query = new URLSearchParams({ ...toFilter(isFailed, before) }).toString();
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`;
}

function renderNothing(isFailed: boolean, isPaged: boolean): Html {
  if (isPaged)
    return html`<div class="empty"><p>Nothing older, or the one at which this page begins was deleted.</p></div>`;
  if (isFailed) return html`<div class="empty"><p>No failed deliveries.</p></div>`;
  return html`<div class="empty"><p>Nothing sent yet.</p>
<p>Submit a report with a <code>callbackUrl</code>, and its result is sent there, signed, in up to ten attempts over three days. See the <a href="/docs">API</a>.</p></div>`;
}

function renderTable(webhooks: readonly Webhook[]): Html {
  return html`<table class="cards log"><caption class="hidden">Deliveries, newest first</caption>
<thead><tr><th scope="col">Delivery</th><th scope="col">State, last error</th><th scope="col" class="number">Attempts</th><th scope="col">To</th>
<th scope="col">Investigation</th><th scope="col">Created</th></tr></thead>
<tbody>${webhooks.map(renderRow)}</tbody></table>`;
}

function renderRow(webhook: Webhook): Html {
  const { id, type, state, investigationId, attempts, createdAt, lastError } = webhook;
  return html`<tr><th scope="row"><a class="mono" href="${ADDRESS}/${id}">${id}</a><br><code>${type}</code></th>
<td data-label="State, last error">${renderBadge(...STATES[state])}${lastError === '' ? '' : html` <span class="cell-note">${renderPlainLine(lastError)}</span>`}</td><td class="number" data-label="Attempts">${formatCount(attempts)}</td>
<td data-label="To">${renderReceiver(webhook)}</td>
<td data-label="Investigation">${isErased(webhook) ? 'deleted' : html`<a class="mono" href="/investigations/${investigationId}">${investigationId}</a>`}</td>
<td data-label="Created">${renderMoment(createdAt)}</td></tr>`;
}

/** Its subject was erased, and everything about the delivery but its existence. */
function isErased({ url }: Webhook): boolean {
  return url === '';
}

/** Host and first segment of the path: the rest, and the query, often contain the receiver's secret. */
function renderReceiver(webhook: Webhook): Html {
  const { url } = webhook;
  if (isErased(webhook)) return html`<span class="soft">deleted with its report</span>`;
  if (!URL.canParse(url)) return html`<span class="soft">unreadable address</span>`;
  const { host, pathname, search } = new URL(url);
  const [first = '', ...more] = pathname.slice(1).split('/');
  const isShown = first.length <= MAX_SEGMENT;
  const isWhole = isShown && more.join('') === '' && search === '';
  const shown = sanitiseLine(`${host}/${isShown ? first : ''}`, 300);
  return html`<span class="mono long">${shown}${isWhole ? '' : html`<span aria-hidden="true">…</span><span class="hidden"> and more, which is not shown</span>`}</span>`;
}

/** One delivery as the person may see it. */
interface Delivery {
  readonly webhook: Webhook;
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** Its current body; null: it was deleted, or the person does not see it. */
  readonly data: Awaited<ReturnType<WebhookStore['readWebhookData']>>;
  /** Whether the person sees the investigation that it is about. */
  readonly isVisible: boolean;
}

/** GET /account/deliveries/{id} */
export function getDelivery(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const webhook = await findWebhook(c, deps);
    const isVisible = await isSubjectVisible(c, deps, webhook);
    const delivery: Delivery = {
      webhook,
      isVisible,
      attempts: await deps.store.listAttempts(webhook.id),
      data: isVisible ? await deps.store.readWebhookData(webhook.id) : null,
    };
    const { id, type, state, createdAt } = webhook;
    const body = html`<h1>Delivery</h1>
${renderDone(c, DONE)}
<dl class="facts"><dt>State</dt><dd>${renderBadge(...STATES[state])}</dd><dt>Type</dt><dd><code>${type}</code></dd>
<dt>Id</dt><dd><code>${id}</code></dd><dt>To</dt><dd>${renderReceiver(webhook)}</dd>
<dt>Investigation</dt><dd>${renderSubject(delivery)}</dd>
<dt>Created</dt><dd>${renderMoment(createdAt)}</dd></dl>
${renderResend(delivery, renderFormToken(c.get('signedIn')))}
<section aria-labelledby="attempts"><h2 id="attempts">Attempts</h2>${renderAttempts(delivery)}</section>
<section aria-labelledby="payload-title"><h2 id="payload-title">Current body</h2>${renderPayload(delivery)}
<p>Every attempt is signed: the header <code>webhook-signature</code> contains <code>v1,</code> and an HMAC-SHA256 (base64) of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body, joined by dots, with your <a href="/account/security-credentials#signing-secret">signing secret</a>; two of them during a rotation.</p></section>`;
    const crumbs = [
      { text: 'Deliveries', href: ADDRESS },
      { text: id, href: '' },
    ];
    return renderPage(c, deps, { title: `Delivery ${id}`, section: 'deliveries', crumbs, body });
  };
}

async function findWebhook(c: Context<WebEnv>, { store }: WebDeps): Promise<Webhook> {
  const id = c.req.param('webhookId') ?? '';
  const webhook = isAccountId(id) ? await store.findWebhook(id) : null;
  if (webhook === null || webhook.accountId !== c.get('signedIn').account.id) refuseAbsentPage();
  return webhook;
}

/** A person who has lost access to the project no longer sees its results, whatever was sent before. */
async function isSubjectVisible(c: Context<WebEnv>, deps: WebDeps, { investigationId }: Webhook): Promise<boolean> {
  return (await visibleInvestigation(deps, c.get('asking'), investigationId)) !== null;
}

function renderSubject({ webhook, isVisible }: Delivery): Html {
  const { investigationId: id } = webhook;
  if (isVisible) return html`<a class="mono" href="/investigations/${id}">${id}</a>`;
  return isErased(webhook) ? html`deleted` : html`not visible to you`;
}

function renderResend({ webhook, data }: Delivery, formToken: Html): Html {
  if (webhook.state === 'pending') return html`<p class="hint">The next attempt is automatic.</p>`;
  if (data === null)
    return html`<p class="hint">It can't be sent again: its content is gone, or not visible to you.</p>`;
  return html`<form method="post" action="${ADDRESS}/${webhook.id}/resend" class="actions">${formToken}
<button class="primary">Send again</button><span class="hint">With the same id, so that a receiver can drop a duplicate.</span></form>`;
}

function renderAttempts({ webhook, attempts }: Delivery): Html {
  const unlisted = webhook.attempts - attempts.length;
  const rest = unlisted > 0 ? html`<p class="hint">${formatCount(unlisted)} older attempts have no record.</p>` : '';
  if (attempts.length === 0) return html`<p>${webhook.attempts === 0 ? 'None yet.' : ''}</p>${rest}`;
  return html`<table class="cards log"><caption class="hidden">Attempts, newest first</caption>
<thead><tr><th scope="col" class="number">Number</th><th scope="col">When</th><th scope="col">Duration</th><th scope="col">Result</th></tr></thead>
<tbody>${attempts.map(
    ({
      number,
      at,
      ms,
      ok,
      error,
    }) => html`<tr><td class="number" data-label="Number">${formatCount(number)}</td><td data-label="When">${renderMoment(at)}</td>
<td data-label="Duration">${formatMilliseconds(ms)}</td>
<td data-label="Result">${ok ? renderBadge('delivered', 'good') : html`${renderBadge('not delivered', 'bad')} ${renderPlainLine(error)}`}</td></tr>`,
  )}</tbody></table>${rest}`;
}

/** 0 where nothing was sent. */
function formatMilliseconds(ms: number): string {
  if (ms === 0) return 'nothing was sent';
  return ms < 1_000 ? `${formatCount(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function renderPayload({ webhook, data, isVisible }: Delivery): Html {
  if (!isVisible && !isErased(webhook)) return html`<p>It is about a project that is not visible to you.</p>`;
  if (data === null) return html`<p>Its subject was deleted.</p>`;
  const json = JSON.stringify({ type: webhook.type, timestamp: webhook.createdAt, data }, null, 2);
  const isCut = json.length > MAX_BODY;
  return html`<details id="payload"><summary>The body as JSON</summary><pre><code>${sanitiseText(json, MAX_BODY)}</code></pre>${
    isCut ? html`<p class="hint">Cut after ${formatCount(MAX_BODY)} of ${formatCount(json.length)} characters.</p>` : ''
  }</details>`;
}

/** POST /account/deliveries/{id}/resend: only what the person still sees, since the current content is sent. */
export function postResend(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const webhook = await findWebhook(c, deps);
    const { id, accountId } = webhook;
    const isVisible = await isSubjectVisible(c, deps, webhook);
    const isSent = isVisible && (await deps.store.resendWebhook(id, accountId, deps.now().toISOString()));
    if (!isSent) throw new WebRefusal(409, NOT_NOW);
    return c.redirect(`${ADDRESS}/${id}?done=resent`, 303);
  };
}
