// Investigations that wait or run, as people follow them: what each is about, and what it does now.

import { type Investigation, isEnded } from '../core/report/index.ts';
import type { Store } from '../db/index.ts';
import { readReportTitle } from '../triage/index.ts';

/** In their order; "ended" as well where it was stopped or gave up. */
type RunPhase = 'waits' | 'reads' | 'searches' | 'asks' | 'verifies' | 'ended';

export interface Running {
  /** What the report is about, on one line; never empty, and never an id. */
  readonly title: string;
  readonly phase: RunPhase;
  /** Whether a question to the model is under way. */
  readonly isAsking: boolean;
}

type RunningStore = Pick<Store, 'readReportBeginnings' | 'readRunSpending'>;

/** By the id of the investigation. */
export async function describeRunning(
  { store }: { readonly store: RunningStore },
  investigations: readonly Investigation[],
): Promise<ReadonlyMap<string, Running>> {
  const beginnings = await store.readReportBeginnings(investigations.map(({ id }) => id));
  const described = new Map<string, Running>();
  for (const investigation of investigations) {
    const { headline = '', text = '' } = beginnings.get(investigation.id) ?? {};
    const title = headline || nameReport(readReportTitle(text));
    described.set(investigation.id, { title: title || UNTITLED, ...(await findPhase(store, investigation)) });
  }
  return described;
}

const UNTITLED = 'Report without a title';

/** A report that we wrote ourselves also names the commit, which no person reads. */
function nameReport(title: string): string {
  return title.replace(/,? at commit [0-9a-f]{40,64}\b/, '');
}

async function findPhase(
  store: RunningStore,
  { outcome, progress, runId }: Investigation,
): Promise<Pick<Running, 'phase' | 'isAsking'>> {
  if (isEnded(outcome)) return { phase: 'ended', isAsking: false };
  if (outcome.state === 'queued') return { phase: 'waits', isAsking: false };
  const { turns, reservedUsd, lookTurns } = await store.readRunSpending(runId);
  const isAsking = reservedUsd > 0;
  if (lookTurns > 0) return { phase: 'verifies', isAsking };
  if (turns > 0 || isAsking) return { phase: 'asks', isAsking };
  return { phase: progress.step === 0 ? 'reads' : 'searches', isAsking };
}
