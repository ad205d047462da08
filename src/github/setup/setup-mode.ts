// Set-up: who has the one-time code creates the App from a manifest; its credentials are stored, and /setup closes.
import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { readLimited } from '../../core/abortable.ts';
import { isSameSecret } from '../../core/account/index.ts';
import { CausewayError } from '../../core/errors.ts';
import type { Log } from '../../log.ts';
import {
  buildManifest,
  type ExchangeGithub,
  exchangeCode,
  INSTALL_KINDS,
  type MadeApp,
  readAppFile,
} from './make-app.ts';
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

interface SetupContext {
  readonly options: SetupOptions;
  readonly code: ReturnType<typeof createOneTimeCode>;
  readonly attempts: ReturnType<typeof createAttempts>;
}

export function createSetup(options: SetupOptions): Setup {
  const context: SetupContext = {
    options,
    code: createOneTimeCode(options.now),
    attempts: createAttempts(options.now),
  };
  const done = Promise.withResolvers<void>();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    done.resolve();
  };
  return {
    code: context.code.text,
    done: done.promise,
    fetch: async (request, stopping) => {
      switch (isClosed ? '' : nameRoute(request)) {
        case 'GET /healthz':
          return Response.json({ status: 'alive' }, { headers: { 'Cache-Control': 'no-store' } });
        case 'GET /setup':
          return showForm(options, request, { status: 200, faults: [] });
        case 'POST /setup':
          return await submitSetup(context, request);
        case 'GET /setup/created':
          return await finishSetup(context, request, { stopping, close });
        default:
          return answerText(404, 'Causeway is being set up: there is only /setup.');
      }
    },
  };
}

function nameRoute({ method, url }: Request): string {
  const { pathname } = new URL(url);
  return `${method === 'HEAD' ? 'GET' : method} ${pathname.replace(/\/$/, '')}`;
}

/** The form came: with the right code the browser is handed over to GitHub. */
async function submitSetup({ options, code, attempts }: SetupContext, request: Request): Promise<Response> {
  const base = findOwnBase(request, options.publicUrl);
  if (base === null)
    return answerText(403, 'This form is accepted only from its own page: open /setup and fill it in there.');
  const form = await readSetupForm(request);
  if (form === null) return answerText(400, 'This is not the form of /setup.');
  const refuse = (status: number, faults: readonly string[]) => showForm(options, request, { status, faults });
  if (!form.success)
    return refuse(
      422,
      form.error.issues.map(({ message }) => message),
    );
  switch (code.judge(form.data.code)) {
    case 'too_many':
      return refuse(429, ['Too many wrong codes. Wait a minute, then try again.']);
    case 'wrong':
      return refuse(403, ["That isn't the one-time code shown in the terminal."]);
    case 'right':
      return handOverSettings(options, form.data, { base, attempt: attempts.begin(form.data.publicUrl) });
  }
}

/** `base`: address of our pages in that browser, to which it comes back with its cookie. */
function handOverSettings(
  { github, appFile }: SetupOptions,
  form: z.infer<typeof Form>,
  { base, attempt }: { readonly base: string; readonly attempt: SetupAttempt },
): Response {
  const { webUrl } = github;
  const owner = form.owner === 'user' ? '' : `/organizations/${form.organisation}`;
  const action = `${webUrl}${owner}/settings/apps/new?state=${attempt.state}`;
  const manifest = buildManifest({ ...form, appFile, redirectUrl: `${base}/setup/created` });
  const cookie = formatCookie(attempt.cookie, base);
  return answerHtml(200, handOverPage({ action, manifest, webUrl }), { cookie, formTarget: new URL(webUrl).origin });
}

/** The browser came back from GitHub with a code for the credentials. */
async function finishSetup(
  { options, attempts }: SetupContext,
  request: Request,
  { stopping, close }: { readonly stopping: AbortSignal; readonly close: () => void },
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const attempt = attempts.end(searchParams.get('state') ?? '', readSetupCookie(request));
  if (attempt === null) {
    const words = 'This did not come from a set-up that was started in this browser within the last hour.';
    return answerHtml(403, faultPage(words));
  }
  try {
    const app = await exchangeCode(searchParams.get('code') ?? '', options.github, stopping);
    options.keep(app, attempt.publicUrl);
    options.log.info({ app: app.slug, owner: app.owner }, 'the App is made and kept; /setup is closed');
    close();
    return answerHtml(200, donePage({ name: app.slug, installUrl: `${app.pageUrl}/installations/new` }), {
      cookie: NO_COOKIE,
    });
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    options.log.warn({ err: error }, 'the App could not be taken over');
    return answerHtml(502, faultPage(`The App could not be taken over. ${error.message}`));
  }
}

function showForm(
  options: SetupOptions,
  request: Request,
  { status, faults }: { readonly status: number; readonly faults: readonly string[] },
): Response {
  const publicUrl = options.publicUrl || `http://${request.headers.get('Host') ?? ''}`;
  const { webUrl } = options.github;
  return answerHtml(status, formPage({ faults, publicUrl, webUrl, name: readAppFile(options.appFile).name }));
}

/**
 * Where our own page is that sent the form, with the path of PUBLIC_URL behind a proxy; null where the form came from
 * elsewhere.
 */
function findOwnBase({ headers }: Request, publicUrl: string): string | null {
  const origin = URL.parse(headers.get('Origin') ?? '');
  const site = headers.get('Sec-Fetch-Site') ?? 'same-origin';
  if (origin === null || site !== 'same-origin') return null;
  if (publicUrl !== '' && new URL(publicUrl).origin === origin.origin) return publicUrl;
  return origin.host === headers.get('Host') ? origin.origin : null;
}

interface SetupAttempt {
  readonly state: string;
  readonly cookie: string;
  /** Where GitHub will reach the service. */
  readonly publicUrl: string;
}

/** As long as GitHub's own code holds. */
const LONGEST_MS = 60 * 60 * 1_000;

function createAttempts(now: () => Date) {
  let current: (SetupAttempt & { readonly until: number }) | null = null;
  return {
    /** The one before ends: there is one App to be made. */
    begin: (publicUrl: string): SetupAttempt => {
      const [state, cookie] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      current = { state, cookie, publicUrl, until: now().getTime() + LONGEST_MS };
      return current;
    },
    /** The attempt that comes back, once; null where it is none of ours or is older than an hour. */
    end: (state: string, cookie: string): SetupAttempt | null => {
      const begun = current;
      const isOurs = begun !== null && isSameSecret(begun.state, state) && isSameSecret(begun.cookie, cookie);
      if (!isOurs || begun.until < now().getTime()) return null;
      current = null;
      return begun;
    },
  };
}

const COOKIE = 'causeway_setup';

/** `formTarget`: a further origin that the page's form goes to. */
function answerHtml(
  status: number,
  body: string,
  { cookie = '', formTarget = '' }: { readonly cookie?: string; readonly formTarget?: string } = {},
): Response {
  const headers = new Headers(pageHeaders(formTarget));
  if (cookie !== '') headers.set('Set-Cookie', cookie);
  return new Response(body, { status, headers });
}

function answerText(status: number, words: string): Response {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return new Response(`${words}\n`, { status, headers });
}

/** Comes back with a link from GitHub (Lax), to no script, for an hour. */
function formatCookie(value: string, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=/; Max-Age=${LONGEST_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`;
}

const NO_COOKIE = `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`;

function readSetupCookie(request: Request): string {
  const pairs = (request.headers.get('Cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}

const MOST_BYTES = 16 * 1024;

const NO_ADDRESS = 'The address begins with https:// (or http://) and has no user name, query or fragment.';

const ORGANISATION = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;

const Form = z
  .object({
    code: z.string(),
    owner: z.enum(['user', 'organisation'], 'Choose whether you or an organisation owns the App.'),
    organisation: z.string().trim(),
    name: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,33}$/, 'The name has 1 to 34 letters, digits, spaces, dots and hyphens.'),
    kind: z.enum(INSTALL_KINDS, 'Choose what the App may do.'),
    publicUrl: z.string().trim().transform(normalisePublicUrl).refine(Boolean, NO_ADDRESS),
  })
  .refine(
    ({ owner, organisation }) => owner === 'user' || ORGANISATION.test(organisation),
    'Give the name of the organisation as it appears in its address on GitHub.',
  );

/** Null where it is not a form of at most 16 KiB. */
async function readSetupForm({ headers, body }: Request): Promise<ReturnType<typeof Form.safeParse> | null> {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return null;
  const { bytes, isWhole } = await readLimited(body, MOST_BYTES);
  if (!isWhole) return null;
  const blank = { code: '', organisation: '', name: '', publicUrl: '' };
  const fields = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  return Form.safeParse({ ...blank, ...Object.fromEntries(fields) });
}

/**
 * As the URL parser writes it, so that nothing but an address gets into the manifest; without a slash at its end. ""
 * where it is none.
 */
function normalisePublicUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return '';
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href)) return '';
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Without letters and digits that are easily confused: 20 out of 31 kinds, 99 bits. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ3456789';

const TRIES = 10;

const WINDOW_MS = 60_000;

function createOneTimeCode(now: () => Date) {
  const letters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  let tries: readonly number[] = [];
  return {
    /** To be printed in the terminal, in groups of five. */
    text: letters.replace(/.{5}(?=.)/g, '$&-'),
    judge: (given: string): 'right' | 'wrong' | 'too_many' => {
      // Before the limit: 99 bits need no lock, and guessing must not lock out the operator.
      if (isSameSecret(given.toUpperCase().replace(/[^A-Z0-9]/g, ''), letters)) return 'right';
      const at = now().getTime();
      tries = tries.filter((earlier) => at - earlier < WINDOW_MS);
      if (tries.length >= TRIES) return 'too_many';
      tries = [...tries, at];
      return 'wrong';
    },
  };
}
