// What a provider adds to its model's answers: another model never sees it, nor does anybody who reads what the service says or keeps;
// and the conversation stays such that the provider's cache holds.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnthropicDouble } from '../../packages/models/test/doubles/anthropic.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { openProvider, type Settings } from '../model-doubles/providers.ts';
import { apiClient } from '../support/api-client.ts';
import { turnsAsked } from '../support/held-model.ts';
import { everythingSaid } from '../support/planted-service.ts';
import { conclusion } from '../support/played-model.ts';
import {
  type ProviderGround,
  placesWithAny,
  providerGround,
  providerNamed,
  SECRET_HEADER,
  secretsOf,
  sum,
} from '../support/provider-ground.ts';
import { storedRows } from '../support/records.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP_REPORT } from '../support/shop-fix.ts';

describe('what the provider of a model adds', () => {
  let ground: ProviderGround;

  beforeAll(async () => {
    ground = await providerGround();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  it.for([
    ['OpenAI, Responses', 'OpenAI, Responses', { MODEL: 'gpt-5.6-terra' }],
    ['Anthropic', 'Gemini, OpenAI endpoint', {}],
  ] as const)(
    'is dropped where a run that began with %s goes on with another model of %s',
    async ([from, to, over]) => {
      const before = await openProvider(providerNamed(from), FIX_TURNS, ground.internet);
      await using first = before.double;
      const key = `from ${from} to ${to}`;
      await using killed = await ground.start(before.settings);
      const held = first.at('asked', 4);
      await ground.report(killed, key);
      await held;
      await killed.end('SIGKILL');
      const after = await openProvider(providerNamed(to), FIX_TURNS, ground.internet);
      await using second = after.double;
      await using service = await ground.start({ ...after.settings, ...over });
      const api = apiClient(service.address, ground.token);
      const { analysis } = await api.issue(await ground.report(service, key));
      await service.end('SIGTERM');
      const turns = FIX_TURNS.length + (analysis.secondLook?.usage.turns ?? 0);
      expect([analysis.outcome, analysis.reason, analysis.usage.turns]).toEqual(['code_fix', '', turns]);
      expect(turnsAsked(second)).toEqual([3, 4, 5]);
      // Whatever an id has to be made of there: letters and digits tell.
      const plain = (text: string) => text.replace(/[^A-Za-z0-9]/g, '_');
      const sent = plain(second.received.map(({ raw }) => raw).join('\n'));
      expect(first.opaque.length).toBeGreaterThan(2);
      expect(first.opaque.filter((part) => sent.includes(plain(part)))).toEqual([]);
    },
  );

  it("leaves Anthropic's cache whole: over fifteen turns at least 85 of 100 prompt tokens come from it", async () => {
    const looks: readonly Played[] = Array.from({ length: 14 }, (_, turn) => ({
      say: `Look number ${turn}.`,
      calls: [
        call('search', { pattern: `customer|w${turn}x` }),
        call('read_files', { files: [{ path: 'src/cart/total.js', from: 1, to: turn + 1 }] }),
      ],
    }));
    const turns = [...looks, { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['Nothing'] })] }];
    const { double, settings } = await openProvider(providerNamed('Anthropic'), turns, ground.internet);
    await using anthropic = double as AnthropicDouble;
    await using service = await ground.start(settings);
    const api = apiClient(service.address, ground.token);
    const { usage } = (await api.issue(await ground.report(service, 'fifteen turns'))).analysis;
    await service.end('SIGTERM');
    expect(usage.turns).toBe(15);
    const { usages } = anthropic;
    const read = sum(usages.map((tokens) => tokens.cache_read_input_tokens));
    const written = sum(usages.map((tokens) => tokens.cache_creation_input_tokens));
    const all = read + written + sum(usages.map((tokens) => tokens.input_tokens));
    expect(read / all).toBeGreaterThanOrEqual(0.85);
    // The Issue counts them as the double does.
    expect(usage).toMatchObject({ promptTokens: all, cachedTokens: read });
  });

  it.for([
    [
      'DeepSeek, thinking',
      'key command',
      async ({ OPENAI_API_KEY, ...own }: Settings, folder: string) => {
        const file = path.join(folder, 'key.txt');
        await writeFile(file, `${OPENAI_API_KEY}\n`);
        return { ...own, MODEL_KEY_COMMAND: `cat ${file}` };
      },
    ],
  ] as const)(
    'is, with %s, as little as header and %s in a log, page, answer, webhook or file, in the middle of a run or after it',
    async ([name, , change]) => {
      await using place = await temporaryFolder();
      await using other = await temporaryFolder();
      const { double, settings } = await openProvider(providerNamed(name), FIX_TURNS, ground.internet);
      await using model = double;
      const own = await change(settings, other.path);
      const env = { ...own, MODEL_HEADERS: `X-Team: ${SECRET_HEADER}`, LOG_LEVEL: 'trace' };
      const start = () => startService({ projects: [ground.repository], dataDir: place.path, env, ownProcess: true });
      const secrets = () => secretsOf(model, settings);
      await using killed = await start();
      const token = printedToken(killed);
      const api = apiClient(killed.address, token);
      const { id: projectId } = await api.project();
      const report = { projectId, data: `${SHOP_REPORT}\nkilled`, reference: 'killed', fresh: true };
      const held = model.at('asked', 4);
      await api.report(report, 'killed');
      await held;
      await killed.end('SIGKILL');
      expect(model.opaque.length).toBeGreaterThan(2);
      expect(await placesWithAny(place.path, secrets())).toEqual([]);
      model.release();
      await using service = await start();
      const again = apiClient(service.address, token);
      await again.issue(await again.report(report, 'killed'));
      // The first start alone prints a token, each one a link.
      const output = () => `${service.output()}${killed.output()}`;
      const whole = { service: { ...service, output }, endpoint: model.endpoint, dataDir: place.path };
      const said = await everythingSaid({ ...whole, [Symbol.asyncDispose]: async () => {} });
      // What goes to the provider itself must hold them.
      said.delete('prompts');
      said.set('log', output());
      const shown = [...said].filter(([, text]) => secrets().some((secret) => text.includes(secret)));
      expect(shown.map(([where]) => where)).toEqual([]);
      await service.end('SIGTERM');
      expect(await placesWithAny(place.path, secrets())).toEqual([]);
      // Not even sealed ones are left.
      expect(await storedRows(place.path, 'select * from transcript_entries where opaque is not null')).toEqual([]);
      expect(await storedRows(place.path, 'select * from transcript_entries')).not.toEqual([]);
    },
  );
});
