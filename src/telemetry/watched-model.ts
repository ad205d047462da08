// Each question to the model: counted with its tokens and cost, and in a span by OpenTelemetry's GenAI conventions, without a word of it.
import { type Span, SpanKind } from '@opentelemetry/api';
import { type Model, ModelFailure, type ModelTurn, type TurnUsage } from '../core/model.ts';
import type { Log } from '../log.ts';
import type { Instruments } from './instruments.ts';
import { spanned } from './spans.ts';

export interface ModelWatch {
  readonly instruments: Instruments;
  readonly log: Log;
  /** US dollars, as budgets book it. */
  readonly costOf: (usage: TurnUsage) => number;
  /** Called with the outcome of each question, but for those that we ended ourselves. */
  readonly ended: (outcome: string) => void;
}

/** Each begins at nought, so that its first rise is seen. */
const OUTCOMES = ['answered', 'unavailable', 'rejected', 'overflow', 'refused', 'misbehaved', 'failed', 'aborted'];

export function watchModel(model: Model, watch: ModelWatch): Model {
  const { name } = model;
  for (const outcome of OUTCOMES) watch.instruments.modelRequests.inc({ model: name, outcome }, 0);
  watch.instruments.modelCost.inc({ model: name }, 0);
  const attributes = {
    'gen_ai.operation.name': 'chat',
    // One value for every model: whose server answers is the operator's to know.
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': name,
  };
  return {
    ...model,
    ask: (request, signal) =>
      spanned({ name: `chat ${name}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
        const began = performance.now();
        const told = (outcome: string, usage: TurnUsage | null) => {
          if (outcome !== 'aborted') watch.ended(outcome);
          tell(watch, { model: name, outcome, usage, ms: performance.now() - began });
        };
        try {
          const turn = await model.ask(request, signal);
          describe(span, turn);
          told('answered', turn.usage);
          return turn;
        } catch (error) {
          const isOurs = error instanceof ModelFailure;
          told(signal.aborted && !isOurs ? 'aborted' : outcomeOf(error), isOurs ? error.spent : null);
          throw error;
        }
      }),
  };
}

/** `model_unavailable` is `unavailable`. */
function outcomeOf(error: unknown): string {
  return error instanceof ModelFailure ? error.code.replace(/^model_/, '') : 'failed';
}

function describe(span: Span, { usage, toolCalls, model }: ModelTurn): void {
  span.setAttributes({
    ...(model !== undefined && { 'gen_ai.response.model': model }),
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    ...(usage.cacheWriteTokens !== undefined && {
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    }),
    'gen_ai.response.finish_reasons': [toolCalls.length > 0 ? 'tool_calls' : 'stop'],
  });
}

interface Asked {
  readonly model: string;
  readonly outcome: string;
  readonly usage: TurnUsage | null;
  readonly ms: number;
}

function tell({ instruments, log, costOf }: ModelWatch, { model, outcome, usage, ms }: Asked): void {
  instruments.modelRequests.inc({ model, outcome });
  instruments.modelSeconds.observe({ model }, ms / 1_000);
  if (usage !== null) {
    instruments.modelTokens.inc({ model, direction: 'in' }, usage.promptTokens);
    instruments.modelTokens.inc({ model, direction: 'cached' }, usage.cachedTokens);
    instruments.modelTokens.inc({ model, direction: 'out' }, usage.completionTokens);
    instruments.modelCost.inc({ model }, costOf(usage));
  }
  const tokens = usage && { in: usage.promptTokens, cached: usage.cachedTokens, out: usage.completionTokens };
  log.info({ model, outcome, tokens, ms: Math.round(ms) }, 'model call');
}
