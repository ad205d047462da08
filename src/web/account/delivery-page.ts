// One delivery: where it goes, each attempt, what it says now, and the form to have it sent again.
import { html } from 'hono/html';
import { inertText } from '../../core/inert-text.ts';
import type { Webhook } from '../../core/webhook.ts';
import type { WebhookAttempt, WebhookStore } from '../../db/store.ts';
import { formTokenField } from '../form-token.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';
import { badge, count, line, moment } from '../words.ts';
import { addressOf, isForgotten, stateBadge, tookWords } from './delivery-words.ts';

interface DeliveryParts {
  readonly webhook: Webhook;
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** What it says now; null: it was deleted, or the person does not see it. */
  readonly data: Awaited<ReturnType<WebhookStore['webhookData']>>;
  /** Whether the person sees the investigation that it tells of. */
  readonly isVisible: boolean;
  readonly signedIn: SignedIn;
}

export function deliveryBody(parts: DeliveryParts): Html {
  const { webhook, attempts } = parts;
  const { id, type, createdAt } = webhook;
  return html`<dl class="facts"><dt>State</dt><dd>${stateBadge(webhook)}</dd><dt>Type</dt><dd><code>${type}</code></dd>
<dt>Id</dt><dd><code>${id}</code></dd><dt>To</dt><dd>${addressOf(webhook)}</dd>
<dt>Investigation</dt><dd>${subject(parts)}</dd>
<dt>Made</dt><dd>${moment(createdAt)}</dd></dl>
${resend(parts)}
<section aria-labelledby="attempts"><h2 id="attempts">Attempts</h2>${attemptTable(webhook, attempts)}</section>
<section aria-labelledby="says"><h2 id="says">What it says now</h2>${payload(parts)}
<p>Every attempt is signed: the header <code>webhook-signature</code> holds <code>v1,</code> and an HMAC-SHA256 (base64) of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body, joined by dots, with your <a href="/account/security-credentials#signing-secret">signing secret</a>; two of them while a rotation lasts.</p></section>`;
}

function subject({ webhook, isVisible }: DeliveryParts): Html {
  const { investigationId: id } = webhook;
  if (isVisible) return html`<a class="mono" href="/investigations/${id}">${id}</a>`;
  return isForgotten(webhook) ? html`deleted` : html`one that you do not see now`;
}

function resend({ webhook, data, signedIn }: DeliveryParts): Html {
  if (webhook.state === 'pending') return html`<p class="hint">The next attempt comes by itself.</p>`;
  if (data === null)
    return html`<p class="hint">It cannot be sent again, since there is nothing left that it could say to you.</p>`;
  return html`<form method="post" action="/account/deliveries/${webhook.id}/resend" class="actions">${formTokenField(signedIn)}
<button class="primary">Send again</button><span class="hint">With the same id, so that a receiver that has it already can drop it.</span></form>`;
}

function attemptTable({ attempts: made }: Webhook, attempts: readonly WebhookAttempt[]): Html {
  const unlisted = made - attempts.length;
  const rest = unlisted > 0 ? html`<p class="hint">Of ${count(unlisted)} more, older ones, no record is kept.</p>` : '';
  if (attempts.length === 0) return html`<p>${made === 0 ? 'None yet.' : ''}</p>${rest}`;
  return html`<table class="cards log"><caption class="hidden">Attempts, the newest first</caption>
<thead><tr><th scope="col" class="number">Number</th><th scope="col">When</th><th scope="col">Took</th><th scope="col">What came</th></tr></thead>
<tbody>${attempts.map(attemptRow)}</tbody></table>${rest}`;
}

function attemptRow({ number, at, ms, ok, error }: WebhookAttempt): Html {
  return html`<tr><td class="number" data-label="Number">${count(number)}</td><td data-label="When">${moment(at)}</td>
<td data-label="Took">${tookWords(ms)}</td>
<td data-label="What came">${ok ? badge('delivered', 'good') : html`${badge('not delivered', 'bad')} ${line(error)}`}</td></tr>`;
}

/** What is sent is the whole of it; a page of millions of characters is of no use to anybody. */
const LONGEST = 100_000;

function payload({ webhook, data, isVisible }: DeliveryParts): Html {
  if (isForgotten(webhook)) return html`<p>What it told of was deleted.</p>`;
  if (!isVisible) return html`<p>It is about a project that you do not see now.</p>`;
  if (data === null) return html`<p>What it told of was deleted.</p>`;
  const json = JSON.stringify({ type: webhook.type, timestamp: webhook.createdAt, data }, null, 2);
  const cut =
    json.length > LONGEST
      ? html`<p class="hint">Cut after ${count(LONGEST)} of ${count(json.length)} characters.</p>`
      : '';
  return html`<details id="payload"><summary>The body as JSON</summary><pre><code>${inertText(json, LONGEST)}</code></pre>${cut}</details>`;
}
