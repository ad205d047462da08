// Answers of endpoints in all their forms, and the requests they get.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { readJsonAnswer, readWrittenCalls } from '../src/json-mode.ts';
import type { ModelRequest } from '../src/model.ts';
import { ask, failureOf, KEY, modelAt, QUESTION } from './ask.ts';
import { type Behaviour, calls, delta, events, fails, gives, modelEndpoint, says, USAGE } from './model-endpoint.ts';

const ARGS = '{"query":"naïve 😀"}';
const CALL = { id: 'c1', name: 'search', arguments: ARGS };
const TOOL_CALLS_END = delta({}, 'tool_calls');

function piece(index: unknown, rest: Readonly<Record<string, unknown>>): unknown {
  return delta({ tool_calls: [{ index, ...rest }] });
}

describe('tool calls', () => {
  it.each<[string, Behaviour]>([
    ['as one chunk', calls('search', JSON.parse(ARGS))],
    [
      'in pieces',
      events(
        piece(0, { id: 'c1', type: 'function', function: { name: 'search', arguments: '' } }),
        piece(0, { function: { arguments: ARGS.slice(0, 5) } }),
        piece(0, { function: { arguments: ARGS.slice(5) } }),
        TOOL_CALLS_END,
        '[DONE]',
      ),
    ],
    [
      'with the name in pieces and nulls',
      events(
        piece(0, { id: 'c1', function: { name: 'sea', arguments: null } }),
        piece(0, { id: null, function: { name: 'rch', arguments: ARGS } }),
        TOOL_CALLS_END,
      ),
    ],
    [
      'with the name in every piece',
      events(
        piece(0, { id: 'c1', function: { name: 'search', arguments: ARGS.slice(0, 5) } }),
        piece(0, { id: 'c1', function: { name: 'search', arguments: ARGS.slice(5) } }),
        TOOL_CALLS_END,
      ),
    ],
    [
      'without index',
      events(
        delta({ tool_calls: [{ id: 'c1', function: { name: 'search', arguments: ARGS.slice(0, 4) } }] }),
        delta({ tool_calls: [{ function: { arguments: ARGS.slice(4) } }] }),
        delta({}, 'stop'),
      ),
    ],
    [
      'with arguments as an object',
      events(piece(0, { id: 'c1', function: { name: 'search', arguments: JSON.parse(ARGS) } }), TOOL_CALLS_END),
    ],
    [
      'in an answer that is not streamed',
      gives(
        JSON.stringify(
          {
            choices: [
              {
                index: 0,
                message: { content: null, tool_calls: [{ id: 'c1', function: { name: 'search', arguments: ARGS } }] },
                finish_reason: 'tool_calls',
              },
            ],
          },
          null,
          2,
        ),
        'application/json',
      ),
    ],
    [
      'with a namespace before the name',
      events(
        piece(0, { id: 'c1', function: { name: 'functions.search<|channel|>x', arguments: ARGS } }),
        TOOL_CALLS_END,
      ),
    ],
  ])('come %s', async (_, behaviour) => {
    await using endpoint = await modelEndpoint(behaviour);
    const turn = await ask(modelAt(endpoint.url).model);
    expect(turn.toolCalls).toEqual([CALL]);
    expect(turn.content).toBe('');
  });

  it('in any cut of the wire give the same two calls', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: ARGS.length - 1 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const ends = [0, ...places.sort((a, b) => a - b), ARGS.length];
        const pieces = ends.slice(1).flatMap((end, at) =>
          [0, 1].map((index) =>
            piece(index, {
              ...(at === 0 ? { id: `c${index}` } : {}),
              function: { ...(at === 0 ? { name: 'search' } : {}), arguments: ARGS.slice(ends[at], end) },
            }),
          ),
        );
        await using endpoint = await modelEndpoint(events(...pieces, TOOL_CALLS_END));
        const { toolCalls } = await ask(modelAt(endpoint.url).model);
        expect(toolCalls).toEqual([0, 1].map((index) => ({ ...CALL, id: `c${index}` })));
      }),
      { numRuns: 20 },
    );
  });

  it('with missing, repeated or earlier ids get ids of their own', async () => {
    const call = (id: unknown) => ({ id, function: { name: 'search', arguments: '{}' } });
    const request: ModelRequest = {
      ...QUESTION,
      messages: [
        ...QUESTION.messages,
        { role: 'assistant', content: '', toolCalls: [{ id: 'old', name: 'search', arguments: '{}' }] },
        { role: 'tool', callId: 'old', content: 'nothing' },
      ],
    };
    const list = ['same', 'same', null, 'old', 'x'.repeat(60)].map((id, index) => ({ index, ...call(id) }));
    await using endpoint = await modelEndpoint(events(delta({ tool_calls: list }), TOOL_CALLS_END));
    const { toolCalls } = await ask(modelAt(endpoint.url).model, request);
    expect(toolCalls.map(({ id }) => id)).toEqual(['same', 'call_4_1', 'call_4_2', 'call_4_3', 'call_4_4']);
  });

  it('that are all numbered 0 are distinguished by their ids', async () => {
    const call = (id: string) => piece(0, { id, function: { name: 'search', arguments: '{}' } });
    await using endpoint = await modelEndpoint(events(call('a'), call('b'), TOOL_CALLS_END));
    expect((await ask(modelAt(endpoint.url).model)).toolCalls.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('of tools that are not offered are passed on, with names that can be sent back', async () => {
    await using endpoint = await modelEndpoint(calls('rm -rf /', {}));
    expect((await ask(modelAt(endpoint.url).model)).toolCalls[0]?.name).toBe('rm_-rf__');
  });
});

describe('texts', () => {
  it.each<[string, Behaviour, string]>([
    [
      'as a list of parts',
      events(
        delta(
          {
            content: [
              { type: 'text', text: 'who' },
              { type: 'text', text: 'le' },
            ],
          },
          'stop',
        ),
      ),
      'whole',
    ],
    ['after the thoughts', says('<think>hm {"a": 1}</think>\nwhole'), 'whole'],
    [
      'of the first choice alone',
      events({ choices: [{ index: 1, delta: { content: 'B' } }] }, delta({ content: 'A' }, 'stop')),
      'A',
    ],
    [
      'with keys given twice, of which the last counts',
      events('{"choices":[{"delta":{"content":"x","content":"y"},"finish_reason":"stop"}]}'),
      'y',
    ],
  ])('come %s', async (_, behaviour, content) => {
    await using endpoint = await modelEndpoint(behaviour);
    expect((await ask(modelAt(endpoint.url).model)).content).toBe(content);
  });

  it('are whole once their end has come, though the connection breaks then', async () => {
    await using endpoint = await modelEndpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"whole"},"finish_reason":"stop"}]}\n\n', () =>
        response.socket?.resetAndDestroy(),
      );
    });
    const turn = await ask(modelAt(endpoint.url).model);
    expect(turn).toMatchObject({ content: 'whole', usage: { estimated: true } });
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('usage', () => {
  it('is what the endpoint says', async () => {
    await using endpoint = await modelEndpoint(says('a'));
    const { usage } = await ask(modelAt(endpoint.url).model);
    expect(usage).toEqual({ promptTokens: 100, cachedTokens: 60, completionTokens: 7, estimated: false });
  });

  it.each([
    ['missing', null],
    ['nought', { prompt_tokens: 0, completion_tokens: 0 }],
    ['of a wrong type', { prompt_tokens: '100', completion_tokens: -1 }],
  ])('is estimated where it is %s', async (_, usage) => {
    await using endpoint = await modelEndpoint(
      events(delta({ content: 'x'.repeat(400) }, 'stop'), { choices: [], usage }),
    );
    const turn = await ask(modelAt(endpoint.url).model);
    expect(turn.usage).toMatchObject({ completionTokens: 100, cachedTokens: 0, estimated: true });
    expect(turn.usage.promptTokens).toBeGreaterThan(50);
  });

  it('holds the answers that were thrown away', async () => {
    await using endpoint = await modelEndpoint(events(delta({ content: '' }, 'stop'), USAGE), says('a'));
    expect((await ask(modelAt(endpoint.url).model)).usage).toMatchObject({ promptTokens: 200, completionTokens: 14 });
  });
});

describe('a request', () => {
  it('has the tools byte for byte on every turn, and the messages as given, added to at the end', async () => {
    await using endpoint = await modelEndpoint(calls('search', { query: 'a' }), says('done'));
    const { model } = modelAt(endpoint.url);
    const first = await ask(model);
    const messages: ModelRequest['messages'] = [
      ...QUESTION.messages,
      { role: 'assistant', content: first.content, toolCalls: first.toolCalls },
      { role: 'tool', callId: 'c1', content: 'nothing found' },
    ];
    await ask(model, { ...QUESTION, messages, toolChoice: 'none' });
    const [one, two] = endpoint.requests.map(({ body }) => body);
    expect(JSON.stringify(two?.['tools'])).toBe(JSON.stringify(one?.['tools']));
    expect(one?.messages).toEqual(QUESTION.messages);
    const whole = JSON.stringify(two?.messages);
    expect(whole.startsWith(JSON.stringify(one?.messages).slice(0, -1))).toBe(true);
    expect(two?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"query":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'nothing found' },
    ]);
    expect([one?.['tool_choice'], two?.['tool_choice']]).toEqual([undefined, 'none']);
    expect(one).toMatchObject({ model: 'test-model', stream: true, stream_options: { include_usage: true } });
    expect(endpoint.requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(endpoint.requests[0]?.url).toBe('/v1/chat/completions');
  });

  it('repeats malformed arguments of an earlier call as sound JSON, which endpoints parse', async () => {
    await using endpoint = await modelEndpoint(says('done'));
    const toolCalls = ['{"que', ''].map((args, index) => ({ id: `c${index}`, name: 'search', arguments: args }));
    await ask(modelAt(endpoint.url).model, { ...QUESTION, messages: [{ role: 'assistant', content: 'x', toolCalls }] });
    const [sent] = endpoint.requests[0]?.body.messages ?? [];
    const args = (sent!['tool_calls'] as { function: { arguments: string } }[]).map((call) => call.function.arguments);
    expect(args).toEqual(['{"malformed":"{\\"que"}', '{}']);
  });

  it.each([
    ['stream_options', 'Unrecognized request argument supplied: stream_options'],
    ['tool_choice', "tool_choice 'none' is not supported"],
  ])('that is rejected for %s is sent again without it, and so are all later ones', async (field, message) => {
    await using endpoint = await modelEndpoint(fails(400, message), says('one'), says('two'));
    const { model, waits } = modelAt(endpoint.url);
    await ask(model, { ...QUESTION, toolChoice: 'none' });
    expect((await ask(model, { ...QUESTION, toolChoice: 'none' })).content).toBe('two');
    expect(endpoint.requests.map(({ body }) => field in body)).toEqual([true, false, false]);
    expect(endpoint.requests[2]?.body['tools']).toHaveLength(2);
    expect(waits).toEqual([]);
  });
});

describe('a model without tool calling', () => {
  const JSON_CALL = JSON.stringify({
    tool_calls: [{ name: 'search', arguments: JSON.parse(ARGS) }],
    content: 'looking',
  });

  it.each([
    [400, 'registry.ollama.ai/library/gemma:latest does not support tools'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [404, 'No endpoints found that support tool use.'],
    [500, 'tools param requires --jinja flag'],
    [400, "Unrecognized request argument supplied: 'tools'"],
    [422, 'tools is not supported with this model'],
  ])('is asked in JSON mode after %i "%s", for good', async (status, message) => {
    await using endpoint = await modelEndpoint(fails(status, message), says(JSON_CALL));
    const { model } = modelAt(endpoint.url);
    const first = await ask(model);
    expect(first).toMatchObject({ content: 'looking', toolCalls: [{ name: 'search', arguments: ARGS }] });
    const messages: ModelRequest['messages'] = [
      ...QUESTION.messages,
      { role: 'assistant', content: first.content, toolCalls: first.toolCalls },
      { role: 'tool', callId: first.toolCalls[0]?.id ?? '', content: 'nothing found' },
    ];
    await ask(model, { ...QUESTION, messages });
    expect(endpoint.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false]);
    const [, one, two] = endpoint.requests.map(({ body }) => body);
    expect(one).toMatchObject({ response_format: { type: 'json_object' } });
    expect(String(one?.messages[0]?.['content'])).toContain('"name":"search"');
    expect(two?.messages.slice(0, 2)).toEqual(one?.messages);
    expect(two?.messages.slice(2)).toEqual([
      { role: 'assistant', content: JSON_CALL },
      { role: 'user', content: 'Result of search:\nnothing found' },
    ]);
  });

  it('and without response_format gets requests without that as well', async () => {
    await using endpoint = await modelEndpoint(
      fails(400, 'this model does not support tools'),
      fails(400, 'response_format is not available'),
      says(JSON_CALL),
    );
    expect((await ask(modelAt(endpoint.url).model)).toolCalls).toHaveLength(1);
    expect(endpoint.requests[2]?.body).not.toHaveProperty('response_format');
  });

  it.each([
    ['as JSON', JSON_CALL],
    ['in a fence', '```json\n{"name": "search", "arguments": {"query": "naïve 😀"}}\n```'],
    ['in tags', `I look.<tool_call>{"name": "search", "arguments": ${ARGS}}</tool_call>`],
  ])('that writes its calls %s is understood', async (_, text) => {
    await using endpoint = await modelEndpoint(says(text));
    expect((await ask(modelAt(endpoint.url).model)).toolCalls).toEqual([{ ...CALL, id: 'call_2_0' }]);
  });

  it('that answers twice with mere text gets JSON mode', async () => {
    await using endpoint = await modelEndpoint(says('I would search.'), says('I would search again.'), says(JSON_CALL));
    const { model } = modelAt(endpoint.url);
    expect((await ask(model)).content).toBe('I would search.');
    expect((await ask(model)).toolCalls).toHaveLength(1);
    expect(endpoint.requests).toHaveLength(3);
  });

  it('is not supposed where a call has come before', async () => {
    await using endpoint = await modelEndpoint(calls('search', {}), says('a'));
    const { model } = modelAt(endpoint.url);
    for (const content of ['', 'a', 'a', 'a']) expect((await ask(model)).content).toBe(content);
    expect(endpoint.requests).toHaveLength(4);
  });
});

describe('JSON mode', () => {
  const NO_TOOLS = fails(400, 'this model does not support tools');

  it.each([
    ['in a fence', '```json\n{"tool_calls":[],"content":"fine"}\n```'],
    ['between words', 'Here: {"tool_calls":[],"content":"fine"} Done.'],
    [
      'with commas too many, and one that belongs there',
      '{"tool_calls":[{"name":"search","arguments":{"query":"a,]",},},],"content":"fine",}',
    ],
    ['of which the last of two keys counts', '{"content":"x","content":"fine"}'],
  ])('reads JSON %s', async (_, text) => {
    await using endpoint = await modelEndpoint(NO_TOOLS, says(text));
    const turn = await ask(modelAt(endpoint.url).model);
    expect(turn.content).toBe('fine');
    if (turn.toolCalls.length > 0) expect(turn.toolCalls[0]?.arguments).toBe('{"query":"a,]"}');
  });

  it.each([
    ['JSON of another shape', '{"answer": 42}'],
    ['broken JSON', '{"tool_calls": [{"name": '],
    ['calls of a wrong type', '{"tool_calls": "search"}'],
    ['a call without a name', '{"tool_calls": [{"arguments": {}}]}'],
    ['nothing', '{"tool_calls": [], "content": ""}'],
  ])('asks again after %s, and fails by name if it stays', async (_, text) => {
    await using mended = await modelEndpoint(NO_TOOLS, says(text), says('{"content":"fine"}'));
    expect((await ask(modelAt(mended.url).model)).content).toBe('fine');
    await using broken = await modelEndpoint(NO_TOOLS, says(text));
    expect((await failureOf(ask(modelAt(broken.url).model))).code).toBe('model_misbehaved');
  });

  it('says that no tool may be called any more, at the end, where the prefix stays the same', async () => {
    await using endpoint = await modelEndpoint(NO_TOOLS, says('{"content":"a"}'), says('{"root_cause":"b"}'));
    const { model } = modelAt(endpoint.url);
    await ask(model);
    expect((await ask(model, { ...QUESTION, toolChoice: 'none' })).content).toBe('{"root_cause":"b"}');
    const [, one, two] = endpoint.requests.map(({ body }) => body.messages);
    expect(two?.[0]).toEqual(one?.[0]);
    expect(String(two?.at(-1)?.['content'])).toContain('may not be called');
  });
});

const SEARCH_TOOL = { name: 'search', description: 'Searches.', parameters: {} };

it.each([
  ['quotation marks that are escaped', `{"content":${'\\"'.repeat(100_000)}}`],
  ['strings that are not closed', `{${'"\\'.repeat(100_000)}}`],
])('200 kB of %s are refused at once', async (_, text) => {
  expect(
    await cpuTime(() =>
      expect(() => readJsonAnswer(text, { toolChoice: 'auto' } as ModelRequest)).toThrow('invalid JSON'),
    ),
  ).toBeLessThan(2_000);
});

it('calls that are opened 20,000 times and never closed are no calls, at once', async () => {
  const text = '<tool_call>'.repeat(20_000);
  expect(await cpuTime(() => expect(readWrittenCalls(text, [SEARCH_TOOL])).toBeNull())).toBeLessThan(2_000);
});

it('each call between its marks is read', () => {
  const call = (pattern: string) => `<tool_call>{"name":"search","arguments":{"pattern":"${pattern}",}}</tool_call>`;
  const read = readWrittenCalls(`First ${call('a')} and ${call('b')}`, [SEARCH_TOOL]);
  expect(read?.calls.map((one) => one.arguments)).toEqual(['{"pattern":"a"}', '{"pattern":"b"}']);
});
