// Deliveries: the webhooks of an account, each with its attempts and its current body, and the form that sends it
// again.

import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import { isUnderWay, type Webhook, type WebhookContent, type WebhookState } from '../core/account/index.ts';
import type { WebhookAttempt, WebhookFilter } from '../db/index.ts';
import { isProjectVisible, isStillVisible } from '../services/index.ts';
import {
  cutPage,
  formatCount,
  formatPlural,
  renderBadge,
  renderDone,
  renderEmpty,
  renderFilters,
  renderMoment,
  renderPager,
  renderPlainLine,
  renderSection,
  renderTable,
  type Tone,
} from './components.ts';
import { isAccountId } from './credentials.ts';
import { readForm } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const ADDRESS = '/account/deliveries';
const PAGE = 100;
const MAX_BODY = 100_000;
/** Longer path segments are probably a key. */
const MAX_SEGMENT = 24;

const DONE = { resent: 'The webhook is queued for redelivery.' };

export const STATES: Readonly<Record<WebhookState, readonly [text: string, tone: Tone]>> = {
  unchecked: ['pending', 'busy'],
  pending: ['pending', 'busy'],
  sending: ['being sent', 'busy'],
  delivered: ['delivered', 'good'],
  dead: ['failed', 'bad'],
  stopped: ['stopped by its receiver', 'quiet'],
};

/** GET /account/deliveries; `?state=dead`: failed ones only; `?before=`: older than that one. */
export async function getDeliveries(c: PageContext, deps: WebDeps): Promise<Response> {
  const before = c.req.query('before') ?? '';
  if (before !== '' && !isAccountId(before)) refuseAbsentPage();
  const failed: WebhookFilter = c.req.query('state') === 'dead' ? { state: 'dead' } : {};
  const filter = { ...failed, ...(before === '' ? {} : { before }) };
  const found = await deps.store.listWebhooks(c.get('signedIn').account.id, PAGE + 1, filter);
  const { entries, last } = cutPage(found, PAGE);
  const body = html`<h1>Deliveries</h1>
<p>Webhooks sent for your reports and <a href="/account/subscriptions">subscriptions</a>.</p>
${renderFilters('State', [
  { href: ADDRESS, text: 'All', isCurrent: failed.state === undefined },
  { href: toAddress({ state: 'dead' }), text: 'Failed', isCurrent: failed.state !== undefined },
])}
${entries.length === 0 ? renderNone(filter) : renderWebhooks(entries)}
${renderPager({
  label: 'Pages of deliveries',
  first: before === '' ? null : toAddress(failed),
  next: last === undefined ? null : toAddress({ before: last.id, ...failed }),
})}`;
  return renderPage(c, deps, { title: 'Deliveries', section: 'deliveries', body });
}

function toAddress(filter: WebhookFilter): string {
  const query = new URLSearchParams({ ...filter }).toString();
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`;
}

function renderNone({ before, state }: WebhookFilter): Html {
  if (before !== undefined)
    return renderEmpty('Nothing older. (The delivery at the start of this page may have been deleted.)');
  if (state !== undefined) return renderEmpty('No failed deliveries.');
  return renderEmpty(
    'Nothing sent yet.',
    html`<p>Add a <code>callbackUrl</code> to a report to have its signed result delivered there, with up to ten attempts over three days, or <a href="/account/subscriptions">subscribe</a> an address to a project. See the <a href="/docs">API</a>.</p>`,
  );
}

function renderWebhooks(webhooks: readonly Webhook[]): Html {
  return renderTable({
    caption: 'Deliveries, newest first',
    columns: ['Delivery', 'State, last error', ['Attempts', 'number'], 'To', 'About', 'Created'],
    rows: webhooks.map((webhook) => {
      const { id, type, state, attempts, createdAt, lastError } = webhook;
      return [
        html`<a class="mono" href="${ADDRESS}/${id}">${id}</a><br><code>${type}</code>`,
        html`${renderBadge(...STATES[state])}${lastError === '' ? '' : html` <span class="cell-note">${renderPlainLine(lastError)}</span>`}`,
        formatCount(attempts),
        renderReceiver(webhook),
        renderSubject(webhook),
        renderMoment(createdAt),
      ];
    }),
  });
}

function renderSubject(webhook: Webhook): Html {
  const { investigationId, isExample } = webhook;
  if (isErased(webhook)) return html`deleted`;
  if (isExample) return html`an example`;
  if (investigationId === '') return html`a failing check`;
  return html`<a class="mono" href="/investigations/${investigationId}">${investigationId}</a>`;
}

/** Its subject was deleted, and everything about the delivery but its existence. */
function isErased({ url }: Webhook): boolean {
  return url === '';
}

/** Host and first segment of the path: the rest, and the query, often contain the receiver's secret. */
function renderReceiver(webhook: Webhook): Html {
  const { url, subscriptionId } = webhook;
  if (isErased(webhook)) return html`<span class="soft">deleted with its report</span>`;
  if (subscriptionId !== null) return html`<span class="mono long">${sanitiseLine(url, 300)}</span>`;
  if (!URL.canParse(url)) return html`<span class="soft">unreadable address</span>`;
  const { host, pathname, search } = new URL(url);
  const [first = '', ...more] = pathname.slice(1).split('/');
  const isShown = first.length <= MAX_SEGMENT;
  const isWhole = isShown && more.join('') === '' && search === '';
  const shown = sanitiseLine(`${host}/${isShown ? first : ''}`, 300);
  return html`<span class="mono long">${shown}${isWhole ? '' : html`<span aria-hidden="true">…</span><span class="hidden"> (the rest is not shown)</span>`}</span>`;
}

/** One delivery as the person may see it. */
interface VisibleDelivery {
  readonly webhook: Webhook;
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** Its current body; null: it was deleted, or the person does not see it. */
  readonly data: WebhookContent | null;
  /** Whether the person sees the investigation that it is about. */
  readonly isVisible: boolean;
}

/** GET /account/deliveries/{id} */
export async function getDelivery(c: PageContext, deps: WebDeps): Promise<Response> {
  const webhook = await findWebhook(c, deps);
  const isVisible = await isSubjectVisible(c, deps, webhook);
  const attempts = await deps.store.listAttempts(webhook.id);
  const data = isVisible ? await deps.store.readWebhookContent(webhook.id) : null;
  const delivery: VisibleDelivery = { webhook, isVisible, attempts, data };
  const { id, type, state, createdAt } = webhook;
  const subject = isVisible || isErased(webhook) ? renderSubject(webhook) : html`not visible to you`;
  const body = html`<h1>Delivery</h1>
${renderDone(c, DONE)}
<dl class="facts"><dt>State</dt><dd>${renderBadge(...STATES[state])}</dd><dt>Type</dt><dd><code>${type}</code></dd>
<dt>Id</dt><dd><code>${id}</code></dd><dt>To</dt><dd>${renderReceiver(webhook)}</dd>
<dt>About</dt><dd>${subject}</dd>
<dt>Created</dt><dd>${renderMoment(createdAt)}</dd></dl>
${renderResend(delivery, renderFormToken(c.get('signedIn')))}
${renderSection('attempts', 'Attempts', renderDeliveryAttempts(delivery))}
${renderSection(
  'payload-title',
  'Current body',
  html`${renderPayload(delivery)}
${await renderSigning(c, deps, webhook)}`,
)}`;
  const crumbs = [
    { text: 'Deliveries', href: ADDRESS },
    { text: id, href: '' },
  ];
  return renderPage(c, deps, { title: `Delivery ${id}`, section: 'deliveries', crumbs, body });
}

async function renderSigning(c: PageContext, { store }: WebDeps, { subscriptionId }: Webhook): Promise<Html> {
  const { account } = c.get('signedIn');
  const subscription = subscriptionId === null ? null : await store.findSubscription(subscriptionId, account.id);
  if (subscription !== null && subscription.format !== 'standard') {
    return html`<p>It is sent as a message made of this, with its cause in two sentences and links. Messages are not signed.</p>`;
  }
  const secret =
    subscriptionId === null
      ? html`your <a href="/account/security-credentials#signing-secret">signing secret</a>`
      : html`the secret of its <a href="/account/subscriptions">subscription</a>`;
  return html`<p>Every attempt is signed: the header <code>webhook-signature</code> contains <code>v1,</code> and an HMAC-SHA256 (base64) of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body, joined by dots, with ${secret}; two of them during a rotation.</p>`;
}

async function findWebhook(c: PageContext, { store }: WebDeps): Promise<Webhook> {
  const id = c.req.param('webhookId') ?? '';
  const webhook = isAccountId(id) ? await store.findWebhook(id) : null;
  // Nothing shows an event before it is known that its account sees the project.
  if (webhook === null || webhook.state === 'unchecked') refuseAbsentPage();
  if (webhook.accountId !== c.get('signedIn').account.id) refuseAbsentPage();
  return webhook;
}

/**
 * A person who has lost access to the project, or to another repository that the result rests on, no longer sees it,
 * even where it was sent.
 */
async function isSubjectVisible(c: PageContext, deps: WebDeps, webhook: Webhook): Promise<boolean> {
  const { projectId, isExample } = webhook;
  const { signal } = c.get('asking');
  if (isExample) return true;
  if (projectId === null || isErased(webhook)) return await isStillVisible(deps, webhook, signal);
  return await isProjectVisible(deps, { ...webhook, projectId }, signal);
}

function renderResend({ webhook, data }: VisibleDelivery, formToken: Html): Html {
  if (isUnderWay(webhook.state)) return html`<p class="hint">The next attempt is automatic.</p>`;
  if (data === null) {
    return html`<p class="hint">It can't be sent again: its content was deleted, or is not visible to you.</p>`;
  }
  return html`<form method="post" action="${ADDRESS}/${webhook.id}/resend" class="actions">${formToken}
<button class="primary">Send again</button><span class="hint">With the same id, so that a receiver can drop a duplicate.</span></form>`;
}

function renderDeliveryAttempts({ webhook, attempts }: VisibleDelivery): Html {
  const unlisted = webhook.attempts - attempts.length;
  const rest = unlisted > 0 ? html`<p class="hint">${formatPlural(unlisted, 'older attempt')} not recorded.</p>` : '';
  if (attempts.length === 0) return html`<p>${webhook.attempts === 0 ? 'None yet.' : ''}</p>${rest}`;
  const table = renderTable({
    caption: 'Attempts, newest first',
    columns: [['Number', 'number'], 'When', 'Duration', 'Result'],
    named: 1,
    rows: attempts.map(({ number, at, ms, ok, error }) => [
      formatCount(number),
      renderMoment(at),
      formatMilliseconds(ms),
      ok ? renderBadge('delivered', 'good') : html`${renderBadge('not delivered', 'bad')} ${renderPlainLine(error)}`,
    ]),
  });
  return html`${table}${rest}`;
}

/** 0 where nothing was sent. */
function formatMilliseconds(ms: number): string {
  if (ms === 0) return 'nothing was sent';
  return ms < 1_000 ? `${formatCount(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function renderPayload({ webhook, data, isVisible }: VisibleDelivery): Html {
  if (!isVisible && !isErased(webhook))
    return html`<p>It is about a project that is not visible to you, or rests on one.</p>`;
  if (data === null) return html`<p>The investigation was deleted.</p>`;
  const { type, data: content } = data;
  const body = { type, timestamp: webhook.createdAt, data: content, ...(webhook.isExample && { example: true }) };
  const json = JSON.stringify(body, null, 2);
  const isCut = json.length > MAX_BODY;
  return html`<details id="payload"><summary>The body as JSON</summary><pre><code>${sanitiseText(json, MAX_BODY)}</code></pre>${
    isCut ? html`<p class="hint">Cut after ${formatCount(MAX_BODY)} of ${formatCount(json.length)} characters.</p>` : ''
  }</details>`;
}

/** POST /account/deliveries/{id}/resend: only what the person still sees, since the current content is sent. */
export async function postResend(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const webhook = await findWebhook(c, deps);
  const { id, accountId } = webhook;
  const isVisible = await isSubjectVisible(c, deps, webhook);
  const isSent = isVisible && (await deps.store.resendWebhook(id, accountId, deps.now().toISOString()));
  if (isSent) return c.redirect(`${ADDRESS}/${id}?done=resent`, 303);
  throw new WebRefusal(409, 'It is already being sent, or its subject was deleted. Nothing was changed.');
}
