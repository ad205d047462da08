// What a run remembers of itself, so that it goes on after a crash: first its facts, then the agent's records.
import type { AnswerRecord, Transcript, TranscriptRecord } from '../agent/transcript.ts';
import type { StepSource } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import type { AgentStore, InvestigationStore, Run } from '../db/store.ts';

/** What was known before the model was asked, and since when (ISO 8601 UTC). */
export interface GatheredFacts {
  readonly kind: 'facts';
  readonly conclusion: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  readonly at: string;
}

export interface RunRecordsDeps {
  readonly store: Pick<InvestigationStore, 'recordStep'> &
    Pick<AgentStore, 'transcript' | 'opaqueParts' | 'appendTranscript'>;
  readonly now: () => Date;
  /** Called after each step that was stored. */
  readonly onStep: () => void;
}

/** The facts of a run that goes on; null for one that begins. */
export async function recordedFacts(deps: Pick<RunRecordsDeps, 'store'>, run: Run): Promise<GatheredFacts | null> {
  const [first] = await deps.store.transcript(run.id);
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
      const records = await deps.store.transcript(run.id);
      const opaque = await deps.store.opaqueParts(run.id);
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
