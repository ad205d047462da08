// Small things that pages say in one way: moments, money, counts, states; all of outside text inert.
import { html } from 'hono/html';
import { inertLine } from '../core/inert-text.ts';
import type { Html } from './show.ts';

/** A moment to the minute in UTC; with scripts, `page.js` writes beside it how long ago that is. "" becomes a dash. */
export function moment(iso: string | null): Html {
  if (iso === null || iso === '') return html`<span class="soft">–</span>`;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** US dollars, as precise as their size deserves. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** Such as 12,480. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** "1 issue", "3 issues". */
export function plural(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

/** A word that stands out, such as a state; its tone is never the only thing that tells it. */
export function badge(text: string, tone: Tone = 'quiet'): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Outside text on one line; what stands between backticks is set as code, and nothing else is a mark. */
export function line(text: string, max = 300): Html {
  return html`${withCode(inertLine(text, max))}`;
}

function withCode(text: string): readonly (Html | string)[] {
  return text.split(/(`[^`\n]+`)/).map((part) => {
    const isCode = part.length > 2 && part.startsWith('`') && part.endsWith('`');
    return isCode ? html`<code>${part.slice(1, -1)}</code>` : part;
  });
}
