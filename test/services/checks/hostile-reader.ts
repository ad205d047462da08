// A reading thread that does what its log or archive orders: dies, hangs, spins, grows, or throws; else it works as the real one.
import { parentPort } from 'node:worker_threads';
import { readCheck } from '../../../src/ci/read-check.ts';
import { readArtifactResults } from '../../../src/ci/result-files.ts';
import { READY } from '../../../src/redact/worker-client.ts';

/** Of such a text it tries each of 2^98 ways to part it. */
const ENDLESS = /^(?:a+)+$/;

parentPort?.on('message', ({ id, texts, archive, bytes }) => {
  const orders = texts?.log ?? Buffer.from(archive).toString('latin1');
  if (orders.includes('DIE')) process.exit(1);
  if (orders.includes('THROW')) throw new Error('as ordered');
  if (orders.includes('HANG')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (orders.includes('SPIN')) ENDLESS.test(`${'a'.repeat(99)}!`);
  if (orders.includes('GROW')) for (const all: unknown[] = []; ; ) all.push(new Array(100_000).fill(0));
  const budget = { bytes };
  const done = texts ? { read: readCheck(texts) } : { artifact: readArtifactResults(archive, budget), left: bytes };
  parentPort?.postMessage({ id, ...done });
});
parentPort?.postMessage(READY);
