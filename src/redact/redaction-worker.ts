// The thread that looks for secrets in large texts, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { findSecrets } from './find-secrets.ts';
import type { ScanAnswer, ScanRequest } from './redactor.ts';
import { type Numbered, READY } from './worker-client.ts';

parentPort?.on('message', ({ id, text, exactValues }: Numbered<ScanRequest>) => {
  void findSecrets(text, exactValues).then((spans) => {
    parentPort?.postMessage({ id, spans } satisfies Numbered<ScanAnswer>);
  });
});
parentPort?.postMessage(READY);
