// The door to durable work: jobs are written with the records that they belong to, and run at least once.

/**
 * `run`: an investigation run. `webhook`: one webhook to a caller. `delivery`: one delivery from GitHub. `urgent-delivery`: one that
 * waits behind no other, however many hang.
 * `publish`: brings what stands on GitHub for one thread up to what is known. `head`: looks at the checks of one commit.
 * `check-run`: brings our own check run on one head up to what is known. `backfill`: reads the red checks of a project's last 14 days.
 */
export type JobKind =
  | 'run'
  | 'webhook'
  | 'delivery'
  | 'urgent-delivery'
  | 'publish'
  | 'head'
  | 'check-run'
  | 'backfill';

/** `person`: somebody waits for it. `automatic`: nobody asked, such as a look at red checks. */
export type Urgency = 'person' | 'automatic';

/** A job to be enqueued: only an id passes between the rooms. */
export interface NewJob {
  readonly kind: JobKind;
  /** Id of the run, webhook, delivery, thread, head or project. At most one job of a kind and subject exists; enqueuing again moves `runAt` and raises its urgency, never lowers it. */
  readonly subject: string;
  /** Jobs of one group share a limit (project for runs, receiving host for webhooks, issue, pull request or repository for deliveries, the thread or head itself for publishing, project for heads, installation for backfills). */
  readonly group: string;
  /** ISO 8601 UTC; not before. */
  readonly runAt: string;
  /** Of the jobs that are due people's come first; an automatic one that is overdue is let through now and then. */
  readonly urgency: Urgency;
  /** Jobs of one urgency are taken by turns between organisations (`installation` and GitHub's number), however many each has. "": of none, which is one more. */
  readonly organisation: string;
}

export interface ClaimedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly subject: string;
  /** 1 on the first try; rises each time that it is claimed again after a crash or a throw. */
  readonly attempt: number;
}

/** What a handler says of its job. A throw counts as a failed try: retried with backoff, dead after three. */
export type JobResult = { readonly kind: 'done' } | { readonly kind: 'later'; readonly runAt: string };

export interface JobHandler {
  /** `signal` aborts when the job is cancelled, its lease is lost, or the worker stops. */
  handle(job: ClaimedJob, signal: AbortSignal): Promise<JobResult>;
  /** Called once when the job is given up after its last try; must record the failure for whoever waits. */
  dead(job: ClaimedJob, error: unknown): Promise<void>;
}

export interface LaneLimits {
  /** Jobs of this kind at a time, in this process; one organisation alone leaves the last slot to others, where others are known. */
  readonly concurrency: number;
  /** Jobs of one group at a time, over all processes. */
  readonly perGroup: number;
}

/** Of all processes together. */
export interface KindDepth {
  readonly kind: JobKind;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  readonly oldestDue: string | null;
}

export interface Queue {
  /**
   * Starts taking work of the kinds that have a handler (and limits). Disposing stops it: running handlers are aborted, and their jobs
   * handed back at once.
   */
  work(
    handlers: Readonly<Partial<Record<JobKind, JobHandler>>>,
    limits: Readonly<Partial<Record<JobKind, LaneLimits>>>,
  ): Worker;
  /** Aborts the job's handler if it runs here, and removes the job wherever it is. */
  cancel(kind: JobKind, subject: string): Promise<void>;
  /** Dead jobs of the kind are due again, with all their tries. Returns how many. */
  redrive(kind: JobKind): Promise<number>;
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  depth(): Promise<{ readonly waiting: number; readonly running: number; readonly dead: number }>;
  /** The same for each kind that has any job, with when the longest due of those that wait was due (null: none is). */
  depths(now: string): Promise<readonly KindDepth[]>;
}

export interface Worker extends AsyncDisposable {
  /** Resolves when no job that is due is waiting or running (tests and the terminal wait on it). */
  idle(signal: AbortSignal): Promise<void>;
}
