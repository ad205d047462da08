// What every store must keep, whatever its engine: in three parts, so that several workers share them.
import { describe } from 'vitest';
import type { Engine } from './engine.ts';
import { acceptContract } from './store-accept.ts';
import { accountsContract } from './store-accounts.ts';
import { agentContract } from './store-agent.ts';
import { auditContract } from './store-audit.ts';
import { backfillsContract } from './store-backfills.ts';
import { cancellingContract } from './store-cancelling.ts';
import { checkLinksContract } from './store-check-links.ts';
import { closingContract } from './store-closing.ts';
import { deliveriesContract } from './store-deliveries.ts';
import { endingsContract } from './store-endings.ts';
import { erasingContract } from './store-erasing.ts';
import { erasuresContract } from './store-erasures.ts';
import { failuresContract } from './store-failures.ts';
import { forgettingContract } from './store-forgetting.ts';
import { forgettingChecksContract } from './store-forgetting-checks.ts';
import { foundThreadsContract } from './store-found-threads.ts';
import { habitsContract } from './store-habits.ts';
import { headsContract } from './store-heads.ts';
import { heldHeadsContract } from './store-held-heads.ts';
import { installationsContract } from './store-installations.ts';
import { likeliestContract } from './store-likeliest.ts';
import { movedContract } from './store-moved.ts';
import { overviewsContract } from './store-overviews.ts';
import { projectsContract } from './store-projects.ts';
import { publishingContract } from './store-publishing.ts';
import { redHeadsContract } from './store-red-heads.ts';
import { replacingContract } from './store-replacing.ts';
import { runsContract } from './store-runs.ts';
import { sessionsContract } from './store-sessions.ts';
import { standingContract } from './store-standing.ts';
import { threadRecordsContract } from './store-thread-records.ts';
import { threadsContract } from './store-threads.ts';
import { upkeepContract } from './store-upkeep.ts';
import { urgencyContract } from './store-urgency.ts';
import { usageContract } from './store-usage.ts';
import { webhookAttemptsContract } from './store-webhook-attempts.ts';

/** Reports, their runs and who sends them. */
export function reportsContract(engine: Engine): void {
  describe(`a store on ${engine.name}`, () => {
    accountsContract(engine);
    projectsContract(engine);
    acceptContract(engine);
    runsContract(engine);
    standingContract(engine);
    agentContract(engine);
    endingsContract(engine);
    cancellingContract(engine);
    erasingContract(engine);
    erasuresContract(engine);
    upkeepContract(engine);
  });
}

/** Deliveries, repositories and threads of GitHub; people, and what they look at. */
export function githubContract(engine: Engine): void {
  describe(`a store on ${engine.name}`, () => {
    deliveriesContract(engine);
    installationsContract(engine);
    threadsContract(engine);
    replacingContract(engine);
    publishingContract(engine);
    threadRecordsContract(engine);
    forgettingContract(engine);
    backfillsContract(engine);
    sessionsContract(engine);
    webhookAttemptsContract(engine);
    overviewsContract(engine);
    urgencyContract(engine);
    usageContract(engine);
    auditContract(engine);
  });
}

/** Red checks, and the ledger of their causes. */
export function checksContract(engine: Engine): void {
  describe(`a store on ${engine.name}`, () => {
    headsContract(engine);
    redHeadsContract(engine);
    heldHeadsContract(engine);
    failuresContract(engine);
    likeliestContract(engine);
    closingContract(engine);
    habitsContract(engine);
    movedContract(engine);
    foundThreadsContract(engine);
    checkLinksContract(engine);
    forgettingChecksContract(engine);
  });
}
