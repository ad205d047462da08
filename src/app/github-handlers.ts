// What handles the kinds of work that only a service over GitHub takes.

import { condenseLog } from '../ci/condense-log.ts';
import type { Issue } from '../core/issue.ts';
import type { JobHandler } from '../core/queue.ts';
import { createChecks } from '../github/checks/create-checks.ts';
import { createDeliveryHandler } from '../github/intake/handle-delivery.ts';
import { createCheckRunHandler } from '../github/publish/publish-check-run.ts';
import { createPublishHandler } from '../github/publish/publish-thread.ts';
import { createBackfillHandler } from '../services/backfill.ts';
import { createHeadHandler } from '../services/judge-head.ts';
import { newSigningSecret } from '../webhooks/sign.ts';
import type { GithubKind, GithubLanesOptions } from './github-lanes.ts';
import type { House } from './house.ts';

/** Handlers by kind, over one memory of what was read. */
export function githubHandlers(house: House, options: GithubLanesOptions): Readonly<Record<GithubKind, JobHandler>> {
  const { config, parts, probot, readCheck, waitsFor } = options;
  const { app, clients, inFlight, permissions } = parts;
  const published = { ...app, ...house, permissions, waitsFor, recordUrl: recordUrl(options.publicUrl) };
  const checks = createChecks({ ...app, permissions, shortenLog: condenseLog });
  const checked = { ...house, checks, readCheck, paused: app.paused, newSigningSecret };
  const { allowedOwners } = config;
  const deliveries = createDeliveryHandler({ ...house, probot, inFlight, clients, allowedOwners });
  return {
    delivery: deliveries,
    'urgent-delivery': deliveries,
    publish: createPublishHandler(published),
    head: createHeadHandler(checked),
    'check-run': createCheckRunHandler(published),
    backfill: createBackfillHandler(checked),
  };
}

/** The page of an Issue, which asks for a sign-in: whoever may not see it learns nothing there. */
function recordUrl(publicUrl: string): (issue: Issue) => string {
  return ({ id }) => (publicUrl === '' ? '' : `${publicUrl}/issues/${id}`);
}
