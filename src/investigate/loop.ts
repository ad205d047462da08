// The loop: ask, act, conclude.

import type { ToolCall } from 'causeway-models';
import type { RunUsage } from '../core/issue/index.ts';
import type { CutReason } from '../core/reason.ts';
import { type BudgetStanding, CLOSING_TURNS } from './budget.ts';
import { CONCLUDE, type ConclusionDraft, parseDraft } from './conclusion-draft.ts';
import { type Brief, buildOpeningMessages, CONCLUDE_NOW, CONCLUDE_SOON, createFence, NUDGE } from './prompt.ts';
import { type ReviewGround, reviewDraft } from './review.ts';
import {
  askModel,
  assessBudget,
  getRunUsage,
  openSession,
  replayEdits,
  type Session,
  type SessionInput,
  type Stop,
  withDeadline,
} from './session.ts';
import { explainRefusal, mayConclude, runCall } from './tool-calls.ts';
import {
  type AgentStep,
  type AnswerRecord,
  type Exchange,
  listExchanges,
  listSteps,
  type NoticeRecord,
  type TranscriptRecord,
} from './transcript.ts';

export interface AgentInput extends Omit<SessionInput, 'ending' | 'open'> {
  readonly brief: Brief;
  /** By what a conclusion is looked at before it is taken. */
  readonly ground: ReviewGround;
  /** What a concluded run is to correct, once; absent: nothing. */
  readonly repair?: string;
}

interface Ended {
  readonly usage: RunUsage;
  /** All steps of the run, those before a cut included; `analysis` with what the model said about them. */
  readonly steps: readonly AgentStep[];
  /** Why it ended so; null where the model concluded on its own. */
  readonly stop: Stop | null;
  /** A repair was asked for before. */
  readonly isRepair: boolean;
}

export type AgentEnd =
  /** `partial`: a budget made the model conclude. */
  | (Ended & { readonly kind: 'concluded'; readonly draft: ConclusionDraft; readonly partial: boolean })
  | (Ended & { readonly kind: 'no_conclusion' });

/**
 * Investigates until there is a conclusion or none is possible, from where the transcript ends. Throws the signal's
 * reason when aborted, `ModelUnavailable` (run again at `retryAt` with the same transcript), and what tools and
 * transcript throw.
 */
export async function runAgent(input: AgentInput, signal: AbortSignal): Promise<AgentEnd> {
  const open = () => ({ messages: buildOpeningMessages(input.brief, createFence()) });
  const session = await openSession({ ...input, ending: CONCLUDE, open }, signal);
  const lost = await replayEdits(session, signal);
  // Not a conclusion that was sent back either: the change that it speaks of is not there.
  if (lost !== null) return { kind: 'no_conclusion', ...summariseRun(session, lost) };
  if (input.repair !== undefined && !isRepairAsked(session)) await session.append(toRepair(session, input.repair));
  return await withDeadline(
    session,
    signal,
    (soon) => runTurns(session, input.ground, soon),
    (reason) => endWithoutConclusion(session, toStop(reason)),
  );
}

function isRepairAsked({ records }: Session): boolean {
  return listExchanges(records).some(
    ({ replies, notices }) => notices.includes('repair') || replies.some(({ kind }) => kind === 'repair'),
  );
}

/** Sends the conclusion back, whether it was a call or a text. */
function toRepair({ records }: Session, text: string): TranscriptRecord {
  const last = listExchanges(records).at(-1);
  const isCall = last !== undefined && last.replies.length < last.turn.toolCalls.length;
  return isCall ? { kind: 'answer', reply: { kind: 'repair', text } } : createNotice('repair', null, text);
}

async function runTurns(session: Session, ground: ReviewGround, signal: AbortSignal): Promise<AgentEnd> {
  for (;;) {
    signal.throwIfAborted();
    const move = decideMove(session);
    switch (move.kind) {
      case 'ask': {
        const stop = await askModel(session, move.toolChoice, signal);
        if (stop !== null) return endWithoutConclusion(session, stop);
        break;
      }
      case 'act':
        await runCall(session, move.call, signal);
        break;
      case 'note':
        await session.append(move.record);
        break;
      case 'conclude': {
        const faults = await sendBackFaults(session, ground, move);
        if (faults === null) return endConcluded(session, move.draft);
        await session.append(faults);
        break;
      }
      case 'stop':
        return endWithoutConclusion(session, toStop(move.reason));
    }
  }
}

/** The record that sends the conclusion back, once; null where it is taken. */
async function sendBackFaults(
  { records }: Session,
  ground: ReviewGround,
  { draft, sendBack }: Extract<LoopMove, { kind: 'conclude' }>,
): Promise<TranscriptRecord | null> {
  if (sendBack === null) return null;
  const faults = await reviewDraft(draft, listSteps(records), ground);
  return faults === null ? null : sendBack(faults);
}

function endConcluded(session: Session, draft: ConclusionDraft): AgentEnd {
  const notice = session.records.filter((record) => record.kind === 'notice').findLast(({ reason }) => reason !== null);
  const reason = notice?.reason ?? null;
  return { kind: 'concluded', draft, partial: reason !== null, ...summariseRun(session, reason && toStop(reason)) };
}

/** A conclusion that was returned with faults and never corrected still counts: what does not hold is omitted later. */
function endWithoutConclusion(session: Session, stop: Stop): AgentEnd {
  const draft = findReturnedDraft(session.records);
  if (draft !== null) return { kind: 'concluded', draft, partial: true, ...summariseRun(session, stop) };
  return { kind: 'no_conclusion', ...summariseRun(session, stop) };
}

function summariseRun(session: Session, stop: Stop | null): Ended {
  const usage = getRunUsage(session);
  const isUnspent = usage.turns === 0 && stop?.reason.code === 'run_budget' && stop.reason.unit !== 'seconds';
  const told: Stop | null = isUnspent ? { ...stop, reason: { ...stop.reason, phase: 'unspent' } } : stop;
  return { usage, steps: listSteps(session.records), stop: told, isRepair: isRepairAsked(session) };
}

function toStop(reason: CutReason): Stop {
  return { reason, detail: '' };
}

type FaultRecord = (text: string) => NoticeRecord | AnswerRecord;

type LoopMove =
  | { readonly kind: 'ask'; readonly toolChoice: 'auto' | 'none' }
  | { readonly kind: 'act'; readonly call: ToolCall }
  /** A record that needs nothing from outside. */
  | { readonly kind: 'note'; readonly record: NoticeRecord | AnswerRecord }
  /** `sendBack`: how faults are reported to the model; null where that was done once. */
  | { readonly kind: 'conclude'; readonly draft: ConclusionDraft; readonly sendBack: FaultRecord | null }
  | { readonly kind: 'stop'; readonly reason: CutReason };

/** The next move, from the records only. The budget is assessed only before a question. */
function decideMove(session: Session): LoopMove {
  const { records, input } = session;
  const exchanges = listExchanges(records);
  const last = exchanges.at(-1);
  if (last && last.turn.toolCalls.length === 0 && last.notices.length === 0) return decideAfterText(exchanges, last);
  const call = last?.turn.toolCalls[last.replies.length];
  if (!last || !call) return decideAtQuestion(records, assessBudget(session));
  if (call.name === 'conclude' && mayConclude(last)) {
    return decideAfterDraft(exchanges, call.arguments, (text) => ({ kind: 'answer', reply: { kind: 'faults', text } }));
  }
  const text = explainRefusal(
    exchanges,
    input.tools.map(({ name }) => name),
  );
  return text === null
    ? { kind: 'act', call }
    : { kind: 'note', record: { kind: 'answer', reply: { kind: 'refused', text } } };
}

/** A conclusion with faults is sent back once. */
function decideAfterDraft(exchanges: readonly Exchange[], raw: string, record: FaultRecord): LoopMove {
  const earlier = findReturnedArguments(exchanges);
  const parsed = parseDraft(raw, earlier ?? '');
  const repaired = earlier !== null;
  if (parsed.kind === 'draft') return { kind: 'conclude', draft: parsed.draft, sendBack: repaired ? null : record };
  if (repaired) return { kind: 'stop', reason: { code: 'conclusion_faulty' } };
  return { kind: 'note', record: record(parsed.fault) };
}

function wasSentBack({ replies, notices }: Exchange): boolean {
  return (
    notices.some((about) => about === 'faults' || about === 'repair') ||
    replies.some(({ kind }) => kind === 'faults' || kind === 'repair')
  );
}

/** Text is a conclusion where it holds one or tools were shut; else the model is reminded, once in a row. */
function decideAfterText(exchanges: readonly Exchange[], { turn }: Exchange): LoopMove {
  if (turn.toolChoice === 'none' || /"outcome"\s*:/.test(turn.content)) {
    return decideAfterDraft(exchanges, turn.content, (text) => createNotice('faults', null, text));
  }
  if (exchanges.at(-2)?.notices.includes('nudge')) {
    return { kind: 'stop', reason: { code: 'no_tool_call' } };
  }
  return { kind: 'note', record: createNotice('nudge', null, NUDGE) };
}

function decideAtQuestion(records: readonly TranscriptRecord[], standing: BudgetStanding): LoopMove {
  const shut = records.filter((record) => record.kind === 'turn' && record.toolChoice === 'none').length;
  switch (standing.phase) {
    case 'over':
      return { kind: 'stop', reason: standing.reason };
    case 'open':
      return { kind: 'ask', toolChoice: 'auto' };
    case 'concluding':
      return hasNotice(records, 'conclude_soon')
        ? { kind: 'ask', toolChoice: 'auto' }
        : { kind: 'note', record: createNotice('conclude_soon', standing.reason, CONCLUDE_SOON) };
    case 'closing':
      if (shut >= CLOSING_TURNS) return { kind: 'stop', reason: standing.reason };
      return hasNotice(records, 'conclude_now')
        ? { kind: 'ask', toolChoice: 'none' }
        : { kind: 'note', record: createNotice('conclude_now', standing.reason, CONCLUDE_NOW) };
  }
}

function hasNotice(records: readonly TranscriptRecord[], about: NoticeRecord['about']): boolean {
  return records.some((record) => record.kind === 'notice' && record.about === about);
}

function createNotice(about: NoticeRecord['about'], reason: CutReason | null, text: string): NoticeRecord {
  return { kind: 'notice', about, reason, text };
}

/** The last conclusion that could be read, where it was sent back; null where there is none. */
function findReturnedDraft(records: readonly TranscriptRecord[]): ConclusionDraft | null {
  const exchanges = listExchanges(records);
  for (const exchange of exchanges.filter(wasSentBack).toReversed()) {
    const parsed = parseDraft(getConcludeArguments(exchange));
    if (parsed.kind === 'draft') return parsed.draft;
  }
  return null;
}

/** Of the conclusion that was sent back, as the model wrote it; null where none was. */
function findReturnedArguments(exchanges: readonly Exchange[]): string | null {
  const returned = exchanges.findLast(wasSentBack);
  return returned === undefined ? null : getConcludeArguments(returned);
}

function getConcludeArguments({ turn }: Exchange): string {
  return turn.toolCalls.find(({ name }) => name === 'conclude')?.arguments ?? turn.content;
}
