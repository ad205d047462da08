// Set-up: who holds the one-time code makes the App from a manifest; GitHub's answer is kept, and the door closes.

import { randomBytes } from 'node:crypto';
import { CausewayError } from '../../core/errors.ts';
import type { Log } from '../../log.ts';
import { type ExchangeGithub, exchangeCode, type MadeApp } from './made-app.ts';
import { buildManifest, suggestedName } from './manifest.ts';
import { createOneTimeCode, isSame, type OneTimeCode } from './one-time-code.ts';
import { readForm, type SetupForm } from './setup-form.ts';
import { donePage, faultPage, formPage, handOverPage, pageHeaders } from './setup-pages.ts';

interface SetupOptions {
  readonly github: ExchangeGithub;
  /** Text of app.yml. */
  readonly appFile: string;
  /** Where callers reach the service, if that is known; "" otherwise. */
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly log: Log;
  /** Keeps the credentials; once it returns they survive the process. */
  readonly keep: (app: MadeApp, publicUrl: string) => void;
}

export interface Setup {
  /** To be printed in the terminal. */
  readonly code: string;
  /** Answers `/setup`, `/setup/created` and `/healthz`; everything else is 404. */
  fetch(request: Request, stopping: AbortSignal): Promise<Response>;
  /** Resolves once the App is made and kept. */
  readonly done: Promise<void>;
}

interface Ground {
  readonly options: SetupOptions;
  readonly code: OneTimeCode;
  readonly journeys: Journeys;
}

export function createSetup(options: SetupOptions): Setup {
  const ground: Ground = { options, code: createOneTimeCode(options.now), journeys: createJourneys(options.now) };
  const done = Promise.withResolvers<void>();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    done.resolve();
  };
  return {
    code: ground.code.text,
    done: done.promise,
    fetch: async (request, stopping) => {
      switch (isClosed ? '' : placeOf(request)) {
        case 'GET /healthz':
          return Response.json({ status: 'alive' }, { headers: { 'Cache-Control': 'no-store' } });
        case 'GET /setup':
          return showForm(options, request, { status: 200, faults: [] });
        case 'POST /setup':
          return await submit(ground, request);
        case 'GET /setup/created':
          return await created(ground, request, { stopping, close });
        default:
          return plain(404, 'Causeway is being set up: there is only /setup.');
      }
    },
  };
}

function placeOf({ method, url }: Request): string {
  const { pathname } = new URL(url);
  return `${method === 'HEAD' ? 'GET' : method} ${pathname.replace(/\/$/, '')}`;
}

/** The form came: with the right code the browser is handed over to GitHub. */
async function submit({ options, code, journeys }: Ground, request: Request): Promise<Response> {
  const base = ownBase(request, options.publicUrl);
  if (base === null) return plain(403, 'This form is taken from its own page only: open /setup and fill it in there.');
  const read = await readForm(request);
  if (read === null) return plain(400, 'This is not the form of /setup.');
  const refused = (status: number, faults: readonly string[]) => showForm(options, request, { status, faults });
  if (read.kind === 'faults') return refused(422, read.faults);
  switch (code.judge(read.form.code)) {
    case 'too_many':
      return refused(429, ['Too many wrong codes: wait a minute.']);
    case 'wrong':
      return refused(403, ['This is not the one-time code that stands in the terminal.']);
    case 'right':
      return handOver(options, read.form, { base, journey: journeys.begin(read.form.publicUrl) });
  }
}

interface OnTheWay {
  /** Address of our pages in that browser, to which it comes back with its cookie. */
  readonly base: string;
  readonly journey: Journey;
}

function handOver({ github, appFile }: SetupOptions, form: SetupForm, { base, journey }: OnTheWay): Response {
  const { webUrl } = github;
  const owner = form.organisation === '' ? '' : `/organizations/${form.organisation}`;
  const action = `${webUrl}${owner}/settings/apps/new?state=${journey.state}`;
  const manifest = buildManifest({ ...form, appFile, redirectUrl: `${base}/setup/created` });
  const cookie = cookieFor(journey.cookie, base);
  return html(200, handOverPage({ action, manifest, webUrl }), { cookie, formTarget: new URL(webUrl).origin });
}

/** The browser came back from GitHub with a code for the credentials. */
async function created(
  { options, journeys }: Ground,
  request: Request,
  { stopping, close }: { readonly stopping: AbortSignal; readonly close: () => void },
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const journey = journeys.end(searchParams.get('state') ?? '', cookieOf(request));
  if (journey === null) {
    const words = 'This did not come from a set-up that was begun in this browser within the last hour.';
    return html(403, faultPage(words));
  }
  try {
    const app = await exchangeCode(searchParams.get('code') ?? '', options.github, stopping);
    options.keep(app, journey.publicUrl);
    options.log.info({ app: app.slug, owner: app.owner }, 'the App is made and kept; /setup is closed');
    close();
    return html(200, donePage({ name: app.slug, installUrl: `${app.pageUrl}/installations/new` }), {
      cookie: NO_COOKIE,
    });
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    options.log.warn({ err: error }, 'the App could not be taken over');
    return html(502, faultPage(`The App could not be taken over. ${error.message}`));
  }
}

function showForm(
  options: SetupOptions,
  request: Request,
  { status, faults }: { readonly status: number; readonly faults: readonly string[] },
): Response {
  const publicUrl = options.publicUrl || `http://${request.headers.get('Host') ?? ''}`;
  const { webUrl } = options.github;
  return html(status, formPage({ faults, publicUrl, webUrl, name: suggestedName(options.appFile) }));
}

/** Where our own page is that sent the form, with the path of PUBLIC_URL behind a proxy; null where the form came from elsewhere. */
function ownBase({ headers }: Request, publicUrl: string): string | null {
  const origin = URL.parse(headers.get('Origin') ?? '');
  const site = headers.get('Sec-Fetch-Site') ?? 'same-origin';
  if (origin === null || site !== 'same-origin') return null;
  if (publicUrl !== '' && new URL(publicUrl).origin === origin.origin) return publicUrl;
  return origin.host === headers.get('Host') ? origin.origin : null;
}

interface Journey {
  readonly state: string;
  readonly cookie: string;
  /** Where GitHub will reach the service. */
  readonly publicUrl: string;
}

interface Journeys {
  /** The one before ends: there is one App to be made. */
  begin(publicUrl: string): Journey;
  /** The journey that comes back, once; null where it is none of ours or is older than an hour. */
  end(state: string, cookie: string): Journey | null;
}

/** As long as GitHub's own code holds. */
const LONGEST_MS = 60 * 60 * 1_000;

function createJourneys(now: () => Date): Journeys {
  let current: (Journey & { readonly until: number }) | null = null;
  return {
    begin: (publicUrl) => {
      const [state, cookie] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      current = { state, cookie, publicUrl, until: now().getTime() + LONGEST_MS };
      return current;
    },
    end: (state, cookie) => {
      const begun = current;
      const isOurs = begun !== null && isSame(begun.state, state) && isSame(begun.cookie, cookie);
      if (!isOurs || begun.until < now().getTime()) return null;
      current = null;
      return begun;
    },
  };
}

const COOKIE = 'causeway_setup';

const HOUR_S = 3_600;

/** `formTarget`: an origin that the page's form goes to, besides our own. */
function html(
  status: number,
  body: string,
  { cookie = '', formTarget = '' }: { readonly cookie?: string; readonly formTarget?: string } = {},
): Response {
  const headers = new Headers(pageHeaders(formTarget));
  if (cookie !== '') headers.set('Set-Cookie', cookie);
  return new Response(body, { status, headers });
}

function plain(status: number, words: string): Response {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return new Response(`${words}\n`, { status, headers });
}

/** Comes back with a link from GitHub (Lax), to no script, for an hour. */
function cookieFor(value: string, origin: string): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${HOUR_S}; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`;
}

const NO_COOKIE = `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`;

function cookieOf(request: Request): string {
  const pairs = (request.headers.get('Cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}
