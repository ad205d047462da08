// Two processes over one PostgreSQL database: what GitHub refused to one of them, neither asks again before its time.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPostgresParts } from '../../src/app/open-postgres-records.ts';
import { openRecords, type Records } from '../../src/app/open-records.ts';
import { liftSharedHolds } from '../../src/app/shared-holds.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createGithubClients } from '../../src/github/clients/create-github-clients.ts';
import { type GithubClients, GithubFailure } from '../../src/github/clients/github-clients.ts';
import { createLog } from '../../src/log.ts';
import { type Route, startGithubApi } from '../github/clients/github-api.ts';
import { APP_ID, installation, NEVER, PRIVATE_KEY, SHOP } from '../github/clients/ground.ts';
import { migratedDatabase } from '../support/postgres.ts';

const log = createLog({ level: 'silent' });
const seal = createSeal(Buffer.alloc(32, 7));
const WAIT = { timeout: 20_000 };

/** A database, GitHub with these answers, and a clock; `process` opens records and clients of one more process. */
async function ground(routes: (now: () => Date) => Record<string, Route>) {
  await using opening = new AsyncDisposableStack();
  const place = opening.use(await migratedDatabase());
  const clock = { now: new Date() };
  const now = () => clock.now;
  let tokens = 0;
  const token = () => ({
    status: 201,
    body: { token: `ghs_${++tokens}`, expires_at: new Date(now().getTime() + 86_400_000).toISOString() },
  });
  const api = opening.use(await startGithubApi({ 'POST /app/installations/*/access_tokens': token, ...routes(now) }));
  const opened = opening.move();
  return {
    ...{ api, place },
    inSeconds: (seconds: number) => new Date(clock.now.getTime() + seconds * 1_000),
    later: (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1_000);
    },
    async process(): Promise<{ readonly records: Records; readonly clients: GithubClients }> {
      const database = { kind: 'postgres', url: place.url, shown: 'there' } as const;
      const records = opened.use(await openRecords({ database, seal, log, now }));
      const installations = { installation: async (id: number) => installation(undefined, id) };
      const urls = { apiUrl: api.url, webUrl: 'https://github.test', userAgent: 'Causeway/test' };
      const app = { appId: APP_ID, privateKey: PRIVATE_KEY };
      const clients = opened.use(createGithubClients({ ...app, ...urls, installations, now, holds: records.holds }));
      return { records, clients };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function read(clients: GithubClients, installationId = 7): Promise<unknown> {
  return clients
    .repository({ ...SHOP, installationId }, 'read')
    .call((octokit, request) => octokit.rest.repos.get({ owner: 'octo', repo: 'shop', request }), NEVER);
}

function query(clients: GithubClients): Promise<unknown> {
  return clients
    .repository(SHOP, 'push')
    .call((octokit, request) => octokit.graphql<unknown>('{ viewer { login } }', { request }), NEVER);
}

function asApp(clients: GithubClients): Promise<unknown> {
  return clients.app.call((octokit, request) => octokit.rest.apps.getAuthenticated({ request }), NEVER);
}

async function failure(work: Promise<unknown>): Promise<GithubFailure> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GithubFailure);
  return error as GithubFailure;
}

/** Until every process knows of so many. */
async function known(count: number, ...processes: readonly { readonly records: Records }[]): Promise<void> {
  for (const { records } of processes) await expect.poll(() => records.holds.standing().length, WAIT).toBe(count);
}

const FINE = { body: { id: 501, data: { viewer: { login: 'x' } } } };

it.each([
  ['a secondary limit', 403, { 'retry-after': '600' }, 'You have exceeded a secondary rate limit'],
  ['too many requests', 429, { 'retry-after': '600' }, 'Too many requests'],
])(
  '%s of one installation holds back every process, and no other installation, until it is over',
  async (_, status, headers, message) => {
    let isLimited = true;
    await using at = await ground(() => ({
      'GET /repos/octo/shop': () => (isLimited ? { status, headers, body: { message } } : FINE),
      'POST /graphql': () => FINE,
    }));
    const [one, other] = [await at.process(), await at.process()];
    const first = await failure(read(one.clients));
    await known(1, one, other);
    isLimited = false;
    const third = await at.process();
    const before = at.api.asked.length;
    for (const { clients } of [other, third]) {
      const held = await failure(read(clients));
      expect(held).toMatchObject({ kind: 'busy', status: null, retryAt: first.retryAt, message: first.message });
      await failure(query(clients));
    }
    at.later(599);
    await failure(read(other.clients));
    expect(at.api.asked).toHaveLength(before);
    await read(other.clients, 8);
    at.later(1);
    await Promise.all([read(one.clients), read(other.clients), read(third.clients)]);
  },
);

it('an hour that is used up holds back every process for that count of GitHub alone', async () => {
  await using at = await ground((now) => ({
    'GET /repos/octo/shop': () => ({
      status: 403,
      headers: {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(now().getTime() / 1_000) + 1_800),
      },
      body: { message: 'API rate limit exceeded' },
    }),
    'POST /graphql': () => FINE,
  }));
  const [one, other] = [await at.process(), await at.process()];
  await failure(read(one.clients));
  await known(1, other);
  await failure(read(other.clients));
  await query(other.clients);
  expect(at.api.calls()).toEqual(['GET /repos/octo/shop', 'POST /graphql']);
});

it('a key that GitHub does not believe is the fault of one process, and the others go on', async () => {
  let isKnown = false;
  await using at = await ground(() => ({
    'GET /app': () => (isKnown ? FINE : { status: 401, body: { message: 'Bad credentials' } }),
  }));
  const [one, other] = [await at.process(), await at.process()];
  await failure(asApp(one.clients));
  isKnown = true;
  expect((await failure(asApp(one.clients))).kind).toBe('busy');
  await asApp(other.clients);
  expect(one.records.holds.standing()).toEqual([]);
});

it('what stands is not shortened by who was told of less, and is swept when it is over', async () => {
  await using at = await ground(() => ({}));
  const [one, other] = [await at.process(), await at.process()];
  const { inSeconds } = at;
  one.records.holds.hold('github app', inSeconds(600));
  await known(1, other);
  other.records.holds.hold('github app', inSeconds(30));
  const third = await at.process();
  expect(third.records.holds.standing()).toEqual([{ name: 'github app', until: inSeconds(600) }]);
  const sweep = (now: Date) => one.records.store.sweep({ endedBefore: '', keysBefore: '', now: now.toISOString() });
  await sweep(inSeconds(600));
  expect(await at.place.query('select name from holds')).toHaveLength(1);
  await sweep(inSeconds(601));
  expect(await at.place.query('select name from holds')).toEqual([]);
});

it('what a wrong clock wrote days ahead holds nobody, is written over, and swept', async () => {
  await using at = await ground(() => ({}));
  const far = at.inSeconds(25 * 3_600).toISOString();
  for (const name of ['github app', 'github installation 7']) {
    await at.place.query('insert into holds (name, until) values ($1, $2)', [name, far]);
  }
  const one = await at.process();
  expect(one.records.holds.standing()).toEqual([]);
  one.records.holds.hold('github app', at.inSeconds(25 * 3_600));
  expect(one.records.holds.standing()).toEqual([]);
  const until = at.inSeconds(600);
  one.records.holds.hold('github app', until);
  const written = () => at.place.query<{ until: string }>("select until from holds where name = 'github app'");
  await expect.poll(written, WAIT).toEqual([{ until: until.toISOString() }]);
  await one.records.store.sweep({ endedBefore: '', keysBefore: '', now: at.inSeconds(0).toISOString() });
  expect(await at.place.query('select name from holds')).toEqual([{ name: 'github app' }]);
});

it('a limit that an operator lifts holds nobody any more, nor whoever was refused', async () => {
  let isLimited = true;
  await using at = await ground(() => ({
    'GET /repos/octo/shop': () =>
      isLimited ? { status: 429, headers: { 'retry-after': '80000' }, body: { message: 'Too many requests' } } : FINE,
  }));
  const [one, other] = [await at.process(), await at.process()];
  await failure(read(one.clients));
  await known(1, one, other);
  isLimited = false;
  const database = { kind: 'postgres', url: at.place.url, shown: 'there' } as const;
  await using parts = await openPostgresParts({ database, seal, log });
  expect(await liftSharedHolds(parts.store.database, at.inSeconds(0))).toBe(1);
  await known(0, one, other);
  await Promise.all([read(one.clients), read(other.clients)]);
});

it('a slow database is looked at once at a time', async () => {
  await using at = await ground(() => ({}));
  const one = await at.process();
  const blocked = at.place.query('begin; lock table holds; select pg_sleep(7); commit');
  const looks = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%from "holds"%'`;
  await expect.poll(() => at.place.query(looks), WAIT).toHaveLength(1);
  await sleep(4_500);
  expect(await at.place.query(looks)).toHaveLength(1);
  await blocked;
  one.records.holds.hold('github app', at.inSeconds(60));
  await known(1, one);
});
