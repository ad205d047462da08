// A paused house asks its model nothing, and says when it looks again.
import { expect, it } from 'vitest';
import { type Model, type ModelRequest, ModelUnavailable } from '../../src/core/model.ts';
import { createPausableModel } from '../../src/services/investigator.ts';

const REQUEST = { messages: [], tools: [] } as unknown as ModelRequest;
const NEVER = new AbortController().signal;

it('is asked again as soon as the pause is over, and not before', async () => {
  let asked = 0;
  let isPaused = true;
  const answer = { content: 'Fine', toolCalls: [], usage: null } as unknown as Awaited<ReturnType<Model['ask']>>;
  const model: Model = {
    name: 'played',
    prices: null,
    ask: async () => {
      asked += 1;
      return answer;
    },
  };
  const now = () => new Date('2026-11-20T10:00:00.000Z');
  const paused = createPausableModel(model, { isPaused: () => isPaused, now });
  const refused = await paused.ask(REQUEST, NEVER).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ModelUnavailable);
  expect(refused).toMatchObject({ retryAt: new Date('2026-11-20T10:00:15.000Z') });
  expect(asked).toBe(0);
  isPaused = false;
  expect(await paused.ask(REQUEST, NEVER)).toBe(answer);
  expect(paused.name).toBe('played');
});
