// The kinds of work that only a service over GitHub takes: deliveries, threads, heads, our own check runs, and the past of projects.
import type { Config } from '../config.ts';
import type { LaneLimits } from '../core/queue.ts';
import type { WaitCode } from '../core/reason.ts';
import type { ReceivingProbot } from '../github/intake/open-probot.ts';
import type { CheckReading } from '../services/checks/check-reader.ts';
import { githubHandlers } from './github-handlers.ts';
import type { GithubParts } from './github-parts.ts';
import type { House, WorkLimits } from './house.ts';

export interface GithubLanesOptions {
  readonly config: Pick<Config, 'allowedOwners'>;
  readonly parts: GithubParts;
  /** Where people open the account area; "": not known, or nobody can sign in there, and nothing links there. */
  readonly publicUrl: string;
  readonly probot: ReceivingProbot;
  readonly readCheck: CheckReading;
  /** What a run waits for, such as a model out of reach; "" for nothing. */
  readonly waitsFor: (runId: string) => WaitCode | null;
}

/** Events of one issue, pull request or repository, and effects of one thread or head, come one after the other. */
const IN_ORDER = { concurrency: 8, perGroup: 1 } as const;
/** Heads of one project share its ledger, but hardly ever a failure: two at a time, so that a slow log holds up one. */
const HEADS = { concurrency: 8, perGroup: 2 } as const;
/** Nobody waits for the past. */
const BACKFILLS = { concurrency: 2, perGroup: 1 } as const;

const LANES = {
  delivery: IN_ORDER,
  // Slots of its own: those of the other may all hang on GitHub.
  'urgent-delivery': IN_ORDER,
  publish: IN_ORDER,
  head: HEADS,
  'check-run': IN_ORDER,
  backfill: BACKFILLS,
} as const satisfies Readonly<Record<string, LaneLimits>>;

export type GithubKind = keyof typeof LANES;

export function githubLanes(house: House, options: GithubLanesOptions): NonNullable<WorkLimits['lanes']> {
  const handlers = githubHandlers(house, options);
  const lane = (kind: GithubKind) => ({ handler: handlers[kind], limits: LANES[kind] });
  return Object.fromEntries((Object.keys(LANES) as GithubKind[]).map((kind) => [kind, lane(kind)]));
}
