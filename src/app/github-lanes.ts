// The kinds of work that only a service over GitHub takes: deliveries, threads, heads, our own check runs, and the past of projects.
import { newSigningSecret } from '../callback/sign.ts';
import type { Config } from '../config.ts';
import type { Issue } from '../domain/issue.ts';
import { createChecks } from '../github/checks/create-checks.ts';
import { createDeliveryHandler } from '../github/intake/handle-delivery.ts';
import type { ReceivingProbot } from '../github/intake/open-probot.ts';
import { createCheckRunHandler } from '../github/publish/publish-check-run.ts';
import { createPublishHandler } from '../github/publish/publish-thread.ts';
import { createBackfillHandler } from '../jobs/backfill.ts';
import type { CheckReading } from '../jobs/checks/check-reader.ts';
import { createHeadHandler } from '../jobs/judge-head.ts';
import { condenseLog } from '../triage/ci/condense-log.ts';
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
  readonly waitsFor: (runId: string) => string;
}

/** Events of one issue, pull request or repository, and effects of one thread or head, come one after the other. */
const IN_ORDER = { concurrency: 8, perGroup: 1 } as const;
/** Heads of one project share its ledger, but hardly ever a failure: two at a time, so that a slow log holds up one. */
const HEADS = { concurrency: 8, perGroup: 2 } as const;
/** Nobody waits for the past. */
const BACKFILLS = { concurrency: 2, perGroup: 1 } as const;

export function githubLanes(house: House, options: GithubLanesOptions): NonNullable<WorkLimits['lanes']> {
  const { config, parts, probot, readCheck, waitsFor } = options;
  const { app, clients, inFlight, permissions } = parts;
  const published = { ...app, ...house, permissions, waitsFor, recordUrl: recordUrl(options.publicUrl) };
  const checks = createChecks({ ...app, permissions, shortenLog: condenseLog });
  const checked = { ...house, checks, readCheck, paused: app.paused, newSigningSecret };
  const { allowedOwners } = config;
  const deliveries = createDeliveryHandler({ ...house, probot, inFlight, clients, allowedOwners });
  return {
    delivery: { handler: deliveries, limits: IN_ORDER },
    // Slots of its own: those of the other may all hang on GitHub.
    'urgent-delivery': { handler: deliveries, limits: IN_ORDER },
    publish: { handler: createPublishHandler(published), limits: IN_ORDER },
    head: { handler: createHeadHandler(checked), limits: HEADS },
    'check-run': { handler: createCheckRunHandler(published), limits: IN_ORDER },
    backfill: { handler: createBackfillHandler(checked), limits: BACKFILLS },
  };
}

/** The page of an Issue, which asks for a sign-in: whoever may not see it learns nothing there. */
function recordUrl(publicUrl: string): (issue: Issue) => string {
  return ({ id }) => (publicUrl === '' ? '' : `${publicUrl}/issues/${id}`);
}
