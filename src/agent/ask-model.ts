// One question to the model: money set aside before, the turn stored, the real cost settled after.
import { CausewayError } from '../core/errors.ts';
import { cutAt } from '../core/inert-text.ts';
import {
  ModelFailure,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type Prices,
  type ToolCall,
  type TurnUsage,
} from '../core/model.ts';
import { bookedPrices, costOf, reservationFor, type Standing, standing } from './budget.ts';
import { type Session, type Stop, turnsOf, usageNow } from './session.ts';
import { estimatePrompt } from './token-estimate.ts';
import { messagesOf, type RecordedTurn } from './transcript.ts';

/** A turn is sent back with every later one; a flood is not kept. */
const MAX_CONTENT = 40_000;
const MAX_CALLS = 32;
const MAX_ARGUMENTS = 200_000;

/** Failures of which nothing is billed but what had come of an answer before; a refused or useless answer was billed whole. */
const BILLED_AS_SPENT: ReadonlySet<string> = new Set(['model_unavailable', 'model_rejected', 'model_overflow']);

/** Where the budget stands before the next question. */
export function standingNow(session: Session): Standing {
  const { promptTokens, usd } = nextCost(session);
  return standing(session.input.budget.limits, usageNow(session), { promptTokens, usd });
}

/** Asks and stores the turn (or the compaction, where the prompt did not fit). Gives null, or why the run ends with what it has. */
export async function askModel(
  session: Session,
  toolChoice: ModelRequest['toolChoice'],
  signal: AbortSignal,
): Promise<Stop | null> {
  const { model, budget } = session.input;
  const { reserved } = nextCost(session);
  const granted = await budget.ledger.reserve(reserved);
  if (granted !== 'ok') return { reason: granted.refused, detail: '' };
  let booked = 0;
  let tokens: TurnUsage | undefined;
  try {
    signal.throwIfAborted();
    // A question that was cut or answered badly may have been billed: it counts as the dearest it could be.
    booked = reserved;
    const turn = await model.ask(
      { messages: messagesOf(session.records), tools: session.descriptions, toolChoice },
      signal,
    );
    tokens = turn.usage;
    booked = costOf(tokens, bookedPrices(model.prices));
    const costUsd = costOf(turn.usage, model.prices);
    await session.append(recordedTurn(turn, { toolChoice, costUsd, seconds: session.seconds() }));
    return null;
  } catch (error) {
    if (error instanceof ModelFailure) booked = bookedFor(error, reserved, model.prices);
    return await afterFailure(session, error, signal);
  } finally {
    await budget.ledger.settle(reserved, booked, tokens);
  }
}

/** What broke off is booked as far as it came, and may be more than was set aside for one attempt. */
function bookedFor({ code, spent }: ModelFailure, reserved: number, prices: Prices | null): number {
  const cost = costOf(spent, bookedPrices(prices));
  return BILLED_AS_SPENT.has(code) ? cost : Math.max(reserved, cost);
}

interface NextCost {
  readonly promptTokens: number;
  /** What it may cost at most. Without prices: what the endpoint stated for the turn before, or 0. */
  readonly usd: number;
  /** What is set aside for it in the ledgers. */
  readonly reserved: number;
}

function nextCost({ input, records, descriptions }: Session): NextCost {
  const { prices } = input.model;
  const promptTokens = estimatePrompt({ messages: messagesOf(records), tools: descriptions });
  const last = turnsOf(records).at(-1);
  const booked = reservationFor(promptTokens, last, bookedPrices(prices));
  const usd = prices === null ? (last?.costUsd ?? 0) : booked;
  return { promptTokens, usd, reserved: Math.max(usd, booked) };
}

async function afterFailure(session: Session, error: unknown, signal: AbortSignal): Promise<Stop | null> {
  signal.throwIfAborted();
  if (!(error instanceof CausewayError)) throw error;
  const { code, message: detail } = error;
  switch (code) {
    case 'model_overflow':
      if (session.records.some(({ kind }) => kind === 'compaction')) return { reason: { code }, detail };
      await session.append({ kind: 'compaction' });
      return null;
    case 'model_unavailable':
      if (error instanceof ModelUnavailable && !session.input.mayWait(error.retryAt))
        return { reason: { code }, detail };
      throw error;
    case 'model_rejected':
    case 'model_refused':
    case 'model_misbehaved':
      return { reason: { code }, detail };
    default:
      throw error;
  }
}

function recordedTurn(
  { content, toolCalls, usage, opaque }: ModelTurn,
  about: Pick<RecordedTurn, 'toolChoice' | 'costUsd' | 'seconds'>,
): RecordedTurn {
  const calls = toolCalls.slice(0, MAX_CALLS);
  return {
    kind: 'turn',
    content: cutAt(content, MAX_CONTENT),
    toolCalls: calls.map(recordedCall),
    ...(opaque && { opaque: { ...opaque, calls: opaque.calls.slice(0, MAX_CALLS) } }),
    usage,
    ...about,
  };
}

/** Answers are matched by id: one that is missing or used twice in the turn is replaced. Arguments too long to keep are no object, and so are refused. */
function recordedCall({ id, name, arguments: raw }: ToolCall, index: number, all: readonly ToolCall[]): ToolCall {
  const unique = id !== '' && all.findIndex((other) => other.id === id) === index;
  return {
    id: unique ? id : `call_${index}_${id}`.slice(0, 40),
    name: name.slice(0, 200),
    arguments: raw.length > MAX_ARGUMENTS ? `"${raw.length} characters, too long"` : raw,
  };
}
