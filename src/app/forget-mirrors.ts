// Removes the mirrors of this process' own folder whose project is nobody's any more: the process that heard of it cleared only its own.

import type { Source } from '../core/source.ts';
import type { Store } from '../db/store.ts';
import { readRecords } from '../git/mirror-records.ts';
import type { House } from './house.ts';
import { type Recurring, startRecurring } from './recurring.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Mirrors of `causeway analyse` are named after their source, and are no project's. */
const OF_PROJECT = /^prj_/;

/** Looks at the start and every hour, in every process: each has mirrors of its own. In local mode after PROJECTS were written down. */
export function startForgettingMirrors(house: Pick<House, 'store' | 'source' | 'log'>, mirrors: string): Recurring {
  const { store, source, log } = house;
  const work = async (signal: AbortSignal) => {
    await forgetMirrors({ store, source }, mirrors, signal);
  };
  return startRecurring({ what: 'removing mirrors of projects that are gone', everyMs: HOUR_MS, work, log });
}

/** Once. Returns how many mirrors there were whose project is hidden or unknown. */
export async function forgetMirrors(
  { store, source }: { readonly store: Pick<Store, 'project'>; readonly source: Pick<Source, 'forget'> },
  mirrors: string,
  signal: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  for (const { projectId } of await readRecords(mirrors)) {
    signal.throwIfAborted();
    if (!OF_PROJECT.test(projectId)) continue;
    // Null for a hidden one too.
    if ((await store.project(projectId)) !== null) continue;
    await source.forget(projectId, signal);
    forgotten += 1;
  }
  return forgotten;
}
