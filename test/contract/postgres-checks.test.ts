// The contract of the store over PostgreSQL: red checks.
import { postgres } from './postgres-place.ts';
import { checksContract } from './store-contract.ts';

checksContract(postgres);
