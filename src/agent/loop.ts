// The loop: ask, act, conclude.
import type { CutReason } from '../core/reason.ts';
import { askModel, standingNow } from './ask-model.ts';
import type { Usage } from './budget.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { draftSentBack, type Move, nextMove } from './next-move.ts';
import { reviewDraft } from './review-draft.ts';
import { runCall } from './run-call.ts';
import { type AgentInput, openSession, replayEdits, type Session, type Stop, usageNow } from './session.ts';
import { type AgentStep, stepsOf, type TranscriptRecord } from './transcript.ts';

interface Ended {
  readonly usage: Usage;
  /** All steps of the run, those before a cut included; `analysis` with what the model said about them. */
  readonly steps: readonly AgentStep[];
  /** Why it ended so; null where the model concluded on its own. */
  readonly stop: Stop | null;
}

export type AgentEnd =
  /** `partial`: a budget made the model conclude. */
  | (Ended & { readonly kind: 'concluded'; readonly draft: ConclusionDraft; readonly partial: boolean })
  | (Ended & { readonly kind: 'no_conclusion' });

/** Longest delay of a timer in milliseconds. */
const MAX_DELAY = 2_147_483_647;

/**
 * Investigates until there is a conclusion or none can be had. Goes on where the transcript ends. Throws the signal's reason when
 * aborted, `ModelUnavailable` (run it again at `retryAt` with the same transcript), and what tools and transcript throw.
 */
export async function runAgent(input: AgentInput, signal: AbortSignal): Promise<AgentEnd> {
  const session = await openSession(input, signal);
  const lost = await replayEdits(session, signal);
  // Not a conclusion that was sent back either: the change that it speaks of is not there.
  if (lost !== null) return { kind: 'no_conclusion', ...ended(session, lost) };
  const secondsLeft = Math.max(0, input.budget.limits.seconds - session.seconds());
  const deadline = AbortSignal.timeout(Math.min(Math.ceil(secondsLeft * 1_000), MAX_DELAY));
  try {
    return await investigate(session, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    const limit = input.budget.limits.seconds;
    return noConclusion(session, stopFor({ code: 'run_budget', unit: 'seconds', limit, phase: 'over' }));
  }
}

async function investigate(session: Session, signal: AbortSignal): Promise<AgentEnd> {
  const { records, input } = session;
  const tools = input.tools.map(({ name }) => name);
  for (;;) {
    signal.throwIfAborted();
    const move = nextMove({ records, tools, standing: () => standingNow(session) });
    switch (move.kind) {
      case 'ask': {
        const stop = await askModel(session, move.toolChoice, signal);
        if (stop !== null) return noConclusion(session, stop);
        break;
      }
      case 'act':
        await runCall(session, move.call, signal);
        break;
      case 'note':
        await session.append(move.record);
        break;
      case 'conclude': {
        const faults = await faultsOf(session, move);
        if (faults === null) return concluded(session, move.draft);
        await session.append(faults);
        break;
      }
      case 'stop':
        return noConclusion(session, stopFor(move.reason));
    }
  }
}

/** The record that sends the conclusion back, once; null where it is taken. */
async function faultsOf(
  { input, records }: Session,
  { draft, sendBack }: Extract<Move, { kind: 'conclude' }>,
): Promise<TranscriptRecord | null> {
  if (sendBack === null) return null;
  const faults = await reviewDraft(draft, stepsOf(records), input.ground);
  return faults === null ? null : sendBack(faults);
}

function concluded(session: Session, draft: ConclusionDraft): AgentEnd {
  const told = session.records.filter((record) => record.kind === 'notice').findLast(({ reason }) => reason !== null);
  const reason = told?.reason ?? null;
  return { kind: 'concluded', draft, partial: reason !== null, ...ended(session, reason && stopFor(reason)) };
}

/** A conclusion that was sent back and never came again still stands: what does not hold in it is left out later. */
function noConclusion(session: Session, stop: Stop): AgentEnd {
  const draft = draftSentBack(session.records);
  if (draft !== null) return { kind: 'concluded', draft, partial: true, ...ended(session, stop) };
  return { kind: 'no_conclusion', ...ended(session, stop) };
}

function ended(session: Session, stop: Stop | null): Ended {
  return { usage: usageNow(session), steps: stepsOf(session.records), stop };
}

function stopFor(reason: CutReason): Stop {
  return { reason, detail: '' };
}
