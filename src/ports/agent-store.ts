// The door to what the agent needs remembered: its transcript, so that a killed run goes on, and the money that runs have cost.
import type { Run } from './store.ts';

/** Money is in millionths of a US dollar, so that sums are exact. */
export interface AgentStore {
  /** The entries of the run's transcript, oldest first; empty where it has none. */
  transcript(runId: string): Promise<readonly string[]>;
  /** What was kept with each of those entries for the model alone, in the same order; null: nothing. */
  opaqueParts(runId: string): Promise<readonly (string | null)[]>;
  /**
   * Appends one entry (JSON, redacted); refused with `lease_lost` from an older generation. A run that has a transcript keeps its steps when
   * it is started again. `opaque`: kept with it as it is, encrypted; it goes with the transcript when the run ends.
   */
  appendTranscript(run: Run, entry: string, now: string, opaque?: string): Promise<void>;
  /** Sets money aside for a call before it is made. Reserved and spent money together may not exceed a limit: null where all fit, else the one that does not. */
  reserveMoney(run: Run, reservation: Reservation): Promise<LimitName | null>;
  /** Ends a reservation: so much was really spent. Of an older generation it changes nothing, since what that had set aside counts as spent. */
  settleMoney(run: Run, settlement: Settlement): Promise<void>;
}

export type LimitName = 'run' | 'repository' | 'all';

export interface Reservation {
  readonly amount: number;
  /** Of the run, of its project in this calendar month (UTC), of everything in this month. */
  readonly limits: Readonly<Record<LimitName, number>>;
  readonly now: string;
}

export interface Settlement {
  /** What was set aside. */
  readonly reserved: number;
  readonly spent: number;
  /** Of the call; absent: none was answered. */
  readonly tokens?: {
    readonly prompt: number;
    readonly cached: number;
    readonly cacheWrite?: number;
    readonly completion: number;
  };
  readonly now: string;
}
