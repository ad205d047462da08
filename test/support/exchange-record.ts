// Notes down answers of the API as they went over the wire, for an independent oracle to judge (scripts/conformance.mjs).
import { appendFileSync } from 'node:fs';

/** Where to, one exchange a line; without it nothing is noted. */
const FILE = process.env['EXCHANGE_RECORD'] ?? '';

/** Reads a copy of the answer, except of a stream, which may never end. */
export async function recordExchange(method: string, url: string, answer: Response): Promise<void> {
  if (FILE === '') return;
  const { pathname, search } = new URL(url);
  const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  const body = isStream ? '' : Buffer.from(await answer.clone().arrayBuffer()).toString('base64');
  const headers = Object.fromEntries(answer.headers);
  const exchange = { method, path: pathname, search, status: answer.status, headers, body };
  appendFileSync(FILE, `${JSON.stringify(exchange)}\n`);
}
