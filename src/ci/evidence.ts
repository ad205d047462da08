// What is known of a red check before it is judged, and what a judgement says.
import type { Annotation, Verdict } from '../core/check.ts';
import type { Excerpt } from '../core/head.ts';
import type { Tie } from './touches.ts';

/** What of a red check is read for its cause. Nothing of it is trusted. */
export interface CheckTexts {
  readonly name: string;
  /** The check's own words: title, summary, text; "" for none. */
  readonly output: string;
  /** Its log, or what is kept of a long one, raw as it was stored: time stamps, colours, group markers; "" for none. */
  readonly log: string;
  /** The log of a run of the same check that passed, raw as well; absent or "": none is known. */
  readonly passing?: string;
  /** Only those of level `failure` count: what a check warns of did not make it red. */
  readonly annotations: readonly Pick<Annotation, 'path' | 'line' | 'message' | 'level'>[];
}

/** A place that a log or an annotation names, in a path as it stands there or, where the runner's own folder was in front, without it. */
export interface Place {
  readonly path: string;
  /** 0: none. */
  readonly line: number;
  readonly message: string;
  /** Whether it is the check's own annotation. */
  readonly isMarked?: boolean;
}

/** A sign that the machine or a service failed, not the code: what it is in words, and the line that says so. */
export interface InfrastructureFault {
  readonly what: string;
  readonly line: string;
}

/** What a check says by itself. */
export interface ReadCheck {
  readonly excerpt: Excerpt;
  readonly places: readonly Place[];
  readonly infrastructure: InfrastructureFault | null;
  /** Equal for the same cause wherever it is seen; of a check that says nothing, of its name and conclusion alone. */
  readonly fingerprint: string;
  /** Whether there was anything to tell one cause from another. */
  readonly isTelling: boolean;
}

export interface CheckEvidence {
  readonly name: string;
  /** As GitHub says it: `failure`, `timed_out`, `error` … */
  readonly conclusion: string;
  readonly read: ReadCheck;
  /** Why its log could not be read, in words; absent or "": it was, or there never is one. */
  readonly noLog?: string;
  /** Whether the same check passed at the same commit, earlier or later. */
  readonly passedHere: boolean;
  /** The same check on the base. `sameCause`: null where only its colour is known. */
  readonly base: {
    readonly name: string;
    readonly state: 'green' | 'red' | 'unknown';
    readonly sameCause: boolean | null;
  };
  /** The same failure so far; null: never seen. */
  readonly history: FailureHistory | null;
  /** What the change under test touches; null: not known. */
  readonly changed: { readonly paths: readonly string[]; readonly isCut: boolean } | null;
  /** What ties the failure to the change; absent: what its names alone say. */
  readonly ties?: readonly Tie[];
  /** A push to the default branch has no base but what stood there before. */
  readonly isOnDefault: boolean;
}

export interface FailureHistory {
  /** Open, and seen on the default branch. */
  readonly isOpenOnDefault: boolean;
  readonly hits: number;
  readonly flakyHits: number;
  /** Other pull requests and other branches that it was seen in. */
  readonly pullRequests: number;
  readonly branches: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** In words, the most telling first; never empty. */
  readonly reasons: readonly string[];
}
