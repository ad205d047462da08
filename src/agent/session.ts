// One run as it stands: its records, its clock, its overlay brought back to where it was.
import type { Finding, InvestigationStep } from '../core/evidence.ts';
import type { Model, ToolDescription } from '../core/model.ts';
import type { CutReason } from '../core/reason.ts';
import type { Tool } from '../core/tool.ts';
import { type Brief, newFence, openingMessages } from './brief.ts';
import { type Budget, type Usage, usageOf } from './budget.ts';
import { CONCLUDE } from './conclude-tool.ts';
import { argumentsOf } from './refusals.ts';
import type { ReviewGround } from './review-draft.ts';
import { exchangesOf, isEdit, type RecordedTurn, type Transcript, type TranscriptRecord } from './transcript.ts';

export interface AgentInput {
  readonly model: Model;
  /** On a fresh overlay of the commit: recorded edits are run again on it. The same names and descriptions in every run. */
  readonly tools: readonly Tool[];
  readonly brief: Brief;
  readonly transcript: Transcript;
  readonly budget: Budget;
  /** By what a conclusion is looked at before it is taken. */
  readonly ground: ReviewGround;
  /** Whether a model that cannot be reached is waited for until then; if not, the run ends with what it has. */
  readonly mayWait: (until: Date) => boolean;
  readonly now: () => Date;
}

export interface Session {
  readonly input: AgentInput;
  readonly records: readonly TranscriptRecord[];
  /** Byte-identical in every question of the run. */
  readonly descriptions: readonly ToolDescription[];
  append(record: TranscriptRecord): Promise<void>;
  appendStep(step: InvestigationStep, status: Finding['status']): Promise<void>;
  /** Seconds of work, those before a cut included. */
  seconds(): number;
}

/** Why nothing more is asked. */
export interface Stop {
  readonly reason: CutReason;
  /** What the model's failure says, for the operator alone: it may name hosts and settings. "" where nothing failed. */
  readonly detail: string;
}

/** Begins the run, or brings back the one that was cut, whose edits are still to be repeated. */
export async function openSession(input: AgentInput, signal: AbortSignal): Promise<Session> {
  const started = input.now().getTime();
  const records: TranscriptRecord[] = [...(await input.transcript.load())];
  const before = turnsOf(records).at(-1)?.seconds ?? 0;
  const session: Session = {
    input,
    records,
    descriptions: [...input.tools, CONCLUDE].map(({ name, description, parameters }) => ({
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
  if (records.length === 0)
    await session.append({ kind: 'opening', messages: openingMessages(input.brief, newFence()) });
  return session;
}

export function turnsOf(records: readonly TranscriptRecord[]): readonly RecordedTurn[] {
  return records.filter((record) => record.kind === 'turn');
}

export function usageNow(session: Session): Usage {
  return usageOf(turnsOf(session.records), session.seconds());
}

/**
 * Gives the overlay its edits again; nothing is looked up or asked again. They depend on nothing but the commit, the tools and the edits
 * before them: one that now ends otherwise means other tools, as after an upgrade. Gives null, or why the run cannot go on: what its
 * records say of the overlay is no longer true.
 */
export async function replayEdits({ input, records }: Session, signal: AbortSignal): Promise<Stop | null> {
  for (const { turn, replies } of exchangesOf(records)) {
    for (const [at, reply] of replies.entries()) {
      const call = turn.toolCalls[at];
      if (!call || !isEdit(call) || reply.kind !== 'step' || reply.status !== 'found') continue;
      signal.throwIfAborted();
      const result = await input.tools.find(({ name }) => name === call.name)?.run(argumentsOf(call), signal);
      if (result?.finding.status !== 'found') {
        const detail = `The edit of step ${reply.number} could not be placed again when the investigation was resumed, as happens after an upgrade.`;
        return { reason: { code: 'edits_lost' }, detail };
      }
    }
  }
  return null;
}
