// What every store must keep, whatever its engine.
import { describe } from 'vitest';
import type { Engine } from './engine.ts';
import { acceptContract } from './store-accept.ts';
import { accountsContract } from './store-accounts.ts';
import { agentContract } from './store-agent.ts';
import { cancellingContract } from './store-cancelling.ts';
import { deliveriesContract } from './store-deliveries.ts';
import { endingsContract } from './store-endings.ts';
import { erasingContract } from './store-erasing.ts';
import { forgettingContract } from './store-forgetting.ts';
import { installationsContract } from './store-installations.ts';
import { projectsContract } from './store-projects.ts';
import { publishingContract } from './store-publishing.ts';
import { replacingContract } from './store-replacing.ts';
import { runsContract } from './store-runs.ts';
import { standingContract } from './store-standing.ts';
import { threadRecordsContract } from './store-thread-records.ts';
import { threadsContract } from './store-threads.ts';
import { upkeepContract } from './store-upkeep.ts';

export function storeContract(engine: Engine): void {
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
    upkeepContract(engine);
    deliveriesContract(engine);
    installationsContract(engine);
    threadsContract(engine);
    replacingContract(engine);
    publishingContract(engine);
    threadRecordsContract(engine);
    forgettingContract(engine);
  });
}
