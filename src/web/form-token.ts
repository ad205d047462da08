// Against forged forms: a value that only a page of this session can know, and the browser's own word of where a form came from.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { html } from 'hono/html';
import { WebRefusal } from './refusal.ts';
import type { Html } from './show.ts';
import type { SignedIn, WebDeps } from './web-deps.ts';

export const FORM_TOKEN = 'csrf_token';

const FORGED = 'This form did not come from a page of this service. Open the page again and send it from there.';

export function formTokenField({ formToken }: SignedIn): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${formToken}">`;
}

/** Of the session alone, so that pages in several tabs have the same. */
export function formTokenOf({ key }: Pick<WebDeps, 'key'>, sessionId: string): string {
  return createHmac('sha256', key).update(`form ${sessionId}`).digest('base64url');
}

/** Refuses a form that another site's page, or nobody's, has sent. */
export function requireOwnPage(request: Request, baseUrl: string): void {
  const site = request.headers.get('Sec-Fetch-Site');
  const origin = request.headers.get('Origin');
  // What a browser says cannot be set by a page; one without either header sends no form that could be trusted.
  const isOwn =
    (site === null || site === 'same-origin') &&
    (origin === null ? site === 'same-origin' : isOwnOrigin(origin, request, baseUrl));
  if (!isOwn) throw new WebRefusal(403, FORGED);
}

export function requireFormToken(given: string, expected: string): void {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  if (one.length !== other.length || !timingSafeEqual(one, other)) throw new WebRefusal(403, FORGED);
}

/** In local mode both names of this machine are its own. */
function isOwnOrigin(origin: string, request: Request, baseUrl: string): boolean {
  return origin === new URL(baseUrl).origin || origin === new URL(request.url).origin;
}
