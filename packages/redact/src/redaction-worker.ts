// The thread that looks for secrets in large texts, so that the event loop stays free.
import { serveRequests } from 'causeway-worker-thread';
import { findSecrets } from './find-secrets.ts';
import type { ScanAnswer, ScanRequest } from './redactor.ts';

serveRequests<ScanRequest, ScanAnswer>(async ({ text, exactValues }) => ({
  spans: await findSecrets(text, exactValues),
}));
