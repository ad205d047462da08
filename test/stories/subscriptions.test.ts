// Subscriptions of two tenants under one service: each type and each format arrives once, and nothing of one tenant
// reaches the other.
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUBSCRIPTION_FORMATS, type SubscriptionFormat } from '../../src/core/account/subscription.ts';
import { WEBHOOK_TYPES } from '../../src/core/account/webhook.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { openDesk } from '../support/github-desk.ts';
import type { ShopModel } from '../support/github-model.ts';
import { openProofDesk, proofModel } from '../support/github-proof.ts';
import { minutesAgo, openRedDesk } from '../support/github-red-desk.ts';
import { COUPONS } from '../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import { storedRows } from '../support/records.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

const PEOPLE = ['mara', 'hana'] as const;
type Login = (typeof PEOPLE)[number];

interface Inbox {
  readonly id: string;
  readonly secret: string;
  readonly receiver: WebhookReceiver;
}

/** Stand in the report of one tenant each. */
const CANARIES: Readonly<Record<Login, string>> = { mara: 'corner canary 4711', hana: 'harbour canary 0815' };

let model: ShopModel;
let stage: GithubStage;
const apis = new Map<Login, ApiClient>();
const inboxes = new Map<string, Inbox>();
const opened = new AsyncDisposableStack();

function inboxOf(login: Login, format: SubscriptionFormat): Inbox {
  const inbox = inboxes.get(`${login} ${format}`);
  if (inbox === undefined) throw new Error('there is no such inbox');
  return inbox;
}

function apiOf(login: Login): ApiClient {
  const api = apis.get(login);
  if (api === undefined) throw new Error('there is no such person');
  return api;
}

beforeAll(async () => {
  model = opened.use(await proofModel());
  const env = { ...model.env, ALLOWED_OWNERS: 'corner,harbour', CALLBACK_ALLOW: '127.0.0.1' };
  stage = opened.use(
    await openGithubStage({
      env,
      prepare: async ({ people }) => {
        for (const [owner, name, login] of [
          ['corner', 'corner/till', 'mara'],
          ['harbour', 'harbour/crane', 'hana'],
        ] as const) {
          people.organization(owner, { owners: [`owner-of-${owner}`] });
          await people.openRepository(name, { isPrivate: true });
          people.grant(name, login, 'write');
          people.makeLabel(name, 'analyse');
          await people.push(name, {
            by: login,
            files: { 'src/total.js': 'export const total = 1;\n', '.github/causeway.yml': 'model: none\n' },
          });
          people.install(owner, { by: `owner-of-${owner}` });
        }
      },
    }),
  );
  await stage.rest();
  for (const login of PEOPLE) {
    const scopes = 'webhooks:write,projects:read,issues:read,issues:write';
    const token = await stage.command('token', 'create', '--name', 'subs', '--account', login, '--scopes', scopes);
    const api = apiClient(stage.service().address, token.trim());
    apis.set(login, api);
    for (const format of SUBSCRIPTION_FORMATS) {
      const receiver = opened.use(await webhookReceiver());
      const answer = await api.post('/api/v1/webhooks/', { url: receiver.url, format, types: WEBHOOK_TYPES });
      expect(answer.status).toBe(201);
      const { id, secret } = (await answer.json()) as { id: string; secret: string };
      inboxes.set(`${login} ${format}`, { id, secret, receiver });
    }
  }
});

afterAll(() => opened.disposeAsync());

/** What has arrived in standard form since, in order of their types. */
function typesSince(login: Login, from: number): readonly string[] {
  const { deliveries } = inboxOf(login, 'standard').receiver;
  return deliveries.slice(from).map(({ body }) => (JSON.parse(body) as { type: string }).type);
}

/** What `happening` brings to mara, each in every format. */
async function arriving(happening: () => Promise<unknown>): Promise<readonly string[]> {
  const counts = () => SUBSCRIPTION_FORMATS.map((format) => inboxOf('mara', format).receiver.deliveries.length);
  const before = counts();
  await happening();
  await stage.rest();
  const types = typesSince('mara', before[0] ?? 0);
  expect(counts().map((count, at) => count - (before[at] ?? 0))).toEqual(before.map(() => types.length));
  return types.toSorted();
}

it('sends an example to each, and says what came of it', async () => {
  for (const format of SUBSCRIPTION_FORMATS) {
    const { id, receiver } = inboxOf('mara', format);
    const answer = await apiOf('mara').post(`/api/v1/webhooks/${id}/test/`, {});
    expect(answer.status).toBe(202);
    const [delivery] = await receiver.received(1);
    expect(delivery?.body).toMatch(/[Ee]xample/);
    await stage.rest();
    const list = await apiOf('mara').get<readonly { id: string; lastDelivery: object }[]>('/api/v1/webhooks/');
    expect(list.find((one) => one.id === id)?.lastDelivery).toMatchObject({ state: 'delivered', error: '' });
  }
});

it('tells of a labelled issue: its result, and the pull request up to the merge', async () => {
  const shop = await openProofDesk(stage, 'corner/right');
  const types = await arriving(async () => {
    shop.desk.label('mara');
    await shop.desk.pull();
    await shop.settle();
    await stage.double.people.merge('corner/right', shop.pull().number, 'mara');
  });
  const events = ['opened', 'proven', 'merged'].map((state) => `pull_request.${state}`);
  expect(types).toEqual(['issue.created', ...events].toSorted());
});

it('tells of a pull request that people close', async () => {
  const desk = await openDesk(stage, 'corner/closed', { config: 'pull_request: { proof: off }\n' });
  const types = await arriving(async () => {
    desk.label('mara');
    const { number } = await desk.pull();
    await stage.rest();
    stage.double.people.close('corner/closed', number, 'mara');
  });
  expect(types).toEqual(['issue.created', 'pull_request.closed', 'pull_request.opened']);
});

it('tells of a failure of the default branch: opened, closed, back', async () => {
  const desk = await openRedDesk(stage, null, 'corner/back', { config: 'mode: comment\nmodel: none\n' });
  const push = (subject: string) =>
    stage.double.people.push('corner/back', { by: 'mara', files: { 'NOTES.md': `${subject}\n` }, message: subject });
  const first = await arriving(async () => desk.run(await desk.tip(), { test: COUPONS }, { at: minutesAgo(9) }));
  expect(first.filter((type) => type.startsWith('failure.'))).toEqual(['failure.opened']);
  const green = await push('Mend the coupons');
  expect(await arriving(() => desk.run(green, { test: 'success' }, { at: minutesAgo(6) }))).toEqual(['failure.closed']);
  const red = await push('Undo the coupons');
  const last = await arriving(() => desk.run(red, { test: COUPONS }));
  expect(last.filter((type) => type.startsWith('failure.'))).toEqual(['failure.regressed']);
});

it('tells of a report that has no result, of both tenants to their own alone', async () => {
  for (const [login, name] of [
    ['mara', 'corner/till'],
    ['hana', 'harbour/crane'],
  ] as const) {
    const api = apiOf(login);
    const data = `${CANARIES[login]} in ${name}`;
    await api.end(await api.report({ projectId: name, data, reference: CANARIES[login], revision: 'no-such-branch' }));
    await api.end(await api.report({ projectId: name, data }));
    await stage.rest();
    expect(typesSince(login, 0).slice(-2)).toEqual(['issue.failed', 'issue.created']);
  }
});

it('has signed everything in standard form, each with the secret of its subscription', () => {
  for (const login of PEOPLE) {
    const { secret, receiver } = inboxOf(login, 'standard');
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id']);
    expect([ids.length > 1, new Set(ids).size]).toEqual([true, ids.length]);
    for (const { body, headers } of receiver.deliveries) {
      new Standard(secret).verify(body, headers);
      new Svix(secret).verify(body, headers);
    }
  }
});

it('has told nobody of the other tenant, in no format, list, page of deliveries or line of the log', async () => {
  for (const [mine, other, theirs] of [
    ['mara', 'hana', /harbour/],
    ['hana', 'mara', /corner/],
  ] as const) {
    const bodies = SUBSCRIPTION_FORMATS.flatMap((format) => inboxOf(mine, format).receiver.deliveries).map(
      ({ body }) => body,
    );
    const list = await apiOf(mine).text('/api/v1/webhooks/');
    const { id } = await apiOf(other).project(other === 'mara' ? 'corner/till' : 'harbour/crane');
    const said = [...bodies, list].join('\n');
    expect(said).toContain(CANARIES[mine]);
    for (const sign of [theirs, CANARIES[other], id]) expect(said).not.toMatch(sign);
    const { id: foreign } = inboxOf(other, 'standard');
    const paths = [`/api/v1/webhooks/${foreign}/`, `/api/v1/webhooks/${foreign}/test/`];
    expect(await apiOf(mine).status(paths[0] ?? '', 'DELETE')).toBe(404);
    expect(await apiOf(mine).status(paths[1] ?? '', 'POST')).toBe(404);
    const refused = await apiOf(mine).post('/api/v1/webhooks/', {
      url: 'https://a.example/',
      types: [],
      projectId: id,
    });
    expect(await refused.text()).toContain('/projectId');
  }
  const log = stage.service().output();
  for (const { secret, receiver } of inboxes.values()) {
    expect(log).not.toContain(new URL(receiver.url).pathname + new URL(receiver.url).search);
    if (secret !== '') expect(log).not.toContain(secret);
  }
});

it('keeps no event of a project in the account of who does not see it', async () => {
  const rows = await storedRows<{ login: string; name: string }>(
    stage.dataDir,
    `select accounts.login, projects.name from webhooks join accounts on accounts.id = webhooks.account_id
      join projects on projects.id = webhooks.project_id`,
  );
  const owners = new Set(rows.map(({ login, name }) => `${login} ${name.split('/')[0]}`));
  expect([...owners].toSorted()).toEqual(['hana harbour', 'mara corner']);
});
