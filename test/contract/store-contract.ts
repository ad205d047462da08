// What every store must keep, whatever its engine: in three parts, so that several workers share them.
import { describe } from 'vitest';
import type { Engine } from './engine.ts';
import { acceptContract, cancellingContract, replacingContract, standingContract } from './store-accept.ts';
import { accountsContract, sessionsContract } from './store-accounts.ts';
import { agentContract } from './store-agent.ts';
import { closingContract, movedContract } from './store-closing.ts';
import { backfillsContract, deliveriesContract, publishingContract, urgencyContract } from './store-deliveries.ts';
import { erasingContract, erasuresContract } from './store-erasures.ts';
import { failuresContract, habitsContract, likeliestContract } from './store-failures.ts';
import { foreignProofsContract } from './store-foreign-proofs.ts';
import { forgettingChecksContract, forgettingContract } from './store-forgetting.ts';
import { checkLinksContract, foundThreadsContract } from './store-found-threads.ts';
import { headsContract, heldHeadsContract, redHeadsContract } from './store-heads.ts';
import { knownIssuesContract } from './store-known-issues.ts';
import { outcomesContract } from './store-outcomes.ts';
import { overridesContract } from './store-overrides.ts';
import { installationsContract, projectsContract, upkeepContract } from './store-projects.ts';
import { putBacksContract } from './store-put-backs.ts';
import { endingsContract, runsContract } from './store-runs.ts';
import { subscriptionsContract } from './store-subscriptions.ts';
import { threadRecordsContract, threadsContract } from './store-threads.ts';
import { auditContract, overviewsContract, usageContract } from './store-usage.ts';
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
    subscriptionsContract(engine);
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
    putBacksContract(engine);
    closingContract(engine);
    habitsContract(engine);
    movedContract(engine);
    foundThreadsContract(engine);
    checkLinksContract(engine);
    forgettingChecksContract(engine);
    outcomesContract(engine);
    knownIssuesContract(engine);
    overridesContract(engine);
    foreignProofsContract(engine);
  });
}
