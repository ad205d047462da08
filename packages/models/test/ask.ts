// Questions for the tests of models, and what becomes of them.

import { createEndpointModel, type EndpointModel, type EndpointModelOptions } from '../src/endpoint-model.ts';
import { type Model, ModelFailure, type ModelRequest, type ModelTurn } from '../src/model.ts';
import { endpointSettings, type GivenSettings } from './settings.ts';

export const KEY = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
export const NOW = new Date('2026-11-20T12:00:00Z');

export const QUESTION: ModelRequest = {
  messages: [
    { role: 'system', content: 'You investigate.' },
    { role: 'user', content: 'It crashes.' },
  ],
  tools: [
    {
      name: 'search',
      description: 'Searches the source.',
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    },
    { name: 'conclude', description: 'Ends.', parameters: { type: 'object' } },
  ],
  toolChoice: 'auto',
};

export interface AskOptions extends Partial<Omit<EndpointModelOptions, 'settings'>> {
  readonly settings?: GivenSettings;
}

/** A model whose waits between attempts take no time but are written down. */
export function modelAt(
  url: string,
  { settings = {}, ...options }: AskOptions = {},
): { model: EndpointModel; waits: number[] } {
  const waits: number[] = [];
  const model = createEndpointModel({
    settings: endpointSettings({ apiKey: KEY, baseUrl: url, ...settings }),
    prices: null,
    timeoutMs: 60_000,
    idleMs: 10_000,
    now: () => NOW,
    random: () => 0,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
    },
    ...options,
  });
  return { model, waits };
}

export function ask(model: Model, request: ModelRequest = QUESTION): Promise<ModelTurn> {
  return model.ask(request, new AbortController().signal);
}

/** The error with which an ask ends; fails where it is none of ours. */
export async function failureOf(answer: Promise<unknown>): Promise<ModelFailure> {
  const outcome = await answer.then(
    (turn) => new Error(`it answered ${JSON.stringify(turn)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof ModelFailure) return outcome;
  throw outcome;
}
