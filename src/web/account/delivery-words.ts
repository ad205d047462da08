// How a webhook is told: its state, where it goes, what came of an attempt.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Webhook, WebhookState } from '../../core/webhook.ts';
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

/** Longer ones are more likely a key than a word. */
const LONGEST_SEGMENT = 24;

/** Host and first step of the path: many receivers have their secret in the rest of it, in the query or before the host. */
export function addressOf(webhook: Pick<Webhook, 'url'>): Html {
  const { url } = webhook;
  if (isForgotten(webhook)) return html`<span class="soft">deleted with its report</span>`;
  if (!URL.canParse(url)) return html`<span class="soft">an address that cannot be read</span>`;
  const { host, pathname, search } = new URL(url);
  const [first = '', ...more] = pathname.slice(1).split('/');
  const isShown = first.length <= LONGEST_SEGMENT;
  const isWhole = isShown && more.join('') === '' && search === '';
  const shown = inertLine(`${host}/${isShown ? first : ''}`, 300);
  return html`<span class="mono long">${shown}${isWhole ? '' : html`<span aria-hidden="true">…</span><span class="hidden"> and more, which is not shown</span>`}</span>`;
}

/** Milliseconds; 0 where nothing was sent. */
export function tookWords(ms: number): string {
  if (ms === 0) return 'nothing was sent';
  return ms < 1_000 ? `${count(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
