// What every queue must keep, whatever its engine.
import { describe } from 'vitest';
import type { Engine } from './engine.ts';
import { claimingContract } from './queue-claiming.ts';
import { interruptingContract } from './queue-interrupting.ts';
import { lanesContract } from './queue-lanes.ts';
import { orderContract } from './queue-order.ts';
import { retryingContract } from './queue-retrying.ts';
import { stoppingContract } from './queue-stopping.ts';
import { suspectsContract } from './queue-suspects.ts';

export function queueContract(engine: Engine): void {
  describe(`a queue on ${engine.name}`, () => {
    claimingContract(engine);
    lanesContract(engine);
    orderContract(engine);
    retryingContract(engine);
    interruptingContract(engine);
    stoppingContract(engine);
    suspectsContract(engine);
  });
}
