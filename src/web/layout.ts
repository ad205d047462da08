// The frame of every page: header, navigation, security headers, the style and the script, and the page of a refusal.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sanitiseLine } from 'causeway-visible-text';
import type { Handler } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { locate } from '../installation.ts';
import type { PageContext, SignedIn, WebDeps, WebEnv } from './web-deps.ts';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

type NavigationSection =
  | 'home'
  | 'projects'
  | 'usage'
  | 'calibration'
  | 'subscriptions'
  | 'deliveries'
  | 'audit'
  | 'credentials';

/** A step of the path to the page: all but the last are links. */
export interface Crumb {
  readonly text: string;
  readonly href: string;
}

export interface WebPage {
  /** May contain untrusted text. */
  readonly title: string;
  readonly body: Html;
  /** The current entry of the navigation. */
  readonly section?: NavigationSection;
  readonly crumbs?: readonly Crumb[];
  /** Default: 200. */
  readonly status?: ContentfulStatusCode;
  /** What the search field holds; absent: nothing. */
  readonly search?: string;
  /** Seconds after which a browser without scripts reloads the page; absent: never. */
  readonly refresh?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;

interface RefusalExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the person goes from here. Default: to the first page. */
  readonly next?: { readonly href: string; readonly text: string };
}

/**
 * Thrown by pages; `message` is for the person, with the repair, and contains no untrusted text that was not sanitised.
 */
export class WebRefusal extends Error {
  readonly status: RefusalStatus;
  readonly extras: RefusalExtras;

  constructor(status: RefusalStatus, message: string, extras: RefusalExtras = {}) {
    super(message);
    this.status = status;
    this.extras = extras;
  }
}

/** The same for what does not exist and for what the person may not see. */
export function createAbsentRefusal(): WebRefusal {
  return new WebRefusal(404, "This page doesn't exist, or you don't have access.");
}

export function refuseAbsentPage(): never {
  throw createAbsentRefusal();
}

const TITLES: Readonly<Record<RefusalStatus, string>> = {
  400: "That didn't work",
  401: 'Signed out',
  403: 'Not allowed',
  404: 'Not found',
  405: "That didn't work",
  409: 'Not possible now',
  413: 'Too large',
  415: "That didn't work",
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

export async function renderRefusal(c: PageContext, deps: WebDeps, refusal: WebRefusal): Promise<Response> {
  const title = TITLES[refusal.status];
  const { href, text } = refusal.extras.next ?? { href: '/', text: 'Back to the first page' };
  const body = html`<h1>${title}</h1><p class="lead">${refusal.message}</p>
<p><a class="button" href="${href}">${text}</a></p>`;
  const { headers = {} } = refusal.extras;
  return renderPage(c, deps, { title, body, status: refusal.status, headers });
}

/** The whole document. */
export async function renderPage(c: PageContext, deps: Pick<WebDeps, 'paused'>, page: WebPage): Promise<Response> {
  const signedIn = c.get('signedIn') as SignedIn | undefined;
  const isPaused = deps.paused() && signedIn !== undefined;
  const document = html`<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
${page.refresh === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${page.refresh}"></noscript>`}
<title>${sanitiseLine(page.title, 120)} · Causeway</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE.href}"><script src="${SCRIPT.href}" defer></script>
</head><body>
<a class="skip" href="#content">Skip to content</a>
${signedIn === undefined ? html`<header class="top"><p class="brand"><a href="/">Causeway</a></p></header>` : renderPageHeader(signedIn, page)}
${isPaused ? html`<p class="notice" role="status">Paused by the operator: reports are stored, but no model is called and nothing is posted.</p>` : ''}
<main id="content" tabindex="-1">
${page.crumbs === undefined ? '' : renderCrumbs(page.crumbs)}
${page.body}
</main>
<p id="said" class="hidden" role="status"></p>
<footer><p>Causeway: from a problem, to its cause, to its fix. <a href="/docs">API</a></p></footer>
</body></html>`;
  return c.html(document, page.status ?? 200, page.headers);
}

const AREAS: readonly (readonly [NavigationSection, href: string, text: string])[] = [
  ['home', '/', 'Needs you'],
  ['projects', '/projects', 'Projects'],
  ['calibration', '/calibration', 'Calibration'],
  ['usage', '/usage', 'Usage'],
  ['audit', '/audit', 'Audit log'],
  ['subscriptions', '/account/subscriptions', 'Subscriptions'],
  ['deliveries', '/account/deliveries', 'Deliveries'],
  ['credentials', '/account/security-credentials', 'Credentials'],
];

/** All areas in the bar; where it has no room, in a menu that opens without a script. One of the two is shown. */
function renderPageHeader(signedIn: SignedIn, { section, search = '' }: WebPage): Html {
  const areas = html`<ul>${AREAS.map(
    ([name, href, text]) =>
      html`<li><a href="${href}"${name === section ? html` aria-current="page"` : ''}>${text}</a></li>`,
  )}</ul>`;
  return html`<header class="top"><p class="brand"><a href="/">Causeway</a></p>
<nav class="areas" aria-label="Areas">${areas}</nav>
<form class="search" role="search" action="/search"><label class="hidden" for="search">Search issues, failures and projects</label>
<input type="search" id="search" name="q" value="${search}" placeholder="Search" aria-keyshortcuts="/" autocomplete="off" spellcheck="false"></form>
<details class="menu end"><summary><span class="hidden">Account </span><span class="login">${sanitiseLine(signedIn.account.login, 60)}</span></summary>
<div><nav class="folded" aria-label="All areas">${areas}</nav>
<form method="post" action="/sign-out">${renderFormToken(signedIn)}<button class="plain">Sign out</button></form></div></details></header>`;
}

export const FORM_TOKEN = 'csrf_token';

/** The hidden field that proves that a form comes from a page of this session. */
export function renderFormToken({ formToken }: SignedIn): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${formToken}">`;
}

function renderCrumbs(crumbs: readonly Crumb[]): Html {
  return html`<nav aria-label="Breadcrumb" class="crumbs"><ol>${crumbs.map(({ text, href }, index) => {
    const isLast = index === crumbs.length - 1;
    const words = sanitiseLine(text, 80);
    return html`<li>${isLast ? html`<span aria-current="page">${words}</span>` : html`<a href="${href}">${words}</a>`}</li>`;
  })}</ol></nav>`;
}

/**
 * `formTarget`: Chromium checks the redirect after a form against `form-action`, so the sign-in page must name GitHub.
 */
export function createPageHeaders(isHttps: boolean, formTarget = ''): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action 'self' ${formTarget}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    // For browsers without frame-ancestors.
    'X-Frame-Options': 'DENY',
    // Not `no-referrer`: forms would be sent with the Origin `null`, which forged ones have as well.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cache-Control': 'no-store',
    ...(isHttps ? { 'Strict-Transport-Security': 'max-age=63072000' } : {}),
  };
}

const STYLES = [
  'base',
  'parts',
  'forms',
  'home',
  'investigation',
  'issue',
  'failures',
  'charts',
  'observed',
  'account',
];
const SHARED = readFileSync(locate('../pages.css', import.meta.url), 'utf8');
const STYLE = createAsset('style', 'css', 'text/css', SHARED + STYLES.map((name) => readAsset(`${name}.css`)).join(''));
const SCRIPT = createAsset('page', 'js', 'text/javascript', readAsset('page.js'));

/** GET /assets/{name}: without a sign-in, under names that change with the content. */
export const getAsset: Handler<WebEnv> = (c) => {
  const found = [STYLE, SCRIPT].find(({ name }) => name === c.req.param('name')) ?? refuseAbsentPage();
  const headers = { 'Content-Type': found.type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return c.body(found.text, 200, headers);
};

function createAsset(stem: string, extension: string, type: string, text: string) {
  const name = `${stem}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${extension}`;
  return { href: `/assets/${name}`, name, type: `${type}; charset=utf-8`, text };
}

function readAsset(name: string): string {
  return readFileSync(locate(`./assets/${name}`, import.meta.url), 'utf8');
}
