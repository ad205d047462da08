// Follows an investigation live: its steps and states as they come, until it ends.
import { type Investigation, isEnded } from '../core/investigation.ts';
import type { InvestigationStore, RecordedStep } from '../db/store.ts';
import type { Changes } from './changes.ts';

export interface FollowDeps {
  readonly store: Pick<InvestigationStore, 'investigation' | 'steps'>;
  readonly changes: Changes;
}

export type FollowEvent =
  | { readonly type: 'step'; readonly step: RecordedStep }
  | { readonly type: 'state'; readonly investigation: Investigation }
  | { readonly type: 'end'; readonly investigation: Investigation };

/** A word from another process can get lost, and over SQLite there is none: look again at least this often. */
const POLL_MS = 1_000;

/**
 * Steps after number `after` and every change of state, as they happen; ends after `end`, when the investigation is erased
 * (no `end` then), or when the signal aborts.
 */
export async function* follow(
  deps: FollowDeps,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  const runId = (await deps.store.investigation(id))?.runId;
  let seen = after;
  let state = '';
  while (runId !== undefined && !signal.aborted) {
    // Listening begins before looking, and the state is read before the steps: nothing falls between two looks.
    const changed = deps.changes.next(runId, POLL_MS, signal);
    const investigation = await deps.store.investigation(id);
    if (investigation === null) return;
    // A run that starts again after a crash numbers its steps anew.
    if (investigation.progress.step < seen) seen = 0;
    const steps = await deps.store.steps(runId, seen);
    yield* eventsOf(investigation, steps, state);
    if (isEnded(investigation.outcome)) return;
    seen = steps.at(-1)?.number ?? seen;
    state = investigation.outcome.state;
    await changed;
  }
}

/** What one look has found: "running" is told before its steps, an end after all of them. */
function eventsOf(investigation: Investigation, found: readonly RecordedStep[], told: string): readonly FollowEvent[] {
  const steps = found.map((step) => ({ type: 'step', step }) as const);
  const state = investigation.outcome.state === told ? [] : [{ type: 'state', investigation } as const];
  if (!isEnded(investigation.outcome)) return [...state, ...steps];
  return [...steps, ...state, { type: 'end', investigation }];
}

/** The investigation once it has ended, or as it stands after `ms`; null where there is none (any more). */
export async function waitForEnd(
  deps: FollowDeps,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<Investigation | null> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  let investigation = await deps.store.investigation(id);
  while (investigation !== null && !isEnded(investigation.outcome) && !until.aborted) {
    const changed = deps.changes.next(investigation.runId, POLL_MS, until);
    investigation = await deps.store.investigation(id);
    if (investigation !== null && !isEnded(investigation.outcome)) await changed;
  }
  return investigation;
}
