// The model: asked two turns with a tool, the second with what came with the first, by the way that investigations take. One line for each
// capability, so that a model with which investigations would fail is found before the first of them.
import { readFileSync } from 'node:fs';
import { computeCost } from '../../agent/budget.ts';
import { CONCLUDE } from '../../agent/conclusion-draft.ts';
import { SYSTEM_TEXT } from '../../agent/prompt.ts';
import type { Config, ModelConfig } from '../../config.ts';
import { CausewayError } from '../../core/errors.ts';
import {
  type Message,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type ToolDescription,
} from '../../core/model.ts';
import type { EndpointModel } from '../../models/endpoint-model.ts';
import { readScript } from '../../models/scripted.ts';
import { openEndpointModel } from '../model.ts';
import { fail, ok, type Probe, type Verdict, warn } from './probe.ts';

type Endpoint = Extract<ModelConfig, { kind: 'endpoint' }>;

/** For both turns together. */
const LONGEST_MS = 60_000;
/** One turn. */
const SLOW_MS = 15_000;

const READ_NOTE: ToolDescription = {
  name: 'read_note',
  description: 'Reads one of two notes.',
  parameters: {
    type: 'object',
    properties: { note: { type: 'string', enum: ['first', 'second'] } },
    required: ['note'],
    additionalProperties: false,
  },
};

/** With the system text of investigations, and their tool whose arguments are hardest to describe: enough to be cached by most. */
const TOOLS = [READ_NOTE, CONCLUDE];

const OPENING: readonly Message[] = [
  { role: 'system', content: SYSTEM_TEXT },
  {
    role: 'user',
    content:
      'This is a check of the connection, not an investigation. Read both notes with read_note: make the two calls side by side in one answer. Once you have read them, answer with the two words that they hold, and call nothing more.',
  },
];

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
          return await examineEndpoint(model, { now, environment }, signal);
      }
    },
  };
}

/** A turn, or why there is none. */
type Asked = { readonly turn: ModelTurn; readonly ms: number } | { readonly failure: CausewayError };

async function examineEndpoint(
  config: Endpoint,
  options: Parameters<typeof openEndpointModel>[1],
  signal: AbortSignal,
): Promise<readonly Verdict[]> {
  const model = openEndpointModel({ ...config, timeoutMs: Math.min(config.timeoutMs, LONGEST_MS) }, options);
  const chosen = model.asked().wire;
  const first = await ask(model, OPENING, signal);
  if ('failure' in first) {
    const cannot = isDescribed(model) ? [fail(`tools: ${model.name} cannot call tools`, NO_TOOLS_REPAIR)] : [];
    return [refusal(config, first.failure), ...cannot];
  }
  const calls = first.turn.toolCalls.filter(({ name }) => name === READ_NOTE.name);
  const second = calls.length === 0 ? null : await ask(model, answered(first.turn), signal);
  const turns = [first, second].flatMap((asked) => (asked !== null && 'turn' in asked ? [asked] : []));
  return [
    interfaceUsed(model, { config, chosen, slowest: Math.max(...turns.map(({ ms }) => ms)) }),
    toolsCalled(model, { calls: calls.length, second }),
    ...(calls.length === 0 ? [] : [callsSideBySide(calls.length)]),
    ...(second !== null && 'turn' in second ? [tokensCached(second.turn)] : []),
    effortTaken(model, config),
    priceKnown(
      model,
      turns.map(({ turn }) => turn),
    ),
  ];
}

async function ask(model: EndpointModel, messages: readonly Message[], signal: AbortSignal): Promise<Asked> {
  const request: ModelRequest = { messages, tools: TOOLS, toolChoice: 'auto' };
  const begun = performance.now();
  try {
    const turn = await model.ask(request, signal);
    return { turn, ms: performance.now() - begun };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    return { failure: error };
  }
}

/** The conversation after the first turn: with all that came with it, and an answer to each call. */
function answered({ content, toolCalls, opaque }: ModelTurn): readonly Message[] {
  const results = toolCalls.map(
    ({ id, arguments: written }): Message => ({
      role: 'tool',
      callId: id,
      content: written.includes('second') ? 'bridge' : 'river',
    }),
  );
  return [...OPENING, { role: 'assistant', content, toolCalls, ...(opaque && { opaque }) }, ...results];
}

const WHAT: Readonly<Record<string, string>> = {
  model_rejected: 'cannot be asked in this way',
  model_unavailable: 'cannot answer now',
  model_refused: 'will not answer',
  model_misbehaved: 'gave no usable answer',
};

function refusal({ name }: Endpoint, failure: CausewayError): Verdict {
  return fail(`${name} ${WHAT[failure.code] ?? 'gave no answer'}`, repairOf(failure));
}

/** The failure's own words name the repair. */
function repairOf(failure: CausewayError): string {
  return failure instanceof ModelUnavailable
    ? `${failure.message} Investigations wait for it up to two hours.`
    : failure.message;
}

const INTERFACES: Readonly<Record<ReturnType<EndpointModel['asked']>['wire'], string>> = {
  responses: 'the Responses API',
  chat: 'chat.completions',
  messages: 'the Messages API',
  bedrock: 'the Messages API of',
  vertex: 'the Messages API of',
};

function interfaceUsed(
  model: EndpointModel,
  {
    config,
    chosen,
    slowest,
  }: { readonly config: Endpoint; readonly chosen: keyof typeof INTERFACES; readonly slowest: number },
): Verdict {
  const { wire, place } = model.asked();
  const at = wire === 'bedrock' || wire === 'vertex' ? '' : ' at';
  const why =
    wire === chosen
      ? `MODEL_API=${config.api}`
      : `${INTERFACES[chosen]} refuses this model with tools; MODEL_API=${wire} skips that attempt`;
  const seconds = `${(slowest / 1_000).toFixed(1)} s`;
  const found = `${model.name} answers within ${seconds} over ${INTERFACES[wire]}${at} ${place} (${why})`;
  return slowest > SLOW_MS
    ? warn(found, 'It is slow: an investigation asks up to 30 times. Look at the endpoint, or choose another MODEL.')
    : ok(found);
}

const NO_TOOLS_REPAIR =
  'Choose a MODEL that supports tool calls: "ollama show MODEL" lists the capability "tools"; start vLLM with --enable-auto-tool-choice and --tool-call-parser.';

function toolsCalled(
  model: EndpointModel,
  { calls, second }: { readonly calls: number; readonly second: Asked | null },
): Verdict {
  if (calls === 0) return fail(`tools: ${model.name} called none although it was asked to`, NO_TOOLS_REPAIR);
  if (second !== null && 'failure' in second) {
    return fail('tools: called, but the next turn failed', repairOf(second.failure));
  }
  if (isDescribed(model)) {
    const found = `tools: ${model.name} cannot call tools; they are described in the prompt instead, which works less well`;
    return warn(found, NO_TOOLS_REPAIR);
  }
  return ok('tools: called, and the next turn was accepted');
}

/** Tools had to be described in the text, since the endpoint or the model takes none. */
function isDescribed(model: EndpointModel): boolean {
  return model.asked().leftOut.includes('tools');
}

function callsSideBySide(calls: number): Verdict {
  return ok(calls > 1 ? `parallel calls: ${calls} in one turn` : 'parallel calls: none, one call per turn');
}

function tokensCached({ usage }: ModelTurn): Verdict {
  const { promptTokens, cachedTokens, estimated } = usage;
  if (estimated) return ok('cached tokens: unknown, the endpoint reports no token counts');
  return ok(
    cachedTokens > 0
      ? `cached tokens: ${cachedTokens} of ${promptTokens} in the second turn`
      : `cached tokens: none of ${promptTokens} reported in the second turn`,
  );
}

function effortTaken(model: EndpointModel, { effort }: Endpoint): Verdict {
  if (effort === null) return ok("effort: the provider's default (MODEL_EFFORT is not set)");
  if (!model.asked().leftOut.includes('effort')) return ok(`effort: ${effort}`);
  return warn(
    `effort: ${effort} is not accepted, so the provider's default is used`,
    'Unset MODEL_EFFORT, or set it to a value that this model accepts.',
  );
}

function priceKnown({ prices }: EndpointModel, turns: readonly ModelTurn[]): Verdict {
  const usd = turns.reduce((all, { usage }) => all + computeCost(usage, prices), 0);
  const cost = `$${usd.toFixed(6)} for ${turns.length === 1 ? 'this turn' : 'both turns'}`;
  if (turns.every(({ usage }) => usage.costUsd !== undefined)) return ok(`price: ${cost}, as reported by the endpoint`);
  if (prices === null) {
    return warn(
      'price: unknown',
      'Set MODEL_PRICES to a file of prices; until then $0.50 per million tokens is booked.',
    );
  }
  const { prompt, cached, cacheWrite = prompt, completion } = prices;
  return ok(
    `price: ${cost} (per million tokens: $${prompt} input, $${cached} cached, $${cacheWrite} cache write, $${completion} output)`,
  );
}
