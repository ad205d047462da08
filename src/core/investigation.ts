// An investigation: one caller's report on its way. Equal reports share one run; each caller keeps an own investigation.
import type { FailureReason } from './reason.ts';
import type { Origin } from './report.ts';

export const INVESTIGATION_STATES = ['queued', 'running', 'concluded', 'gave_up', 'cancelled'] as const;
export type InvestigationState = (typeof INVESTIGATION_STATES)[number];

/** What the investigation is doing now: the number of the last step (0 before the first) and its action. */
interface Progress {
  readonly step: number;
  readonly action: string;
}

export type InvestigationOutcome =
  | { readonly state: 'queued' }
  | { readonly state: 'running' }
  | { readonly state: 'concluded'; readonly issueId: string }
  | { readonly state: 'gave_up'; readonly reason: FailureReason }
  | { readonly state: 'cancelled'; readonly reason: FailureReason };

export interface Investigation {
  readonly id: string;
  readonly runId: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly origin: Origin;
  readonly reference: string;
  readonly outcome: InvestigationOutcome;
  readonly progress: Progress;
  readonly createdAt: string;
}

/** Whether nothing more will happen to it. */
export function isEnded(outcome: InvestigationOutcome): boolean {
  return outcome.state !== 'queued' && outcome.state !== 'running';
}
