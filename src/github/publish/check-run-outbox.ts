// What may leave for GitHub of our check runs: how ours is found, made and brought up to date.
import type { CheckRunAnnotation } from '../render/check-run-annotations.ts';
import type { WantedCheckRun } from './decide-check-run.ts';

/** One head, as our check run on it is known by. */
export interface CheckRunPlace {
  readonly sha: string;
  /** Id of the head. */
  readonly externalId: string;
}

/** Everything throws GithubFailure, and the signal's reason. */
export interface CheckRunOutbox {
  /** Ours on that head; null: none. Where there are several, the first that was made. */
  find(place: CheckRunPlace, signal: AbortSignal): Promise<StandingCheckRun | null>;
  create(place: CheckRunPlace, wanted: WantedCheckRun, signal: AbortSignal): Promise<StandingCheckRun>;
  /** `annotations` are added to those that are there. */
  update(id: number, wanted: WantedCheckRun, signal: AbortSignal): Promise<void>;
  /** All that stand at it. */
  annotations(id: number, signal: AbortSignal): Promise<readonly Omit<CheckRunAnnotation, 'title'>[]>;
  /** As they leave, so that they can be told from those that stand. */
  cleaned(annotations: readonly CheckRunAnnotation[]): Promise<readonly CheckRunAnnotation[]>;
}

export interface StandingCheckRun {
  readonly id: number;
  /** For people. */
  readonly url: string;
  readonly status: 'in_progress' | 'completed';
  readonly annotations: number;
}
