// `claim`: what the length of the embedded queue costs a claim.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { claimTimes, emptyStore, fillQueue, type LongQueue } from '../../support/long-queue.ts';
import { temporaryFolder } from '../../support/service.ts';
import type { Comparison, Round } from '../comparison.ts';
import { median } from '../figures.ts';

const LONG = 100_000;
const SHORT = 100;
/** As many as the short queue holds. */
const CLAIMS = 100;
const GROUPS = 100;

export const CLAIM: Comparison = {
  name: 'claim',
  about: 'a claim of the embedded queue behind 100,000 jobs and behind 100',
  async *measure({ rounds: count }) {
    await using folder = await temporaryFolder();
    const long = await filled(path.join(folder.path, 'long.db'), LONG);
    const short = await filled(path.join(folder.path, 'short.db'), SHORT);
    const rounds: Round[] = [];
    for (let round = 0; round < count; round++) {
      rounds.push({ ours: await claimAll(long), other: await claimAll(short) });
    }
    yield {
      ...{ what: 'claim of a job, 100,000 waiting', against: 'the same, 100 waiting', unit: 'ms', rounds },
      aim: { kind: 'ratio-at-most', limit: 1.5 },
    };
  },
};

async function filled(file: string, jobs: number): Promise<LongQueue> {
  await emptyStore(file);
  const queue: LongQueue = { file, kind: 'run', runAt: new Date(Date.now() - 1e9), jobs, groups: GROUPS };
  fillQueue(queue);
  return queue;
}

/** Milliseconds, the middle of a hundred claims. All jobs wait again at the next call. */
async function claimAll(queue: LongQueue): Promise<number> {
  const { claims } = await claimTimes(queue, CLAIMS, CLAIMS);
  requireFirst(queue);
  return median(claims);
}

/** Those that were due first, and no other, must run. */
function requireFirst({ file }: LongQueue): void {
  const database = new Sqlite(file, { readonly: true });
  try {
    const running = database.prepare<[], number>(`SELECT seq FROM jobs WHERE state = 'running' ORDER BY seq`).pluck();
    const first = database.prepare<[number], number>('SELECT seq FROM jobs ORDER BY run_at, seq LIMIT ?').pluck();
    const [claimed, due] = [running.all(), first.all(CLAIMS)];
    if (claimed.join() !== due.join()) throw new Error(`claimed were ${claimed.join()}, due first ${due.join()}`);
  } finally {
    database.close();
  }
}
