// What the doctor asks the model: two turns with a tool, as an investigation would, and one line for each capability.
import {
  computeCost,
  type EndpointModel,
  type Message,
  ModelFailure,
  type ModelTurn,
  ModelUnavailable,
  type ToolDescription,
} from 'causeway-models';
import type { Config, EndpointConfig } from '../../config.ts';
import { CONCLUDE, SYSTEM_TEXT } from '../../investigate/index.ts';
import { openEndpointModel } from '../model.ts';
import { openScriptedModel } from '../model-files.ts';
import { fail, type Probe, type ProbeVerdict, pass, warn } from './probe.ts';

/** For both turns. */
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

/**
 * With the system text of investigations and their most complex tool, there is enough text for most providers to cache.
 */
const TOOLS = [READ_NOTE, CONCLUDE];
const OPENING: readonly Message[] = [
  { role: 'system', content: SYSTEM_TEXT },
  {
    role: 'user',
    content:
      'This is a check of the connection, not an investigation. Read both notes with read_note: make both calls in one answer. Once you have read them, answer with the two words that they contain, and call nothing more.',
  },
];

export function createModelProbe({ model, environment }: Config, now: () => Date): Probe {
  return {
    check: 'model',
    boundMs: LONGEST_MS + 5_000,
    async ask(signal) {
      switch (model.kind) {
        case 'none': {
          const found = 'none: investigations end with the facts';
          return model.hint === '' ? pass(found) : warn(found, model.hint);
        }
        case 'scripted':
          openScriptedModel(model.file);
          return warn('a script plays the model', 'Use it for a demonstration only: set MODEL to a real one.');
        case 'endpoint': {
          const timeoutMs = Math.min(model.timeoutMs, LONGEST_MS);
          return await examineModel(openEndpointModel({ ...model, timeoutMs }, { now, environment }), model, signal);
        }
      }
    },
  };
}

const FAILURES: Readonly<Record<string, string>> = {
  model_rejected: 'cannot be asked in this way',
  model_unavailable: 'cannot answer now',
  model_refused: 'refuses to answer',
  model_misbehaved: 'gave no usable answer',
};
const NO_TOOLS_REPAIR =
  'Choose a MODEL that supports tool calls: "ollama show MODEL" lists the capability "tools"; start vLLM with --enable-auto-tool-choice and --tool-call-parser.';

async function examineModel(
  model: EndpointModel,
  config: EndpointConfig,
  signal: AbortSignal,
): Promise<readonly (ProbeVerdict | false)[]> {
  const chosen = model.asked().wire;
  // Tools had to be described in the text, since the endpoint or the model takes none.
  const isDescribed = () => model.asked().leftOut.includes('tools');
  const turns: ModelTurn[] = [];
  let slowest = 0;
  const ask = async (messages: readonly Message[]): Promise<ModelFailure | null> => {
    const begun = performance.now();
    try {
      turns.push(await model.ask({ messages, tools: TOOLS, toolChoice: 'auto' }, signal));
      slowest = Math.max(slowest, performance.now() - begun);
      return null;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelFailure) return error;
      throw error;
    }
  };
  const failure = await ask(OPENING);
  const [first] = turns;
  if (failure !== null || first === undefined) {
    return [
      fail(`${config.name} ${FAILURES[failure?.code ?? ''] ?? 'gave no answer'}`, describeModelRepair(failure)),
      isDescribed() && fail(`tools: ${model.name} cannot call tools`, NO_TOOLS_REPAIR),
    ];
  }
  const calls = first.toolCalls.filter(({ name }) => name === READ_NOTE.name).length;
  const later = calls === 0 ? null : await ask(answerCalls(first));
  const second = turns[1];
  return [
    describeInterface(model, config, chosen, slowest),
    describeToolSupport(model.name, { calls, failure: later, isDescribed: isDescribed() }),
    calls > 0 && pass(calls > 1 ? `parallel calls: ${calls} in one turn` : 'parallel calls: none, one call per turn'),
    second !== undefined && describeCache(second),
    describeProbeEffort(config, model.asked().leftOut.includes('effort')),
    describePrice(model, turns),
  ];
}

/** The conversation after the first turn, with an answer to each call. */
function answerCalls({ content, toolCalls, opaque }: ModelTurn): readonly Message[] {
  const answers = toolCalls.map(({ id, arguments: written }): Message => {
    return { role: 'tool', callId: id, content: written.includes('second') ? 'bridge' : 'river' };
  });
  return [...OPENING, { role: 'assistant', content, toolCalls, ...(opaque && { opaque }) }, ...answers];
}

function describeModelRepair(failure: ModelFailure | null): string {
  const wait = failure instanceof ModelUnavailable ? ' Investigations wait for it for up to two hours.' : '';
  return `${failure?.message ?? ''}${wait}`;
}

const INTERFACES: Readonly<Record<ReturnType<EndpointModel['asked']>['wire'], string>> = {
  responses: 'the Responses API',
  chat: 'chat.completions',
  messages: 'the Messages API',
  bedrock: 'the Messages API of',
  vertex: 'the Messages API of',
};

function describeInterface(
  model: EndpointModel,
  { api }: EndpointConfig,
  chosen: keyof typeof INTERFACES,
  slowest: number,
): ProbeVerdict {
  const { wire, place } = model.asked();
  const at = wire === 'bedrock' || wire === 'vertex' ? '' : ' at';
  const why =
    wire === chosen
      ? `MODEL_API=${api}`
      : `${INTERFACES[chosen]} refuses this model with tools; MODEL_API=${wire} skips that attempt`;
  const seconds = `${(slowest / 1_000).toFixed(1)} s`;
  const found = `${model.name} answers within ${seconds} over ${INTERFACES[wire]}${at} ${place} (${why})`;
  if (slowest <= SLOW_MS) return pass(found);
  return warn(found, 'It is slow: an investigation asks up to 30 times. Check the endpoint, or choose another MODEL.');
}

function describeToolSupport(
  name: string,
  asked: { readonly calls: number; readonly failure: ModelFailure | null; readonly isDescribed: boolean },
): ProbeVerdict {
  if (asked.calls === 0) return fail(`tools: ${name} called none although it was asked to`, NO_TOOLS_REPAIR);
  if (asked.failure !== null)
    return fail('tools: called, but the next turn failed', describeModelRepair(asked.failure));
  if (!asked.isDescribed) return pass('tools: called, and the next turn was accepted');
  const found = `tools: ${name} cannot call tools; they are described in the prompt instead, which works less well`;
  return warn(found, NO_TOOLS_REPAIR);
}

function describeCache({ usage: { promptTokens, cachedTokens, estimated } }: ModelTurn): ProbeVerdict {
  if (estimated) return pass('cached tokens: unknown, the endpoint reports no token counts');
  const count = cachedTokens > 0 ? `${cachedTokens} of ${promptTokens}` : `none of ${promptTokens} reported`;
  return pass(`cached tokens: ${count} in the second turn`);
}

function describeProbeEffort({ effort }: EndpointConfig, isLeftOut: boolean): ProbeVerdict {
  if (effort === null) return pass("effort: the provider's default (MODEL_EFFORT is not set)");
  if (!isLeftOut) return pass(`effort: ${effort}`);
  return warn(
    `effort: ${effort} is not accepted, so the provider's default is used`,
    'Unset MODEL_EFFORT, or set it to a value that this model accepts.',
  );
}

function describePrice({ prices }: EndpointModel, turns: readonly ModelTurn[]): ProbeVerdict {
  const usd = turns.reduce((all, { usage }) => all + computeCost(usage, prices), 0);
  const cost = `$${usd.toFixed(6)} for ${turns.length === 1 ? 'this turn' : 'both turns'}`;
  if (turns.every(({ usage }) => usage.costUsd !== undefined))
    return pass(`price: ${cost}, as reported by the endpoint`);
  if (prices === null) {
    return warn(
      'price: unknown',
      'Set MODEL_PRICES to a file of prices; until then $0.50 per million tokens is booked.',
    );
  }
  const { prompt, cached, cacheWrite = prompt, completion } = prices;
  return pass(
    `price: ${cost} (per million tokens: $${prompt} input, $${cached} cached, $${cacheWrite} cache write, $${completion} output)`,
  );
}
