// The doubles refuse what the providers are known to refuse: without that the stories that they play in would show nothing.
import { describe, expect, it } from 'vitest';
import { call } from '../played.ts';
import { anthropicDouble, type CacheUsage } from './anthropic.ts';
import {
  deepSeekDouble,
  geminiDouble,
  kimiDouble,
  liteLlmDouble,
  ollamaDouble,
  openRouterDouble,
  vllmDouble,
} from './chat.ts';
import type { Double, Json } from './double.ts';
import { azureDouble, openAiDouble } from './openai.ts';

const key = 'k';
const TURNS = [{ say: 'I look.', calls: [call('look', { at: 'a' }), call('look', { at: 'b' })] }, { say: 'Done.' }];
const BEARER = { authorization: `Bearer ${key}` };
const TOOLS = [{ type: 'function', function: { name: 'look', description: '', parameters: { type: 'object' } } }];

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The data of its events. */
  readonly events: readonly Json[];
}

async function post(
  double: Double,
  path: string,
  body: Json,
  headers: Readonly<Record<string, string>> = BEARER,
): Promise<Answer> {
  const response = await fetch(`${double.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const data = lines.map((line) => JSON.parse(line.slice('data: '.length)) as Json);
  return { status: response.status, text, events: data };
}

/** The message of the assistant that the chunks give, with all that stands beside. */
function chatMessage({ events }: Answer): Json & { readonly tool_calls: readonly Json[] } {
  const deltas = events.flatMap(({ choices }) =>
    (choices as readonly { readonly delta: Json }[]).map(({ delta }) => delta),
  );
  const calls = deltas.flatMap(({ tool_calls: all }) => (all ?? []) as readonly Json[]);
  const joined = (name: string) => deltas.map((delta) => delta[name] ?? '').join('');
  const details = deltas.flatMap(({ reasoning_details: all }) => (all ?? []) as readonly Json[]);
  return {
    ...{
      role: 'assistant',
      content: joined('content'),
      tool_calls: calls,
      reasoning_content: joined('reasoning_content'),
    },
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  };
}

function resultsOf(calls: readonly Json[]): readonly Json[] {
  return calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'seen' }));
}

/** Sends the first turn, then the second with the message of the assistant as `alter` leaves it. */
async function secondTurn(
  double: Double,
  path: string,
  alter: (message: ReturnType<typeof chatMessage>) => Json,
): Promise<Answer> {
  const user = { role: 'user', content: 'Look.' };
  const first = await post(double, path, { model: 'm', messages: [user], tools: TOOLS });
  expect(first.status).toBe(200);
  const message = alter(chatMessage(first)) as ReturnType<typeof chatMessage>;
  return await post(double, path, {
    model: 'm',
    messages: [user, message, ...resultsOf(message.tool_calls)],
    tools: TOOLS,
  });
}

const withCalls = (change: (call: Json, at: number) => Json) => (message: ReturnType<typeof chatMessage>) => ({
  ...message,
  tool_calls: message.tool_calls.map(change),
});
const unchanged = (message: Json) => message;
const without = (name: string) => (message: Json) =>
  Object.fromEntries(Object.entries(message).filter(([field]) => field !== name));

describe('the double of', () => {
  it.for([
    ['GPT-5.6, no effort', { model: 'gpt-5.6-terra', tools: TOOLS }, 400, "or set reasoning_effort to 'none'"],
    [
      'GPT-5.4, effort',
      { model: 'gpt-5.4', tools: TOOLS, reasoning_effort: 'low' },
      400,
      'Please use /v1/responses instead',
    ],
    ['-pro', { model: 'gpt-5.5-pro', tools: TOOLS }, 404, 'only supported in v1/responses'],
    ['-codex', { model: 'gpt-5.3-codex', tools: TOOLS }, 404, 'This is not a chat model'],
    ['GPT-5.6 without tools', { model: 'gpt-5.6-terra' }, 200, ''],
    ['max_tokens', { model: 'gpt-5.1', max_tokens: 5 }, 400, "Use 'max_completion_tokens' instead"],
  ] as const)('OpenAI answers chat.completions for %s', async ([, body, status, words]) => {
    await using double = await openAiDouble(TURNS, { key });
    const { status: got, text } = await post(double, '/v1/chat/completions', { messages: [], ...body });
    expect([got, text.includes(words)]).toEqual([status, true]);
  });

  it.for([
    ['as it came', 'gpt-5.5', (items: readonly Json[]) => items, 200, ''],
    [
      'without its reasoning',
      'gpt-5.5',
      (items: readonly Json[]) => items.slice(1),
      400,
      "without its required 'reasoning' item",
    ],
    [
      'with reasoning that is not encrypted',
      'gpt-5.5',
      (items: readonly Json[]) => items.map(without('encrypted_content')),
      404,
      'Items are not persisted',
    ],
    [
      'with altered reasoning',
      'gpt-5.5',
      ([first, ...rest]: readonly Json[]) => [{ ...first, encrypted_content: 'gAAAA' }, ...rest],
      400,
      'invalid_encrypted_content',
    ],
    ['to another model', 'gpt-5.6', (items: readonly Json[]) => items, 400, 'invalid_encrypted_content'],
    ['without its calls', 'gpt-5.5', (items: readonly Json[]) => items.slice(0, 2), 400, 'No tool call found'],
  ] as const)('OpenAI takes back a turn %s', async ([, model, alter, status, words]) => {
    await using double = await openAiDouble(TURNS, { key });
    const common = { store: false, include: ['reasoning.encrypted_content'] };
    const user = { role: 'user', content: 'Look.' };
    const first = await post(double, '/v1/responses', { ...common, model: 'gpt-5.5', input: [user] });
    const response = first.events.at(-1)?.['response'] as { readonly output: readonly Json[] };
    const outputs = response.output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'seen' }));
    const input = [user, ...alter(response.output), ...outputs];
    const { status: got, text } = await post(double, '/v1/responses', { ...common, model, input });
    expect([got, text.includes(words)]).toEqual([status, true]);
  });

  it.for([
    ['as it came', unchanged, 200, ''],
    ['without the signature', withCalls(without('extra_content')), 400, 'is missing a thought_signature'],
    [
      'with an altered one',
      withCalls((one) => ({ ...one, extra_content: { google: { thought_signature: 'x' } } })),
      400,
      'Corrupted thought signature',
    ],
    [
      'with the documented placeholder',
      withCalls((one) => ({
        ...one,
        extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
      })),
      200,
      '',
    ],
  ] as const)('Gemini takes back a turn %s', async ([, alter, status, words]) => {
    await using double = await geminiDouble(TURNS, { key });
    const { status: got, text } = await secondTurn(double, '/v1beta/openai/chat/completions', alter);
    expect([got, text.includes(words)]).toEqual([status, true]);
  });

  it('Gemini refuses fields that it does not know, with its errors in a list', async () => {
    await using double = await geminiDouble(TURNS, { key });
    const path = '/v1beta/openai/chat/completions';
    const { status, text } = await post(double, path, { messages: [], prompt_cache_key: 'x' });
    expect([status, JSON.parse(text)[0].error.message]).toEqual([
      400,
      'Invalid JSON payload received. Unknown name "prompt_cache_key": Cannot find field.',
    ]);
  });

  it.for([
    ['as it came', unchanged, 200],
    ['with short ids', withCalls((one, at) => ({ ...one, id: `call_${at}` })), 400],
  ] as const)('LiteLLM takes back a turn %s', async ([, alter, status]) => {
    await using double = await liteLlmDouble(TURNS, { key });
    expect((await secondTurn(double, '/v1/chat/completions', alter)).status).toBe(status);
  });

  it.for([
    ['DeepSeek', deepSeekDouble, '/chat/completions', 'must be passed back to the API'],
    [
      'Kimi',
      kimiDouble,
      '/v1/chat/completions',
      'reasoning_content is missing in assistant tool call message at index 1',
    ],
  ] as const)('%s refuses a turn without its thoughts, and takes it with them', async ([, open, path, words]) => {
    await using double = await open(TURNS, { key });
    const refused = await secondTurn(double, path, without('reasoning_content'));
    expect([refused.status, refused.text.includes(words)]).toEqual([400, true]);
    expect((await secondTurn(double, path, unchanged)).status).toBe(200);
    expect(double.lost).toEqual([]);
  });

  it('OpenRouter refuses a turn without its reasoning details, and states what the answer cost', async () => {
    await using double = await openRouterDouble(TURNS, { key });
    const path = '/api/v1/chat/completions';
    const refused = await secondTurn(double, path, without('reasoning_details'));
    expect([refused.status, refused.text.includes('reasoning details to be preserved')]).toEqual([400, true]);
    const taken = await secondTurn(double, path, unchanged);
    expect([taken.status, double.lost]).toEqual([200, []]);
    expect(taken.events.at(-1)?.['usage']).toMatchObject({ cost: expect.any(Number) });
  });

  it.for([
    ['Ollama', ollamaDouble, 'does not support tools'],
    ['vLLM', vllmDouble, '--enable-auto-tool-choice'],
  ] as const)('%s refuses tools where the model has none', async ([, open, words]) => {
    await using double = await open(TURNS, { hasTools: false });
    const { status, text } = await post(double, '/v1/chat/completions', { model: 'm', messages: [], tools: TOOLS });
    expect([status, text.includes(words)]).toEqual([400, true]);
  });

  it.for([
    ['v1 with the key as api-key', '/openai/v1/chat/completions', { 'api-key': key }, 200],
    ['v1 with the key as a bearer', '/openai/v1/chat/completions', BEARER, 200],
    ['a deployment with its version', '/openai/deployments/d/chat/completions?api-version=1', { 'api-key': key }, 200],
    ['a deployment with the key as a bearer', '/openai/deployments/d/chat/completions?api-version=1', BEARER, 401],
    ['a deployment without a version', '/openai/deployments/d/chat/completions', { 'api-key': key }, 404],
    ['another deployment', '/openai/deployments/e/chat/completions?api-version=1', { 'api-key': key }, 404],
  ] as const)('Azure answers at %s', async ([, path, headers, status]) => {
    await using double = await azureDouble(TURNS, { key, deployment: 'd', model: 'gpt-5.1' });
    expect((await post(double, path, { model: 'd', messages: [] }, headers)).status).toBe(status);
  });

  describe('Anthropic', () => {
    const HEADERS = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const MODEL = 'claude-opus-5-5';
    const user = { role: 'user', content: [{ type: 'text', text: 'Look.' }] };

    /** The content of the answer, put together. */
    function contentOf({ events }: Answer): readonly Json[] {
      return events
        .filter(({ type }) => type === 'content_block_start')
        .map(({ index, content_block: block }) => {
          const deltas = events.filter((one) => one['type'] === 'content_block_delta' && one['index'] === index);
          const joined = (name: string) => deltas.map(({ delta }) => (delta as Json)[name] ?? '').join('');
          const of = block as Json;
          if (of['type'] === 'thinking')
            return { type: 'thinking', thinking: joined('thinking'), signature: joined('signature') };
          if (of['type'] === 'text') return { type: 'text', text: joined('text') };
          return { ...of, input: JSON.parse(joined('partial_json')) };
        });
    }

    const results = (content: readonly Json[]) =>
      content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'seen' }));
    const manual = { model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 1_024 } };
    const FOREIGN = { type: 'text', text: 'And then?' };

    it.for([
      ['as it came', {}, (all: readonly Json[]) => all, 200, ''],
      ['without thoughts, adaptive', {}, (all: readonly Json[]) => all.slice(1), 200, ''],
      ['without thoughts, with a budget', manual, (all: readonly Json[]) => all.slice(1), 400, 'Expected `thinking`'],
      [
        'with altered thoughts',
        {},
        ([first, ...rest]: readonly Json[]) => [{ ...first, thinking: 'Else.' }, ...rest],
        400,
        'cannot be modified',
      ],
      [
        'with thoughts after the text',
        {},
        ([first, second, ...rest]: readonly Json[]) => [second ?? {}, first ?? {}, ...rest],
        400,
        'cannot be modified',
      ],
      [
        'with a foreign signature',
        {},
        ([first, ...rest]: readonly Json[]) => [{ ...first, signature: 'x' }, ...rest],
        400,
        'Invalid `signature`',
      ],
      ['without its calls', {}, (all: readonly Json[]) => all.slice(0, 2), 400, 'unexpected `tool_use_id`'],
    ] as const)('takes back a turn %s', async ([, more, alter, status, words]) => {
      await using double = await anthropicDouble(TURNS, { key });
      const common = { model: MODEL, max_tokens: 2_048, ...more };
      const first = await post(double, '/v1/messages', { ...common, messages: [user] }, HEADERS);
      const content = contentOf(first);
      const messages = [
        user,
        { role: 'assistant', content: alter(content) },
        { role: 'user', content: results(content) },
      ];
      const { status: got, text } = await post(double, '/v1/messages', { ...common, messages }, HEADERS);
      expect([got, text.includes(words)]).toEqual([status, true]);
    });

    it('refuses results that do not follow their calls at once, and thoughts whose prefix has changed', async () => {
      await using double = await anthropicDouble(TURNS, { key });
      const common = { model: MODEL, max_tokens: 2_048 };
      const first = contentOf(await post(double, '/v1/messages', { ...common, messages: [user] }, HEADERS));
      const own = { role: 'assistant', content: first };
      const late = [user, own, { role: 'user', content: [FOREIGN, ...results(first)] }];
      const other = [{ role: 'user', content: [FOREIGN] }, own, { role: 'user', content: results(first) }];
      for (const [messages, words] of [
        [late, 'without `tool_result` blocks immediately after'],
        [other, 'bound to a different conversation'],
      ] as const) {
        const { status, text } = await post(double, '/v1/messages', { ...common, messages }, HEADERS);
        expect([status, text.includes(words)]).toEqual([400, true]);
      }
    });

    it('refuses a fifth mark, and thinking that the model does not take', async () => {
      await using double = await anthropicDouble(TURNS, { key });
      const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
      const five = { messages: [{ role: 'user', content: [marked, marked, marked, marked, marked] }] };
      for (const [body, words] of [
        [five, 'A maximum of 4 blocks with cache_control may be provided. Found 5.'],
        [{ messages: [user], thinking: manual.thinking }, '\\"thinking.type.enabled\\" is not supported'],
        [
          { messages: [user], model: manual.model, thinking: { type: 'adaptive' } },
          'adaptive thinking is not supported',
        ],
      ] as const) {
        const whole = { model: MODEL, max_tokens: 2_048, ...body };
        const { status, text } = await post(double, '/v1/messages', whole, HEADERS);
        expect([status, text.includes(words)]).toEqual([400, true]);
      }
    });

    it('caches from the least number of tokens on, at the longest prefix up to twenty blocks before a mark', async () => {
      await using double = await anthropicDouble([], { key });
      const cache_control = { type: 'ephemeral' };
      const block = (length: number, isMarked = false) => ({
        type: 'text',
        text: 'x'.repeat(length),
        ...(isMarked ? { cache_control } : {}),
      });
      const ask = async (content: readonly Json[]): Promise<CacheUsage | undefined> => {
        const body = { model: 'claude-opus-4-8', max_tokens: 9, messages: [{ role: 'user', content }] };
        await post(double, '/v1/messages', body, HEADERS);
        return double.usages.at(-1);
      };
      expect(await ask([block(2_000, true)])).toMatchObject({ cache_creation_input_tokens: 0 });
      const first = await ask([block(8_000, true)]);
      expect(first).toMatchObject({
        cache_creation_input_tokens: expect.closeTo(2_000, -2),
        cache_read_input_tokens: 0,
      });
      const small = (count: number) => Array.from({ length: count }, () => block(40));
      const written = first?.cache_creation_input_tokens;
      expect(await ask([block(8_000), ...small(18), block(40, true)])).toMatchObject({
        cache_read_input_tokens: written,
      });
      expect(await ask([block(8_000), block(80), ...small(19), block(40, true)])).toMatchObject({
        cache_read_input_tokens: 0,
      });
    });
  });
});
