// Scripts and prices: files that operators write, played and read, or refused by name.
import { describe, expect, it } from 'vitest';
import type { Message } from '../src/model.ts';
import { computeCost, findShippedPrices, readPrices } from '../src/prices.ts';
import { createScriptedModel, readScript } from '../src/scripted.ts';
import { ask, failureOf, QUESTION } from './ask.ts';

const SCRIPT = readScript(
  JSON.stringify({
    turns: [
      {
        content: null,
        tool_calls: [
          { name: 'search', arguments: { query: 'a' } },
          { name: 'search', arguments: '{"bro' },
        ],
      },
      { content: 'done' },
    ],
  }),
);
const NAMED = { name: 'scripted' };
const ANSWERED: Message = { role: 'assistant', content: '', toolCalls: [] };

describe('a scripted model', () => {
  it('plays the turn that follows the answers so far, so that a run that is resumed goes on', async () => {
    const first = await ask(createScriptedModel(SCRIPT, NAMED));
    expect(first.toolCalls).toEqual([
      { id: 'call_0_0', name: 'search', arguments: '{"query":"a"}' },
      { id: 'call_0_1', name: 'search', arguments: '{"bro' },
    ]);
    const second = await ask(createScriptedModel(SCRIPT, NAMED), {
      ...QUESTION,
      messages: [...QUESTION.messages, ANSWERED],
    });
    expect(second).toMatchObject({ content: 'done', toolCalls: [] });
  });

  it('says when its script has ended, with a code of its own', async () => {
    const messages = [...QUESTION.messages, ANSWERED, ANSWERED];
    const failure = await failureOf(ask(createScriptedModel(SCRIPT, NAMED), { ...QUESTION, messages }));
    expect(failure.code).toBe('model_script_ended');
    expect(failure.message).toContain('ended after 2 turns');
  });

  it('has an answer for each report that it knows by all of its words, and none for any other', async () => {
    const answer = (to: readonly string[], content: string) => ({ to, turns: [{ content }] });
    const script = JSON.stringify({
      answers: [answer(['stops', 'Only AT night'], 'the narrow one'), answer(['stops'], 'the wide one')],
    });
    const play = async (report: string) => {
      const messages: readonly Message[] = [
        { role: 'system', content: 'It stops only at night.' },
        { role: 'user', content: report },
      ];
      return (await ask(createScriptedModel(readScript(script), NAMED), { ...QUESTION, messages })).content;
    };
    expect(await play('It stops, but only at night.')).toBe('the narrow one');
    expect(await play('It stops.')).toBe('the wide one');
    const failure = await failureOf(play('It crawls.'));
    expect(failure.code).toBe('model_script_ended');
    expect(failure.message).toContain('has no answer to this report');
  });

  it('counts characters, and as cached those shared with the request before', async () => {
    const model = createScriptedModel(SCRIPT, NAMED);
    const { usage: first } = await ask(model);
    const { usage: again } = await ask(model);
    expect(first).toMatchObject({ cachedTokens: 0, estimated: true });
    expect(again.cachedTokens).toBeGreaterThanOrEqual(again.promptTokens - 1);
    expect(again.promptTokens).toBe(first.promptTokens);
  });

  it('stops when aborted', async () => {
    const reason = new Error('stop');
    await expect(createScriptedModel(SCRIPT, NAMED).ask(QUESTION, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a script that is wrong', () => {
  it.each([
    ['{', 'the file is not JSON'],
    ['[]', 'the file must be {"turns": [...]} or {"answers": [...]}'],
    ['{"answers": [{"turns": []}]}', 'answers[0].to must be a list of texts'],
    ['{"answers": [{"to": [], "turns": [{}]}]}', 'answers[0].turns[0] needs content or tool_calls'],
    ['{"turns": [1]}', 'turns[0] must be an object'],
    ['{"turns": [{"content": 1}]}', 'turns[0].content must be a text'],
    ['{"turns": [{}]}', 'turns[0] needs content or tool_calls'],
    ['{"turns": [{"content": "a"}, {"tool_calls": {}}]}', 'turns[1].tool_calls must be a list'],
    ['{"turns": [{"tool_calls": [null]}]}', 'turns[0].tool_calls[0] must be an object'],
    ['{"turns": [{"tool_calls": [{"name": ""}]}]}', 'turns[0].tool_calls[0].name must be the name of a tool'],
    [
      '{"turns": [{"tool_calls": [{"name": "a", "arguments": []}]}]}',
      'turns[0].tool_calls[0].arguments must be an object',
    ],
  ])('%s is refused with its place', (text, message) => {
    expect(() => readScript(text)).toThrow(message);
  });
});

describe('the file of prices', () => {
  const FILE = '{"m": {"prompt": 1.25, "cached": 0.125, "completion": 10}, "local": {"prompt": 0, "completion": 0}}';

  it('gives the prices of the model that is named, or none', () => {
    expect(readPrices(FILE, 'm')).toEqual({ prompt: 1.25, cached: 0.125, completion: 10 });
    expect(readPrices(FILE, 'local')).toEqual({ prompt: 0, cached: 0, completion: 0 });
    expect(readPrices(FILE, 'other')).toBeNull();
    expect(readPrices(FILE, 'constructor')).toBeNull();
  });

  it('may say what writing to the cache costs', () => {
    const text = '{"m": {"prompt": 2, "cached": 0.2, "cacheWrite": 2.5, "completion": 10}}';
    expect(readPrices(text, 'm')).toEqual({ prompt: 2, cached: 0.2, cacheWrite: 2.5, completion: 10 });
  });

  it.each([
    ['nonsense', 'JSON object'],
    ['{"x": 3}', '"x" must be'],
    ['{"x": {"prompt": -1, "completion": 1}}', '"x.prompt" must be a number'],
    ['{"x": {"prompt": 1}}', '"x.completion" must be a number'],
    ['{"x": {"prompt": 1, "completion": 1, "input": 2}}', '"x.input" is none of'],
  ])('%s is refused with its place', (text, message) => {
    expect(() => readPrices(text, 'm')).toThrow(message);
  });
});

describe('the prices that ship', () => {
  it.each([
    'claude-opus-5-5',
    'claude-opus-5-5-20260922',
    'anthropic/claude-opus-5.5',
    'us.anthropic.claude-opus-5-5-20260922-v1:0',
    'claude-opus-5-5@20260922',
  ])('know %s by whatever name its provider gives it', (name) => {
    expect(findShippedPrices(name)).toEqual({ prompt: 4, cached: 0.2, cacheWrite: 5, completion: 20 });
  });

  it('charge the whole of a long prompt as its provider does', () => {
    const prices = findShippedPrices('gpt-6.1-sol');
    const usage = { cachedTokens: 0, completionTokens: 0 };
    expect(computeCost({ promptTokens: 100_000, ...usage }, prices)).toBeCloseTo(0.2);
    expect(computeCost({ promptTokens: 300_000, ...usage }, prices)).toBeCloseTo(1.2);
  });

  it('know nothing of other models', () => {
    expect(['qwen3-coder', 'gpt-6.1-sol-distilled', 'constructor'].map(findShippedPrices)).toEqual([null, null, null]);
  });
});

describe('a turn', () => {
  const PRICES = { prompt: 2, cached: 0.5, completion: 10 };

  it('costs what was cached at its own price, and what was written to the cache too', () => {
    expect(computeCost({ promptTokens: 1_000_000, cachedTokens: 400_000, completionTokens: 0 }, PRICES)).toBeCloseTo(
      1.4,
    );
    const written = { promptTokens: 1_000_000, cachedTokens: 400_000, cacheWriteTokens: 600_000, completionTokens: 0 };
    expect(
      computeCost(written, { ...PRICES, cacheWrite: 2.5 * PRICES.prompt }) - computeCost(written, PRICES),
    ).toBeCloseTo(0.6 * 1.5 * PRICES.prompt);
    expect([PRICES, null].map((prices) => computeCost({ ...written, costUsd: 0.25 }, prices))).toEqual([0.25, 0.25]);
  });
});
