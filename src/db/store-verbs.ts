// All verbs of the store over one database, whatever its engine.

import { acceptanceVerbs } from './acceptance.ts';
import { accountVerbs } from './accounts.ts';
import { backfillVerbs } from './backfills.ts';
import { costVerbs } from './costs.ts';
import type { Database } from './database.ts';
import { deliveryVerbs } from './deliveries.ts';
import { endingVerbs } from './endings.ts';
import type { Enqueuer } from './enqueuer.ts';
import { erasureVerbs } from './erasures.ts';
import { failureVerbs } from './failures.ts';
import { headVerbs } from './heads.ts';
import { installationVerbs } from './installations.ts';
import { investigationVerbs } from './investigations.ts';
import { issueVerbs } from './issues.ts';
import { overviewVerbs } from './overviews.ts';
import { projectVerbs } from './projects.ts';
import { runVerbs } from './runs.ts';
import type { Seal } from './seal.ts';
import { sessionVerbs } from './sessions.ts';
import { signInVerbs } from './sign-ins.ts';
import type { Store } from './store.ts';
import { threadVerbs } from './threads.ts';
import { tokenVerbs } from './tokens.ts';
import { toldVerbs } from './told.ts';
import { transcriptVerbs } from './transcripts.ts';
import { upkeepVerbs } from './upkeep.ts';
import { attemptVerbs } from './webhook-attempts.ts';
import { webhookVerbs } from './webhooks.ts';

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
