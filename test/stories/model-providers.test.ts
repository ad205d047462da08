// One investigation of six turns with the model of each provider, killed in its middle: what the provider needs back survives, and the
// run ends as if nothing had happened. The settings are those of docs/models.md.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnthropicDouble } from '../model-doubles/anthropic.ts';
import { openRouterCost } from '../model-doubles/chat.ts';
import type { Double, Json } from '../model-doubles/double.ts';
import { type Internet, openInternet } from '../model-doubles/internet.ts';
import { openProvider, PROVIDERS, type Provider, type Settings } from '../model-doubles/providers.ts';
import { apiClient } from '../support/api-client.ts';
import { everythingSaid } from '../support/everything-said.ts';
import { expectOneFix } from '../support/expect-one-fix.ts';
import { gitRepository } from '../support/git-repository.ts';
import { modelKillRound } from '../support/model-kill-rounds.ts';
import { call, conclusion, type Played, turnsIn } from '../support/played-model.ts';
import { storedRows } from '../support/records.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { placesWith } from '../support/stored-text.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

/** In the middle of the fourth turn: three are recorded, with calls side by side and an edit. */
const KILLS = [{ moment: 'asked', count: 4 }] as const;

describe('with the model of', () => {
  const cleanup = new AsyncDisposableStack();
  let internet: Internet;
  let receiver: WebhookReceiver;
  let repository: string;
  let dataDir: string;
  let token: string;

  beforeAll(async () => {
    const shop = cleanup.use(await gitRepository());
    await shop.commit(SHOP, 'Shop');
    repository = shop.path;
    dataDir = cleanup.use(await temporaryFolder()).path;
    internet = cleanup.use(await openInternet(dataDir));
    receiver = cleanup.use(await webhookReceiver());
    await using first = await startService({ projects: [repository], dataDir });
    token = printedToken(first);
    await first.end('SIGTERM');
  });
  afterAll(() => cleanup.disposeAsync());

  it.for(PROVIDERS.map((provider) => [provider.name, provider] as const))(
    '%s, six turns that are killed in their middle end in one fix',
    async ([name, provider]) => {
      const { double, settings } = await openProvider(provider, FIX_TURNS, internet);
      await using _ = double;
      const key = `with ${name}`;
      const common = { repository, dataDir, receiver, token, report: SHOP_REPORT };
      const plan = { ...common, settings, model: double, kills: KILLS };
      const result = await modelKillRound(plan, key);
      const [issue] = result.issues;
      // Said first where it fails: why the run did not conclude.
      expect([issue?.analysis.outcome, issue?.analysis.reason]).toEqual(['code_fix', '']);
      await expectOneFix(plan, key, result);
      expect(result.lives[0]?.asked).toEqual([0, 1, 2, 3]);
      // One refusal at most: the one that says which interface to use, which is not asked for twice.
      expect(double.refusals.length).toBe(name === 'OpenAI, chat as it refuses' ? 1 : 0);
      expect(double.lost).toEqual([]);
      expect(internet.strangers).toEqual([]);
      expectStablePrefix(double);
      if (name === 'OpenRouter') {
        const costs = FIX_TURNS.map((_, turn) => openRouterCost(turn));
        expect(issue?.analysis.usage.costUsd).toBeCloseTo(sum(costs), 9);
      }
    },
  );

  const named = (name: string): Provider => {
    const found = PROVIDERS.find((provider) => provider.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };

  it.for([
    ['OpenAI, Responses', 'OpenAI, Responses', { MODEL: 'gpt-5.6-terra' }],
    ['LiteLLM in front of Gemini', 'Anthropic', {}],
    ['Anthropic', 'Gemini, OpenAI endpoint', {}],
    ['OpenAI, Responses', 'DeepSeek, thinking', {}],
  ] as const)(
    '%s, a run goes on with that of %s, which sees nothing of what the first one added',
    async ([from, to, over]) => {
      const before = await openProvider(named(from), FIX_TURNS, internet);
      await using first = before.double;
      const key = `from ${from} to ${to}`;
      await using killed = await startService({ projects: [repository], dataDir, env: before.settings });
      const held = first.at('asked', 4);
      await report(killed, key);
      await held;
      await killed.end('SIGKILL');
      const after = await openProvider(named(to), FIX_TURNS, internet);
      await using second = after.double;
      await using service = await startService({
        ...{ projects: [repository], dataDir },
        env: { ...after.settings, ...over },
      });
      const { analysis } = await apiClient(service.address, token).issue(await report(service, key));
      await service.end('SIGTERM');
      expect([analysis.outcome, analysis.reason, analysis.usage.turns]).toEqual(['code_fix', '', FIX_TURNS.length]);
      expect(second.endpoint.requests.map(turnsIn)).toEqual([3, 4, 5]);
      const sent = second.received.map(({ raw }) => raw).join('\n');
      expect(first.opaque.length).toBeGreaterThan(2);
      expect(first.opaque.filter((part) => sent.includes(part))).toEqual([]);
    },
  );

  /** Sends the report, in every life with one idempotency key. */
  async function report(service: Service, key: string): Promise<string> {
    const api = apiClient(service.address, token);
    const { id: projectId } = await api.project();
    return await api.report({ projectId, data: `${SHOP_REPORT}\n${key}`, reference: key, fresh: true }, key);
  }

  it('Anthropic, over fifteen turns at least 85 of 100 prompt tokens come from its cache', async () => {
    const looks: readonly Played[] = Array.from({ length: 14 }, (_, turn) => ({
      say: `Look number ${turn}.`,
      calls: [
        call('search', { pattern: `customer|w${turn}x` }),
        call('read_files', { files: [{ path: 'src/cart/total.js' }] }),
      ],
    }));
    const turns = [...looks, { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['Nothing'] })] }];
    const { double, settings } = await openProvider(named('Anthropic'), turns, internet);
    await using anthropic = double as AnthropicDouble;
    await using service = await startService({ projects: [repository], dataDir, env: settings });
    const issue = await apiClient(service.address, token).issue(await report(service, 'fifteen turns'));
    await service.end('SIGTERM');
    expect(issue.analysis.usage.turns).toBe(15);
    const { usages } = anthropic;
    const read = sum(usages.map((usage) => usage.cache_read_input_tokens));
    const written = sum(usages.map((usage) => usage.cache_creation_input_tokens));
    const all = read + written + sum(usages.map((usage) => usage.input_tokens));
    expect(read / all).toBeGreaterThanOrEqual(0.85);
    // The Issue counts them as the double does.
    expect(issue.analysis.usage).toMatchObject({ promptTokens: all, cachedTokens: read });
  });

  describe('a provider whose', () => {
    const HEADER = 'header-value-5d1c7e90b3a24f68';

    it.for([
      ['key and headers are set', 'Anthropic', async (own: Settings) => own],
      [
        'key is printed by a command',
        'DeepSeek, thinking',
        async ({ OPENAI_API_KEY, ...own }: Settings, folder: string) => {
          const file = path.join(folder, 'key.txt');
          await writeFile(file, `${OPENAI_API_KEY}\n`);
          return { ...own, MODEL_KEY_COMMAND: `cat ${file}` };
        },
      ],
      ['signatures are in the ids of calls', 'LiteLLM in front of Gemini', async (own: Settings) => own],
      ['reasoning is encrypted', 'OpenAI, Responses', async (own: Settings) => own],
    ] as const)(
      '%s leaves nothing of them where people or thieves read, neither in the middle of a run nor after it',
      async ([what, name, change]) => {
        await using place = await temporaryFolder();
        await using other = await temporaryFolder();
        const { double, settings } = await openProvider(named(name), FIX_TURNS, internet);
        await using model = double;
        const env = {
          ...(await change(settings, other.path)),
          ...{ MODEL_HEADERS: `X-Team: ${HEADER}`, LOG_LEVEL: 'trace' },
        };
        const projects = [repository];
        await using killed = await startService({ projects, dataDir: place.path, env });
        const api = apiClient(killed.address, printedToken(killed));
        const { id: projectId } = await api.project();
        const held = model.at('asked', 4);
        await api.report({ projectId, data: `${SHOP_REPORT}\ncanary`, reference: what, fresh: true });
        await held;
        await killed.end('SIGKILL');
        const keys = Object.entries(settings).flatMap(([variable, value]) => (/_KEY$/.test(variable) ? [value] : []));
        const canaries = () => [HEADER, ...keys, ...model.opaque.map((part) => part.slice(-60, -6))];
        expect(model.opaque.length).toBeGreaterThan(2);
        expect(model.received.every(({ headers }) => headers['x-team'] === HEADER)).toBe(true);
        expect(await stored(place.path, canaries())).toEqual([]);
        model.release();
        await using service = await startService({ projects, dataDir: place.path, env });
        // The first start alone prints a token, each one a link.
        const output = () => `${service.output()}${killed.output()}`;
        const both = { ...service, output };
        const said = await everythingSaid({
          service: both,
          endpoint: model.endpoint,
          dataDir: place.path,
          [Symbol.asyncDispose]: async () => {},
        });
        // What goes to the provider itself must hold them.
        said.delete('prompts');
        said.set('log', output());
        const shown = [...said].filter(([, text]) => canaries().some((canary) => text.includes(canary)));
        expect(shown.map(([where]) => where)).toEqual([]);
        expect(await stored(place.path, canaries())).toEqual([]);
        await service.end('SIGTERM');
        expect(await stored(place.path, canaries())).toEqual([]);
        expect(await opaqueRows(place.path)).toEqual([]);
      },
    );
  });
});

async function stored(dataDir: string, canaries: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(canaries.map((canary) => placesWith(dataDir, canary)))).flat();
}

/** What the run keeps of its turns, in whatever form; nothing once it has concluded. */
async function opaqueRows(dataDir: string): Promise<readonly unknown[]> {
  return await storedRows(dataDir, 'select * from transcript_entries');
}

/** Of every question, what comes before its news is byte for byte what the question before was; marks of the cache move. */
function expectStablePrefix({ endpoint, received }: Double): void {
  const asked = received.filter(({ raw }) => endpoint.requests.some((request) => request.raw === raw));
  const partsOf = ({ body }: { readonly body: Json }) => {
    const { messages, input, system, instructions, tools } = body;
    const items = (messages ?? input) as readonly unknown[];
    return { head: bytesOf([tools, system, instructions]), items: items.map(bytesOf) };
  };
  const all = asked.map(partsOf).toSorted((one, other) => one.items.length - other.items.length);
  const longest = all.at(-1)?.items ?? [];
  for (const { head, items } of all) {
    expect(head).toBe(all[0]?.head);
    expect(items).toEqual(longest.slice(0, items.length));
  }
}

function bytesOf(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (name === 'cache_control' ? undefined : inner));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
