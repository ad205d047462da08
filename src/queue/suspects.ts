// Jobs that may be what ended their process: they are tried again one at a time, so that the guilty one takes no other with it to its grave.

import type { JobKind } from '../core/queue.ts';
import type { Database } from '../db/database.ts';
import type { Trx } from '../db/schema.ts';
import { refreshGroup } from './job-groups.ts';

/** Ends of its process in which a job had a part, from which on it is suspect. Restarts alone make that many seldom. */
export const SUSPECT_ENDS = 3;
/** For so long a suspect is put off at most; its turn comes earlier, and a process that ends meanwhile puts it off anew. */
const PUT_OFF_MS = 3_600_000;

/**
 * A process that is ended again and again, by whomever, ends soon after its start: a suspect waits for its turn until this one has lived for a while,
 * longer from try to try. Else 200 kills in half an hour had 16 innocent reports given up.
 */
const LONGEST_PAUSE = 4;

interface Suspect {
  readonly id: string;
  readonly kind: JobKind;
  readonly group_key: string;
  readonly generation: number;
  /** Of its process, in which it had a part. */
  readonly ends: number;
}

export interface SuspectOptions {
  readonly kinds: readonly JobKind[];
  readonly now: () => Date;
  /** How long the process must have lived before the first suspect's turn, in milliseconds; up to four times that for one that was tried often. */
  readonly pauseMs: number;
}

export interface Suspects {
  /** Those whose turn is to come, and the one whose turn it is. */
  readonly left: number;
  /** Lets the next one go where the last one has ended. */
  step(): Promise<void>;
}

/**
 * To be called where all jobs of the process before are waiting again. Who was tried least comes first: whoever only ran beside the guilty
 * one is done before that one is tried again.
 */
export async function putOffSuspects(database: Database, options: SuspectOptions): Promise<Suspects> {
  const { kinds, now, pauseMs } = options;
  const begun = performance.now();
  const after = (ms: number) => new Date(now().getTime() + ms).toISOString();
  const suspects = await database.write((trx) => putOff(trx, kinds, after(PUT_OFF_MS)));
  let current: Suspect | null = null;
  return {
    get left() {
      return suspects.length + (current === null ? 0 : 1);
    },
    async step() {
      if (current !== null && (await isUnderWay(database, current))) return;
      current = null;
      const [next] = suspects;
      if (next === undefined || performance.now() - begun < pauseMs * pauseOf(next)) return;
      await database.write((trx) => moveTo(trx, next, after(0)));
      current = next;
      suspects.shift();
    },
  };
}

function pauseOf({ ends }: { readonly ends: number }): number {
  return Math.min(2 ** (ends - SUSPECT_ENDS), LONGEST_PAUSE);
}

/** The most ends that a suspect may have whose turn may come in a process of that age; 0: none's. All in milliseconds. */
export function mostEndsAt(ageMs: number, pauseMs: number): number {
  if (ageMs >= pauseMs * LONGEST_PAUSE) return 1_000_000;
  let ends = SUSPECT_ENDS;
  while (pauseMs * pauseOf({ ends }) <= ageMs) ends++;
  return ends === SUSPECT_ENDS ? 0 : ends - 1;
}

async function putOff(trx: Trx, kinds: readonly JobKind[], runAt: string): Promise<Suspect[]> {
  if (kinds.length === 0) return [];
  const suspects = await trx
    .selectFrom('jobs')
    .select(['id', 'kind', 'group_key', 'generation'])
    .select(({ eb, ref }) => eb(ref('attempts'), '-', ref('failures')).as('ends'))
    .where('kind', 'in', kinds)
    .where('state', '=', 'waiting')
    .where(({ eb, ref }) => eb(eb(ref('attempts'), '-', ref('failures')), '>=', SUSPECT_ENDS))
    .orderBy('attempts')
    .orderBy('seq')
    .execute();
  for (const suspect of suspects) await moveTo(trx, suspect, runAt);
  return suspects;
}

/** Whoever was claimed meanwhile, since somebody asked for it, is left alone. */
async function moveTo(trx: Trx, { id, kind, group_key: group, generation }: Suspect, runAt: string): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ run_at: runAt })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('state', '=', 'waiting')
    .execute();
  await refreshGroup(trx, kind, group);
}

/** Waits to be claimed, or runs. */
async function isUnderWay(database: Database, { id, generation }: Suspect): Promise<boolean> {
  const row = await database.read((reader) =>
    reader.selectFrom('jobs').select(['state', 'generation']).where('id', '=', id).executeTakeFirst(),
  );
  if (!row) return false;
  return row.state === 'running' || (row.state === 'waiting' && row.generation === generation);
}
