// A thread that doubles numbers, and fails as the request orders.
import { serveRequests } from '../src/index.ts';

serveRequests<{ readonly number: number; readonly order?: 'throw' | 'exit' | 'hang' }, { readonly twice: number }>(
  async ({ number, order }) => {
    if (order === 'throw') throw new Error('as ordered');
    if (order === 'exit') process.exit(1);
    if (order === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return { twice: 2 * number };
  },
);
