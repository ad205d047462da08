// The thread that reads and writes the indexes, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { type Numbered, READY } from '../redact/worker-client.ts';
import { createIndexAnswerer, type IndexRequest } from './index-file.ts';

const answer = createIndexAnswerer();
parentPort?.on('message', (request: Numbered<IndexRequest>) => {
  parentPort?.postMessage({ id: request.id, ...answer(request) });
});
parentPort?.postMessage(READY);
