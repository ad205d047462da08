// A stage for whole stories: the GitHub double with its people, and the real service beside it in its own process.

import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Comment, type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { type ApiClient, apiClient } from './api-client.ts';
import { CAUSEWAY_APP } from './causeway-app.ts';
import { PATIENCE_MS } from './patience.ts';
import { engine, type OpenRecords, openRecords, recordsEnv, storedRows } from './records.ts';
import { runCauseway, type Service, startService, temporaryFolder } from './service.ts';

export interface GithubStage extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly dataDir: string;
  /** The service that runs now. */
  service(): Service;
  /** Starts it again on the same port and records, after an end of whatever kind. */
  restart(env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Comments of the App's own bot on an issue or pull request, oldest first. */
  ourComments(repository: string, number: number): readonly Comment[];
  /** Waits until `probe` gives something, and gives it; fails with the service's output after `patienceMs`. Looks every `everyMs` (25). */
  until<T>(
    what: string,
    probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
    everyMs?: number,
  ): Promise<T>;
  /**
   * Waits until everything that GitHub told is handled, and no work is left that is due. A head that only waits for more news is made due,
   * unless `hasten` is false: then that time really passes.
   */
  rest(options?: { readonly hasten?: boolean }): Promise<void>;
  /** Writes of ours that GitHub took in that repository, whatever it was called then, such as `POST /repos/octo/shop/issues/1/comments`. */
  writes(repository: string): readonly string[];
  /** Another process with the same settings and a data folder of its own, such as a worker. */
  beside(...command: string[]): Promise<Service>;
  /** Runs a command of `causeway` beside the service; what it printed. */
  command(...args: string[]): Promise<string>;
  /** A caller with a token made for that person by `causeway token create`; `scopes`, separated by commas, beyond the usual ones. */
  api(login: string, scopes?: string): Promise<ApiClient>;
}

export interface StageOptions {
  /** What the scripted model plays; absent: facts only, unless `env` names a model. */
  readonly script?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** How the service is started (`serve`). */
  readonly serve?: readonly string[];
  /** Whether the service is a process of its own, as a story needs that kills it. */
  readonly ownProcess?: boolean;
  /** What is prepared on GitHub before the service starts. */
  readonly prepare?: (double: GithubDouble) => Promise<void> | void;
  /** Default true: the App is on the organisation's whole account before the service starts, unless `prepare` put it there otherwise. */
  readonly installed?: boolean;
  /** How long `until` and `rest` wait; default five minutes. */
  readonly patienceMs?: number;
}

export async function openGithubStage(options: StageOptions = {}): Promise<GithubStage> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  double.people.organization(OWNER, { owners: ['nora'], members: ['per'] });
  await options.prepare?.(double);
  if (options.installed !== false) installOnce(double);
  const dataDir = path.join(folder.path, 'data');
  await mkdir(dataDir, { recursive: true });
  const env = { ...(await appSettings(double, folder.path, options.script)), ...options.env };
  // Of what runs beside the service, over the same records.
  const shared = { ...(await recordsEnv(dataDir)), ...env };
  const as = options.serve ?? ['serve'];
  const ownProcess = options.ownProcess ?? false;
  let service = await startService({ projects: [], dataDir, env, command: as, ownProcess });
  opening.defer(() => service[Symbol.asyncDispose]());
  const port = new URL(service.address).port;
  double.app.webhookUrl = `${service.address}/api/github/webhooks`;
  double.app.callbackUrls.push(`${service.address}/account/callback`);
  const opened = opening.move();
  const { patienceMs = PATIENCE_MS } = options;
  const run = (...args: string[]) => runCauseway(args, { cwd: dataDir, env: { ...shared, DATA_DIR: dataDir } });
  return {
    double,
    dataDir,
    service: () => service,
    restart: async (more = {}) => {
      service = await startService({ projects: [], dataDir, env: { ...env, PORT: port, ...more }, ownProcess });
      return service;
    },
    ourComments: (repository, number) =>
      double.people.comments(repository, number).filter(({ authorId }) => authorId === double.app.botId),
    until: (what, probe, everyMs) => until(what, probe, { patienceMs, everyMs, output: () => service.output() }),
    rest: ({ hasten = true } = {}) => rest({ double, dataDir, hasten }, { patienceMs, output: () => service.output() }),
    writes: (name) => writesOf(double, double.repository(name).id),
    beside: async (...words) => {
      const other = path.join(folder.path, `beside-${words.join('-')}`);
      await mkdir(other, { recursive: true });
      return startService({ projects: [], dataDir: other, env: shared, command: words, ownProcess });
    },
    command: run,
    api: async (login, scopes = '') => {
      const more = scopes === '' ? [] : ['--scopes', `issues:read,issues:write,projects:read,${scopes}`];
      const token = await run('token', 'create', '--name', `story ${login}`, '--account', login, ...more);
      return apiClient(service.address, token.trim());
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function installOnce({ people, state }: GithubDouble): void {
  const { id } = people.organization(OWNER);
  if ([...state.installations.values()].some(({ accountId }) => accountId === id)) return;
  people.install(OWNER, { by: 'nora' });
}

/** Names of the copies of source that the service keeps: `<project id>.git` each. */
export function mirrorsIn({ dataDir }: Pick<GithubStage, 'dataDir'>): readonly string[] {
  const folders = ['mirrors', 'worker/mirrors'].map((name) => path.join(dataDir, name)).filter((at) => existsSync(at));
  return folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.endsWith('.git'));
}

/** For so long the news of one commit's checks are gathered before they are looked at. */
const GATHERED_MS = 10_000;

interface Patience {
  readonly patienceMs: number;
  readonly everyMs?: number | undefined;
  /** What the service has printed so far. */
  readonly output: () => string;
}

/** For a look that starts git and opens the records again and again: it takes as long as it is waited for otherwise. */
export const SELDOM_MS = 250;

async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  { patienceMs, everyMs = 25, output }: Patience,
): Promise<T> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    await wait(everyMs);
  }
  throw new Error(`${what} did not come about. The service said:\n${output()}`);
}

interface Resting extends Pick<GithubStage, 'double' | 'dataDir'> {
  readonly hasten: boolean;
}

async function rest({ double, dataDir, hasten }: Resting, patience: Patience): Promise<void> {
  using records = openRecords(dataDir);
  await until(
    'rest',
    async () => {
      await double.webhooks.settled();
      const ahead = (await jobsIn(records)).filter(isAhead);
      // All that was told is handled: no more news will come, however long it is waited for.
      if (hasten && ahead.length > 0 && ahead.every(isGathering)) await hastenHeads(records, gatheredBy());
      return ahead.length === 0;
    },
    patience,
  );
}

/** Whether it runs, or will in a moment. */
function isAhead(job: StoredJob): boolean {
  const { state, run_at: runAt, ends } = job;
  // Those that were there at three ends of their process are put off until their turn comes, which is soon (queue/job-table.ts).
  const isDue = state === 'waiting' && (Date.parse(runAt) <= Date.now() || ends >= 3);
  return state === 'running' || isDue || isGathering(job);
}

/** Whether it waits for more news of the checks of its commit. */
function isGathering({ kind, state, run_at: runAt }: StoredJob): boolean {
  return kind === 'head' && state === 'waiting' && new Date(runAt) > new Date() && new Date(runAt) <= gatheredBy();
}

function gatheredBy(): Date {
  return new Date(Date.now() + GATHERED_MS);
}

/** What changes something; tokens are asked for, and git is read, with POST as well. */
function writesOf({ requests }: GithubDouble, repositoryId: number): readonly string[] {
  return requests
    .filter(
      ({ method, status, repositoryIds }) => method !== 'GET' && status < 300 && repositoryIds?.includes(repositoryId),
    )
    .filter(({ path: where }) => !where.endsWith('/git-upload-pack'))
    .flatMap(({ method, path: where, body }) => {
      if (where !== '/graphql') return `${method} ${where}`;
      const mutation = /mutation[^{]*\{\s*(\w+)/.exec(String(JSON.parse(body).query))?.[1];
      return mutation === undefined ? [] : `mutation ${mutation}`;
    });
}

interface StoredQueue {
  readonly jobs: readonly StoredJob[];
  /** Number of deliveries in each state. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Names of the projects that are shown. */
  readonly projects: readonly string[];
}

/** Reads the records of `dataDir`, whoever has them open. */
export async function storedQueue(dataDir: string): Promise<StoredQueue> {
  using records = openRecords(dataDir);
  const states = await records.rows<{ state: string; count: string }>(
    'select state, count(*) as count from deliveries group by state',
  );
  const projects = await records.rows<{ name: string }>(
    'select name from projects where hidden_at is null order by name',
  );
  return {
    jobs: await jobsIn(records),
    deliveries: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
    projects: projects.map(({ name }) => name),
  };
}

export interface StoredJob {
  readonly kind: 'delivery' | 'publish' | 'run' | 'webhook' | 'head' | 'check-run' | 'backfill';
  readonly subject: string;
  readonly state: 'waiting' | 'running' | 'dead';
  /** When it is due, ISO 8601. */
  readonly run_at: string;
  /** Ends of its process in which it had a part. */
  readonly ends: number;
}

const JOBS = 'select kind, subject, state, run_at, attempts - failures as ends from jobs order by seq';

/** The oldest first. */
export async function storedJobs(dataDir: string): Promise<readonly StoredJob[]> {
  using records = openRecords(dataDir);
  return await jobsIn(records);
}

/** The oldest first. */
function jobsIn(records: OpenRecords): Promise<readonly StoredJob[]> {
  return records.rows<StoredJob>(JOBS);
}

/** Whether it runs, is due or was given up. */
export function isUnsettled({ state, run_at: runAt }: StoredJob): boolean {
  return state !== 'waiting' || Date.parse(runAt) <= Date.now();
}

/** Makes those heads due that would be by then, as time would. */
async function hastenHeads(records: OpenRecords, by: Date): Promise<void> {
  const moments = [new Date(), by].map((moment) => moment.toISOString());
  await records.rows(
    `update jobs set run_at = $1 where kind = 'head' and state = 'waiting' and run_at > $1 and run_at <= $2`,
    moments,
  );
  if (engine() === 'sqlite') return;
  await records.rows(
    `update causeway_jobs.job set start_after = $1::timestamptz
      where name = 'head' and state < 'active' and start_after > $1::timestamptz and start_after <= $2::timestamptz`,
    moments,
  );
}

/** Makes all that waits due, as time would; while no service runs. */
export async function makeJobsDue(dataDir: string): Promise<void> {
  const past = "'2000-01-01T00:00:00.000Z'";
  await storedRows(dataDir, `update jobs set run_at = ${past} where state = 'waiting'`);
  if (engine() === 'sqlite') return;
  await storedRows(dataDir, `update causeway_jobs.job set start_after = ${past} where state < 'active'`);
}

/** The organisation that it serves; `nora` owns it, `mara` may write, `per` may triage, `ola` is a stranger. */
export const OWNER = 'corner';

/** Key and script are written into `folder`. */
export async function appSettings(
  { app, webUrl }: GithubDouble,
  folder: string,
  script: object | undefined,
): Promise<Readonly<Record<string, string>>> {
  const key = path.join(folder, 'app.pem');
  await writeFile(key, app.privateKey, { mode: 0o600 });
  const scripted = path.join(folder, 'script.json');
  if (script !== undefined) await writeFile(scripted, JSON.stringify(script));
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: key,
    WEBHOOK_SECRET: app.webhookSecret,
    GITHUB_CLIENT_ID: app.clientId,
    GITHUB_CLIENT_SECRET: app.clientSecret,
    // The double answers as GitHub Enterprise Server does, with its API below /api/v3.
    GHE_HOST: new URL(webUrl).host,
    GHE_PROTOCOL: 'http',
    ALLOWED_OWNERS: OWNER,
    RATE_LIMIT: 'off',
    ...(script === undefined ? {} : { MODEL: `scripted:${scripted}` }),
  };
}
