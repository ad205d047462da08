// The state of one run: its records, its clock, and its overlay after a restart.

import {
  computeCost,
  type Model,
  ModelFailure,
  type ModelFailureCode,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type Prices,
  type ToolCall,
  type ToolDescription,
  type TurnUsage,
} from 'causeway-models';
import { truncate } from 'causeway-visible-text';
import type { RunUsage } from '../core/issue/index.ts';
import type { CutReason } from '../core/reason.ts';
import type { LookupFinding, SourcedStep, Tool } from '../core/report/index.ts';
import { normaliseArguments } from './arguments.ts';
import {
  assessStanding,
  type Budget,
  type BudgetStanding,
  estimatePrompt,
  estimateReservation,
  getBookedPrices,
  sumRunUsage,
} from './budget.ts';
import {
  buildMessages,
  isEdit,
  listExchanges,
  type OpeningRecord,
  type RecordedTurn,
  type Transcript,
  type TranscriptRecord,
} from './transcript.ts';

/** A conversation with a model. */
export interface SessionInput {
  readonly model: Model;
  /**
   * On a new overlay of the commit: recorded edits are run again on it. The same names and descriptions in every run.
   */
  readonly tools: readonly Tool[];
  /** The tool by which the model ends it. */
  readonly ending: ToolDescription;
  readonly open: () => Omit<OpeningRecord, 'kind'>;
  readonly transcript: Transcript;
  readonly budget: Budget;
  /** Whether a model that cannot be reached is waited for until then; if not, the run ends with what it has. */
  readonly mayWait: (until: Date) => boolean;
  readonly now: () => Date;
}

export interface Session {
  readonly input: SessionInput;
  readonly records: readonly TranscriptRecord[];
  /** Byte-identical in every question of the run. */
  readonly descriptions: readonly ToolDescription[];
  append(record: TranscriptRecord): Promise<void>;
  appendStep(step: SourcedStep, status: LookupFinding['status']): Promise<void>;
  /** Seconds of work, those before a cut included. */
  seconds(): number;
}

/** Why the run ends. */
export interface Stop {
  readonly reason: CutReason;
  /** The failure of the model, only for the operator: it may name hosts and settings. "" where nothing failed. */
  readonly detail: string;
}

/** Begins the run, or loads the records of one that was interrupted; its edits are still to be replayed. */
export async function openSession(input: SessionInput, signal: AbortSignal): Promise<Session> {
  const started = input.now().getTime();
  const records: TranscriptRecord[] = [...(await input.transcript.load())];
  const before = listTurns(records).at(-1)?.seconds ?? 0;
  const session: Session = {
    input,
    records,
    descriptions: [...input.tools, input.ending].map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    })),
    append: async (record) => {
      await input.transcript.append(record);
      records.push(record);
    },
    appendStep: async (step, status) => void records.push(await input.transcript.appendStep(step, status)),
    seconds: () => before + (input.now().getTime() - started) / 1_000,
  };
  signal.throwIfAborted();
  if (records.length === 0) await session.append({ kind: 'opening', ...input.open() });
  return session;
}

/** Longest delay of a timer in milliseconds. */
const MAX_DELAY = 2_147_483_647;

/** Throws the signal's reason when aborted; `onLate` ends what takes longer than its budget. */
export async function withDeadline<T>(
  session: Session,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: (reason: CutReason) => T,
): Promise<T> {
  const limit = session.input.budget.limits.seconds;
  const left = Math.max(0, limit - session.seconds());
  const deadline = AbortSignal.timeout(Math.min(Math.ceil(left * 1_000), MAX_DELAY));
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    return onLate({ code: 'run_budget', unit: 'seconds', limit, phase: 'over' });
  }
}

function listTurns(records: readonly TranscriptRecord[]): readonly RecordedTurn[] {
  return records.filter((record) => record.kind === 'turn');
}

export function getRunUsage(session: Session): RunUsage {
  return sumRunUsage(listTurns(session.records), session.seconds(), session.input.model.prices);
}

/**
 * Runs the recorded edits again on the overlay. Their result depends only on the commit, the tools and the edits
 * before them: another result means other tools, as after an upgrade. Returns null, or why the run cannot go on.
 */
export async function replayEdits({ input, records }: Session, signal: AbortSignal): Promise<Stop | null> {
  for (const { turn, replies } of listExchanges(records)) {
    for (const [at, reply] of replies.entries()) {
      const call = turn.toolCalls[at];
      if (!call || !isEdit(call) || reply.kind !== 'step' || reply.status !== 'found') continue;
      signal.throwIfAborted();
      const result = await input.tools.find(({ name }) => name === call.name)?.run(normaliseArguments(call), signal);
      if (result?.finding.status !== 'found') {
        const detail = `The edit of step ${reply.number} could not be placed again when the investigation was resumed, as happens after an upgrade.`;
        return { reason: { code: 'edits_lost' }, detail };
      }
    }
  }
  return null;
}

/** A turn is sent back with every later one; a flood is not kept. */
const MAX_CONTENT = 40_000;

const MAX_CALLS = 32;

const MAX_ARGUMENTS = 200_000;

/** Failures that cost only what was spent before them; a refused or useless answer is billed in full. */
const BILLED_AS_SPENT: ReadonlySet<ModelFailureCode> = new Set([
  'model_unavailable',
  'model_rejected',
  'model_overflow',
  'model_script_ended',
]);

/** The budget before the next question. */
export function assessBudget(session: Session): BudgetStanding {
  const { promptTokens, usd } = estimateNextCost(session);
  return assessStanding(session.input.budget.limits, getRunUsage(session), { promptTokens, usd });
}

/**
 * Asks the model and stores its turn, or a compaction where the prompt did not fit. Returns null, or why the run ends.
 */
export async function askModel(
  session: Session,
  toolChoice: ModelRequest['toolChoice'],
  signal: AbortSignal,
): Promise<Stop | null> {
  const { model, budget } = session.input;
  const { reserved } = estimateNextCost(session);
  const granted = await budget.ledger.reserve(reserved);
  if (granted !== 'ok') return { reason: granted.refused, detail: '' };
  let booked = 0;
  let tokens: TurnUsage | undefined;
  try {
    signal.throwIfAborted();
    // A question that was cut or answered badly may have been billed: it counts as the dearest it could be.
    booked = reserved;
    const turn = await model.ask(
      { messages: buildMessages(session.records), tools: session.descriptions, toolChoice },
      signal,
    );
    tokens = turn.usage;
    booked = computeCost(tokens, getBookedPrices(model.prices));
    const costUsd = computeCost(turn.usage, model.prices);
    await session.append(toRecordedTurn(turn, { toolChoice, costUsd, seconds: session.seconds() }));
    return null;
  } catch (error) {
    if (error instanceof ModelFailure) booked = computeBooked(error, reserved, model.prices);
    return await handleFailure(session, error, signal);
  } finally {
    await budget.ledger.settle(reserved, booked, tokens);
  }
}

/** What broke off is booked as far as it came, and may be more than was set aside for one attempt. */
function computeBooked({ code, spent }: ModelFailure, reserved: number, prices: Prices | null): number {
  const cost = computeCost(spent, getBookedPrices(prices));
  return BILLED_AS_SPENT.has(code) ? cost : Math.max(reserved, cost);
}

interface NextCost {
  readonly promptTokens: number;
  /** What it may cost at most. Without prices: what the endpoint stated for the turn before, or 0. */
  readonly usd: number;
  /** What is set aside for it in the ledgers. */
  readonly reserved: number;
}

function estimateNextCost({ input, records, descriptions }: Session): NextCost {
  const { prices } = input.model;
  const promptTokens = estimatePrompt({ messages: buildMessages(records), tools: descriptions });
  const last = listTurns(records).at(-1);
  const booked = estimateReservation(promptTokens, last, getBookedPrices(prices));
  const usd = prices === null ? (last?.costUsd ?? 0) : booked;
  return { promptTokens, usd, reserved: Math.max(usd, booked) };
}

async function handleFailure(session: Session, error: unknown, signal: AbortSignal): Promise<Stop | null> {
  signal.throwIfAborted();
  if (!(error instanceof ModelFailure)) throw error;
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
    case 'model_script_ended':
      return { reason: { code }, detail };
  }
}

function toRecordedTurn(
  { content, toolCalls, usage, opaque }: ModelTurn,
  about: Pick<RecordedTurn, 'toolChoice' | 'costUsd' | 'seconds'>,
): RecordedTurn {
  const calls = toolCalls.slice(0, MAX_CALLS);
  return {
    kind: 'turn',
    content: truncate(content, MAX_CONTENT),
    toolCalls: calls.map(toRecordedCall),
    ...(opaque && { opaque: { ...opaque, calls: opaque.calls.slice(0, MAX_CALLS) } }),
    usage,
    ...about,
  };
}

/**
 * Answers are matched by id: a missing or repeated one is replaced. Arguments that are too long become a string, which
 * is refused.
 */
function toRecordedCall({ id, name, arguments: raw }: ToolCall, index: number, all: readonly ToolCall[]): ToolCall {
  const unique = id !== '' && all.findIndex((other) => other.id === id) === index;
  return {
    id: unique ? id : `call_${index}_${id}`.slice(0, 40),
    name: name.slice(0, 200),
    arguments: raw.length > MAX_ARGUMENTS ? `"${raw.length} characters, too long"` : raw,
  };
}
