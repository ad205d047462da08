// A model that cannot be asked: GitHub and callers learn that it is so, and the operator's log alone says why.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AskedBehaviour,
  fails,
  gives,
  type ModelEndpoint,
  modelEndpoint,
} from '../../../packages/models/test/model-endpoint.ts';
import { expectForPeople } from '../../support/for-people.ts';
import { openDesk } from '../../support/github-desk.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { modelSettings } from '../../support/model-service.ts';
import { temporaryFolder } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

const HTML = gives('<!doctype html><title>Sign in to /srv/gateway</title>', 'text/html');
const LIMIT = fails(429, 'slow down', { 'retry-after': '600' });
const KEY = fails(401, 'Incorrect API key provided');

/** By the repository that is asked about. */
const answer: AskedBehaviour = (response, request, asked) => {
  const behaviour = asked.raw.includes('corner/limited') ? LIMIT : asked.raw.includes('corner/page') ? HTML : KEY;
  return behaviour(response, request);
};

const cleanup = new AsyncDisposableStack();
let endpoint: ModelEndpoint;
let receiver: WebhookReceiver;
let stage: GithubStage;

beforeAll(async () => {
  endpoint = cleanup.use(await modelEndpoint(answer));
  receiver = cleanup.use(await webhookReceiver());
  const folder = cleanup.use(await temporaryFolder());
  const env = { ...(await modelSettings(endpoint, folder.path)), CALLBACK_ALLOW: '127.0.0.1' };
  stage = cleanup.use(await openGithubStage({ env }));
});

afterAll(() => cleanup.disposeAsync());

/** Everything that GitHub was sent, and every webhook, names neither the endpoint nor a setting; the log does. */
function expectKeptToTheOperator(saying: RegExp): void {
  const sent = [
    ...stage.double.requests.filter(({ method }) => method !== 'GET').map(({ body }) => String(body)),
    ...receiver.deliveries.map(({ body }) => body),
  ].join('\n');
  expect(sent).not.toContain(new URL(endpoint.url).host);
  expect(sent).not.toMatch(/OPENAI_|MODEL_|\bMODEL\b|\/srv\/gateway/);
  expect(stage.service().output()).toMatch(saying);
}

it('whose key is refused leaves the facts, and says no more than that', async () => {
  const desk = await openDesk(stage, 'corner/refused');
  desk.label('mara');
  const comment = await desk.comment('Facts only');
  await stage.rest();
  expect(comment.body).toContain("The language model couldn't be used.");
  expectKeptToTheOperator(/check OPENAI_API_KEY/);
});

it('tells the caller of the API the same, in the Issue and in the webhook', async () => {
  const mara = await stage.api('mara');
  const location = await mara.report({
    ...{ projectId: 'corner/refused', callbackUrl: receiver.url, fresh: true },
    data: 'TypeError: x is not a function, on every second Tuesday',
  });
  const { analysis } = await mara.issue(location);
  expect(analysis).toMatchObject({ outcome: 'facts_only', partial: true });
  expectForPeople(analysis.reason);
  await receiver.received(1);
  expectKeptToTheOperator(/check OPENAI_API_KEY/);
});

it('that is a web page leaves the facts, and does not quote it', async () => {
  const desk = await openDesk(stage, 'corner/page');
  desk.label('mara');
  const comment = await desk.comment('Facts only');
  await stage.rest();
  expect(comment.body).toContain('The language model gave no usable answer.');
  expectKeptToTheOperator(/web page.*check OPENAI_BASE_URL/);
});

it('that is limited is waited for, in the words of the one comment', async () => {
  const desk = await openDesk(stage, 'corner/limited');
  desk.label('mara');
  await desk.comment('Waiting for the language model · resumes automatically');
  expect(desk.ours()).toHaveLength(1);
  expectKeptToTheOperator(/limits the rate of requests/);
});
