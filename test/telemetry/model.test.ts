// How questions to the model end, in figures: what failed is told by its kind, and what it had come to is on the bill.
import { expect, it } from 'vitest';
import { type Model, ModelFailure, type ModelTurn, ModelUnavailable } from '../../src/core/model.ts';
import { createLog } from '../../src/log.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { sum } from '../support/metrics-of.ts';

const SPENT = { promptTokens: 1_000, cachedTokens: 200, completionTokens: 30, estimated: false };
const QUESTION = { messages: [], tools: [], toolChoice: 'auto' } as const;

it('tells failures by their kind, with the tokens that they took, and what was stopped as stopped', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const telemetry = createTelemetry({ version: '0.0.0', log, now: () => new Date() });
  const stop = new AbortController();
  const answers: (() => Promise<ModelTurn>)[] = [
    async () => ({ content: 'a secret cause', toolCalls: [], usage: SPENT }),
    () => Promise.reject(new ModelUnavailable('away', new Date(), SPENT)),
    () => Promise.reject(new ModelFailure('model_rejected', 'no')),
    () => Promise.reject(new TypeError('ours')),
    () => {
      stop.abort(new Error('stopped'));
      return Promise.reject(stop.signal.reason);
    },
  ];
  const asked: Model = {
    ...{ name: 'one', prices: null },
    ask: () => answers.shift()?.() ?? Promise.reject(new Error('no more')),
  };
  const model = telemetry.model(asked, ({ promptTokens }) => promptTokens / 1_000);
  for (let turn = 0; turn < 5; turn += 1) await model.ask(QUESTION, stop.signal).catch(() => {});
  const exposition = telemetry.open({
    ...{ queue: { depths: async () => [] }, ready: async () => [], mirrorLimit: null, now: () => new Date() },
    ...{ holds: { standing: () => [] }, paused: () => false },
    disk: async () => ({ mirrors: 0, lexicon: 0, free: 0, size: 0 }),
  });
  const text = await exposition.text();
  const of = (outcome: string) => sum(text, 'causeway_model_requests_total', { model: 'one', outcome });
  const outcomes = ['answered', 'unavailable', 'rejected', 'failed', 'aborted', 'refused', 'misbehaved', 'overflow'];
  expect(outcomes.map(of)).toEqual([1, 1, 1, 1, 1, 0, 0, 0]);
  const tokens = (direction: string) => sum(text, 'causeway_model_tokens_total', { direction });
  expect(['in', 'cached', 'out'].map(tokens)).toEqual([2_000, 400, 60]);
  expect(sum(text, 'causeway_model_cost_dollars_total')).toBe(2);
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(outcomes.slice(0, 5));
  expect(lines.join('')).not.toContain('secret');
});
