// Deliveries: the webhooks of an account, each with its attempts, and the way to have one sent again.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import type { Webhook } from '../../core/webhook.ts';
import type { WebhookFilter } from '../../db/store.ts';
import { visibleInvestigation } from '../../services/access.ts';
import { doneNotice } from '../done-notice.ts';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { count, line, moment } from '../words.ts';
import { deliveryBody } from './delivery-page.ts';
import { addressOf, isForgotten, stateBadge } from './delivery-words.ts';
import { isOwnId } from './own-id.ts';

const PAGE = 100;

const DONE = { resent: 'It is being sent again, with the whole schedule of attempts before it.' };
const NOT_NOW =
  'It is under way already, or what it tells of was deleted. Nothing was changed: the page of the delivery says how it stands.';

type Wanted = 'dead' | 'all';

const FILTERS: readonly (readonly [wanted: Wanted, text: string])[] = [
  ['all', 'All'],
  ['dead', 'Given up'],
];

interface PageWanted {
  readonly wanted: Wanted;
  /** "": the newest. */
  readonly before: string;
}

/** GET /account/deliveries; `?state=dead`: those that nobody tries any more; `?before=`: older than that one. */
export function getDeliveries(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const page = pageWanted(c);
    const found = await deps.store.webhooks(c.get('signedIn').account.id, PAGE + 1, filterOf(page));
    const webhooks = found.slice(0, PAGE);
    const next = found.length > PAGE ? webhooks.at(-1)?.id : undefined;
    const body = html`<h1>Deliveries</h1>
<p>What was sent to the callback addresses of your reports: an issue, or why there is none.</p>
${filterLinks(page.wanted)}
${webhooks.length === 0 ? nothing(page) : table(webhooks)}
${pages(page, next)}`;
    return show(c, deps, { title: 'Deliveries', section: 'deliveries', body, isWide: true });
  };
}

function pageWanted(c: Context<WebEnv>): PageWanted {
  const before = c.req.query('before') ?? '';
  if (before !== '' && !isOwnId(before)) refuseAbsentPage();
  return { wanted: c.req.query('state') === 'dead' ? 'dead' : 'all', before };
}

function filterOf({ wanted, before }: PageWanted): WebhookFilter {
  return { ...(before === '' ? {} : { before }), ...(wanted === 'all' ? {} : { state: wanted }) };
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

function filterLinks(current: Wanted): Html {
  return html`<nav class="filters" aria-label="State"><ul>${FILTERS.map(
    ([wanted, text]) =>
      html`<li><a href="${addressFor(wanted)}"${wanted === current ? html` aria-current="true"` : ''}>${text}</a></li>`,
  )}</ul></nav>`;
}

function addressFor(wanted: Wanted, before = ''): string {
  const query = new URLSearchParams({ ...filterOf({ wanted, before }) }).toString();
  return query === '' ? '/account/deliveries' : `/account/deliveries?${query}`;
}

function pages({ wanted, before }: PageWanted, next: string | undefined): Html {
  if (before === '' && next === undefined) return html``;
  return html`<nav aria-label="Pages of deliveries" class="actions">
${before === '' ? '' : html`<a class="button" href="${addressFor(wanted)}">Newest</a>`}
${next === undefined ? '' : html`<a class="button" href="${addressFor(wanted, next)}" rel="next">Older</a>`}</nav>`;
}

function nothing({ wanted, before }: PageWanted): Html {
  if (before !== '')
    return html`<div class="empty"><p>Nothing older, or the one at which this page begins was forgotten.</p></div>`;
  if (wanted === 'dead') return html`<div class="empty"><p>None was given up.</p></div>`;
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
