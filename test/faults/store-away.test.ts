// The long run: the database is away three times while one report is investigated and told of: the file locked for 16 s,
// the server stopped for as long. Nothing is lost, given up or told twice.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { HeldModel } from '../../packages/models/test/played.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { heldModel } from '../support/held-model.ts';
import { modelSettings } from '../support/model-service.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { printedToken, runCauseway, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const TIMES = 3;
const AWAY_MS = 16_000;

interface Away {
  readonly leave: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
}

interface Told {
  readonly state: string;
  readonly count: number;
}

interface Place extends Away {
  /** Names the database; empty: a file in the data folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** How many webhooks there are in each state. */
  readonly told: () => Promise<readonly Told[]>;
}

const TOLD = 'select state, count(*) as count from webhooks group by state';

async function runRounds({ env, dataDir, told, ...away }: Place): Promise<void> {
  await using repository = await gitRepository();
  await repository.commit(SHOP, 'Shop');
  await using model = await heldModel(FIX_TURNS);
  await using caller = await webhookReceiver();
  await using program = await webhookReceiver();
  await using slack = await webhookReceiver();
  await using teams = await webhookReceiver();
  const settings = { ...(await modelSettings(model.endpoint, dataDir)), ...env };
  await using service = await startService({ projects: [repository.path], dataDir, env: settings, ownProcess: true });
  const scopes = ['--name', 'subscriptions', '--scopes', 'webhooks:write'];
  const own = await runCauseway(['token', 'create', ...scopes], { cwd: dataDir, env: { DATA_DIR: dataDir, ...env } });
  const subscribed = [
    ['standard', program],
    ['slack', slack],
    ['teams', teams],
  ] as const;
  for (const [format, { url }] of subscribed) {
    const wanted = { url, format, types: ['issue.created'] };
    expect((await apiClient(service.address, own.trim()).post('/api/v1/webhooks/', wanted)).status).toBe(201);
  }
  const api = apiClient(service.address, printedToken(service));
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = await runRound(`round-${round}`, { api, model, caller, away });
    process.stdout.write(`round ${round}: ${state}\n`);
    expect(state).toBe('concluded');
  }
  const all = ROUNDS * (1 + subscribed.length);
  await expect
    .poll(async () => (await told()).map((each) => ({ ...each, count: Number(each.count) })), { timeout: 120_000 })
    .toEqual([{ state: 'delivered', count: all }]);
  for (const { deliveries } of [caller, program]) {
    expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(ROUNDS);
  }
  expect([slack.deliveries.length, teams.deliveries.length]).toEqual([ROUNDS, ROUNDS]);
  const lines = service.output().split('\n');
  const went = lines.filter((line) => line.includes('the database is away')).length;
  const back = lines.filter((line) => line.includes('the database answers again')).length;
  const loud: Record<string, number> = {};
  for (const line of lines.filter((each) => /"level":"(?:warn|error)"/.test(each))) {
    const { msg } = JSON.parse(line) as { readonly msg: string };
    loud[msg] = (loud[msg] ?? 0) + 1;
  }
  process.stdout.write(
    `${JSON.stringify({ rounds: ROUNDS, away: ROUNDS * TIMES, went, back, loud, repeated: program.deliveries.length - ROUNDS })}\n`,
  );
}

interface Round {
  readonly api: ApiClient;
  readonly model: HeldModel;
  readonly caller: WebhookReceiver;
  readonly away: Away;
}

/** Away when the model has answered, soon after that, and when the caller is told. */
async function runRound(key: string, { api, model, caller, away }: Round): Promise<string> {
  const { id: projectId } = await api.project();
  const answered = model.at('answered', 1);
  const report = { projectId, data: `${SHOP_REPORT}${key}`, callbackUrl: caller.url, reference: key, fresh: true };
  const investigation = await api.report(report, key);
  const before = caller.deliveries.length;
  const isTold = async () => {
    while (caller.deliveries.length === before) await sleep(5);
  };
  const moments = [
    () => answered,
    () => sleep(500 + Math.random() * 3_000),
    () => Promise.race([isTold(), sleep(15_000)]),
  ];
  for (const moment of moments) {
    await moment();
    await away.leave();
    await sleep(AWAY_MS);
    await away.comeBack();
  }
  return (await api.end(investigation)).state;
}

it(`${ROUNDS} reports, each through ${TIMES} locks of the file, end in one Issue that each is told of once`, async () => {
  await using folder = await temporaryFolder();
  let other: Sqlite.Database | null = null;
  await runRounds({
    ...{ env: {}, dataDir: folder.path },
    leave: async () => {
      other = new Sqlite(path.join(folder.path, 'causeway.db'), { timeout: 60_000 });
      other.exec('begin immediate');
    },
    comeBack: async () => void other?.close(),
    told: async () => {
      using stack = new DisposableStack();
      const file = path.join(folder.path, 'causeway.db');
      const database = stack.adopt(new Sqlite(file, { readonly: true }), (opened) => void opened.close());
      return database.prepare<[], Told>(TOLD).all();
    },
  });
}, 3_600_000);

it(`${ROUNDS} reports, each through ${TIMES} stops of the server, end in one Issue that each is told of once`, async () => {
  await using folder = await temporaryFolder();
  await using server = await startPostgres();
  let count = 0;
  await runRounds({
    ...{ env: { DATABASE_URL: server.url, ENCRYPTION_KEY: randomBytes(32).toString('hex') }, dataDir: folder.path },
    leave: () => server.stop(count++ % 2 === 0 ? 'fast' : 'immediate'),
    comeBack: () => server.start(),
    told: async () => {
      const pool = new Pool({ connectionString: server.url });
      try {
        return (await pool.query<Told>(TOLD)).rows;
      } finally {
        await pool.end();
      }
    },
  });
}, 3_600_000);
