// A digesting thread that does what a text orders: dies, hangs, spins, or throws; else it works as the real one.
import { parentPort } from 'node:worker_threads';
import { READY } from '../../src/redact/asked-thread.ts';
import { makeRecords } from '../../src/search/make-records.ts';

/** Of such a text it tries each of 2^98 ways to part it. */
const ENDLESS = /^(?:a+)+$/;

parentPort?.on('message', (request) => {
  const text = request.kind === 'blobs' ? Buffer.from(request.bytes).toString() : '';
  if (text.includes('DIE')) process.exit(1);
  if (text.includes('THROW')) throw new Error('as ordered');
  if (text.includes('HANG')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (text.includes('SPIN')) ENDLESS.test(`${'a'.repeat(99)}!`);
  parentPort?.postMessage({ id: request.id, records: makeRecords(request) });
});
parentPort?.postMessage(READY);
