// The handler of `outcome` jobs: looks at what became of one answer.
import { findNextLook } from '../core/outcome.ts';
import type { JobHandler } from '../core/queue.ts';
import type { Store } from '../db/store.ts';

export interface OutcomeDeps {
  readonly store: Store;
  readonly now: () => Date;
}

export function createOutcomeHandler({ store, now }: OutcomeDeps): JobHandler {
  return {
    handle: async (job) => {
      const followed = await store.findOutcome(job.subject);
      const runAt = followed === null ? null : findNextLook(followed, now());
      return runAt === null ? { kind: 'done' } : { kind: 'later', runAt };
    },
    dead: async () => {},
  };
}
