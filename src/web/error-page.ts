// The page that a refusal ends in: what is wrong, and what to do about it.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { RefusalStatus, WebRefusal } from './refusal.ts';
import { show } from './show.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

const TITLES: Readonly<Record<RefusalStatus, string>> = {
  400: 'This does not work',
  401: 'Signed out',
  403: 'Not allowed',
  404: 'Not found',
  405: 'This does not work',
  409: 'Not possible now',
  413: 'Too large',
  415: 'This does not work',
  429: 'Too many requests',
  500: 'Something broke here',
  503: 'Not reachable just now',
};

export async function errorPage(c: Context<WebEnv>, deps: WebDeps, refusal: WebRefusal): Promise<Response> {
  const title = TITLES[refusal.status];
  const { href, text } = refusal.wayOn ?? { href: '/', text: 'To your projects' };
  const body = html`<h1>${title}</h1><p class="lead">${refusal.detail}</p>
<p><a class="button" href="${href}">${text}</a></p>`;
  const answer = await show(c, deps, { title, body, status: refusal.status });
  for (const [name, value] of Object.entries(refusal.headers)) answer.headers.set(name, value);
  return answer;
}
