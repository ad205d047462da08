// The port to durable work: jobs are written with the records that they belong to, and run at least once.

/**
 * `run`: an investigation run. `webhook`: one webhook to a caller. `delivery`: one delivery from GitHub.
 * `urgent-delivery`: one that has slots of its own, since those of the others may all wait for GitHub. `publish`:
 * brings what is shown on GitHub for one thread up to date. `head`: looks at the checks of one commit. `check-run`:
 * brings our own check run on one head up to date. `backfill`: reads the failed checks of a project's last 14 days.
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
] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** `person`: somebody waits for it. `automatic`: nobody requested it, such as a look at failed checks. */
export type Urgency = 'person' | 'automatic';

/** A job to be enqueued; it carries an id and nothing else. */
export interface NewJob {
  readonly kind: JobKind;
  /**
   * Id of the run, webhook, delivery, thread, head or project. At most one job of a kind and subject exists: enqueuing
   * it again keeps the earlier `runAt` and the higher urgency; while it runs, it runs once more afterwards.
   */
  readonly subject: string;
  /**
   * Jobs of one group share a limit: the project, the account of a webhook, the issue or pull request of a delivery.
   */
  readonly group: string;
  /** ISO 8601 UTC; not before. */
  readonly runAt: string;
  /** Of the jobs that are due people's come first. */
  readonly urgency: Urgency;
}

export interface ClaimedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly subject: string;
  /** 1 on the first try; rises with each claim after a crash or a throw. */
  readonly attempt: number;
}

/** What a handler says of its job. A throw counts as a failed try: retried with backoff, dead after three. */
export type JobResult = { readonly kind: 'done' } | { readonly kind: 'later'; readonly runAt: string };

export interface JobHandler {
  /** `signal` aborts when the job is cancelled, its claim is lost, or the worker stops. */
  handle(job: ClaimedJob, signal: AbortSignal): Promise<JobResult>;
  /** Called when the job is given up after its last try; must record the failure for the caller. */
  dead(job: ClaimedJob, error: unknown): Promise<void>;
}

export interface LaneLimits {
  /** Jobs of this kind at a time, in this process. */
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
  /** When the longest due of those that wait was due; null where none is. */
  readonly oldestDue: string | null;
}

export interface Queue {
  /**
   * Works on the kinds that have a handler and limits. Disposing aborts the running handlers and hands their jobs back.
   */
  work(
    handlers: Readonly<Partial<Record<JobKind, JobHandler>>>,
    limits: Readonly<Partial<Record<JobKind, LaneLimits>>>,
  ): Worker;
  /** Removes the job wherever it is, and aborts its handler if it runs. */
  cancel(kind: JobKind, subject: string): Promise<void>;
  /** Dead jobs of the kind are due again, with all their tries. Returns how many. */
  requeueDead(kind: JobKind): Promise<number>;
  countJobs(): Promise<{ readonly waiting: number; readonly running: number; readonly dead: number }>;
  /** The same for each kind that has any job. */
  countJobsByKind(now: string): Promise<readonly KindDepth[]>;
}

export interface Worker extends AsyncDisposable {
  /** Resolves when no job that is due is waiting or running (tests and the terminal wait on it). */
  waitUntilIdle(signal: AbortSignal): Promise<void>;
}
