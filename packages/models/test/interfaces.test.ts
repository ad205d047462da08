// The three interfaces of models: which is chosen, what is sent, and what a provider adds and wants back.
import { chmodSync, existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { chooseEndpoint } from '../src/endpoint.ts';
import { createKeys } from '../src/key-command.ts';
import { type Message, type ModelRequest, type ModelTurn, ModelUnavailable } from '../src/model.ts';
import { ask, failureOf, KEY, modelAt, NOW, QUESTION } from './ask.ts';
import {
  type AskedRequest,
  type Behaviour,
  calls,
  delta,
  events,
  fails,
  modelEndpoint,
  says,
  USAGE,
} from './model-endpoint.ts';
import { endpointSettings, type GivenSettings } from './settings.ts';
import { sharedHolds } from './shared-holds.ts';

const ANTHROPIC = { anthropic: { apiKey: 'a', baseUrl: null } };

/** The question after a turn and its results. */
function following(turn: ModelTurn): ModelRequest {
  const { content, toolCalls, opaque } = turn;
  const answer: Message = { role: 'assistant', content, toolCalls, ...(opaque && { opaque }) };
  const results = toolCalls.map(({ id }): Message => ({ role: 'tool', callId: id, content: 'nothing found' }));
  return { ...QUESTION, messages: [...QUESTION.messages, answer, ...results] };
}

/** As it is when it was stored and read again. */
function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

describe('the interface', () => {
  it.each<readonly [string, GivenSettings, string, string]>([
    ["OpenAI's own host", { apiKey: 'o' }, 'responses', 'api.openai.com'],
    ["OpenAI's host in Europe", { baseUrl: 'https://eu.api.openai.com/v1' }, 'responses', 'eu.api.openai.com'],
    ['any other address', { baseUrl: 'http://127.0.0.1:11434/v1' }, 'chat', '127.0.0.1:11434'],
    ["Anthropic's key", { ...ANTHROPIC }, 'messages', 'api.anthropic.com'],
    ["Anthropic's host", { baseUrl: 'https://api.anthropic.com/v1/' }, 'messages', 'api.anthropic.com'],
    ['both keys', { apiKey: 'o', ...ANTHROPIC, name: 'gpt-6.1-sol' }, 'responses', 'api.openai.com'],
    ['both keys and a Claude', { apiKey: 'o', ...ANTHROPIC, name: 'claude-opus-5-5' }, 'messages', 'api.anthropic.com'],
    ['both keys and an address', { baseUrl: 'http://x/v1', ...ANTHROPIC, name: 'claude-opus-5-5' }, 'chat', 'x'],
    ['a key command and a Claude', { keyCommand: 'x', name: 'claude-opus-5-5' }, 'messages', 'api.anthropic.com'],
    ['a key command', { keyCommand: 'x', name: 'gpt-6.1-sol' }, 'responses', 'api.openai.com'],
    ['MODEL_API', { baseUrl: 'http://x/v1', api: 'messages' }, 'messages', 'x'],
    ['MODEL_API of a cloud', { api: 'bedrock' }, 'bedrock', 'Amazon Bedrock'],
  ])('of %s is known', (_, given, wire, place) => {
    expect(chooseEndpoint(endpointSettings(given))).toMatchObject({ wire, place });
  });

  const REFUSED = fails(400, {
    message:
      "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    param: 'reasoning_effort',
  });

  it('that tools need is used from then on, by other processes too, for a day', async () => {
    await using endpoint = await modelEndpoint(REFUSED, responds(TEXT), responds(TEXT), responds(TEXT), says('chat'));
    const clock = { now: NOW };
    const holds = sharedHolds(() => clock.now);
    const own = { holds, now: () => clock.now };
    const { model, waits } = modelAt(endpoint.url, own);
    const questions = [await ask(model), await ask(model), await ask(modelAt(endpoint.url, own).model)];
    expect(questions.map(({ content }) => content)).toEqual(['done', 'done', 'done']);
    expect(model.asked()).toMatchObject({ wire: 'responses' });
    clock.now = new Date(NOW.getTime() + 25 * 3_600_000);
    expect((await ask(modelAt(endpoint.url, own).model)).content).toBe('chat');
    const [chat, responses] = ['/v1/chat/completions', '/v1/responses'];
    expect(endpoint.requests.map(({ url }) => url)).toEqual([chat, responses, responses, responses, chat]);
    expect(waits).toEqual([]);
  });

  it('that the operator has chosen stays, and the failure names the repair', async () => {
    await using endpoint = await modelEndpoint(REFUSED);
    const failure = await failureOf(ask(modelAt(endpoint.url, { settings: { api: 'chat' } }).model));
    expect(failure).toMatchObject({
      code: 'model_rejected',
      message: expect.stringContaining('set MODEL_API to responses'),
    });
  });
});

describe('an endpoint on Azure', () => {
  it.each([
    ['', 'https://r.openai.azure.com/openai/v1', 'm', {}],
    ['/openai/v1', 'https://r.openai.azure.com/openai/v1', 'm', {}],
    ['/openai/deployments/d', 'https://r.openai.azure.com/openai/deployments/d', 'm', { 'api-version': '2024-10-21' }],
    [
      '/openai/deployments/d?api-version=2025-04-01-preview',
      'https://r.openai.azure.com/openai/deployments/d',
      'm',
      { 'api-version': '2025-04-01-preview' },
    ],
  ])('at "%s" is asked with its version', (suffix, baseUrl, model, query) => {
    const given = { name: 'm', baseUrl: `https://r.openai.azure.com${suffix}` };
    expect(chooseEndpoint(endpointSettings(given))).toMatchObject({
      wire: 'chat',
      baseUrl,
      model,
      query,
      isAzure: true,
    });
  });

  it('is called for Responses by the name of its deployment', () => {
    const baseUrl = 'https://r.openai.azure.com/openai/deployments/d?api-version=2025-04-01-preview';
    const endpoint = chooseEndpoint(endpointSettings({ name: 'm', api: 'responses', baseUrl }));
    expect(endpoint).toMatchObject({ baseUrl: 'https://r.openai.azure.com/openai/v1', model: 'd', query: {} });
  });
});

const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'b64=='.repeat(20) };
const TEXT = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }];

/** A whole answer of Responses with these items. */
function responds(items: readonly unknown[], response: object = {}): Behaviour {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    output_tokens: 7,
  };
  return events(
    { type: 'response.created', response: { model: 'm' } },
    ...items.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
    { type: 'response.completed', response: { status: 'completed', model: 'm', output: items, usage, ...response } },
  );
}

describe('Responses', () => {
  const settings = { api: 'responses', effort: 'high' } as const;
  const ITEMS = [
    THOUGHT,
    { ...TEXT[0], phase: 'commentary' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'search', arguments: '{"query":"a"}' },
    { type: 'function_call', id: 'fc_2', call_id: 'call_b', name: 'search', arguments: '{"query":"b"}' },
  ];

  it('keep nothing, give encrypted reasoning, and get it back where it stood; the prefix stays the same', async () => {
    await using endpoint = await modelEndpoint(responds(ITEMS), responds(TEXT));
    const { model } = modelAt(endpoint.url, { settings });
    const turn = await ask(model);
    expect(turn).toMatchObject({ content: 'done', toolCalls: [{ id: 'call_a' }, { id: 'call_b' }] });
    expect(turn.usage).toMatchObject({
      promptTokens: 100,
      cachedTokens: 60,
      cacheWriteTokens: 30,
      completionTokens: 7,
    });
    await ask(model, stored(following(turn)));
    const [one, two] = endpoint.requests.map(({ body }) => body);
    expect(one).toMatchObject({
      ...{ store: false, stream: true, include: ['reasoning.encrypted_content'], parallel_tool_calls: true },
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', name: 'search', strict: false }, { name: 'conclude' }],
    });
    const [before, whole] = [one, two].map((body) => JSON.stringify(body?.['input']));
    expect(whole?.startsWith(before?.slice(0, -1) ?? '?')).toBe(true);
    expect([two?.['tools'], two?.['prompt_cache_key']]).toEqual([one?.['tools'], one?.['prompt_cache_key']]);
    expect((two?.['input'] as unknown[] | undefined)?.slice(2)).toEqual([
      THOUGHT,
      { role: 'assistant', content: 'done', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_a', name: 'search', arguments: '{"query":"a"}' },
      { type: 'function_call', call_id: 'call_b', name: 'search', arguments: '{"query":"b"}' },
      { type: 'function_call_output', call_id: 'call_a', output: 'nothing found' },
      { type: 'function_call_output', call_id: 'call_b', output: 'nothing found' },
    ]);
  });

  it('of another model get none of it', async () => {
    await using endpoint = await modelEndpoint(responds(ITEMS), responds(TEXT));
    const turn = await ask(modelAt(endpoint.url, { settings }).model);
    await ask(modelAt(endpoint.url, { settings: { ...settings, name: 'other' } }).model, following(turn));
    expect(endpoint.requests[1]?.raw).not.toContain('encrypted_content":');
    expect(endpoint.requests[1]?.raw).toContain('function_call_output');
  });

  it.each<readonly [string, Behaviour, string]>([
    ['are refused', responds([{ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }]), 'model_refused'],
    [
      'are cut',
      events({
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      }),
      'model_misbehaved',
    ],
    [
      'fail half-way',
      events({ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'slow' } } }),
      'model_unavailable',
    ],
    ['break off', events({ type: 'response.created', response: {} }), 'model_unavailable'],
    ['overflow', events({ type: 'error', code: 'context_length_exceeded', message: 'too long' }), 'model_overflow'],
  ])('that %s are told apart', async (_, behaviour, code) => {
    await using endpoint = await modelEndpoint(behaviour);
    expect((await failureOf(ask(modelAt(endpoint.url, { settings }).model))).code).toBe(code);
  });

  it.each([
    [400, "Item 'rs_1' of type 'reasoning' was provided without its required following item."],
    [404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."],
  ])('whose reasoning is not taken back (%i) go on without it', async (status, words) => {
    await using endpoint = await modelEndpoint(responds(ITEMS), fails(status, words), responds(TEXT));
    const { model } = modelAt(endpoint.url, { settings });
    expect((await ask(model, following(await ask(model)))).content).toBe('done');
    expect(endpoint.requests.map(({ raw }) => raw.includes('rs_1'))).toEqual([false, true, false]);
  });

  it('with reasoning that came without its content get it back never', async () => {
    const { encrypted_content: _, ...bare } = THOUGHT;
    await using endpoint = await modelEndpoint(responds([bare, ...ITEMS.slice(1)]), responds(TEXT));
    const { model } = modelAt(endpoint.url, { settings });
    await ask(model, following(await ask(model)));
    expect(endpoint.requests[1]?.raw).not.toContain('rs_1');
  });

  it('of a model that does not reason request none', async () => {
    const refusal = fails(400, { message: 'Encrypted content is not supported with this model.', param: 'include' });
    await using endpoint = await modelEndpoint(refusal, responds(TEXT));
    await ask(modelAt(endpoint.url, { settings }).model);
    expect(endpoint.requests.map(({ body }) => 'include' in body)).toEqual([true, false]);
  });
});

/** A whole answer of Messages with these content blocks. */
function messages(blocks: readonly (readonly [start: object, ...pieces: object[]])[], stop = 'tool_use'): Behaviour {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 1 };
  const all: { readonly type: string }[] = [
    { type: 'message_start', ...{ message: { model: 'claude-x', usage } } },
    ...blocks.flatMap(([start, ...pieces], index) => [
      { type: 'content_block_start', index, content_block: start },
      ...pieces.map((piece) => ({ type: 'content_block_delta', index, delta: piece })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', ...{ delta: { stop_reason: stop }, usage: { output_tokens: 7 } } },
    { type: 'message_stop' },
  ];
  const wire = all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wire);
}

describe('Messages', () => {
  const settings = { api: 'messages', name: 'claude-x' } as const;
  const USE = { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} };
  const ANSWER = messages([
    [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'It must ' },
      { type: 'thinking_delta', thinking: 'be here.' },
      { type: 'signature_delta', signature: 'sig==' },
    ],
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'I look.' },
    ],
    [USE, { type: 'input_json_delta', partial_json: '{"query":' }, { type: 'input_json_delta', partial_json: '"a"}' }],
  ]);
  const DONE = messages([[{ type: 'text', text: 'done' }]], 'end_turn');
  const MARK = { cache_control: { type: 'ephemeral' } };

  it('think, get their thoughts back where they stood, and cache tools, system text and what was said', async () => {
    await using endpoint = await modelEndpoint(ANSWER, DONE);
    const { model } = modelAt(endpoint.url, { settings });
    const turn = await ask(model);
    expect(turn).toMatchObject({ content: 'I look.', toolCalls: [{ id: 'toolu_1', arguments: '{"query":"a"}' }] });
    expect(turn.usage).toEqual({
      ...{ promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 30, completionTokens: 7, estimated: false },
    });
    await ask(model, stored(following(turn)));
    const [one, two] = endpoint.requests;
    expect(one?.url).toBe('/v1/messages');
    expect(one?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': expect.any(String) });
    expect(one?.headers['authorization']).toBeUndefined();
    expect(one?.body).toMatchObject({
      ...{ thinking: { type: 'adaptive' }, system: [{ type: 'text', text: 'You investigate.', ...MARK }] },
      tools: [
        { name: 'search', input_schema: expect.any(Object) },
        { name: 'conclude', ...MARK },
      ],
    });
    expect(two?.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'It crashes.', ...MARK }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'It must be here.', signature: 'sig==' },
          { type: 'text', text: 'I look.' },
          { ...USE, input: { query: 'a' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'nothing found', ...MARK }] },
    ]);
  });

  it('of another model get no thoughts, and ids that they take', async () => {
    await using endpoint = await modelEndpoint(ANSWER, DONE);
    const turn = await ask(modelAt(endpoint.url, { settings }).model);
    const toolCalls = turn.toolCalls.map((call) => ({ ...call, id: 'functions.search:0' }));
    await ask(
      modelAt(endpoint.url, { settings: { ...settings, name: 'claude-y' } }).model,
      following({ ...turn, toolCalls }),
    );
    expect(endpoint.requests[1]?.raw).not.toContain('sig==');
    expect(endpoint.requests[1]?.raw).toContain('"tool_use_id":"functions_search_0"');
  });

  it.each(['constructor', '__proto__', 'citations_delta'])('leave out a piece of the unknown kind %s', async (type) => {
    const block = [
      { type: 'text', text: '' },
      { type, name: 'x' },
      { type: 'text_delta', text: 'done' },
    ] as const;
    await using endpoint = await modelEndpoint(messages([block], 'end_turn'));
    expect((await ask(modelAt(endpoint.url, { settings }).model)).content).toBe('done');
  });

  it('that no longer fit what precedes them are ignored or omitted, and the run goes on', async () => {
    const unfit = 'messages.1.content.0: Invalid `signature` in `thinking` block.';
    const bound = `${unfit} The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
    await using endpoint = await modelEndpoint(ANSWER, fails(400, bound), fails(400, unfit), DONE);
    const { model } = modelAt(endpoint.url, { settings });
    expect((await ask(model, following(await ask(model)))).content).toBe('done');
    const [, first, second, third] = endpoint.requests;
    expect(first?.body['thinking']).toEqual({ type: 'adaptive' });
    expect(second?.body['thinking']).toMatchObject({ block_binding: { prefix_mismatch_behavior: 'drop_block' } });
    expect([second, third].map((request) => request?.raw.includes('sig=='))).toEqual([true, false]);
  });

  it('of older models omit what these do not take', async () => {
    await using endpoint = await modelEndpoint(
      fails(400, 'adaptive thinking is not supported on this model'),
      fails(400, 'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-x'),
      DONE,
    );
    await ask(modelAt(endpoint.url, { settings }).model);
    expect(endpoint.requests.map(({ body }) => [body['max_tokens'], 'thinking' in body])).toEqual([
      [32_000, true],
      [32_000, false],
      [8_192, false],
    ]);
  });

  it.each<readonly [string, Behaviour, string]>([
    ['are refused', messages([[{ type: 'text', text: 'x' }]], 'refusal'), 'model_refused'],
    ['are cut', messages([[{ type: 'text', text: 'x' }]], 'max_tokens'), 'model_misbehaved'],
    ['overflow', fails(400, 'prompt is too long: 210000 tokens > 200000 maximum'), 'model_overflow'],
    ['cost what is not there', fails(400, 'Your credit balance is too low to access the API.'), 'model_rejected'],
    ['come from a busy server', fails(529, { type: 'overloaded_error', message: 'Overloaded' }), 'model_unavailable'],
  ])('that %s are told apart', async (_, behaviour, code) => {
    await using endpoint = await modelEndpoint(behaviour);
    expect((await failureOf(ask(modelAt(endpoint.url, { settings }).model))).code).toBe(code);
  });

  it('at a cloud whose client is not installed name the command that installs it', async () => {
    const { model } = modelAt('http://127.0.0.1:9/v1', { settings: { ...settings, api: 'bedrock' } });
    expect((await failureOf(ask(model))).message).toMatch(/npm install .*@anthropic-ai\/bedrock-sdk@\d/);
  });
});

describe('what an endpoint of chat.completions adds', () => {
  const LONG = `call_1__thought__${'A1+/'.repeat(200)}`;
  const SIGNED = { extra_content: { google: { thought_signature: 'sig+/==' } } };
  const ADDED = events(
    delta({ reasoning_content: 'It must ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'It ' }] }),
    delta({ reasoning_content: 'be here.', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'must.' }] }),
    delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 's' }] }),
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'e' }] }),
    delta({
      tool_calls: [
        { index: 0, id: LONG, function: { name: 'search', arguments: '{}' }, ...SIGNED },
        { index: 1, id: 'short', function: { name: 'search', arguments: '{"query":"b"}' } },
      ],
    }),
    delta({}, 'tool_calls'),
    USAGE,
  );
  const sent = (asked: AskedRequest | undefined) => asked?.body.messages.slice(2);

  it('goes back as it came, after it was stored, with the ids of the provider', async () => {
    await using endpoint = await modelEndpoint(ADDED, says('done'));
    const turn = await ask(modelAt(endpoint.url).model);
    expect(turn.toolCalls.map(({ id }) => id)).toEqual(['call_2_0', 'short']);
    await ask(modelAt(endpoint.url).model, stored(following(turn)));
    expect(sent(endpoint.requests[1])).toEqual([
      {
        ...{ role: 'assistant', content: null, reasoning_content: 'It must be here.' },
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'It must.', signature: 's' },
          { type: 'reasoning.encrypted', index: 1, data: 'e' },
        ],
        tool_calls: [
          { id: LONG, type: 'function', function: { name: 'search', arguments: '{}' }, ...SIGNED },
          { id: 'short', type: 'function', function: { name: 'search', arguments: '{"query":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: LONG, content: 'nothing found' },
      { role: 'tool', tool_call_id: 'short', content: 'nothing found' },
    ]);
  });

  it('goes back as it came whatever its parts are called', async () => {
    const added = '{"constructor":{"a":{"b":1}},"__proto__":{"c":2}}';
    const call = `{"index":0,"id":"x","function":{"name":"search","arguments":"{}"},"extra_content":${added}}`;
    await using endpoint = await modelEndpoint(
      events(`{"choices":[{"index":0,"delta":{"tool_calls":[${call}]}}]}`, delta({}, 'tool_calls'), USAGE),
      says('done'),
    );
    const { model } = modelAt(endpoint.url);
    await ask(model, stored(following(await ask(model))));
    expect(endpoint.requests[1]?.raw).toContain(`"extra_content":${added}`);
  });

  it('is kept from any other model, with what that wants in its place', async () => {
    await using endpoint = await modelEndpoint(
      ADDED,
      fails(400, 'The `reasoning_content` in the thinking mode must be passed back to the API.'),
      fails(400, 'Function call is missing a thought_signature in functionCall parts.'),
      says('done'),
    );
    const turn = await ask(modelAt(endpoint.url).model);
    const { model, waits } = modelAt(endpoint.url, { settings: { name: 'other' } });
    expect((await ask(model, following(turn))).content).toBe('done');
    const [, plain, , last] = endpoint.requests;
    expect(plain?.raw).not.toMatch(/reasoning|extra_content|__thought__/);
    expect(sent(last)?.[0]).toMatchObject({
      reasoning_content: '',
      tool_calls: [
        { id: 'call_2_0', extra_content: { google: { thought_signature: expect.any(String) } } },
        { id: 'short' },
      ],
    });
    expect(waits).toEqual([]);
  });

  it.each(['Corrupted thought signature.', 'Invalid thought_signature', 'Thought signature is not valid'])(
    'is left out where it is refused (%s), even if only an id was opaque',
    async (words) => {
      const call = { index: 0, id: LONG, function: { name: 'search', arguments: '{}' } };
      const called = events(delta({ tool_calls: [call] }, 'tool_calls'), USAGE);
      await using endpoint = await modelEndpoint(called, fails(400, words), says('done'));
      const { model } = modelAt(endpoint.url);
      expect((await ask(model, following(await ask(model)))).content).toBe('done');
      expect(endpoint.requests.map(({ raw }) => raw.includes(LONG))).toEqual([false, true, false]);
    },
  );

  it('is the reasoning of an endpoint that also sends an empty list of details', async () => {
    const thinks = delta({ reasoning: 'It must be here.', reasoning_details: [], content: 'a' }, 'stop');
    await using endpoint = await modelEndpoint(events(thinks, USAGE), says('done'));
    const { model } = modelAt(endpoint.url);
    await ask(model, following(await ask(model)));
    expect(sent(endpoint.requests[1])?.[0]).toMatchObject({ reasoning: 'It must be here.' });
  });

  it('is left out where the endpoint takes it for a mistake', async () => {
    const refusal = fails(400, "'messages.2': property 'reasoning_content' is unsupported");
    await using endpoint = await modelEndpoint(ADDED, refusal, says('done'));
    const { model } = modelAt(endpoint.url);
    expect((await ask(model, following(await ask(model)))).content).toBe('done');
    expect(endpoint.requests[2]?.raw).not.toContain('reasoning_content');
  });

  it.each([
    ['as a field', [{ msg: 'Input should be a valid string', input: 'It must be here.' }]],
    ['in a text', '[{"msg": "Input should be a valid string", "input": "It must be here."}]'],
    ['as Pydantic writes it', "Input should be a valid string [input_value='It must be here.']"],
    ['sealed', `Input should be a valid string: ${LONG} It is refused`],
  ])('is in no message where a refusal repeats it %s', async (_, detail) => {
    await using endpoint = await modelEndpoint(fails(422, { detail }));
    const { message } = await failureOf(ask(modelAt(endpoint.url).model));
    expect(message).toContain('Input should be a valid string');
    expect(message).not.toMatch(/must be here|__thought__/);
  });

  it.each<readonly [string, object, number | undefined]>([
    ['its cost', { cost: 0.0123 }, 0.0123],
    [
      'its fee and the bill of the provider',
      { cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } },
      0.75,
    ],
    [
      'nothing, where it names its fee alone',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: null } },
      undefined,
    ],
    [
      'its price, whatever it pays the provider',
      { cost: 0.03, is_byok: false, cost_details: { upstream_inference_cost: 0.02 } },
      0.03,
    ],
  ])('to the bill counts first: %s', async (_, stated, cost) => {
    const usage = { ...USAGE.usage, ...stated };
    await using endpoint = await modelEndpoint(events(delta({ content: 'a' }, 'stop'), { choices: [], usage }));
    expect((await ask(modelAt(endpoint.url).model)).usage.costUsd).toBe(cost);
  });
});

describe('what else is sent', () => {
  it('are the headers and the effort of the operator, and no secret in what goes wrong', async () => {
    const secret = 'team-token-0123456789';
    await using endpoint = await modelEndpoint(fails(400, `bad token ${secret}`));
    const settings = { headers: [['X-Team', secret]], effort: 'low' } as const;
    const failure = await failureOf(ask(modelAt(endpoint.url, { settings }).model));
    expect(endpoint.requests[0]?.headers['x-team']).toBe(secret);
    expect(endpoint.requests[0]?.body['reasoning_effort']).toBe('low');
    expect(failure.message).not.toContain(secret);
  });

  it('is a key that a command prints: once, and again when it is refused', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'causeway-models-'));
    const [count, script] = [path.join(folder.path, 'count'), path.join(folder.path, 'key.sh')];
    writeFileSync(script, `#!/bin/sh\necho x >> ${count}\necho "printed-key-$(wc -l < ${count} | tr -d ' ')"\n`);
    chmodSync(script, 0o700);
    await using endpoint = await modelEndpoint(
      says('a'),
      says('b'),
      fails(403, 'expired'),
      says('c'),
      fails(401, 'no'),
    );
    const keys: string[] = [];
    const environment = { PATH: process.env['PATH'] };
    const onKey = (key: string) => void keys.push(key);
    const { model } = modelAt(endpoint.url, { settings: { keyCommand: script }, environment, onKey });
    const shut = { ...QUESTION, toolChoice: 'none' } as const;
    for (const content of ['a', 'b', 'c']) expect((await ask(model, shut)).content).toBe(content);
    expect((await failureOf(ask(model))).message).toContain('check MODEL_KEY_COMMAND');
    const used = endpoint.requests.map(({ headers }) => headers['authorization']?.replace('Bearer printed-key-', ''));
    expect(used).toEqual(['1', '1', '1', '2', '2', '3']);
    expect(keys).toEqual(['printed-key-1', 'printed-key-2', 'printed-key-3']);
    expect(readFileSync(count, 'utf8')).toBe('x\nx\nx\n');
  });

  it.each([
    ['fails', 'model_unavailable', 'echo secret-words; exit 3', 'ended with code 3'],
    ['is not there', 'model_rejected', 'echo secret-words; no-such-command', 'ended with code 127'],
    ['prints more than a key', 'model_rejected', 'echo secret-words and more', 'printed no key, or more than a key'],
  ])('is no key where the command %s (%s), and what it printed is not repeated', async (_, code, keyCommand, flaw) => {
    const { model } = modelAt('http://127.0.0.1:9/v1', { settings: { keyCommand }, environment: process.env });
    const failure = await failureOf(ask(model));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(flaw) });
    expect(failure.message).not.toContain('secret-words');
  });
});

it('a key command that hangs and ignores signals is killed, and the next question runs it again', async () => {
  const own = { environment: process.env, now: () => NOW, onKey: () => {}, deadlineMs: 300 };
  const keys = createKeys({ ...own, command: "trap '' TERM; while :; do sleep 0.1; done" });
  for (const _ of [1, 2]) {
    const failure = await failureOf(keys.current(new AbortController().signal));
    expect(failure).toBeInstanceOf(ModelUnavailable);
    expect(failure.message).toContain('MODEL_KEY_COMMAND did not end within 0.3 s');
    expect((failure as ModelUnavailable).retryAt.getTime() - NOW.getTime()).toBe(60_000);
  }
});

describe.skipIf(process.platform === 'win32')('a key command with a child', () => {
  /** `$CHILD` of the command starts one that lives for a minute. */
  const commandWith = async (command: string, signal: AbortSignal, deadlineMs = 300) => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'causeway-models-'));
    const list = path.join(folder.path, 'child');
    const own = { environment: process.env, now: () => NOW, onKey: () => {}, deadlineMs };
    const keys = createKeys({ ...own, command: command.replace('$CHILD', `sleep 60 & echo $! > ${list};`) });
    const asked = keys.current(signal);
    asked.catch(() => undefined);
    await expect.poll(() => existsSync(list) && readFileSync(list, 'utf8')).toMatch(/^\d+\n$/);
    const child = Number(readFileSync(list, 'utf8'));
    return { asked, ended: () => expect.poll(() => isAlive(child)).toBe(false) };
  };

  it.each([
    ['hangs', '$CHILD sleep 60', 'did not end within 0.3 s'],
    ['is killed and leaves it with its output', '$CHILD kill -9 $$', 'did not end within 0.3 s'],
    ['prints without end', '$CHILD yes', 'printed no key, or more than a key'],
  ])('that %s leaves none behind', async (_, command, flaw) => {
    const { asked, ended } = await commandWith(command, new AbortController().signal);
    expect((await failureOf(asked)).message).toContain(`MODEL_KEY_COMMAND ${flaw}`);
    await ended();
  });

  it('ends with it once no one waits for its key, as when the service stops', async () => {
    const abort = new AbortController();
    const { asked, ended } = await commandWith('$CHILD sleep 60', abort.signal, 60_000);
    abort.abort(new Error('stopping'));
    await expect(asked).rejects.toThrow('stopping');
    await ended();
  });
});

it('a key command goes on while one of those who asked still waits', async () => {
  const keys = createKeys({
    ...{ command: 'sleep 0.3; echo the-key', environment: process.env, now: () => NOW },
    onKey: () => {},
  });
  const abort = new AbortController();
  const [left, stayed] = [keys.current(abort.signal), keys.current(new AbortController().signal)];
  abort.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(await stayed).toBe('the-key');
});

it('a key that says when it expires is replaced before', async () => {
  const expires = Buffer.from(JSON.stringify({ exp: NOW.getTime() / 1_000 + 3_600 })).toString('base64url');
  const clock = { now: NOW };
  const printed: string[] = [];
  const keys = createKeys({
    ...{ command: `echo head.${expires}.$$`, environment: process.env, now: () => clock.now },
    onKey: (key) => void printed.push(key),
  });
  const keyAfter = (minutes: number) => {
    clock.now = new Date(NOW.getTime() + minutes * 60_000);
    return keys.current(new AbortController().signal);
  };
  const [first, still, next] = [await keyAfter(0), await keyAfter(58), await keyAfter(59)];
  expect([still, next]).toEqual([first, printed[1]]);
  expect(next).not.toBe(first);
});

it('a key command that hangs does not delay an abort', async () => {
  const abort = new AbortController();
  const reason = new Error('stopped by a person');
  const { model } = modelAt('http://127.0.0.1:9/v1', {
    settings: { keyCommand: 'sleep 0.5' },
    environment: process.env,
  });
  const asked = model.ask(QUESTION, abort.signal);
  setTimeout(() => abort.abort(reason), 50);
  await expect(asked).rejects.toBe(reason);
});

describe('a text that is made to be expensive', () => {
  it.each([
    ['quotes that are never closed', `{"a": ${'"'.repeat(200_001)}, }`],
    ['backslashes', `{"a": "${'\\'.repeat(200_001)}, }`],
    ['commas and blanks', `{${', '.repeat(100_000)}}`],
    ['tags that are never closed', '<tool_call>'.repeat(20_000)],
  ])('such as %s is read in one go', async (_, text) => {
    await using endpoint = await modelEndpoint(says(text), calls('search', {}));
    // Quadratic time would be half a minute.
    expect(await cpuTime(() => ask(modelAt(endpoint.url).model).catch(() => undefined))).toBeLessThan(15_000);
    expect(endpoint.requests.length).toBeGreaterThan(0);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
