// The account area over a real store in memory: an account that is signed in, projects, and a browser's requests.
import { randomBytes } from 'node:crypto';
import { createRedactor } from 'causeway-redact';
import type { Account } from '../../src/core/account/account.ts';
import type { Shortage } from '../../src/core/disk.ts';
import type { Role } from '../../src/core/project/person.ts';
import type { InstalledRepository, Project } from '../../src/core/project/project.ts';
import { DEFAULT_SETTINGS, type EffectiveConfiguration } from '../../src/core/project/settings.ts';
import type { Run } from '../../src/db/runs.ts';
import { createSeal } from '../../src/db/seal.ts';
import type { Store } from '../../src/db/store.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { createChanges } from '../../src/services/follow.ts';
import { createRateLimiter } from '../../src/services/rate-limit.ts';
import type { ProjectSettings } from '../../src/services/request-pull-request.ts';
import { createWeb, type Web } from '../../src/web/create-web.ts';
import { createHighlighter } from '../../src/web/highlight.ts';
import { createSignInCode } from '../../src/web/sign-in.ts';
import type { SignInMethod, WebDeps } from '../../src/web/web-deps.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { checkCallbackUrl } from '../../src/webhooks/callback-url.ts';
import { migratedStore } from '../support/sqlite-template.ts';
import { conclusion } from '../support/store-samples.ts';

export const BASE = 'http://127.0.0.1:3000';

/** A browser: its cookies, and what it sends with every request. */
export interface Visitor {
  readonly account: Account;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A form sent from a page of ours, with its anti-forgery value. */
  post(
    path: string,
    fields?: Readonly<Record<string, string | readonly string[]>>,
    how?: PostOptions,
  ): Promise<Response>;
  /** The text of a page that is expected to be there. */
  page(path: string): Promise<string>;
  readonly cookie: () => string;
}

interface PostOptions {
  /** An empty one is not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the right one; null: none. */
  readonly formToken?: string | null;
}

export interface WebGround extends AsyncDisposable {
  readonly web: Web;
  readonly store: Store;
  readonly deps: WebDeps;
  readonly projects: readonly Project[];
  /** By account id; absent: admin. */
  readonly roles: Map<string, Role>;
  readonly clock: { now: Date };
  /** Lines of the log. */
  readonly lines: readonly string[];
  /** The account of local mode, signed in. */
  readonly visitor: Visitor;
  /** Somebody on GitHub, signed in; `role` in every project. */
  signIn(login: string, githubId: number, role?: Role): Promise<Visitor>;
  /** A browser without a session. */
  stranger(): Pick<Visitor, 'get' | 'post' | 'cookie'>;
  /** Hands in a report and brings it to its end, with the sample conclusion and whatever of it is given anew. */
  concluded(
    options?: Concluding,
  ): Promise<{ readonly investigationId: string; readonly issueId: string; readonly run: Run }>;
  /** Hands in a report that waits. */
  accepted(
    options?: Pick<Concluding, 'project' | 'text' | 'accountId'>,
  ): Promise<{ readonly investigationId: string; readonly runId: string }>;
}

interface Concluding {
  readonly project?: Project;
  readonly accountId?: string;
  readonly text?: string;
  readonly reference?: string;
  readonly conclusion?: Partial<ReturnType<typeof conclusion>>;
}

export interface WebGroundOptions {
  /** Less disk space than is needed. */
  readonly shortage?: Shortage;
  /** Names of local projects; default `local/app`. */
  readonly projects?: readonly string[];
  /** Instead of local ones. */
  readonly repositories?: readonly InstalledRepository[];
  readonly signInMethod?: SignInMethod;
  readonly settings?: Partial<ProjectSettings> | Error;
  readonly configuration?: EffectiveConfiguration | Error;
  /** Default: there is no GitHub. */
  readonly knownChecks?: WebDeps['knownChecks'];
  readonly limits?: Parameters<typeof createRateLimiter>[0];
  readonly baseUrl?: string;
  readonly modelName?: string | null;
}

const LOCAL: SignInMethod = { kind: 'local', command: 'bin/causeway sign-in' };

/** People sign in with GitHub, which is not configured. */
export function onGithub(installUrl: string): SignInMethod & { readonly kind: 'github' } {
  return { kind: 'github', signIn: null, origin: 'https://github.com', installUrl: async () => installUrl };
}

export async function webGround(options: WebGroundOptions = {}): Promise<WebGround> {
  await using stack = new AsyncDisposableStack();
  const clock = { now: new Date('2026-11-20T10:00:00.000Z') };
  const now = () => clock.now;
  const moment = () => clock.now.toISOString();
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const jobs = createJobTable();
  const key = randomBytes(32);
  const seal = createSeal(key);
  const store = stack.use(await migratedStore({ seal, enqueuer: jobs }));
  const redactor = stack.use(createRedactor({ exactValues: () => [] }));
  const { highlight } = stack.use(createHighlighter());
  const queue = createEmbeddedQueue({ database: store.database, jobs, log, now });
  const projects = await projectsOf(store, options, moment());
  const roles = new Map<string, Role>();
  const baseUrl = options.baseUrl ?? BASE;
  const deps: WebDeps = {
    ...{ store, queue, redactor, now, log, seal, key },
    room: async () => options.shortage ?? null,
    permissions: { roleOf: async ({ id }) => roles.get(id) ?? 'admin' },
    changes: createChanges(),
    limiter: createRateLimiter(options.limits ?? 'off'),
    settingsOf: async () => {
      if (options.settings instanceof Error) throw options.settings;
      return {
        investigation: DEFAULT_SETTINGS,
        noPullRequests: '',
        ciRunsDay: 6,
        threshold: null,
        ...options.settings,
      };
    },
    configurationOf: async () => {
      if (options.configuration instanceof Error) throw options.configuration;
      return options.configuration ?? { values: [], problem: '', url: '', mode: null, yaml: '' };
    },
    signInMethod: options.signInMethod ?? LOCAL,
    example: null,
    knownChecks: options.knownChecks ?? null,
    highlight,
    checkCallbackUrl: (url, field) => checkCallbackUrl(url, { allow: parseCallbackAllow(''), localMode: true }, field),
    newSigningSecret: () => `whsec_${randomBytes(24).toString('base64')}`,
    budget: { run: 1, repository: 25, all: 200 },
    modelName: options.modelName === undefined ? 'a-model' : options.modelName,
    paused: () => false,
    baseUrl: () => baseUrl,
  };
  const web = createWeb(deps);

  /** Sessions as a sign-in makes them, whichever signInMethod is open. */
  const local = createWeb({ ...deps, signInMethod: LOCAL });
  async function visitorOf(account: Account): Promise<Visitor> {
    const { code, hash } = createSignInCode();
    const expiresAt = new Date(clock.now.getTime() + 60_000).toISOString();
    await store.addSignInCode({ hash, accountId: account.id, expiresAt, now: moment() });
    const jar = new Map<string, string>();
    const entering = browser(local, jar, baseUrl);
    const entered = await entering.post('/sign-in/local', { code }, { formToken: null });
    if (entered.status !== 303) throw new Error(`The sign-in answered ${entered.status}.`);
    const own = browser(web, jar, baseUrl);
    return { ...own, account, page: async (path) => pageText(await own.get(path)) };
  }

  async function accepted({
    project = projects[0],
    text = 'It fails',
    accountId = '',
    reference = '',
  }: Concluding = {}) {
    if (project === undefined) throw new Error('This ground has no project.');
    const accepted = await store.accept({
      investigationId: `inv_${randomBytes(10).toString('hex')}`,
      report: {
        ...{ projectId: project.id, accountId: accountId || visitor.account.id, origin: 'api', text },
        ...{ reference, revision: '', callbackUrl: '', fresh: true, isTrusted: true, settings: DEFAULT_SETTINGS },
      },
      fingerprint: randomBytes(8).toString('hex'),
      ...{ idempotency: null, thread: null, now: moment() },
    });
    if (accepted.kind !== 'accepted') throw new Error('It was not accepted.');
    return accepted;
  }

  const visitor = await visitorOf(
    await store.ensureAccount({
      login: 'local',
      githubId: null,
      signingSecret: 'whsec_bG9jYWwgc2VjcmV0',
      now: moment(),
    }),
  );
  const disposables = stack.move();
  return {
    ...{ web, store, deps, projects, roles, clock, lines, visitor, accepted },
    signIn: async (login, githubId, role) => {
      const account = await store.ensureAccount({ login, githubId, signingSecret: `whsec_${login}`, now: moment() });
      if (role !== undefined) roles.set(account.id, role);
      return visitorOf(account);
    },
    stranger: () => browser(web, new Map(), baseUrl),
    concluded: async (wanted = {}) => {
      const { investigationId, runId } = await accepted(wanted);
      const run = await store.startRun(runId, moment());
      if (run === null) throw new Error('The run is gone.');
      const [issueId = ''] = await store.conclude(run, { ...conclusion(), ...wanted.conclusion }, moment());
      return { investigationId, issueId, run };
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function projectsOf(store: Store, options: WebGroundOptions, now: string): Promise<readonly Project[]> {
  if (options.repositories !== undefined) {
    const owner = { id: 9, login: 'octo', kind: 'organization' } as const;
    await store.syncInstallation({ id: 5, owner, permissions: {}, isSuspended: false }, options.repositories, now);
    return store.listProjects({});
  }
  const names = options.projects ?? ['local/app'];
  return store.syncProjects(
    names.map((name) => ({ name, source: { kind: 'path', path: `/srv/${name}` } })),
    now,
  );
}

/** A repository as GitHub lists it. */
export function repository(fullName: string, more: Partial<InstalledRepository> = {}): InstalledRepository {
  const id = [...fullName].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_000;
  const cloneUrl = `https://github.com/${fullName}.git`;
  return { id, fullName, cloneUrl, isPrivate: true, isArchived: false, defaultBranch: 'main', ...more };
}

function browser(web: Web, jar: Map<string, string>, base: string): Pick<Visitor, 'get' | 'post' | 'cookie'> {
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (path: string, init: RequestInit) => {
    const headers = { cookie: cookie(), ...(init.headers as Record<string, string>) };
    const answer = await web.fetch(new Request(`${base}${path}`, { ...init, headers, redirect: 'manual' }));
    for (const line of answer.headers.getSetCookie()) keepCookie(jar, line);
    return answer;
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send(path, { headers: { 'sec-fetch-site': 'same-origin', ...headers } });
  return {
    get,
    cookie,
    post: async (path, fields = {}, { headers = {}, formToken } = {}) => {
      const body = new URLSearchParams();
      const token = formToken === undefined ? await ownFormToken(get) : formToken;
      if (token !== null) body.set('csrf_token', token);
      for (const [name, values] of Object.entries(fields))
        for (const value of [values].flat()) body.append(name, value);
      const type = 'application/x-www-form-urlencoded';
      const own = { 'content-type': type, origin: new URL(base).origin, 'sec-fetch-site': 'same-origin' };
      const sent = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== '');
      return send(path, { method: 'POST', body: body.toString(), headers: Object.fromEntries(sent) });
    },
  };
}

/** Every page of somebody signed in has a form: that of the sign-out. */
async function ownFormToken(get: (path: string) => Promise<Response>): Promise<string> {
  return /name="csrf_token" value="([^"]+)"/.exec(await (await get('/projects')).text())?.[1] ?? '';
}

function keepCookie(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const [name = '', value = ''] = pair.split('=', 2);
  if (attributes.some((each) => /^max-age=0$/i.test(each))) jar.delete(name);
  else jar.set(name, value);
}

async function pageText(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The page answered ${answer.status}: ${text.slice(0, 2_000)}`);
  return text;
}
