// The contracts of store and queue over every engine that there is.
import { queueContract } from './queue-contract.ts';
import { sqlite } from './sqlite-place.ts';
import { storeContract } from './store-contract.ts';

for (const engine of [sqlite]) {
  storeContract(engine);
  queueContract(engine);
}
