// What a run stores: its facts and the agent's transcript, so that it goes on after a crash, and the money that it reserves and spends.

import type { Ledger } from '../agent/budget.ts';
import type { AnswerRecord, Transcript, TranscriptRecord } from '../agent/transcript.ts';
import type { StepSource } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import type { TurnUsage } from '../core/model.ts';
import type { CutReason } from '../core/reason.ts';
import type { LimitName, Run, Settlement, Store } from '../db/store.ts';
import type { Investigator, InvestigatorLimits } from './investigator.ts';

/** What was known before the model was asked, and since when (ISO 8601 UTC). */
export interface GatheredFacts {
  readonly kind: 'facts';
  readonly conclusion: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  readonly at: string;
}

interface RunRecordsDeps {
  readonly store: Store;
  readonly now: () => Date;
  /** Called after each step that was stored. */
  readonly onStep: () => void;
}

/** The facts of a run that goes on; null for one that begins. */
export async function recordedFacts(deps: Pick<RunRecordsDeps, 'store'>, run: Run): Promise<GatheredFacts | null> {
  const [first] = await deps.store.readTranscript(run.id);
  // Runs that began under an older version recorded no frames.
  return first === undefined ? null : { framed: [], ...JSON.parse(first) };
}

export async function recordFacts(
  { store, now }: Pick<RunRecordsDeps, 'store' | 'now'>,
  run: Run,
  { conclusion, framed }: Pick<GatheredFacts, 'conclusion' | 'framed'>,
): Promise<GatheredFacts> {
  const at = now().toISOString();
  const facts = { kind: 'facts', conclusion, framed, at } as const;
  await store.appendTranscript(run, JSON.stringify(facts), at);
  return facts;
}

/**
 * The agent's transcript behind the facts. What it is given must be free of secrets, but for a provider's opaque parts, which are kept apart,
 * encrypted.
 */
export function runTranscript(deps: RunRecordsDeps, run: Run): Transcript {
  const now = () => deps.now().toISOString();
  return {
    load: async () => {
      const records = await deps.store.readTranscript(run.id);
      const opaque = await deps.store.readOpaqueParts(run.id);
      return records.slice(1).map((record, at) => withOpaque(JSON.parse(record), opaque[at + 1] ?? null));
    },
    append: (record) => {
      if (record.kind !== 'turn' || record.opaque === undefined) {
        return deps.store.appendTranscript(run, JSON.stringify(record), now());
      }
      const { opaque, ...shown } = record;
      return deps.store.appendTranscript(run, JSON.stringify(shown), now(), JSON.stringify(opaque));
    },
    appendStep: async (step, status) => {
      const answer = (number: number): AnswerRecord => ({
        kind: 'answer',
        reply: { kind: 'step', number, status, step },
      });
      const { number } = await deps.store.recordStep(run, step, now(), (taken) => JSON.stringify(answer(taken)));
      deps.onStep();
      return answer(number);
    },
  };
}

function withOpaque(record: TranscriptRecord, opaque: string | null): TranscriptRecord {
  return record.kind === 'turn' && opaque !== null ? { ...record, opaque: JSON.parse(opaque) } : record;
}

interface LedgerDeps {
  readonly store: Store;
  readonly now: () => Date;
  /** Told when a budget of the month refuses. */
  readonly onSpent?: Investigator['onSpent'] | undefined;
}

/** Millionths of a US dollar, rounded up: nothing that was spent may be lost in rounding. */
function micros(usd: number): number {
  return Math.ceil(usd * 1_000_000);
}

export function runLedger({ store, now, onSpent }: LedgerDeps, run: Run, usd: InvestigatorLimits['usd']): Ledger {
  const limits = { run: micros(usd.run), repository: micros(usd.repository), all: micros(usd.all) };
  return {
    reserve: async (amount) => {
      const at = now().toISOString();
      const exceeded = await store.reserveMoney(run, { amount: micros(amount), limits, now: at });
      if (exceeded === null) return 'ok';
      if (exceeded !== 'run') {
        onSpent?.({ limit: exceeded, projectId: run.projectId, usd: usd[exceeded], month: at.slice(0, 7) });
      }
      return { refused: refusal(exceeded, usd) };
    },
    settle: (reserved, spent, usage) => {
      const tokens = usage && { tokens: tokensOf(usage) };
      const settled = { reserved: micros(reserved), spent: micros(spent), now: now().toISOString() };
      return store.settleMoney(run, { ...settled, ...tokens });
    },
  };
}

function tokensOf(usage: TurnUsage): Settlement['tokens'] & {} {
  const { promptTokens, cachedTokens, cacheWriteTokens = 0, completionTokens } = usage;
  return { prompt: promptTokens, cached: cachedTokens, cacheWrite: cacheWriteTokens, completion: completionTokens };
}

function refusal(exceeded: LimitName, usd: InvestigatorLimits['usd']): CutReason {
  return exceeded === 'run'
    ? { code: 'run_budget', unit: 'usd', limit: usd.run, phase: 'over' }
    : { code: 'month_budget', of: exceeded, usd: usd[exceeded] };
}

/** Where the step of that number comes from. One that is not found counts as one that must not be shown. */
export function findStepSource(records: readonly string[], number: number): StepSource {
  for (const record of records.toReversed()) {
    const read: TranscriptRecord = JSON.parse(record);
    if (read.kind === 'answer' && read.reply.kind === 'step' && read.reply.number === number) {
      return read.reply.step.source ?? 'repository';
    }
  }
  return 'monitoring';
}
