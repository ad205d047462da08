// The API over a real store in memory: an account with a token and a project, and calls that must be as documented.

import { createRedactor } from 'causeway-redact';
import { type Api, createApi } from '../../src/api/api.ts';
import type { ReadinessCheck } from '../../src/api/api-deps.ts';
import {
  type Account,
  createSigningSecret,
  createToken,
  DEFAULT_SCOPES,
  hashToken,
  type Permissions,
  type TokenRecord,
} from '../../src/core/account/account.ts';
import type { Shortage } from '../../src/core/disk.ts';
import { createId } from '../../src/core/ids.ts';
import type { Role } from '../../src/core/project/person.ts';
import type { Project } from '../../src/core/project/project.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Source } from '../../src/core/source/source.ts';
import type { Database } from '../../src/db/database.ts';
import type { Run } from '../../src/db/runs.ts';
import { createSeal } from '../../src/db/seal.ts';
import type { Store } from '../../src/db/store.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { createCheckReader } from '../../src/services/checks/check-texts.ts';
import { type Changes, createChanges } from '../../src/services/follow.ts';
import { createRateLimiter } from '../../src/services/rate-limit.ts';
import type { ProjectSettings } from '../../src/services/request-pull-request.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { checkCallbackUrl } from '../../src/webhooks/callback-url.ts';
import { createMemoryRepository } from '../support/memory-source.ts';
import { until } from '../support/patience.ts';
import { migratedStore } from '../support/sqlite-template.ts';
import { conclusion, SHA } from '../support/store-samples.ts';
import { requireDocumented } from './documented-answer.ts';

export const BASE = 'http://127.0.0.1:3000';

export interface Call {
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiGround extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  /** Behind the store, unless that is somebody's own. */
  readonly database: Database;
  readonly changes: Changes;
  /** Resolves once so many answers wait for news of investigations. */
  following(count: number): Promise<void>;
  readonly account: Account;
  readonly project: Project;
  readonly token: string;
  readonly clock: { now: Date };
  /** The role of an account in every project, by the account's id; where it stands nowhere: admin. */
  readonly roles: Map<string, Role>;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** Calls the API; an answer that is not as documented fails the test. */
  call(method: string, path: string, call?: Call): Promise<Response>;
  newToken(changes?: Partial<TokenRecord>): Promise<string>;
  /** Hands in a report and gives the id of its investigation. */
  report(data?: string, more?: object): Promise<string>;
  start(investigationId: string): Promise<Run>;
  /** Concludes the investigation and gives the id of its Issue. */
  conclude(investigationId: string): Promise<string>;
}

/** What tests read of answers; which of it is there depends on the answer. */
export interface AnswerBody {
  readonly message: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly id: string;
  readonly name: string;
  readonly issueIds: readonly string[];
  readonly state: string;
  readonly issueId: string;
  readonly reason: unknown;
  readonly analysis: { readonly investigationId: string; readonly report: string; readonly sameAs: string | null };
}

export async function bodyOf(answer: Response): Promise<AnswerBody> {
  return (await answer.json()) as AnswerBody;
}

export async function listOf(answer: Response): Promise<readonly AnswerBody[]> {
  return (await answer.json()) as readonly AnswerBody[];
}

export interface GroundOptions {
  readonly projects?: readonly string[];
  /** Their folders, in the same order; absent: none that is there. */
  readonly places?: readonly string[];
  readonly limits?: Parameters<typeof createRateLimiter>[0];
  /** Instead of `roles`. */
  readonly permissions?: Permissions;
  readonly settings?: Partial<ProjectSettings> | Error;
  /** Less disk space than is needed. */
  readonly shortage?: Shortage;
  readonly ready?: () => Promise<readonly ReadinessCheck[]>;
  /** A store with records of its own, which the caller closes; absent: a new one. */
  readonly records?: Store;
  /** What reads every project; absent: one commit with one file. */
  readonly source?: Source;
  readonly isPaused?: boolean;
  /** Stands between API and store, for counting and failing. */
  readonly around?: (store: Store) => Store;
}

export async function apiGround(options: GroundOptions = {}): Promise<ApiGround> {
  await using stack = new AsyncDisposableStack();
  const clock = { now: new Date('2026-11-20T10:00:00.000Z') };
  const now = () => clock.now;
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const jobs = createJobTable();
  const seal = createSeal(Buffer.alloc(32, 7));
  const own = stack.use(await migratedStore({ seal, enqueuer: jobs }));
  const store = options.records ?? own;
  const redactor = stack.use(createRedactor({ exactValues: () => [] }));
  const queue = createEmbeddedQueue({ database: own.database, jobs, log, now });
  const account = await store.ensureAccount({
    login: 'local',
    githubId: null,
    signingSecret: 'whsec_x',
    now: now().toISOString(),
  });
  const roles = new Map<string, Role>();
  const permissions: Permissions = options.permissions ?? { roleOf: async ({ id }) => roles.get(id) ?? 'admin' };
  const names = options.projects ?? ['local/app'];
  const projects = await store.syncProjects(
    names.map((name, at) => ({ name, source: { kind: 'path', path: options.places?.[at] ?? `/srv/${name}` } })),
    now().toISOString(),
  );
  const policy = { allow: parseCallbackAllow(''), localMode: true };
  const news = createChanges();
  let waiting = 0;
  const changes: Changes = {
    notify: news.notify,
    next: async (...about) => {
      waiting += 1;
      await news.next(...about);
      waiting -= 1;
    },
  };
  const repository = createMemoryRepository({
    commits: [{ sha: SHA, subject: 'First', files: { 'src/app.js': 'export const app = 1;\n' } }],
  });
  const source = options.source ?? { open: async () => repository, forget: async () => {} };
  const reader = stack.use(createCheckReader());
  const api = createApi({
    ...{ queue, redactor, changes, now, log, permissions, source, reader },
    isPaused: () => options.isPaused ?? false,
    room: async () => options.shortage ?? null,
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
    store: options.around?.(store) ?? store,
    checkCallbackUrl: (url, field) => checkCallbackUrl(url, policy, field),
    newSigningSecret: createSigningSecret,
    limiter: createRateLimiter(options.limits ?? 'off'),
    ready: options.ready ?? (async () => [{ name: 'database', ok: true, detail: 'answers' }]),
    baseUrl: () => BASE,
  });
  const addToken = async (wanted: Partial<TokenRecord> = {}) => {
    const token = createToken();
    await store.addToken({ ...tokenRecord(account.id, now()), ...wanted }, hashToken(token));
    return token;
  };
  const token = await addToken();
  const call = async (method: string, path: string, how: Call = {}) => {
    const request = requestOf(method, path, { token, ...how });
    const answer = await api.fetch(request);
    await requireDocumented(method, request.url, answer);
    return answer;
  };
  const runOf = async (id: string) => (await store.findInvestigation(id))?.runId ?? '';
  const start = async (id: string) => {
    const run = await store.startRun(await runOf(id), now().toISOString());
    changes.notify(await runOf(id));
    if (run === null) throw new Error('the run could not be started');
    return run;
  };
  const resources = stack.move();
  return {
    ...{
      api,
      store,
      database: own.database,
      changes,
      account,
      token,
      clock,
      roles,
      log: lines,
      call,
      newToken: addToken,
      start,
    },
    project: projects[0]!,
    following: (count) => until(() => waiting === count),
    report: async (data = 'TypeError: x is undefined', more = {}) => {
      const answer = await call('POST', '/api/v1/issues/', { body: { data, projectId: projects[0]!.id, ...more } });
      const location = answer.headers.get('Location') ?? '';
      const id = /^\/api\/v1\/investigations\/(inv_\w+)\/$/.exec(location)?.[1];
      if (answer.status !== 202 || id === undefined) throw new Error(await answer.text());
      return id;
    },
    conclude: async (id) => {
      const [issueId = ''] = await store.conclude(await start(id), conclusion(), now().toISOString());
      changes.notify(await runOf(id));
      return issueId;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export function requestOf(method: string, path: string, { token, body, raw, headers, signal }: Call): Request {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Request(path.startsWith('http') ? path : BASE + path, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent, duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function tokenRecord(accountId: string, now: Date): TokenRecord {
  return {
    id: createId('tok'),
    accountId,
    name: 'test',
    scopes: DEFAULT_SCOPES,
    projectIds: null,
    createdAt: now.toISOString(),
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  };
}
