// The side of the thread.
import { parentPort } from 'node:worker_threads';
import { type Numbered, READY } from './protocol.ts';

/**
 * Called once by the module that the thread runs: answers each request, in the order of their arrival. What `answer` throws
 * ends the thread, and its owner starts another one for the next request.
 */
export function serveRequests<Request extends object, Answer extends object>(
  answer: (request: Request) => Answer | Promise<Answer>,
): void {
  parentPort?.on('message', async ({ id, ...request }: Numbered<Request>) => {
    parentPort?.postMessage({ ...(await answer(request as unknown as Request)), id } satisfies Numbered<Answer>);
  });
  parentPort?.postMessage(READY);
}
