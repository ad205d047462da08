// The embedded queue's table as its worker sees it.
import { randomBase62 } from '../core/ids.ts';
import type { JobKind } from '../core/queue.ts';
import { anyDue } from './any-due.ts';
import { claim, endClaim } from './claims.ts';
import { dueKinds } from './due-kinds.ts';
import type { EmbeddedQueueOptions } from './embedded-queue.ts';
import type { JobSource } from './job-source.ts';
import { freeAll, freeExpired, lostAmong, renew } from './leases.ts';
import { putOffSuspects, type Suspects } from './suspects.ts';

type SourceOptions = EmbeddedQueueOptions & { readonly leaseMs: number; readonly suspectMs: number };

export function createEmbeddedSource(options: SourceOptions, kinds: readonly JobKind[]): JobSource {
  const { database, jobs, now, leaseMs, suspectMs, recovery } = options;
  const owner = `${process.pid} ${randomBase62(8)}`;
  const time = (offsetMs: number) => new Date(now().getTime() + offsetMs).toISOString();
  let suspects: Suspects | null = null;
  return {
    async begin() {
      if (recovery === 'lease') return;
      await freeAll(database);
      suspects = await putOffSuspects(database, { kinds, now, pauseMs: suspectMs });
    },
    async tend(held) {
      await freeExpired(database, time(0), held);
      await suspects?.step();
    },
    promising: (open) => dueKinds(database, open, time(0)),
    async claim({ kind, perGroup, lastButFor }) {
      const lease = { owner, now: time(0), leaseUntil: time(leaseMs) };
      const next = await claim(database, { kind, perGroup, lastButFor, ...lease });
      return next ? [next] : [];
    },
    end: (held, end) => endClaim(database, held, end),
    lostAmong: (held) => lostAmong(database, held),
    renew: (held) => renew(database, held, { owner, leaseUntil: time(leaseMs) }),
    isIdle: async () => (suspects?.left ?? 0) === 0 && !(await anyDue(database, kinds, time(0))),
    onChange: (listener) => jobs.onChange(() => listener(true)),
    async [Symbol.asyncDispose]() {},
  };
}
