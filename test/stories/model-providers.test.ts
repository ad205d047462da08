// One investigation of six turns with the model of each provider, killed in its middle: what the provider needs back survives, and the
// run ends as if nothing had happened. The settings are those of docs/models.md.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRouterCost } from '../../packages/models/test/doubles/chat.ts';
import type { Double, Json } from '../../packages/models/test/doubles/double.ts';
import { openProvider, PROVIDERS } from '../model-doubles/providers.ts';
import { expectOneFix } from '../support/expect-one-fix.ts';
import { modelKillRound } from '../support/model-kill-rounds.ts';
import { isSecondLook } from '../support/played-model.ts';
import {
  type ProviderGround,
  placesWithAny,
  providerGround,
  SECRET_HEADER,
  secretsOf,
  sum,
} from '../support/provider-ground.ts';
import { FIX_TURNS, SHOP_REPORT } from '../support/shop-fix.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

/** In the middle of the fourth turn: three are recorded, with calls side by side and an edit. */
const KILLS = [{ moment: 'asked', count: 4 }] as const;

/** One for each interface; all of them in `npm run test:faults`. */
const SHOWN = PROVIDERS.filter(
  ({ name }) =>
    process.env['CAUSEWAY_TEST_PROCESSES'] !== undefined ||
    ['OpenAI, Responses', 'Gemini, OpenAI endpoint', 'Anthropic'].includes(name),
);

describe('six turns that are killed in their middle end in one fix with the model of', () => {
  let ground: ProviderGround;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    ground = await providerGround();
    receiver = await webhookReceiver();
  });
  afterAll(async () => {
    await receiver[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  it.for(SHOWN.map((provider) => [provider.name, provider] as const))('%s', async ([name, provider]) => {
    const { repository, dataDir, token, internet } = ground;
    const { double, settings } = await openProvider(provider, FIX_TURNS, internet);
    await using model = double;
    let looks = 0;
    const look = async () => {
      looks += 1;
      expect(await placesWithAny(dataDir, secretsOf(model, settings))).toEqual([]);
    };
    // What the client libraries would read by themselves.
    const foreign = { OPENAI_CUSTOM_HEADERS: 'X-Foreign: o', ANTHROPIC_CUSTOM_HEADERS: 'X-Foreign: a' };
    const settled = { ...settings, ...foreign, MODEL_HEADERS: `X-Team: ${SECRET_HEADER}`, LOG_LEVEL: 'trace' };
    const common = { repository, dataDir, receiver, token, report: SHOP_REPORT, kills: KILLS };
    const plan = { ...common, settings: settled, model, afterKill: look, beforeEnd: look };
    const key = `with ${name}`;
    const result = await modelKillRound(plan, key);
    const [issue] = result.issues;
    // Said first where it fails: why the run did not conclude.
    expect([issue?.analysis.outcome, issue?.analysis.reason]).toEqual(['code_fix', '']);
    await expectOneFix(plan, key, result);
    expect(result.lives[0]?.asked).toEqual([0, 1, 2, 3]);
    // Each process learns once which interface to use.
    expect(model.refusals.length).toBe(name === 'OpenAI, chat as it refuses' ? 2 : 0);
    expect(model.lost).toEqual([]);
    expect(model.received.every(({ headers }) => headers['x-team'] === SECRET_HEADER)).toBe(true);
    expect(model.received.some(({ headers }) => 'x-foreign' in headers)).toBe(false);
    // Both looks were at something, but for chat models at Azure, which add nothing.
    expect([looks, model.opaque.length > 5 || name.startsWith('Azure')]).toEqual([2, true]);
    expect(internet.strangers).toEqual([]);
    expectStablePrefix(model);
    if (name === 'OpenRouter') {
      const costs = FIX_TURNS.map((_, turn) => openRouterCost(turn));
      const { usage, secondLook } = issue?.analysis ?? {};
      expect((usage?.costUsd ?? 0) - (secondLook?.usage.costUsd ?? 0)).toBeCloseTo(sum(costs), 9);
    }
  });
});

/** Of every question, what comes before its news is byte for byte what the question before was; marks of the cache move. */
function expectStablePrefix({ endpoint, received }: Double): void {
  const requests = endpoint.requests.filter((request) => !isSecondLook(request));
  const asked = received.filter(({ raw }) => requests.some((request) => request.raw === raw));
  const partsOf = ({ body }: { readonly body: Json }) => {
    const { messages, input, system, instructions, tools } = body;
    const items = (messages ?? input) as readonly unknown[];
    return { head: bytesOf([tools, system, instructions]), items: items.map(bytesOf) };
  };
  const all = asked.map(partsOf).toSorted((one, other) => one.items.length - other.items.length);
  const longest = all.at(-1)?.items ?? [];
  expect(all.length).toBeGreaterThan(5);
  for (const { head, items } of all) {
    expect(head).toBe(all[0]?.head);
    expect(items).toEqual(longest.slice(0, items.length));
  }
}

function bytesOf(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (name === 'cache_control' ? undefined : inner));
}
