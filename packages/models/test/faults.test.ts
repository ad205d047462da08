// Every fault of an endpoint: a named failure, or a whole answer after repair; never half of one.
import { describe, expect, it } from 'vitest';
import { createEndpointModel } from '../src/endpoint-model.ts';
import { ModelFailure, ModelUnavailable, type TurnUsage } from '../src/model.ts';
import { ask, failureOf, KEY, modelAt, NOW, QUESTION } from './ask.ts';
import {
  type Behaviour,
  delta,
  drips,
  events,
  fails,
  floods,
  gives,
  modelEndpoint,
  resetsAfter,
  says,
  stallsAfter,
  USAGE,
  wire,
} from './model-endpoint.ts';
import { endpointSettings } from './settings.ts';

const HALF = delta({ content: 'half an ans' });
const HALF_CALL = delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'search', arguments: '{"que' } }] });
const MEGABYTE = 'x'.repeat(1024 * 1024);

/** Faults that pass: the second attempt gives the whole answer. */
const REPAIRED: readonly (readonly [string, Behaviour])[] = [
  ['a rate limit', fails(429, 'slow down')],
  ['an internal error', fails(500, 'oops')],
  ['a gateway error as a web page', (response) => void response.writeHead(502).end('<html>bad gateway</html>')],
  ['a web page with 200', gives('<!doctype html><title>Sign in</title>', 'text/html')],
  ['plain text with 200', gives('service is starting', 'text/plain')],
  ['a web page sent as JSON', gives('<html></html>', 'application/json')],
  ['invalid JSON with 200', gives('{"choices": [', 'application/json')],
  ['an empty body', gives('', 'text/event-stream')],
  ['no content', (response) => void response.writeHead(204).end()],
  ['no choices', events({ choices: [] }, '[DONE]')],
  ['no choices in a whole answer', gives('{"choices": []}', 'application/json')],
  ['an event of invalid JSON', events(HALF, '{"choices": [', '[DONE]')],
  ['an event that is null', events('null', '[DONE]')],
  ['an event that is a list', events([1], '[DONE]')],
  ['choices of a wrong type', events({ choices: 'many' }, '[DONE]')],
  ['a choice that is a text', events({ choices: ['hello'] }, '[DONE]')],
  ['content of a wrong type', events(delta({ content: 42 }, 'stop'), '[DONE]')],
  ['tool calls of a wrong type', events(delta({ tool_calls: 'search' }, 'tool_calls'), '[DONE]')],
  ['a tool call that is null', events(delta({ tool_calls: [null] }, 'tool_calls'), '[DONE]')],
  [
    'a name of a wrong type',
    events(delta({ tool_calls: [{ index: 0, function: { name: 7 } }] }, 'tool_calls'), '[DONE]'),
  ],
  ['a call without a name', events(delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, 'tool_calls'))],
  ['a finish reason of a wrong type', events(delta({ content: 'a' }, 1), '[DONE]')],
  ['nothing said', events(delta({ content: '' }, 'stop'), '[DONE]')],
  ['a stream that ends without its end', events(HALF)],
  ['a stream that is done without its end', events(HALF, '[DONE]')],
  ['a tool call without its end', events(HALF_CALL, '[DONE]')],
  ['a reset in the middle', resetsAfter(HALF)],
  ['a reset before the answer', (response) => void response.socket?.resetAndDestroy()],
  ['an error in the stream', events(HALF, { error: { message: 'overloaded', code: 502 } })],
  ['an error as finish reason', events(delta({ content: 'half' }, 'error'), '[DONE]')],
  ['an answer cut at the limit', events(delta({ content: 'half' }, 'length'), '[DONE]')],
  ['a call cut at the limit', events(HALF_CALL, delta({}, 'length'), '[DONE]')],
];

describe('a fault that passes', () => {
  it.each(REPAIRED)('%s is followed by another attempt and a whole answer', async (_, behaviour) => {
    await using endpoint = await modelEndpoint(behaviour, says('whole'));
    const { model, waits } = modelAt(endpoint.url);
    expect((await ask(model)).content).toBe('whole');
    expect(endpoint.requests).toHaveLength(2);
    expect(endpoint.requests[1]?.raw).toBe(endpoint.requests[0]?.raw);
    expect(waits).toEqual([500]);
  });

  it.each(REPAIRED)('%s that stays is a named failure without a half result', async (_, behaviour) => {
    await using endpoint = await modelEndpoint(behaviour);
    const failure = await failureOf(ask(modelAt(endpoint.url).model));
    expect(['model_unavailable', 'model_misbehaved']).toContain(failure.code);
    expect(failure.message).not.toContain(KEY);
    expect(failure.message).toContain(new URL(endpoint.url).host);
    expect(endpoint.requests.length).toBeLessThanOrEqual(4);
  });

  it('three failures in a row are overcome, with longer waits', async () => {
    await using endpoint = await modelEndpoint(fails(500, 'a'), fails(503, 'b'), fails(500, 'c'), says('whole'));
    const { model, waits } = modelAt(endpoint.url);
    expect((await ask(model)).content).toBe('whole');
    expect(waits).toEqual([500, 1_000, 2_000]);
  });

  it('silence after the beginning, or before it, is ended by the idle deadline', async () => {
    await using endpoint = await modelEndpoint(stallsAfter(HALF), () => {}, says('whole'));
    expect((await ask(modelAt(endpoint.url, { idleMs: 1_000 }).model)).content).toBe('whole');
    expect(endpoint.requests).toHaveLength(3);
  });

  it('silence for good is an outage that names MODEL_IDLE_S', async () => {
    await using endpoint = await modelEndpoint(stallsAfter(HALF));
    const failure = await failureOf(ask(modelAt(endpoint.url, { idleMs: 50 }).model));
    expect(failure).toBeInstanceOf(ModelUnavailable);
    expect(failure.message).toContain('MODEL_IDLE_S');
  });

  it('a drip that never comes to an end is ended by the total deadline', async () => {
    await using endpoint = await modelEndpoint(drips());
    const failure = await failureOf(ask(modelAt(endpoint.url, { timeoutMs: 200 }).model));
    expect(failure.code).toBe('model_misbehaved');
    expect(failure.message).toContain('MODEL_TIMEOUT_S');
    expect(endpoint.requests).toHaveLength(1);
  });

  it('an endpoint that is not there is an outage', async () => {
    const { url, ...gone } = await modelEndpoint(says(''));
    await gone[Symbol.asyncDispose]();
    const failure = await failureOf(ask(modelAt(url).model));
    expect(failure).toBeInstanceOf(ModelUnavailable);
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it.each([
    ['in one line', `:${MEGABYTE}`],
    ['in events', wire([delta({ content: 'x'.repeat(100_000) })])],
    ['in comments', `: ${'x'.repeat(1_000)}\n`],
  ])('50 MB %s are cut off', async (_, piece) => {
    await using endpoint = await modelEndpoint(floods(50 * MEGABYTE.length, piece));
    const failure = await failureOf(ask(modelAt(endpoint.url).model));
    expect(failure.code).toBe('model_misbehaved');
    expect(failure.message).toContain('larger');
  });
});

describe('a fault that the operator must fix', () => {
  it.each([
    [401, 'OPENAI_API_KEY'],
    [403, 'OPENAI_API_KEY'],
    [402, 'OPENAI_API_KEY'],
    [404, 'OPENAI_BASE_URL'],
    [404, 'MODEL (test-model)'],
    [400, 'MODEL (test-model)'],
    [422, 'OPENAI_BASE_URL'],
  ])('%i is not tried again, and its message names %s, never the key', async (status, name) => {
    const masked = `${KEY.slice(0, 12)}****${KEY.slice(-4)}`;
    await using endpoint = await modelEndpoint(fails(status, `bad key ${KEY} or "${masked}" or x${KEY.slice(-9)}`));
    const failure = await failureOf(ask(modelAt(endpoint.url).model));
    expect(failure.code).toBe('model_rejected');
    expect(failure.message).toContain(name);
    expect(failure.message).not.toContain(KEY.slice(0, 12));
    expect(failure.message).not.toContain(KEY.slice(-8));
    expect(failure.cause).toBeUndefined();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('an exhausted quota is not waited for', async () => {
    await using endpoint = await modelEndpoint(fails(429, { message: 'You exceeded', code: 'insufficient_quota' }));
    expect((await failureOf(ask(modelAt(endpoint.url).model))).code).toBe('model_rejected');
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])(
    'a redirect (%i) is not followed, so that the key goes nowhere else',
    async (status) => {
      await using other = await modelEndpoint(says('stolen'));
      await using endpoint = await modelEndpoint((response) => {
        response.writeHead(status, { location: `${other.url}/chat/completions` }).end();
      });
      const failure = await failureOf(ask(modelAt(endpoint.url).model));
      expect(failure.code).toBe('model_rejected');
      expect(failure.message).toContain(new URL(other.url).host);
      expect(other.requests).toHaveLength(0);
    },
  );

  it('a key that no header can carry is refused without being repeated', async () => {
    const failure = await failureOf(ask(modelAt('http://127.0.0.1:9/v1', { settings: { apiKey: `${KEY}\nx` } }).model));
    expect(failure.code).toBe('model_rejected');
    expect(failure.message).not.toContain(KEY);
  });
});

it('a mistake of ours is neither asked again nor called a lost connection', async () => {
  await using endpoint = await modelEndpoint(says('whole'));
  const { model, waits } = modelAt(endpoint.url);
  const parameters: Record<string, unknown> = { type: 'object' };
  parameters['itself'] = parameters;
  const tools = [{ name: 'search', description: 'Searches the source.', parameters }];
  await expect(ask(model, { ...QUESTION, tools })).rejects.toThrow(TypeError);
  expect(endpoint.requests).toEqual([]);
  expect(waits).toEqual([]);
});

describe('a refusal', () => {
  it.each([
    ['of the model', events(delta({ refusal: 'I cannot' }), delta({}, 'stop'), '[DONE]')],
    ['by a filter of the answer', events(HALF, delta({}, 'content_filter'), '[DONE]')],
    ['by a filter of the request', fails(400, { message: 'The response was filtered', code: 'content_filter' })],
  ])('%s is named and not tried again', async (_, behaviour) => {
    await using endpoint = await modelEndpoint(behaviour);
    expect((await failureOf(ask(modelAt(endpoint.url).model))).code).toBe('model_refused');
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('a context that overflows', () => {
  it.each([
    [400, { message: "This model's maximum context length is 8192 tokens. However, you requested 9000", code: null }],
    [400, { message: 'too long', code: 'context_length_exceeded' }],
    [400, 'Your input exceeds the context window of this model.'],
    [400, 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.'],
    [400, 'prompt too long; exceeded max context length by 12 tokens'],
    [500, 'the input length exceeds the context length'],
    [
      400,
      {
        message: 'the request exceeds the available context size. try increasing it',
        type: 'exceed_context_size_error',
      },
    ],
    [500, 'Context size has been exceeded.'],
    [400, "This endpoint's maximum context length is 32768 tokens."],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).'],
    [413, 'Payload too large'],
    [429, 'Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000'],
  ])('is known by its words (%i, %j)', async (status, message) => {
    await using endpoint = await modelEndpoint(fails(status, message));
    expect((await failureOf(ask(modelAt(endpoint.url).model))).code).toBe('model_overflow');
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  it.each([
    ['7', 7_000],
    ['Fri, 20 Nov 2026 12:00:20 GMT', 20_000],
    ['soon', 500],
    ['-5', 500],
    ['', 500],
    ['1e9', 500],
  ])('"%s" is waited for as %i ms', async (header, waited) => {
    await using endpoint = await modelEndpoint(fails(429, 'wait', { 'retry-after': header }), says('whole'));
    const { model, waits } = modelAt(endpoint.url);
    expect((await ask(model)).content).toBe('whole');
    expect(waits).toEqual([waited]);
  });

  it.each([
    ['120', 120_000],
    ['31', 31_000],
    ['Fri, 20 Nov 2026 13:00:00 GMT', 3_600_000],
    ['999999999', 86_400_000],
  ])('"%s" gives the job back until then, at most a day', async (header, later) => {
    await using endpoint = await modelEndpoint(fails(429, 'wait', { 'retry-after': header }));
    const { model, waits } = modelAt(endpoint.url);
    const failure = await failureOf(ask(model));
    expect(failure).toBeInstanceOf(ModelUnavailable);
    expect((failure as ModelUnavailable).retryAt.getTime() - NOW.getTime()).toBe(later);
    expect(waits).toEqual([]);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('a wait that the deadline has no room for gives the job back', async () => {
    await using endpoint = await modelEndpoint(fails(503, 'wait', { 'retry-after': '20' }));
    expect(await failureOf(ask(modelAt(endpoint.url, { timeoutMs: 10_000 }).model))).toBeInstanceOf(ModelUnavailable);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('an outage without one comes back a minute later', async () => {
    await using endpoint = await modelEndpoint(fails(500, 'down'));
    const failure = (await failureOf(ask(modelAt(endpoint.url).model))) as ModelUnavailable;
    expect(failure.retryAt.getTime() - NOW.getTime()).toBe(60_000);
    expect(endpoint.requests).toHaveLength(4);
  });
});

describe('what a question took that was never answered', () => {
  const NOTHING = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, estimated: false };
  /** Four characters a token. */
  const PROMPT_TOKENS = Math.ceil(
    (JSON.stringify(QUESTION.messages).length +
      JSON.stringify(QUESTION.tools.map((tool) => ({ type: 'function', function: tool }))).length) /
      4,
  );

  function attempts(count: number): TurnUsage {
    // 'half an ans'
    return { promptTokens: count * PROMPT_TOKENS, cachedTokens: 0, completionTokens: count * 3, estimated: true };
  }

  async function spentAt(...behaviours: Behaviour[]): Promise<TurnUsage> {
    await using endpoint = await modelEndpoint(...behaviours);
    const failure = await failureOf(ask(modelAt(endpoint.url, { idleMs: 1_000 }).model));
    if (failure instanceof ModelFailure) return failure.spent;
    throw failure;
  }

  it.each([
    ['end without their end', events(HALF)],
    ['are reset', resetsAfter(HALF)],
    ['stall', stallsAfter(HALF)],
    ['break off with an error', events(HALF, { error: { message: 'overloaded', code: 502 } })],
  ])('is estimated for each of four answers that %s', async (_, behaviour) => {
    expect(await spentAt(behaviour)).toEqual(attempts(4));
  });

  it('is as the endpoint says where it still says so', async () => {
    const usage = { promptTokens: 400, cachedTokens: 240, completionTokens: 28, estimated: false };
    expect(await spentAt(events(HALF, USAGE))).toEqual(usage);
  });

  it.each([
    ['a rate limit', fails(429, 'slow down')],
    ['an internal error', fails(500, 'oops')],
    ['a reset before the answer', (response) => void response.socket?.resetAndDestroy()],
    ['an empty body', gives('', 'text/event-stream')],
    ['silence after a comment', stallsAfter()],
    ['an error as first event', events({ error: { message: 'overloaded', code: 502 } })],
    ['a wrong key', fails(401, 'who are you')],
  ] satisfies [string, Behaviour][])('is nothing with %s', async (_, behaviour) => {
    expect(await spentAt(behaviour)).toEqual(NOTHING);
  });

  it('is nothing where the connection is refused', async () => {
    const { url, ...gone } = await modelEndpoint(says(''));
    await gone[Symbol.asyncDispose]();
    expect(await failureOf(ask(modelAt(url).model))).toMatchObject({ code: 'model_unavailable', spent: NOTHING });
  });

  it.each([
    ['model_overflow', fails(400, { message: 'too long', code: 'context_length_exceeded' })],
    ['model_rejected', fails(401, 'expired')],
    ['model_unavailable', fails(429, 'slow down', { 'retry-after': '600' })],
  ])('holds the two answers that broke off before %s', async (_, last) => {
    expect(await spentAt(events(HALF), events(HALF), last)).toEqual(attempts(2));
  });

  it('holds the answers that were of no use', async () => {
    expect(await spentAt(events(delta({ content: 'half an ans' }, 'length'), '[DONE]'))).toEqual(attempts(2));
  });
});

describe('an abort', () => {
  const REASON = new Error('stopped by a person');

  it.each([
    ['before the answer', () => {}],
    ['in the middle of it', stallsAfter(HALF)],
    ['during a drip', drips()],
  ] satisfies [string, Behaviour][])(
    '%s ends the question with its own reason and closes the connection',
    async (_, behaviour) => {
      const abort = new AbortController();
      await using endpoint = await modelEndpoint((response, request) => {
        setTimeout(() => abort.abort(REASON), 30);
        return behaviour(response, request);
      });
      await expect(modelAt(endpoint.url).model.ask(QUESTION, abort.signal)).rejects.toBe(REASON);
      await endpoint.abandoned;
      expect(endpoint.requests).toHaveLength(1);
    },
  );

  it('during a wait between attempts ends the question', async () => {
    const abort = new AbortController();
    await using endpoint = await modelEndpoint(fails(500, 'down'));
    const model = modelAt(endpoint.url, { wait: async () => abort.abort(REASON) }).model;
    await expect(model.ask(QUESTION, abort.signal)).rejects.toBe(REASON);
  });

  it('during a real wait ends it at once', async () => {
    const abort = new AbortController();
    await using endpoint = await modelEndpoint((response, request) => {
      setTimeout(() => abort.abort(REASON), 50);
      return fails(503, 'down', { 'retry-after': '29' })(response, request);
    });
    const model = createEndpointModel({
      settings: endpointSettings({ baseUrl: endpoint.url }),
      prices: null,
      timeoutMs: 60_000,
      idleMs: 5_000,
      now: () => new Date(),
      random: Math.random,
    });
    await expect(model.ask(QUESTION, abort.signal)).rejects.toBe(REASON);
  });

  it('before the question asks nothing', async () => {
    await using endpoint = await modelEndpoint(says('whole'));
    await expect(modelAt(endpoint.url).model.ask(QUESTION, AbortSignal.abort(REASON))).rejects.toBe(REASON);
    expect(endpoint.requests).toHaveLength(0);
  });
});
