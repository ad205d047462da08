// What a run stores: its facts and the agent's transcript, so that it continues after a crash, and the money that it
// reserves and spends.

import type { Conclusion } from '../core/issue/index.ts';
import type { SourcedStep, StepSource } from '../core/report/index.ts';
import type { Run, Store } from '../db/index.ts';
import type { AnswerRecord, Ledger, Transcript, TranscriptRecord } from '../investigate/index.ts';
import type { Changes } from './follow.ts';
import type { Investigator, InvestigatorLimits } from './investigator.ts';

/** What was known before the first model request, and since when (ISO 8601 UTC). */
export interface GatheredFacts {
  readonly kind: 'facts';
  readonly conclusion: Conclusion;
  /** Files in a stack trace of the report. */
  readonly framed: readonly string[];
  readonly at: string;
}

/** Null: the run has none yet. */
export async function loadFacts(store: Store, run: Run): Promise<GatheredFacts | null> {
  const [first] = await store.readTranscript(run.id);
  return first === undefined ? null : JSON.parse(first);
}

export async function saveFacts(store: Store, run: Run, facts: GatheredFacts): Promise<void> {
  await store.appendTranscript(run, JSON.stringify(facts), facts.at);
}

interface TranscriptServices {
  readonly store: Store;
  readonly changes: Changes;
  readonly now: () => Date;
  /** Whether steps are not seen before the result is. Absent: they are. */
  readonly isVeiled?: boolean;
}

/** Instead of a step of a run that reads repositories which not everybody who follows it may be able to read. */
export const VEILED_STEP: SourcedStep = {
  action: 'Looked something up (shown with the result)',
  result: '',
  analysis: '',
};

/** A second look's records are between those of the investigation. Absent: the investigation's. */
type Conversation = 'second_look';

/**
 * The agent's transcript, which follows the facts. It must be redacted; a provider's opaque parts are stored apart,
 * encrypted.
 */
export function createRunTranscript(
  { store, changes, now, isVeiled = false }: TranscriptServices,
  run: Run,
  conversation?: Conversation,
): Transcript {
  const mark = conversation === undefined ? {} : { conversation };
  const append = (record: TranscriptRecord, opaque?: string) =>
    store.appendTranscript(run, JSON.stringify({ ...record, ...mark }), now().toISOString(), opaque);
  return {
    load: async () => {
      const records = await store.readTranscript(run.id);
      const opaque = await store.readOpaqueParts(run.id);
      return records.slice(1).flatMap((text, at): TranscriptRecord[] => {
        const record: TranscriptRecord & { readonly conversation?: Conversation } = JSON.parse(text);
        if (record.conversation !== conversation) return [];
        const part = opaque[at + 1] ?? null;
        return [record.kind === 'turn' && part !== null ? { ...record, opaque: JSON.parse(part) } : record];
      });
    },
    append: (record) => {
      if (record.kind !== 'turn' || record.opaque === undefined) return append(record);
      const { opaque, ...shown } = record;
      return append(shown, JSON.stringify(opaque));
    },
    appendStep: async (step, status) => {
      const toAnswer = (number: number): AnswerRecord => ({
        kind: 'answer',
        reply: { kind: 'step', number, status, step },
      });
      const toText = (number: number) => JSON.stringify({ ...toAnswer(number), ...mark });
      const { number } = await store.recordStep(run, isVeiled ? VEILED_STEP : step, now().toISOString(), toText);
      changes.notify(run.id);
      return toAnswer(number);
    },
  };
}

interface LedgerServices {
  readonly store: Store;
  readonly now: () => Date;
  readonly onSpent?: Investigator['onSpent'] | undefined;
}

/** Reserves and settles money in millionths of a US dollar. */
export function createRunLedger(
  { store, now, onSpent }: LedgerServices,
  run: Run,
  usd: InvestigatorLimits['usd'],
  conversation?: Conversation,
): Ledger {
  // Rounded up, so that nothing is lost in rounding.
  const toMicros = (amount: number) => Math.ceil(amount * 1_000_000);
  const limits = { run: toMicros(usd.run), repository: toMicros(usd.repository), all: toMicros(usd.all) };
  return {
    reserve: async (amount) => {
      const at = now().toISOString();
      const exceeded = await store.reserveMoney(run, { amount: toMicros(amount), limits, now: at });
      if (exceeded === null) return 'ok';
      if (exceeded === 'run') {
        return { refused: { code: 'run_budget', unit: 'usd', limit: usd.run, phase: 'over' } };
      }
      onSpent?.({ limit: exceeded, projectId: run.projectId, usd: usd[exceeded], month: at.slice(0, 7) });
      return { refused: { code: 'month_budget', of: exceeded, usd: usd[exceeded] } };
    },
    settle: (reserved, spent, usage) =>
      store.settleMoney(run, {
        reserved: toMicros(reserved),
        spent: toMicros(spent),
        now: now().toISOString(),
        isSecondLook: conversation === 'second_look',
        ...(usage && {
          tokens: {
            prompt: usage.promptTokens,
            cached: usage.cachedTokens,
            cacheWrite: usage.cacheWriteTokens ?? 0,
            completion: usage.completionTokens,
          },
        }),
      }),
  };
}

/** Where the step of that number comes from. One that is not found counts as one that must not be shown. */
export function findStepSource(records: readonly string[], number: number): StepSource {
  for (const text of records.toReversed()) {
    const record: TranscriptRecord = JSON.parse(text);
    if (record.kind === 'answer' && record.reply.kind === 'step' && record.reply.number === number) {
      return record.reply.step.source ?? 'repository';
    }
  }
  return 'monitoring';
}
