// The steps of a run by what they were for, and how long each part took: from where a step comes, and when it was recorded.

import type { Issue } from '../core/issue/index.ts';
import type { InvestigationStep, StepSource } from '../core/report/index.ts';
import type { RunTimes, Store } from '../db/index.ts';
import type { GatheredFacts } from './run-records.ts';

export interface RunPart {
  readonly phase: 'reads' | 'searches' | 'asks' | 'verifies';
  readonly steps: readonly (InvestigationStep & { readonly number: number })[];
  /** Null: not known. */
  readonly seconds: number | null;
}

export interface RunParts {
  /** In their order; without one that did nothing. */
  readonly parts: readonly RunPart[];
  /** Seconds from the request to the beginning; null: not known. */
  readonly waited: number | null;
}

/** Of the run behind an Issue. */
export async function listRunParts(
  { store }: { readonly store: Pick<Store, 'findRunOfIssue' | 'listStepSources' | 'readRunTimes'> },
  issue: Issue,
): Promise<RunParts> {
  const run = await store.findRunOfIssue(issue.id);
  const times = run === null ? { steps: [], opening: null, lastEntryAt: null } : await store.readRunTimes(run.id);
  return divideRun(issue, await store.listStepSources(issue.id), times);
}

/** Before the model was asked: how many steps there were, and when the run began. */
interface Opening {
  readonly steps: number;
  readonly beganAt: number | null;
}

function divideRun(issue: Issue, sources: readonly StepSource[], times: RunTimes): RunParts {
  const { model, usage, sameAs } = issue.analysis;
  const all = issue.investigationSteps.map((step, at) => ({ ...step, number: at + 1 }));
  const { steps: own, beganAt } = readOpening(times.opening) ?? { steps: all.length, beganAt: null };
  const isWhole = model === null || times.opening !== null;
  const read = sources.slice(0, own).findLastIndex((source) => source === 'report' || source === 'log') + 1;
  const endedAt = Date.parse(issue.createdAt);
  const requestedAt = endedAt - usage.seconds * 1_000;
  // An answer that was taken over was found before it was requested.
  const at = (iso: string | null | undefined) => (iso == null || sameAs !== null ? null : Date.parse(iso));
  const [readAt, searchedAt] = [at(times.steps[read - 1]), isWhole ? at(times.steps[own - 1]) : null];
  const answeredAt = at(times.lastEntryAt);
  const asked = all.slice(own);
  const parts: readonly RunPart[] = [
    { phase: 'reads', steps: all.slice(0, read), seconds: countBetween(beganAt ?? requestedAt, readAt) },
    { phase: 'searches', steps: all.slice(read, own), seconds: countBetween(readAt, searchedAt) },
    ...(usage.turns > 0
      ? [
          { phase: 'asks' as const, steps: asked, seconds: countBetween(searchedAt, answeredAt) },
          {
            phase: 'verifies' as const,
            steps: [],
            seconds: countBetween(answeredAt, sameAs === null ? endedAt : null),
          },
        ]
      : []),
  ];
  const done = parts.filter(({ phase, steps }) => phase === 'asks' || phase === 'verifies' || steps.length > 0);
  return { parts: done, waited: sameAs === null ? countBetween(requestedAt, beganAt) : null };
}

function readOpening(entry: string | null): Opening | null {
  const facts: Partial<GatheredFacts> = entry === null ? {} : JSON.parse(entry);
  if (facts.kind !== 'facts' || facts.conclusion === undefined || facts.at === undefined) return null;
  const { investigationSteps, analysis } = facts.conclusion;
  return { steps: investigationSteps.length, beganAt: Date.parse(facts.at) - analysis.usage.seconds * 1_000 };
}

/** The clock may have been put back meanwhile. */
function countBetween(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, (to - from) / 1_000);
}
