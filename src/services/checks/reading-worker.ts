// The thread that reads long logs for their cause, and result files, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { readCheck } from '../../ci/read-check.ts';
import { readArtifactResults } from '../../ci/result-files.ts';
import { READY } from '../../redact/worker-client.ts';
import type { ArtifactWork, ReadReply, ReadRequest } from './check-texts.ts';

parentPort?.on('message', ({ id, ...work }: ReadRequest) => {
  const result = 'texts' in work ? { read: readCheck(work.texts) } : readArtifact(work);
  parentPort?.postMessage({ id, ...result } satisfies ReadReply);
});
parentPort?.postMessage(READY);

function readArtifact({ archive, bytes }: ArtifactWork) {
  const budget = { bytes };
  return { artifact: readArtifactResults(archive, budget), left: budget.bytes };
}
