// Durable jobs: stored in the same transaction as their records, and run at least once.

/**
 * `run`: an investigation. `webhook`: one webhook to a caller. `delivery`: an event from GitHub. `urgent-delivery`: the
 * same with slots of its own, since all others may be waiting for GitHub. `publish`: updates what is on GitHub for one
 * thread. `head`: judges the checks of one commit. `check-run`: updates our check run on one head. `backfill`: reads a
 * project's failed checks of the last 14 days. `outcome`: looks at what became of one answer. `known`: updates our comment on
 * one issue that people tied failures to. `put-back`: opens the revert of one commit that broke a default branch, and follows it. `prove`: goes on
 * with one proof of a pull request that is not ours.
 */
export const JOB_KINDS = [
  'run',
  'webhook',
  'delivery',
  'urgent-delivery',
  'publish',
  'head',
  'check-run',
  'backfill',
  'outcome',
  'known',
  'put-back',
  'prove',
] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** `person`: someone is waiting for it. `automatic`: not requested by a person, such as judging failed checks. */
export type Urgency = 'person' | 'automatic';

/** A job to enqueue; it carries only an id. */
export interface NewJob {
  readonly kind: JobKind;
  /**
   * Id of the run, webhook, delivery, thread, head, project, outcome, known issue, put-back or proof. At most one job per kind and subject exists: enqueuing
   * it again keeps the earlier `runAt` and the higher urgency; if it is running, it runs once more afterwards.
   */
  readonly subject: string;
  /** Jobs of a group share a limit: a project, the account of a webhook, the issue or pull request of a delivery. */
  readonly group: string;
  /** ISO 8601 UTC; not before. */
  readonly runAt: string;
  /** Among due jobs, those of people come first. */
  readonly urgency: Urgency;
}

export interface ClaimedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly subject: string;
  /** 1 on the first try; rises with each claim after a crash or an error. */
  readonly attempt: number;
}

/** The result of a try. A thrown error is a failed try: retried with backoff, dead after three. */
export type JobResult = { readonly kind: 'done' } | { readonly kind: 'later'; readonly runAt: string };

export interface JobHandler {
  /** `signal` aborts when the job is cancelled, its claim is lost, or the worker stops. */
  handle(job: ClaimedJob, signal: AbortSignal): Promise<JobResult>;
  /** Called when the job is given up; must record the failure for the caller. */
  dead(job: ClaimedJob, error: unknown): Promise<void>;
}

export interface LaneLimits {
  /** Concurrent jobs of this kind in this process. */
  readonly concurrency: number;
  /** Concurrent jobs of one group over all processes. */
  readonly perGroup: number;
}

/** Over all processes. */
export interface KindDepth {
  readonly kind: JobKind;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** When the longest waiting due job was due; null: none is due. */
  readonly oldestDue: string | null;
}

export interface Queue {
  /** Processes the kinds that have a handler and limits. Disposing aborts running handlers and returns their jobs. */
  work(
    handlers: Readonly<Partial<Record<JobKind, JobHandler>>>,
    limits: Readonly<Partial<Record<JobKind, LaneLimits>>>,
  ): Worker;
  /** Removes the job in any state and aborts its handler. */
  cancel(kind: JobKind, subject: string): Promise<void>;
  /** Makes dead jobs of the kind due again with all their tries. Returns how many. */
  requeueDead(kind: JobKind): Promise<number>;
  countJobs(): Promise<{ readonly waiting: number; readonly running: number; readonly dead: number }>;
  /** When the first job of these kinds is due, ISO 8601, a running one now; null: there is none. Dead jobs don't count. */
  findNextDue(kinds: readonly JobKind[]): Promise<string | null>;
  /** For each kind that has jobs. */
  countJobsByKind(now: string): Promise<readonly KindDepth[]>;
}

export interface Worker extends AsyncDisposable {
  /** Resolves when no due job is waiting or running (for tests and the terminal). */
  waitUntilIdle(signal: AbortSignal): Promise<void>;
}
