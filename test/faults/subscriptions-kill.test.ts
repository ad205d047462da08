// The long run: kill -9 from POST to delivery with subscriptions beside the callback: no event is lost, no message to a
// channel is sent twice.
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { firstStart, killRound } from '../support/kill-rounds.ts';
import { storedRows } from '../support/records.ts';
import { runCauseway, startService, temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
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
  await using slack = await webhookReceiver();
  await using teams = await webhookReceiver();
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
    const subscribed = [
      ['standard', program],
      ['slack', slack],
      ['teams', teams],
    ] as const;
    for (const [format, { url }] of subscribed) {
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
  expect(told).toHaveLength(3 * ROUNDS);
  const ids = program.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ROUNDS);
  const dead = told.filter(({ state }) => state === 'dead');
  for (const { last_error: error } of dead) expect(error).toMatch(/^interrupted: /);
  // A cut attempt may have arrived: then it is one message, and known as one that may have.
  const shown = [slack, teams].map(({ deliveries }) => deliveries.length);
  for (const messages of shown) expect(messages).toBeLessThanOrEqual(ROUNDS);
  expect(shown.reduce((sum, messages) => sum + messages, 0)).toBeGreaterThanOrEqual(2 * ROUNDS - dead.length);
  const repeated = program.deliveries.length - ROUNDS;
  const kills = ROUNDS * KILLS;
  process.stdout.write(`${JSON.stringify({ rounds: ROUNDS, kills, shown, interrupted: dead.length, repeated })}\n`);
});
