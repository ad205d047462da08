// What strangers pour into the running service is dropped as it comes: 120 MB without a length, forty times, leave its memory alone.
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { serveWithoutWorker } from '../support/github-no-worker.ts';
import { openShop } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';

const MIB = 1024 * 1024;
const POURED_MIB = 120;
/** The collector lets some 80 MiB come together before it looks at what lies outside of its heap. */
const BEFORE = 15;
const ROUNDS = 25;
/** A body may have its 25 MiB read before it is known to be too large; what the system and the collector hold back comes on top. */
const MOST_MIB = 60;

/** The status, and how many MiB were taken before it came; null where the connection ended while more was written, which may take the answer with it. */
function pour(address: string): Promise<{ readonly status: number | null; readonly sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let hasEnded = false;
    const headers = { 'Content-Type': 'application/json', 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
    const pouring = request(address, { method: 'POST', headers, agent: false }, ({ statusCode = 0 }) => {
      hasEnded = true;
      resolve({ status: statusCode, sent });
      pouring.destroy();
    });
    pouring.on('error', (error: NodeJS.ErrnoException) => {
      if (hasEnded) return;
      hasEnded = true;
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') resolve({ status: null, sent });
      else reject(error);
    });
    const chunk = Buffer.alloc(MIB, 0x20);
    const more = () => {
      if (hasEnded || sent === POURED_MIB) return;
      sent += 1;
      pouring.write(chunk, more);
    };
    more();
  });
}

it('keeps its memory while unsigned bodies of 120 MB are poured in, and refuses each before its end', async () => {
  await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
  const url = stage.double.app.webhookUrl ?? '';
  await using receiving = await serveWithoutWorker(stage);
  for (let round = 0; round < BEFORE; round++) await pour(url);
  const before = (await receiving.memory()) ?? 0;
  let most = before;
  const statuses: (number | null)[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { status, sent } = await pour(url);
    statuses.push(status);
    expect(sent).toBeLessThan(POURED_MIB / 2);
    most = Math.max(most, (await receiving.memory()) ?? 0);
  }
  expect(new Set(statuses.filter((status) => status !== null))).toEqual(new Set([413]));
  expect(most - before).toBeLessThan(MOST_MIB);
}, 120_000);
