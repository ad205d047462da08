// The thread that reads long logs and reports for their cause, and result files, so that the event loop stays free.
import { parentPort } from 'node:worker_threads';
import { readCheck } from '../../ci/read-check.ts';
import { readReport } from '../../ci/report-logs.ts';
import { readArtifactResults } from '../../ci/result-files.ts';
import { READY } from '../../redact/worker-client.ts';
import type { ArtifactWork, ReadReply, ReadRequest, Result, Work } from './check-texts.ts';

parentPort?.on('message', ({ id, ...work }: ReadRequest) => {
  parentPort?.postMessage({ id, ...answer(work) } satisfies ReadReply);
});
parentPort?.postMessage(READY);

function answer(work: Work): Result {
  if ('texts' in work) return { read: readCheck(work.texts) };
  return 'report' in work ? { report: readReport(work.report) } : readArtifact(work);
}

function readArtifact({ archive, bytes }: ArtifactWork) {
  const budget = { bytes };
  return { artifact: readArtifactResults(archive, budget), left: budget.bytes };
}
