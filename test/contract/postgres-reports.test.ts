// The contract of the store over PostgreSQL: reports.
import { postgres } from './postgres-place.ts';
import { reportsContract } from './store-contract.ts';

reportsContract(postgres);
