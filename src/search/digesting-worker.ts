// The thread that makes digests, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { READY } from '../redact/asked-thread.ts';
import type { DigestReply, DigestRequest } from './digester.ts';
import { makeRecords } from './make-records.ts';

parentPort?.on('message', (request: DigestRequest) => {
  const records = makeRecords(request);
  parentPort?.postMessage({ id: request.id, records } satisfies DigestReply, [records.buffer]);
});
parentPort?.postMessage(READY);
