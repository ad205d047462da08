// A reading thread that does what its log or archive orders: dies, hangs, spins, grows, or throws; else it works as the real one.

import { readArtifactResults, readCheck, readReport } from 'causeway-ci-log';
import { serveRequests } from 'causeway-worker-thread';
import type { ReadingResult, ReadingWork } from '../../../src/services/checks/check-texts.ts';

/** Of such a text it tries each of 2^98 ways to part it. */
const ENDLESS = /^(?:a+)+$/;

serveRequests<ReadingWork, ReadingResult>(async (work) => {
  const orders =
    'texts' in work ? work.texts.log : Buffer.from('archive' in work ? work.archive : []).toString('latin1');
  if (orders.includes('DIE')) process.exit(1);
  if (orders.includes('THROW')) throw new Error('as ordered');
  if (orders.includes('HANG')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (orders.includes('SPIN')) ENDLESS.test(`${'a'.repeat(99)}!`);
  if (orders.includes('GROW')) for (const all: unknown[] = []; ; ) all.push(new Array(100_000).fill(0));
  if ('texts' in work) return { read: readCheck(work.texts) };
  if ('report' in work) return { report: readReport(work.report) };
  return { artifact: await readArtifactResults(work.archive, { bytes: work.bytes }), left: work.bytes };
});
