// The long run: kill -9 from POST to delivery with subscriptions beside the callback: no event is lost, no message to a
// channel is sent twice.
import { expect, it } from 'vitest';
import { apiClient } from '../support/api-client.ts';
import { gitRepository } from '../support/git-repository.ts';
import { firstStart, killRound } from '../support/kill-rounds.ts';
import { storedRows } from '../support/records.ts';
import { runCauseway, startService, temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const KILLS = Number(process.env['KILLS'] ?? 6);

interface Row {
  readonly subscription_id: string;
  readonly state: string;
  readonly last_error: string;
}

it(`${ROUNDS} reports, each through ${KILLS} kills, are told once to a program and at most once to a channel`, async () => {
  await using repository = await gitRepository();
  await repository.commit(
    { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' },
    'Start',
  );
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  await using program = await webhookReceiver();
  await using channel = await webhookReceiver();
  const dataDir = folder.path;
  const plan = { repository: repository.path, dataDir, receiver, kills: KILLS, longestLife: 400 };
  const token = await firstStart(plan);
  const scopes = ['--scopes', 'webhooks:write'];
  const own = await runCauseway(['token', 'create', '--name', 'subs', ...scopes], {
    cwd: dataDir,
    env: { DATA_DIR: dataDir },
  });
  {
    await using service = await startService({ projects: [repository.path], dataDir, ownProcess: true });
    const api = apiClient(service.address, own.trim());
    for (const [format, { url }] of [['standard', program] as const, ['slack', channel] as const]) {
      const answer = await api.post('/api/v1/webhooks/', { url, format, types: ['issue.created'] });
      expect(answer.status).toBe(201);
    }
  }
  for (let round = 0; round < ROUNDS; round++) await killRound(plan, `round-${round}`, token);
  await using _service = await startService({ projects: [repository.path], dataDir, ownProcess: true });
  const rows = () =>
    storedRows<Row>(
      dataDir,
      'select subscription_id, state, last_error from webhooks where subscription_id is not null order by seq',
    );
  await expect
    .poll(async () => (await rows()).filter(({ state }) => state !== 'delivered' && state !== 'dead'), {
      timeout: 60_000,
    })
    .toEqual([]);
  const told = await rows();
  expect(told).toHaveLength(2 * ROUNDS);
  const ids = program.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ROUNDS);
  const dead = told.filter(({ state }) => state === 'dead');
  for (const { last_error: error } of dead) expect(error).toMatch(/^interrupted: /);
  // A cut attempt may have arrived: then it is one message, and known as one that may have.
  expect(channel.deliveries.length).toBeLessThanOrEqual(ROUNDS);
  expect(channel.deliveries.length).toBeGreaterThanOrEqual(ROUNDS - dead.length);
});
