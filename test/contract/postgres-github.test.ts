// The contract of the store over PostgreSQL: GitHub and people.
import { postgres } from './postgres-place.ts';
import { githubContract } from './store-contract.ts';

githubContract(postgres);
