// The thread that looks for secrets in large texts, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { READY } from './asked-thread.ts';
import { findSecrets } from './find-secrets.ts';
import type { ScanReply, ScanRequest } from './redactor.ts';

parentPort?.on('message', ({ id, text, exactValues }: ScanRequest) => {
  void findSecrets(text, exactValues).then((spans) => {
    parentPort?.postMessage({ id, spans } satisfies ScanReply);
  });
});
parentPort?.postMessage(READY);
