// What the service remembers: all verbs over one database. One verb is one transaction; the jobs that it causes are
// written in it.

import { createAccountVerbs, createSessionVerbs } from './accounts.ts';
import { createAnswerVerbs } from './answers.ts';
import { createAuditVerbs } from './audit.ts';
import { createBackfillVerbs } from './backfills.ts';
import { createCostVerbs } from './costs.ts';
import type { Database } from './database.ts';
import { createDeliveryVerbs } from './deliveries.ts';
import { createErasureVerbs } from './erase.ts';
import { createFailureVerbs } from './failures.ts';
import { createForeignProofVerbs } from './foreign-proofs.ts';
import { createHeadVerbs } from './heads.ts';
import { createInvestigationVerbs, createIssueVerbs } from './investigations.ts';
import { createKnownIssueVerbs } from './known-issues.ts';
import { createOutcomeVerbs } from './outcomes.ts';
import { createOverrideVerbs } from './overrides.ts';
import { createInstallationVerbs, createProjectVerbs } from './projects.ts';
import { createPutBackVerbs } from './put-backs.ts';
import { createReportVerbs } from './reports.ts';
import { createRetentionVerbs } from './retention.ts';
import { createRunVerbs } from './runs.ts';
import type { Seal } from './seal.ts';
import { createSubscriptionVerbs } from './subscriptions.ts';
import { createThreadVerbs } from './threads.ts';
import { createWebhookVerbs } from './webhooks.ts';

/** All times are ISO 8601 UTC with milliseconds and are given by the caller, so that tests can choose them. */
export interface Store extends ReturnType<typeof createVerbs>, AsyncDisposable {}

/** `seal`: encrypts the secrets that are stored. */
export function createVerbs(database: Database, seal: Seal) {
  return {
    ...createAccountVerbs(database, seal),
    ...createSessionVerbs(database),
    ...createAuditVerbs(database),
    ...createProjectVerbs(database),
    ...createInstallationVerbs(database),
    ...createDeliveryVerbs(database, seal),
    ...createReportVerbs(database),
    ...createRunVerbs(database, seal),
    ...createCostVerbs(database),
    ...createInvestigationVerbs(database),
    ...createIssueVerbs(database),
    ...createWebhookVerbs(database),
    ...createSubscriptionVerbs(database, seal),
    ...createThreadVerbs(database),
    ...createHeadVerbs(database),
    ...createFailureVerbs(database),
    ...createKnownIssueVerbs(database),
    ...createPutBackVerbs(database),
    ...createBackfillVerbs(database),
    ...createOutcomeVerbs(database),
    ...createOverrideVerbs(database),
    ...createForeignProofVerbs(database),
    ...createAnswerVerbs(database),
    ...createErasureVerbs(database),
    ...createRetentionVerbs(database),
    /** Throws `store_unavailable` if the database does not answer a read and a write. */
    async checkWritable(): Promise<void> {
      // A row that really changes: only that reaches the disk.
      await database.write((trx) =>
        trx
          .insertInto('health_checks')
          .values({ id: 1, count: 1 })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((expression) => ({ count: expression('health_checks.count', '+', 1) })),
          )
          .execute(),
      );
    },
  };
}
