// Loaded into Causeway before its own first line (`--import`): what GitHub answers it is recorded in a file, one answer a line.
import { appendFileSync } from 'node:fs';
import { recordingFetch } from './record.ts';

const { TRY_GITHUB_API: apiUrl, TRY_GITHUB_RECORD: file } = process.env;
// A thread of Causeway loads it as well, and asks nothing of GitHub.
if (apiUrl !== undefined && file !== undefined) {
  globalThis.fetch = recordingFetch(globalThis.fetch, {
    apiUrl,
    by: 'Causeway',
    record: (one) => appendFileSync(file, `${JSON.stringify(one)}\n`),
  });
}
