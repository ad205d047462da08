// One page: the frame around it, with the way to all others.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { inertLine } from '../core/inert-text.ts';
import { ASSETS } from './assets.ts';
import { formTokenField } from './form-token.ts';
import type { SignedIn, WebDeps, WebEnv } from './web-deps.ts';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

type Section = 'projects' | 'usage' | 'deliveries' | 'audit' | 'credentials';

/** A step of the way to the page: all but the last are links. */
export interface Crumb {
  readonly text: string;
  readonly href: string;
}

export interface Page {
  /** Outside text may be in it. */
  readonly title: string;
  readonly body: Html;
  /** What of the navigation is the current one. */
  readonly section?: Section;
  readonly crumbs?: readonly Crumb[];
  /** Default: 200. */
  readonly status?: ContentfulStatusCode;
  /** For pages that need the room, such as diffs. */
  readonly isWide?: boolean;
  /** Seconds after which a browser without scripts loads the page anew; absent: never. */
  readonly refresh?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECTIONS: readonly (readonly [section: Section, href: string, text: string])[] = [
  ['projects', '/projects', 'Projects'],
  ['usage', '/usage', 'Usage'],
  ['deliveries', '/account/deliveries', 'Deliveries'],
  ['audit', '/audit', 'Audit log'],
  ['credentials', '/account/security-credentials', 'Security credentials'],
];

export async function show(c: Context<WebEnv>, deps: Pick<WebDeps, 'paused'>, page: Page): Promise<Response> {
  const signedIn = c.get('signedIn') as SignedIn | undefined;
  const title = inertLine(page.title, 120);
  const document = html`<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
${page.refresh === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${page.refresh}"></noscript>`}
<title>${title} · Causeway</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS.style.href}"><script src="${ASSETS.script.href}" defer></script>
</head><body>
<a class="skip" href="#content">Skip to the content</a>
${header(signedIn, page.section)}
${deps.paused() && signedIn !== undefined ? html`<p class="notice" role="status">Paused by the operator: reports are kept, no model is asked and nothing is posted.</p>` : ''}
<main id="content" class="${page.isWide ? 'wide' : 'column'}" tabindex="-1">
${page.crumbs === undefined ? '' : breadcrumbs(page.crumbs)}
${page.body}
</main>
<p id="said" class="hidden" role="status"></p>
<footer><p>Causeway: from a problem, to its cause, to its fix. <a href="/docs">API</a></p></footer>
</body></html>`;
  return c.html(document, page.status ?? 200, page.headers);
}

function header(signedIn: SignedIn | undefined, section: Section | undefined): Html {
  if (signedIn === undefined) return html`<header class="top"><p class="brand"><a href="/">Causeway</a></p></header>`;
  const { account } = signedIn;
  return html`<header class="top"><p class="brand"><a href="/projects">Causeway</a></p>
<nav aria-label="Account area"><ul>${SECTIONS.map(
    ([name, href, text]) =>
      html`<li><a href="${href}"${name === section ? html` aria-current="page"` : ''}>${text}</a></li>`,
  )}</ul></nav>
<form method="post" action="/sign-out" class="who">${formTokenField(signedIn)}<span class="soft">${inertLine(account.login, 60)}</span>
<button class="plain">Sign out</button></form></header>`;
}

function breadcrumbs(crumbs: readonly Crumb[]): Html {
  return html`<nav aria-label="Breadcrumb" class="crumbs"><ol>${crumbs.map(({ text, href }, at) => {
    const isLast = at === crumbs.length - 1;
    const words = inertLine(text, 80);
    return html`<li>${isLast ? html`<span aria-current="page">${words}</span>` : html`<a href="${href}">${words}</a>`}</li>`;
  })}</ol></nav>`;
}
