// How a webhook is told: its state, where it goes, what came of an attempt.
import { html } from 'hono/html';
import { inertLine } from '../../domain/inert-text.ts';
import type { Webhook, WebhookState } from '../../domain/webhook.ts';
import type { Html } from '../show.ts';
import { badge, count, type Tone } from '../words.ts';

const STATES: Readonly<Record<WebhookState, readonly [words: string, tone: Tone]>> = {
  pending: ['under way', 'busy'],
  delivered: ['delivered', 'good'],
  dead: ['given up', 'bad'],
  stopped: ['stopped by its receiver', 'quiet'],
};

export function stateBadge({ state }: Pick<Webhook, 'state'>): Html {
  const [words, tone] = STATES[state];
  return badge(words, tone);
}

/** What it told of was erased; of the delivery itself no more is kept than that it was one. */
export function isForgotten({ url }: Pick<Webhook, 'url'>): boolean {
  return url === '';
}

/** Host and path: what stands before the host or behind the path may be a secret of the receiver. */
export function addressOf(webhook: Pick<Webhook, 'url'>): Html {
  const { url } = webhook;
  if (isForgotten(webhook)) return html`<span class="soft">deleted with its report</span>`;
  if (!URL.canParse(url)) return html`<span class="soft">an address that cannot be read</span>`;
  const { host, pathname, search } = new URL(url);
  const rest = search === '' ? '' : html` <span class="soft">(its query is not shown)</span>`;
  return html`<span class="mono long">${inertLine(`${host}${pathname}`, 300)}</span>${rest}`;
}

/** Milliseconds; 0 where nothing was sent. */
export function tookWords(ms: number): string {
  if (ms === 0) return 'nothing was sent';
  return ms < 1_000 ? `${count(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
