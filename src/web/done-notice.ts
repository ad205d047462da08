// What a form has done, said on the page after it: fixed words, chosen by a word of the address.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from './show.ts';
import type { WebEnv } from './web-deps.ts';

/** Nothing of the address is shown: a word that is not among `texts` says nothing. */
export function doneNotice(c: Context<WebEnv>, texts: Readonly<Record<string, string>>): Html {
  const done = c.req.query('done') ?? '';
  const text = Object.hasOwn(texts, done) ? texts[done] : undefined;
  return text === undefined ? html`` : html`<p class="notice good" role="status">${text}</p>`;
}
