// The contract of the store over PostgreSQL.
import { postgres } from './postgres-place.ts';
import { storeContract } from './store-contract.ts';

storeContract(postgres);
