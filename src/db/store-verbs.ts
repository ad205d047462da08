// All verbs of the store over one database, whatever its engine.

import { accountVerbs, sessionVerbs, signInVerbs, tokenVerbs } from './accounts.ts';
import type { Database } from './database.ts';
import { deliveryVerbs } from './deliveries.ts';
import type { Enqueuer } from './enqueuer.ts';
import { erasureVerbs } from './erase.ts';
import { failureVerbs } from './failures.ts';
import { headVerbs } from './heads.ts';
import { backfillVerbs, installationVerbs, toldVerbs } from './installations.ts';
import { investigationVerbs } from './investigations.ts';
import { issueVerbs } from './issues.ts';
import { overviewVerbs } from './overviews.ts';
import { projectVerbs } from './projects.ts';
import { acceptanceVerbs } from './reports.ts';
import { upkeepVerbs } from './retention.ts';
import { endingVerbs, runVerbs, transcriptVerbs } from './runs.ts';
import type { Seal } from './seal.ts';
import type { Store } from './store.ts';
import { threadVerbs } from './threads.ts';
import { costVerbs } from './usage.ts';
import { attemptVerbs, webhookVerbs } from './webhooks.ts';

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
    ...accountVerbs(database, seal),
    ...tokenVerbs(database),
    ...sessionVerbs(database),
    ...signInVerbs(database),
    ...projectVerbs(database),
    ...acceptanceVerbs(database, enqueuer),
    ...investigationVerbs(database),
    ...runVerbs(database),
    ...transcriptVerbs(database, seal),
    ...costVerbs(database),
    ...endingVerbs(database, enqueuer),
    ...issueVerbs(database, { enqueuer, forgetErased }),
    ...webhookVerbs(database),
    ...attemptVerbs(database, enqueuer),
    ...deliveryVerbs(database, enqueuer, seal),
    ...installationVerbs(database, enqueuer),
    ...threadVerbs(database, enqueuer),
    ...toldVerbs(database),
    ...headVerbs(database, enqueuer),
    ...failureVerbs(database, enqueuer),
    ...backfillVerbs(database),
    ...upkeepVerbs(database, enqueuer, forgetErased),
    ...erasureVerbs(database, enqueuer, forgetErased),
    ...overviewVerbs(database),
  };
}
