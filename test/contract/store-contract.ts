// What every store must keep, whatever its engine.
import { describe } from 'vitest';
import type { Engine } from './engine.ts';
import { acceptContract } from './store-accept.ts';
import { accountsContract } from './store-accounts.ts';
import { agentContract } from './store-agent.ts';
import { cancellingContract } from './store-cancelling.ts';
import { endingsContract } from './store-endings.ts';
import { erasingContract } from './store-erasing.ts';
import { projectsContract } from './store-projects.ts';
import { runsContract } from './store-runs.ts';
import { upkeepContract } from './store-upkeep.ts';

export function storeContract(engine: Engine): void {
  describe(`a store on ${engine.name}`, () => {
    accountsContract(engine);
    projectsContract(engine);
    acceptContract(engine);
    runsContract(engine);
    agentContract(engine);
    endingsContract(engine);
    cancellingContract(engine);
    erasingContract(engine);
    upkeepContract(engine);
  });
}
