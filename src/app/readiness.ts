// What `/readyz` says: does the database answer, does the queue, is there room on the disk. Asked as often as anybody likes.
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadinessCheck } from '../http/api-deps.ts';
import type { House } from './house.ts';

/** Below this a fetch or a commit can fail at any moment: 256 MiB. */
export const ENOUGH_BYTES = 256 * 1024 * 1024;
/** One answer serves all who ask within it: load balancers ask every second, each of them. */
const KEPT_MS = 1_000;
/** Whoever asks gives up after a few seconds, and a database that takes longer is no help to anybody. */
const BOUND_MS = 2_000;

export interface ReadinessOptions {
  readonly house: Pick<House, 'store' | 'queue'>;
  readonly dataDir: string;
  /** What is said besides; known already, and never waited for. */
  readonly others: () => readonly ReadinessCheck[];
  /** Milliseconds that one check may take (2,000). */
  readonly boundMs?: number;
}

export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** Never rejects, and never takes much longer than the bound. */
export function createReadiness({ house, dataDir, others, boundMs = BOUND_MS }: ReadinessOptions): Readiness {
  let kept: { readonly answer: Promise<readonly ReadinessCheck[]>; readonly until: number } | null = null;
  const ask = () => Promise.all(checks(house, dataDir).map(([name, look]) => check(name, look, boundMs)));
  return async () => {
    if (kept === null || performance.now() > kept.until) {
      kept = { answer: ask(), until: performance.now() + KEPT_MS };
    }
    return [...(await kept.answer), ...others()];
  };
}

type Look = () => Promise<string>;

function checks({ store, queue }: ReadinessOptions['house'], dataDir: string): readonly (readonly [string, Look])[] {
  return [
    [
      'database',
      async () => {
        await store.check();
        return 'answers';
      },
    ],
    [
      'queue',
      async () => {
        const { waiting, running, dead } = await queue.depth();
        return `${waiting} waiting, ${running} running, ${dead} dead`;
      },
    ],
    [
      'disk',
      async () => {
        const { bavail, bsize } = await statfs(dataDir);
        if (bavail * bsize < ENOUGH_BYTES) throw new Error('less than 256 MiB free');
        return 'enough room';
      },
    ],
  ];
}

async function check(name: string, look: Look, boundMs: number): Promise<ReadinessCheck> {
  const bound = new AbortController();
  try {
    const late = sleep(boundMs, null, { signal: bound.signal, ref: false });
    const detail = await Promise.race([look(), late]);
    return detail === null ? { name, ok: false, detail: 'does not answer in time' } : { name, ok: true, detail };
  } catch {
    // The error may hold paths or queries; the log of whoever hit it has them.
    return { name, ok: false, detail: 'does not answer as it should' };
  } finally {
    bound.abort();
  }
}
