// A redaction thread that does what its text orders: dies, hangs, or throws; else it works as the real one.
import { parentPort } from 'node:worker_threads';
import { READY } from '../../src/redact/asked-thread.ts';
import { secretSpans } from '../../src/redact/find-secrets.ts';

parentPort?.on('message', async ({ id, text, exactValues }) => {
  if (text.includes('DIE')) process.exit(1);
  if (text.includes('THROW')) throw new Error('as ordered');
  while (text.includes('HANG')) void id;
  parentPort?.postMessage({ id, spans: await secretSpans(text, exactValues) });
});
parentPort?.postMessage(READY);
