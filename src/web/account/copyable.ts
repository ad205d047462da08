// A block that is there to be copied, with its button where scripts run.
import { html } from 'hono/html';
import type { Html } from '../show.ts';

/** `id` is the element's on the page; `what` stands on the button. */
export function copyable(id: string, text: string, what: string): Html {
  return html`<div class="copyable"><pre><code id="${id}">${text}</code></pre>
<button type="button" data-copy="${id}" hidden>Copy ${what}</button></div>`;
}
