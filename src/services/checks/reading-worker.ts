// The thread that reads long logs and reports for their cause, and result files, so that the event loop stays free.

import { readArtifactResults, readCheck, readReport } from 'causeway-ci-log';
import { serveRequests } from 'causeway-worker-thread';
import type { ArtifactWork, ReadingResult, ReadingWork } from './check-texts.ts';

serveRequests<ReadingWork, ReadingResult>((work) => answer(work));

async function answer(work: ReadingWork): Promise<ReadingResult> {
  if ('texts' in work) return { read: readCheck(work.texts) };
  return 'report' in work ? { report: readReport(work.report) } : readArtifact(work);
}

async function readArtifact({ archive, bytes }: ArtifactWork) {
  const budget = { bytes };
  return { artifact: await readArtifactResults(archive, budget), left: budget.bytes };
}
