// The thread that reads long logs for their cause, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { readCheck } from '../../ci/read-check.ts';
import { READY } from '../../redact/worker-client.ts';
import type { ReadReply, ReadRequest } from './check-texts.ts';

parentPort?.on('message', ({ id, texts }: ReadRequest) => {
  parentPort?.postMessage({ id, read: readCheck(texts) } satisfies ReadReply);
});
parentPort?.postMessage(READY);
