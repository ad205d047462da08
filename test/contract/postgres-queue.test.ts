// The contract of the queue over PostgreSQL.
import { postgres } from './postgres-place.ts';
import { queueContract } from './queue-contract.ts';

queueContract(postgres);
