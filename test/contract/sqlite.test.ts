// The contracts of store and queue over SQLite.
import { queueContract } from './queue-contract.ts';
import { sqlite } from './sqlite-place.ts';
import { checksContract, githubContract, reportsContract } from './store-contract.ts';

reportsContract(sqlite);
githubContract(sqlite);
checksContract(sqlite);
queueContract(sqlite);
