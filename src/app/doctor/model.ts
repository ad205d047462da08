// The model: one tiny question to the endpoint, by the way that investigations take; a wrong key, an unknown model and a slow one said apart.
import { readFileSync } from 'node:fs';
import { costOf } from '../../agent/budget.ts';
import type { Config, ModelConfig } from '../../config.ts';
import { CausewayError } from '../../domain/errors.ts';
import { readScript } from '../../models/scripted.ts';
import { type Model, type ModelRequest, ModelUnavailable, type Prices, type TurnUsage } from '../../ports/model.ts';
import { type OpenModelOptions, openEndpointModel } from '../open-model.ts';
import { fail, ok, type Probe, type Verdict, warn } from './probe.ts';

type Endpoint = Extract<ModelConfig, { kind: 'endpoint' }>;

const LONGEST_MS = 60_000;
const SLOW_MS = 15_000;
const QUESTION: ModelRequest = {
  messages: [{ role: 'user', content: 'Answer with the one word: ready' }],
  tools: [],
  toolChoice: 'none',
};

export function modelProbe({ model, environment }: Pick<Config, 'model' | 'environment'>, now: () => Date): Probe {
  return {
    check: 'model',
    boundMs: LONGEST_MS + 5_000,
    async ask(signal) {
      switch (model.kind) {
        case 'none':
          return model.hint === ''
            ? ok('none: investigations end with the facts')
            : warn('none: investigations end with the facts', model.hint);
        case 'scripted':
          readScript(readFileSync(model.file, 'utf8'));
          return warn('a script plays the model', 'Good for a demonstration only: set MODEL to a real one.');
        case 'endpoint':
          return await askEndpoint(model, { now, environment }, signal);
      }
    },
  };
}

async function askEndpoint(config: Endpoint, options: OpenModelOptions, signal: AbortSignal): Promise<Verdict> {
  const timeoutMs = Math.min(config.timeoutMs, LONGEST_MS);
  const model = openEndpointModel({ ...config, timeoutMs }, options);
  const begun = performance.now();
  try {
    const { usage } = await model.ask(QUESTION, signal);
    return judgeAnswer(model, usage, performance.now() - begun);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    return fail(`${config.name} ${WHAT[error.code] ?? 'gave no answer'}`, repairOf(error));
  }
}

const WHAT: Readonly<Record<string, string>> = {
  model_rejected: 'cannot be asked in this way',
  model_unavailable: 'cannot answer now',
  model_refused: 'will not answer',
  model_misbehaved: 'gave no usable answer',
};

/** The failure's own words name the repair. */
function repairOf(error: CausewayError): string {
  return error instanceof ModelUnavailable
    ? `${error.message} Investigations wait for it up to two hours.`
    : error.message;
}

function judgeAnswer({ name, prices }: Model, usage: TurnUsage, ms: number): Verdict {
  const seconds = `${(ms / 1_000).toFixed(1)} s`;
  const found = `${name} answered within ${seconds} (${tokensOf(usage)}, ${priceOf(usage, prices)})`;
  if (ms > SLOW_MS)
    return warn(
      found,
      'It is slow: an investigation asks up to 30 times. Look at the endpoint, or choose another MODEL.',
    );
  if (prices !== null) return ok(found);
  return warn(found, 'No price is known: give a file in MODEL_PRICES, or $0.50 a million tokens is booked.');
}

function tokensOf({ promptTokens, completionTokens }: TurnUsage): string {
  return `${promptTokens} + ${completionTokens} tokens`;
}

function priceOf(usage: TurnUsage, prices: Prices | null): string {
  if (prices === null) return 'price unknown';
  return `$${costOf(usage, prices).toFixed(6)}`;
}
