// What a page says where GitHub did not tell of every project whether the person may see it.
import { html } from 'hono/html';
import type { Html } from './show.ts';

/** Without a number: projects that the person may not see would be counted as well. */
export function missingNotice(isWhole: boolean): Html {
  if (isWhole) return html``;
  return html`<p class="notice" role="status">GitHub did not say of every project just now whether you may see it: some may be missing here. Try again in a minute.</p>`;
}
