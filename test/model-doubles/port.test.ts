// The models over the doubles: every form in which an interface is refused, turns that may not call, older models.

import type { Message, ModelRequest, ModelTurn } from 'causeway-models';
import { createEndpointModel, type EndpointModel } from 'causeway-models';
import { describe, expect, it } from 'vitest';
import { anthropicDouble } from '../../packages/models/test/doubles/anthropic.ts';
import { deepSeekDouble } from '../../packages/models/test/doubles/chat.ts';
import { openAiDouble } from '../../packages/models/test/doubles/openai.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { readConfig } from '../../src/config.ts';
import { patience } from '../support/patience.ts';
import { PROVIDERS, type Settings, settingsOnLoopback } from './providers.ts';

const LOOK: Played = { say: 'I look.', calls: [call('look', { at: 'a' }), call('look', { at: 'b' })] };
const TURNS: readonly Played[] = [LOOK, LOOK, { say: 'That was all.' }];
const OPENING: readonly Message[] = [
  { role: 'system', content: 'Look.' },
  { role: 'user', content: 'What is there?' },
];
const TOOLS: ModelRequest['tools'] = [
  { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];

function modelFor(settings: Settings): EndpointModel {
  const { model } = readConfig({ ...settings });
  if (model.kind !== 'endpoint') throw new Error(`the settings name no endpoint: ${JSON.stringify(model)}`);
  const still = { now: () => new Date(), random: () => 0, wait: async () => {} };
  return createEndpointModel({ settings: model, prices: null, timeoutMs: 20_000, idleMs: 10_000, ...still });
}

/** Two turns with calls, and one that may not call. */
async function threeTurns(model: EndpointModel): Promise<readonly ModelTurn[]> {
  const messages = [...OPENING];
  const turns: ModelTurn[] = [];
  for (const toolChoice of ['auto', 'auto', 'none'] as const) {
    const turn = await model.ask({ messages, tools: TOOLS, toolChoice }, patience());
    turns.push(turn);
    const { content, toolCalls, opaque } = turn;
    messages.push({ role: 'assistant', content, toolCalls, ...(opaque && { opaque }) });
    messages.push(...toolCalls.map(({ id }): Message => ({ role: 'tool', callId: id, content: 'seen' })));
  }
  return turns;
}

describe('a model', () => {
  it.for(PROVIDERS.map((provider) => [provider.name, provider] as const))(
    'of %s takes turns that may not call, with all that came with the others',
    async ([name, provider]) => {
      await using double = await provider.open(TURNS);
      const turns = await threeTurns(modelFor(settingsOnLoopback(provider, double.origin)));
      expect(turns.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 2, 0]);
      expect(double.refusals.length).toBe(name === 'OpenAI, chat as it refuses' ? 1 : 0);
      expect(double.lost).toEqual([]);
    },
  );

  const key = 'k';

  it.for([
    ['gpt-5.3-codex', 'This is not a chat model'],
    ['gpt-5-codex', 'only supported in v1/responses'],
    ['gpt-5.5-pro', 'only supported in v1/responses'],
    ['gpt-5.5', 'Please use /v1/responses instead'],
    ['gpt-5.6-sol', 'To use function tools, use /v1/responses'],
  ] as const)('%s is asked over Responses once chat.completions has refused it (%s)', async ([name, words]) => {
    await using double = await openAiDouble(TURNS, { key });
    const model = modelFor({ OPENAI_BASE_URL: `${double.origin}/v1`, OPENAI_API_KEY: key, MODEL: name });
    await threeTurns(model);
    expect(model.asked().wire).toBe('responses');
    expect(double.refusals.map(({ body }) => JSON.stringify(body))).toEqual([expect.stringContaining(words)]);
  });

  it('is called over no other interface than the one that MODEL_API names, and the refusal says what to set', async () => {
    await using double = await openAiDouble(TURNS, { key });
    const address = { OPENAI_BASE_URL: `${double.origin}/v1`, OPENAI_API_KEY: key };
    const model = modelFor({ ...address, MODEL: 'gpt-5.6-sol', MODEL_API: 'chat' });
    await expect(threeTurns(model)).rejects.toThrow(/set MODEL_API to responses or to auto/);
    expect(double.received).toHaveLength(1);
  });

  it('of DeepSeek works where it takes no tool_choice at all, too', async () => {
    await using double = await deepSeekDouble(TURNS, { key, strictToolChoice: true });
    await threeTurns(modelFor({ OPENAI_BASE_URL: double.origin, OPENAI_API_KEY: key, MODEL: 'deepseek-v4-pro' }));
    expect(double.refusals).toHaveLength(1);
  });

  it.for(['claude-opus-4-8', 'claude-opus-4-6', 'claude-sonnet-4-5', 'claude-haiku-4-5'])(
    '%s works, with or without the thinking that it can do',
    async (name) => {
      await using double = await anthropicDouble(TURNS, { key });
      const turns = await threeTurns(
        modelFor({ ANTHROPIC_BASE_URL: double.origin, ANTHROPIC_API_KEY: key, MODEL: name }),
      );
      expect(turns).toHaveLength(3);
      expect(double.refusals.length).toBeLessThanOrEqual(1);
    },
  );
});
