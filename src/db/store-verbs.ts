// All verbs of the store over one database, whatever its engine.

import { createAccountVerbs, createSessionVerbs, createTokenVerbs, signInVerbs } from './accounts.ts';
import type { Database } from './database.ts';
import { createDeliveryVerbs } from './deliveries.ts';
import type { Enqueuer } from './enqueuer.ts';
import { createErasureVerbs } from './erase.ts';
import { createFailureVerbs } from './failures.ts';
import { createHeadVerbs } from './heads.ts';
import { createBackfillVerbs, createInstallationVerbs, toldVerbs } from './installations.ts';
import { createInvestigationVerbs } from './investigations.ts';
import { createIssueVerbs } from './issues.ts';
import { createOverviewVerbs } from './overviews.ts';
import { projectVerbs } from './projects.ts';
import { createAcceptanceVerbs } from './reports.ts';
import { createRetentionVerbs } from './retention.ts';
import { createEndingVerbs, createTranscriptVerbs, runVerbs } from './runs.ts';
import type { Seal } from './seal.ts';
import type { Store } from './store.ts';
import { createThreadVerbs } from './threads.ts';
import { createCostVerbs } from './usage.ts';
import { createAttemptVerbs, createWebhookVerbs } from './webhooks.ts';

interface VerbsOptions {
  readonly database: Database;
  /** Seals the secrets that are stored. */
  readonly seal: Seal;
  /** Writes the jobs that the verbs cause. */
  readonly enqueuer: Enqueuer;
  /** Called after text was erased: makes it unreadable on disk too, as far as the engine can. */
  readonly forgetErased: () => Promise<void>;
}

export function storeVerbs({
  database,
  seal,
  enqueuer,
  forgetErased,
}: VerbsOptions): Omit<Store, typeof Symbol.asyncDispose> {
  return {
    ...createAccountVerbs(database, seal),
    ...createTokenVerbs(database),
    ...createSessionVerbs(database),
    ...signInVerbs(database),
    ...projectVerbs(database),
    ...createAcceptanceVerbs(database, enqueuer),
    ...createInvestigationVerbs(database),
    ...runVerbs(database),
    ...createTranscriptVerbs(database, seal),
    ...createCostVerbs(database),
    ...createEndingVerbs(database, enqueuer),
    ...createIssueVerbs(database, { enqueuer, forgetErased }),
    ...createWebhookVerbs(database),
    ...createAttemptVerbs(database, enqueuer),
    ...createDeliveryVerbs(database, enqueuer, seal),
    ...createInstallationVerbs(database, enqueuer),
    ...createThreadVerbs(database, enqueuer),
    ...toldVerbs(database),
    ...createHeadVerbs(database, enqueuer),
    ...createFailureVerbs(database, enqueuer),
    ...createBackfillVerbs(database),
    ...createRetentionVerbs(database, enqueuer, forgetErased),
    ...createErasureVerbs(database, enqueuer, forgetErased),
    ...createOverviewVerbs(database),
  };
}
