// A redaction thread that does what its text orders: dies, hangs, or throws; else it works as the real one.
import { serveRequests } from 'causeway-worker-thread';
import { findSecrets } from '../src/find-secrets.ts';
import type { ScanAnswer, ScanRequest } from '../src/redactor.ts';

serveRequests<ScanRequest, ScanAnswer>(async ({ text, exactValues }) => {
  if (text.includes('DIE')) process.exit(1);
  if (text.includes('THROW')) throw new Error('as ordered');
  if (text.includes('HANG')) hang(text);
  return { spans: await findSecrets(text, exactValues) };
});

/**
 * The whole text keeps it busy, as a bad pattern does; its parts only never end, since ten of them would keep a core
 * busy for seconds. `includes`: V8 never looks whether it is to stop in an endless loop of `startsWith` (Node 24.21).
 */
function hang(text: string): void {
  while (text.includes('line 0 ')) void text;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
