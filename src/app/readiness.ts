// What `/readyz` asks: does the database answer, does the queue, is there room on the disk.
import { statfs } from 'node:fs/promises';
import type { ReadinessCheck } from '../http/api-deps.ts';
import type { House } from './house.ts';

/** Below this a fetch or a commit can fail at any moment: 256 MiB. */
export const ENOUGH_BYTES = 256 * 1024 * 1024;

export function readiness(house: Pick<House, 'store' | 'queue'>, dataDir: string): Promise<readonly ReadinessCheck[]> {
  return Promise.all([
    check('database', async () => {
      await house.store.check();
      return 'answers';
    }),
    check('queue', async () => {
      const { waiting, running, dead } = await house.queue.depth();
      return `${waiting} waiting, ${running} running, ${dead} dead`;
    }),
    check('disk', async () => {
      const { bavail, bsize } = await statfs(dataDir);
      if (bavail * bsize < ENOUGH_BYTES) throw new Error('less than 256 MiB free');
      return 'enough room';
    }),
  ]);
}

async function check(name: string, ask: () => Promise<string>): Promise<ReadinessCheck> {
  try {
    return { name, ok: true, detail: await ask() };
  } catch {
    // The error may hold paths or queries; the log of whoever hit it has them.
    return { name, ok: false, detail: 'does not answer as it should' };
  }
}
