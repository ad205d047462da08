// An upgrade: what an earlier release left is found by today's program, its jobs are finished, and its backup is restored.

import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnsIn } from '../../packages/models/test/played.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import type { ShopModel } from '../support/github-model.ts';
import { proofModel } from '../support/github-proof.ts';
import { samplesOf } from '../support/metrics-of.ts';
import {
  type InStates,
  type Left,
  loadGithub,
  loadPostgres,
  type OldRelease,
  readOldRelease,
  settleSqlite,
  writeFolder,
  writeShop,
} from '../support/old-release.ts';
import { isSecondLook, textsIn } from '../support/played-model.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { engine } from '../support/records.ts';
import { runCauseway, type Service, startService, temporaryFolder } from '../support/service.ts';
import { listLostNames, type StoredRow } from '../support/stored-names.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

type Engine = 'sqlite' | 'postgres';
type Query = <T>(statement: string) => Promise<readonly T[]>;

const METRICS_TOKEN = 'metrics-token-of-this-test';

/**
 * What later releases have given up of what that one stored, with the reason (their records were moved, or nothing reads them): columns, as
 * `table.column`, and names in stored JSON, as `threads.record.comment.digest`.
 */
const GIVEN_UP: Readonly<Record<string, string>> = {
  'backfills.forecast.redChecks': 'it was a figure for 30 days; a forecast now has groups with lists, of 14 days',
};

interface Ground extends AsyncDisposable {
  readonly left: Left;
  readonly old: OldRelease;
  readonly double: GithubDouble;
  readonly model: ShopModel;
  readonly receiver: WebhookReceiver;
  readonly shop: string;
  readonly dataDir: string;
  readonly query: Query;
  /** Until everything that GitHub tells was delivered. */
  settled(): Promise<void>;
  /** Of a service with that App on GitHub. */
  start(...command: string[]): Promise<Service>;
  run(...args: string[]): Promise<string>;
  readonly env: Readonly<Record<string, string>>;
}

async function opened(of: Engine): Promise<Ground> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  const model = opening.use(await proofModel());
  const receiver = opening.use(await webhookReceiver());
  const shop = path.join(folder.path, 'shop');
  const old = readOldRelease({
    github: double.webUrl,
    model: new URL(model.endpoint.url).origin,
    receiver: new URL(receiver.url).origin,
    shop,
  });
  const dataDir = path.join(folder.path, 'data');
  await Promise.all([loadGithub(old, double), writeShop(old, shop)]);
  writeFolder(old, of, dataDir);
  const records = of === 'sqlite' ? await inSqlite(old, dataDir) : await inPostgres(old, opening);
  const env = {
    ...{ ...model.env, ...records.env, METRICS_TOKEN, CALLBACK_ALLOW: '127.0.0.1', RATE_LIMIT: 'off' },
    ...{ GHE_HOST: new URL(double.webUrl).host, GHE_PROTOCOL: 'http', ALLOWED_OWNERS: 'corner,harbour,moor' },
  };
  const closing = opening.move();
  return {
    ...{ left: old.left, old, double, model, receiver, shop, dataDir, env, query: records.query },
    settled: () => double.webhooks.settled(),
    start: (...command) => startService({ projects: [], dataDir, env, command }),
    run: (...args) => runCauseway(args, { cwd: dataDir, env: { ...env, DATA_DIR: dataDir } }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

interface Records {
  readonly env: Readonly<Record<string, string>>;
  readonly query: Query;
}

async function inSqlite(old: OldRelease, dataDir: string): Promise<Records> {
  const file = path.join(dataDir, 'causeway.db');
  await settleSqlite(old, file);
  await settleSqlite(old, backupIn(old, dataDir));
  const query = async <T>(statement: string) => {
    const database = new Sqlite(file, { readonly: true });
    try {
      return database.prepare<[], T>(statement).all();
    } finally {
      database.close();
    }
  };
  return { env: {}, query };
}

async function inPostgres(old: OldRelease, opening: AsyncDisposableStack): Promise<Records> {
  const database = opening.use(await emptyDatabase());
  await loadPostgres(old, database);
  const query = async <T>(statement: string) => (await database.query<T & object>(statement)) as readonly T[];
  return { env: { DATABASE_URL: database.url }, query };
}

function backupIn({ files }: OldRelease, dataDir: string): string {
  const name = [...files.keys()].find((file) => file.startsWith('sqlite/backups/'));
  return path.join(dataDir, path.relative('sqlite', name ?? ''));
}

const COLUMNS: Readonly<Record<Engine, string>> = {
  sqlite: `select m.name || '.' || c.name as name from sqlite_schema m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%' order by 1`,
  postgres: `select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' order by 1`,
};

function tablesOf(columns: readonly string[]): readonly string[] {
  return [...new Set(columns.map((name) => name.split('.')[0] ?? ''))];
}

/** What was given, with whatever a later release adds to it. */
async function expectAnswers(api: ApiClient, answers: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [where, expected] of Object.entries(answers)) {
    if (!where.startsWith('/api/')) continue;
    expect({ [where]: await api.get(where) }).toMatchObject({ [where]: withoutFigures(expected) });
  }
}

const OLD_REASON = /^there is no pull request on GitHub: apply the change/;

/**
 * Without what this release gives in another way: figures, of which `expectFigures` speaks, and why there is no proof of an answer that
 * changes nothing.
 */
function withoutFigures(answer: unknown): unknown {
  const isOther = (name: string, value: unknown) =>
    name === 'usage' || (name === 'reason' && OLD_REASON.test(String(value)));
  return JSON.parse(JSON.stringify(answer, (name, value) => (isOther(name, value) ? undefined : value)));
}

/** Time counts from the request now and figures with the second look, and a model without a price is not called free. */
function expectFigures({ usage: now }: Analysis, { usage: before }: Analysis): void {
  for (const [name, value] of Object.entries(before)) {
    if (name === 'costUsd' && value === 0) expect([0, null]).toContain(now[name]);
    else expect(now[name], name).toBeGreaterThanOrEqual(value);
  }
}

interface QueueCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

/** As /metrics says it. */
async function readQueue({
  address,
}: Service): Promise<{ readonly counts: readonly QueueCount[]; readonly due: number }> {
  const answer = await fetch(`${address}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  const samples = samplesOf(await answer.text());
  const named = (name: string) => samples.filter((sample) => sample.name === `causeway_queue_${name}`);
  return {
    counts: named('jobs').map(({ labels, value }) => ({ kind: '', state: '', ...labels, count: value })),
    due: named('oldest_due_seconds').filter(({ value }) => value > 0).length,
  };
}

/** The counts that are not 0, in one order. */
function sorted(counts: readonly QueueCount[]): readonly QueueCount[] {
  return counts
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => `${one.kind} ${one.state}`.localeCompare(`${other.kind} ${other.state}`));
}

describe.runIf(engine() === 'sqlite').each(['sqlite', 'postgres'] as const)(
  'what an earlier release left in %s',
  (of) => {
    let ground: Ground;
    let columns: readonly string[];
    let rows: readonly StoredRow[];
    const readColumns = async () => (await ground.query<{ name: string }>(COLUMNS[of])).map(({ name }) => name);
    const readRows = async (): Promise<readonly StoredRow[]> => {
      const all = tablesOf(columns).map(async (table) => {
        const found = await ground.query<StoredRow['row']>(`select * from "${table}"`);
        return found.map((row) => ({ table, row }));
      });
      return (await Promise.all(all)).flat();
    };
    beforeAll(async () => {
      ground = await opened(of);
      columns = await readColumns();
      rows = await readRows();
    });
    afterAll(() => ground[Symbol.asyncDispose]());

    it('holds something in every table', async () => {
      const empty = tablesOf(columns).filter((table) => !rows.some((one) => one.table === table));
      // Rows of locks of the migrator and of PostgreSQL's commits last as long as what they are about.
      expect(empty.filter((name) => !/^(?:kysely_|commit_marks)/.test(name))).toEqual([]);
      const { jobs, queue } = ground.left;
      expect(Object.values(jobs).map((subjects) => Object.keys(subjects).length)).toEqual([9, 9, 9, 9]);
      expect(queue.filter(({ state }) => state !== 'waiting').map(({ count }) => count)).toEqual(Array(18).fill(1));
    });

    it('is found as it was', async () => {
      const { left } = ground;
      await using service = await ground.start('serve', '--no-worker');
      await expectAnswers(apiClient(service.address, left.tokens.mara), left.answers);
      expect(sorted((await readQueue(service)).counts)).toEqual(sorted(left.queue));
      const ready = await fetch(`${service.address}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining('paused')]);
      await expectPeople(ground, service);
      const now = new Set(await readColumns());
      expect(columns.filter((name) => !now.has(name) && !(name in GIVEN_UP))).toEqual([]);
      await service.end('SIGTERM');
    });

    it('is gone on with: what waited is done, what was given up still is', async () => {
      const { left, double, receiver, model } = ground;
      const [, answer] = double.people.comments('corner/faulty', 1);
      if (answer === undefined) throw new Error('corner/faulty has no answer of ours');
      double.people.react(answer, '+1', 'mara');
      await ground.run('resume');
      await using service = await ground.start('serve');
      const api = apiClient(service.address, left.tokens.mara);
      await idle(service);
      const { counts } = await readQueue(service);
      const stateOf = (state: string) => sorted(counts).filter((one) => one.state === state);
      expect([stateOf('dead'), stateOf('running')]).toEqual([left.queue.filter(({ state }) => state === 'dead'), []]);

      const ended = await Promise.all(inStates(left.reports).map((reference) => investigation(api, reference)));
      expect(ended.map(({ state }) => state)).toEqual(['gave_up', 'concluded', 'concluded', 'concluded']);
      // The one that was interrupted goes on behind its first turn, with what the model had thought.
      const about = model.endpoint.requests.filter((one) => textsIn(one).join('\n').includes('waits in the queue, 3'));
      const [next] = about.filter((one) => !isSecondLook(one));
      expect([next && turnsIn(next), next?.raw]).toEqual([1, expect.stringContaining('the sealed thought of turn 0')]);

      const [deadHook, ...hooks] = subjectsOf(left, 'webhook');
      const arrived = receiver.deliveries.filter(({ headers }) => hooks.includes(headers['webhook-id'] ?? ''));
      expect(arrived.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(hooks.toSorted());
      for (const { body, headers } of arrived) new Webhook(left.secrets.mara).verify(body, headers);
      expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).not.toContain(deadHook);
      // A subscription signs with a secret of its own what it gets of the reports.
      const signed = receiver.deliveries.filter((delivery) => isSigned(left.secrets.subscription, delivery));
      expect(signed.length).toBeGreaterThanOrEqual(3);

      expect(await Promise.all([1, 2, 3, 4].map((at) => statusOf(service, left.tokens.lee[`lee${at}`])))).toEqual([
        ...[200, 401, 401, 401],
      ]);
      const ours = ({ authorId }: { readonly authorId: number | null }) => authorId === double.app.botId;
      const comments = inStates(left.issues).map((number) =>
        double.people.comments('corner/counter', number).filter(ours),
      );
      expect(comments.map((all) => all.length)).toEqual(FINISHED);
      for (const [name, heads] of [['corner/gate', left.judged] as const, ['corner/porch', left.shown] as const]) {
        const shown = [...double.repository(name).checkRuns.values()].filter(({ appId }) => appId === double.app.id);
        const counts = inStates(heads).map((sha) => shown.filter(({ headSha }) => headSha === sha).length);
        expect([name, counts]).toEqual([name, FINISHED]);
      }
      const forecasts = await Promise.all(subjectsOf(left, 'backfill').map((id) => observedPage(ground, service, id)));
      expect(forecasts.map((page) => /classified <strong>\d failed checks?/.test(page))).toEqual([
        false,
        true,
        true,
        true,
      ]);
      // By commands, of which one was given up, and by a reaction to each answer.
      expect(await outcomesOf(api, subjectsOf(left, 'outcome').slice(1))).toMatchObject([
        { state: 'pending', votes: { right: 2, wrong: 2 } },
        { state: 'pending', votes: { right: 0, wrong: 2 } },
        { state: 'pending', votes: { right: 1, wrong: 0 } },
      ]);

      // GitHub goes on as well: the checks of what that release opened pass, and it is merged as it was.
      double.app.webhookUrl = `${service.address}/api/github/webhooks`;
      const [pull] = double.people.pulls('corner/open').filter(ours);
      const passed = { sha: pull?.pull?.headSha ?? '', name: 'test', conclusion: 'success' } as const;
      await double.people.reportCheck('corner/open', passed);
      await ground.settled();
      await idle(service);
      const said = double.people.comments('corner/open', 1).filter(ours);
      expect(said.map(({ body }) => body.split('\n')[0])).toEqual([expect.stringContaining('its checks pass')]);
      const commit = await double.people.merge('corner/open', pull?.number ?? 0, 'mara');
      await ground.settled();
      await idle(service);
      expect(await outcomesOf(api, [left.jobs.delayed['outcome'] ?? ''])).toMatchObject([{ state: 'merged', commit }]);

      await expectIssues(api, left);
      expect(listLostNames(rows, await readRows()).filter((name) => !(name in GIVEN_UP))).toEqual([]);
      // Who asked for what is noted in each thread: a person goes from all of them.
      const readThreads = async () => JSON.stringify((await readRows()).filter(({ table }) => table === 'threads'));
      expect(await readThreads()).toContain('mara');
      await ground.run('erase', '--account', 'mara', '--yes');
      expect(await readThreads()).not.toContain('mara');
      await service.end('SIGTERM');
    });

    it.runIf(of === 'sqlite')('comes back from its backup, with a GitHub App and in local mode', async () => {
      const { left, shop, dataDir } = ground;
      await ground.run('restore', backupIn(ground.old, dataDir), '--yes');
      await using service = await ground.start('serve', '--no-worker');
      await expectAnswers(apiClient(service.address, left.tokens.mara), left.answers);
      await service.end('SIGTERM');
      const env = { LOCAL_MODE: '1', RATE_LIMIT: 'off' };
      await using local = await startService({ projects: [shop], dataDir, env, command: ['serve', '--no-worker'] });
      await expectAnswers(apiClient(local.address, left.tokens.local), left.local);
      const secret = await runCauseway(['webhook-secret', 'show'], {
        cwd: dataDir,
        env: { ...env, DATA_DIR: dataDir },
      });
      expect(secret.trim()).toBe(left.secrets.local);
    });
  },
);

/** They are as they were, but for what was said of them, and links that were learnt, since. */
async function expectIssues(api: ApiClient, { answers }: Left): Promise<void> {
  const issues = Object.entries(answers).filter(([where]) => /\/issues\/\w+\/$/.test(where));
  expect(issues.length).toBeGreaterThan(20);
  for (const [where, before] of issues as [string, { readonly analysis: Analysis }][]) {
    const { outcomes: _, links, ...analysis } = before.analysis;
    const known = Object.fromEntries(Object.entries(links).filter(([, link]) => link !== null));
    const expected = { ...before, analysis: { ...analysis, links: known } };
    const now = await api.get<{ readonly analysis: Analysis }>(where);
    expect({ [where]: now }).toMatchObject({ [where]: withoutFigures(expected) });
    expectFigures(now.analysis, before.analysis);
  }
}

interface Analysis extends Readonly<Record<string, unknown>> {
  readonly usage: Readonly<Record<string, number>>;
  readonly links: Readonly<Record<string, string | null>>;
}

/** Dead, delayed, running, waiting. */
function inStates<T>({ dead, delayed, running, waiting }: InStates<T>): readonly T[] {
  return [dead, delayed, running, waiting];
}

/** How often each of them came about in the end. */
const FINISHED = [0, 1, 1, 1];

function subjectsOf({ jobs }: Left, kind: string): readonly string[] {
  return inStates(jobs).map((subjects) => subjects[kind] ?? '');
}

/** Until nothing is due any more, at two looks: what a job causes is due within the moment of its end. */
async function idle(service: Service): Promise<void> {
  let looks = 0;
  for (const end = Date.now() + 300_000; Date.now() < end; ) {
    const { counts, due } = await readQueue(service);
    looks = due === 0 && counts.every(({ state, count }) => state !== 'running' || count === 0) ? looks + 1 : 0;
    if (looks === 2) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The jobs were not finished:\n${service.output()}`);
}

function isSigned(secret: string, { body, headers }: WebhookReceiver['deliveries'][number]): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function investigation(api: ApiClient, reference: string): Promise<{ readonly state: string }> {
  const where = `/api/v1/investigations/?reference=${encodeURIComponent(reference)}`;
  const [only] = await api.get<readonly { readonly state: string }[]>(where);
  return only ?? { state: 'unknown' };
}

async function outcomesOf(api: ApiClient, ids: readonly string[]): Promise<readonly unknown[]> {
  const all = await api.get<readonly { readonly id: string }[]>('/api/v1/outcomes/?limit=100');
  return ids.map((id) => all.find((one) => one.id === id));
}

/** With a token. */
async function statusOf({ address }: Service, token = ''): Promise<number> {
  return await apiClient(address, token).status('/api/v1/projects/');
}

async function page({ left }: Ground, { address }: Service, where: string): Promise<Response> {
  // Browsers send it to every port of a machine, so its name holds the port.
  const cookie = left.cookie.replace(/_\d+=/, `_${new URL(address).port}=`);
  return await fetch(`${address}${where}`, { headers: { cookie }, redirect: 'manual' });
}

async function observedPage(ground: Ground, service: Service, project: string): Promise<string> {
  return await (await page(ground, service, `/projects/${project}/observed`)).text();
}

/** Tokens, the session of a browser, and the secrets that sign. */
async function expectPeople(ground: Ground, service: Service): Promise<void> {
  const { tokens, secrets } = ground.left;
  const statuses = [tokens.revoked, tokens.local, ...Object.values(tokens.lee)].map((token) =>
    statusOf(service, token),
  );
  expect(await Promise.all(statuses)).toEqual([401, 200, 200, 200, 200, 200]);
  const narrow = await apiClient(service.address, tokens.narrow).get<readonly { name: string }[]>('/api/v1/projects/');
  expect(narrow.map(({ name }) => name)).toEqual(['corner/voted']);
  const pages = [
    '/projects',
    '/usage',
    '/audit',
    '/calibration',
    '/account/deliveries',
    '/account/security-credentials',
  ];
  for (const where of pages) expect([where, (await page(ground, service, where)).status]).toEqual([where, 200]);
  expect(await (await page(ground, service, '/account/security-credentials')).text()).toContain('bound to one');
  expect((await ground.run('webhook-secret', 'show', '--account', 'mara')).trim()).toBe(secrets.mara);
}
