// A reading thread that does what its log orders: dies, hangs, spins, or throws; else it works as the real one.
import { parentPort } from 'node:worker_threads';
import { readCheck } from '../../../src/ci/read-check.ts';
import { READY } from '../../../src/redact/worker-client.ts';

/** Of such a text it tries each of 2^98 ways to part it. */
const ENDLESS = /^(?:a+)+$/;

parentPort?.on('message', ({ id, texts }) => {
  if (texts.log.includes('DIE')) process.exit(1);
  if (texts.log.includes('THROW')) throw new Error('as ordered');
  if (texts.log.includes('HANG')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (texts.log.includes('SPIN')) ENDLESS.test(`${'a'.repeat(99)}!`);
  parentPort?.postMessage({ id, read: readCheck(texts) });
});
parentPort?.postMessage(READY);
