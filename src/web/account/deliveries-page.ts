// Deliveries: the webhooks of an account, each with its attempts, and the way to have one sent again.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import type { Webhook } from '../../domain/webhook.ts';
import { visibleInvestigation } from '../../jobs/access.ts';
import { doneNotice } from '../done-notice.ts';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { count, line, moment } from '../words.ts';
import { deliveryBody } from './delivery-page.ts';
import { addressOf, isForgotten, stateBadge } from './delivery-words.ts';
import { isOwnId } from './own-id.ts';

const MOST = 100;

const DONE = { resent: 'It is being sent again, with the whole schedule of attempts before it.' };
const NOT_NOW =
  'It is under way already, or what it tells of was deleted. Nothing was changed: the page of the delivery says how it stands.';

/** GET /account/deliveries */
export function getDeliveries(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const webhooks = await deps.store.webhooks(c.get('signedIn').account.id, MOST);
    const body = html`<h1>Deliveries</h1>
<p>What was sent to the callback addresses of your reports: an issue, or why there is none. ${webhooks.length === MOST ? `These are the newest ${MOST}.` : ''}</p>
${webhooks.length === 0 ? nothing() : table(webhooks)}`;
    return show(c, deps, { title: 'Deliveries', section: 'deliveries', body, isWide: true });
  };
}

/** GET /account/deliveries/{id} */
export function getDelivery(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const webhook = await ownWebhook(c, deps);
    const isVisible = await tellsOfVisible(c, deps, webhook);
    const body = html`<h1>Delivery</h1>
${doneNotice(c, DONE)}
${deliveryBody({
  ...{ webhook, isVisible, signedIn: c.get('signedIn') },
  attempts: await deps.store.attempts(webhook.id),
  data: isVisible ? await deps.store.webhookData(webhook.id) : null,
})}`;
    const crumbs = [
      { text: 'Deliveries', href: '/account/deliveries' },
      { text: webhook.id, href: '' },
    ];
    return show(c, deps, { title: `Delivery ${webhook.id}`, section: 'deliveries', crumbs, body });
  };
}

/** POST /account/deliveries/{id}/resend: only of what the person still sees, since it is sent as it is now. */
export function postResend(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const webhook = await ownWebhook(c, deps);
    if (!(await tellsOfVisible(c, deps, webhook))) throw new WebRefusal(409, NOT_NOW);
    const isSent = await deps.store.resendWebhook(webhook.id, webhook.accountId, deps.now().toISOString());
    if (!isSent) throw new WebRefusal(409, NOT_NOW);
    deps.queue.wake();
    return c.redirect(`/account/deliveries/${webhook.id}?done=resent`, 303);
  };
}

async function ownWebhook(c: Context<WebEnv>, { store }: WebDeps): Promise<Webhook> {
  const id = c.req.param('webhookId') ?? '';
  const webhook = isOwnId(id) ? await store.webhook(id) : null;
  if (webhook === null || webhook.accountId !== c.get('signedIn').account.id) refuseAbsentPage();
  return webhook;
}

/** Whoever has lost access to the project has lost what was found there, whatever was sent before. */
async function tellsOfVisible(c: Context<WebEnv>, deps: WebDeps, { investigationId }: Webhook): Promise<boolean> {
  return (await visibleInvestigation(deps, c.get('asking'), investigationId)) !== null;
}

function nothing(): Html {
  return html`<div class="empty"><p>Nothing was sent yet.</p>
<p>Hand in a report with a <code>callbackUrl</code>, and how it ended is sent there, signed, in up to ten attempts over three days. The <a href="/docs">API</a> says how.</p></div>`;
}

function table(webhooks: readonly Webhook[]): Html {
  return html`<table class="cards log"><caption class="hidden">Deliveries, the newest first</caption>
<thead><tr><th scope="col">Delivery</th><th scope="col">State, last error</th><th scope="col" class="number">Attempts</th><th scope="col">To</th>
<th scope="col">Investigation</th><th scope="col">Made</th></tr></thead>
<tbody>${webhooks.map(row)}</tbody></table>`;
}

function row(webhook: Webhook): Html {
  const { id, type, investigationId, attempts, createdAt, lastError } = webhook;
  return html`<tr><th scope="row"><a class="mono" href="/account/deliveries/${id}">${id}</a><br><code>${type}</code></th>
<td data-label="State, last error">${stateBadge(webhook)}${lastError === '' ? '' : html` <span class="cell-note">${line(lastError)}</span>`}</td><td class="number" data-label="Attempts">${count(attempts)}</td>
<td data-label="To">${addressOf(webhook)}</td>
<td data-label="Investigation">${isForgotten(webhook) ? 'deleted' : html`<a class="mono" href="/investigations/${investigationId}">${investigationId}</a>`}</td>
<td data-label="Made">${moment(createdAt)}</td></tr>`;
}
