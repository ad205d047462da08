// Group commit: what arrives while the disk is busy is written together, and each verb ends after the commit that holds it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CausewayError } from '../core/errors.ts';
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';

export interface GroupCommit {
  /** As `Database.write`, in the order of the calls. `weight`: roughly the bytes that the verb writes. The verb may run twice. */
  write<T>(weight: number, verb: (trx: Trx) => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly weight: number;
  readonly run: (trx: Trx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** That of a database. Where its transactions overlap the server writes those together that commit together, and one group would keep the next one waiting. */
export function groupCommit(database: Database): GroupCommit {
  return database.isSerial ? createGroupCommit(database) : { write: (_, verb) => database.write(verb) };
}

/** Each takes about a millisecond, so that a group makes others wait no longer than a slow disk does. */
const MOST_VERBS = 64;
/** Milliseconds that a group waits for others at most. */
const LONGEST_WAIT_MS = 25;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Alone, each would cost a commit of its own, in which nothing else happens: 7 ms measured on a busy disk, which is 140 a second at most.
 * A group that fails is undone as a whole, and each of its verbs tried by itself: the fault of one is no other's. Where the file itself cannot
 * be written all are told so at once.
 */
export function createGroupCommit(database: Pick<Database, 'write'>): GroupCommit {
  const waiting: Waiting[] = [];
  let isAtWork = false;
  let last = { took: 0, ended: 0 };

  async function work(): Promise<void> {
    isAtWork = true;
    while (waiting.length > 0) {
      await gathered(waiting, last);
      const begun = performance.now();
      await commit(database, waiting.splice(0, groupSize(waiting)));
      last = { took: performance.now() - begun, ended: performance.now() };
    }
    isAtWork = false;
  }

  return {
    write: <T>(weight: number, verb: (trx: Trx) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ weight, run: verb, resolve: (value) => resolve(value as T), reject });
        if (!isAtWork) void work();
      }),
  };
}

/** How many turns of the event loop may bring nobody before a group goes without: from a connection that can be read to here takes two or three. */
const QUIET_TURNS = 3;

/**
 * While SQLite waits for the disk no socket is read: whoever came meanwhile is read after, and gets as long as the commit took to come here, which
 * leaves others half of the time even on a slow disk. Turns are counted, not milliseconds: whoever sends one thing after the other waits for nobody.
 */
async function gathered(
  waiting: readonly Waiting[],
  { took, ended }: { readonly took: number; readonly ended: number },
): Promise<void> {
  const until = ended + Math.min(took, LONGEST_WAIT_MS);
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until; ) {
    const before = waiting.length;
    await nextTurn();
    quiet = waiting.length > before ? 0 : quiet + 1;
  }
}

/** At least one, however heavy. */
function groupSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ weight }, index) => {
    bytes += weight;
    return index >= MOST_VERBS || (index > 0 && bytes > MOST_BYTES);
  });
  return end === -1 ? waiting.length : end;
}

async function commit(database: Pick<Database, 'write'>, group: readonly Waiting[]): Promise<void> {
  const [first, ...others] = group;
  if (first === undefined) return;
  if (others.length === 0) return alone(database, first);
  try {
    const values = await database.write(async (trx) => {
      const made: unknown[] = [];
      for (const { run } of group) made.push(await run(trx));
      return made;
    });
    for (const [index, { resolve }] of group.entries()) resolve(values[index]);
  } catch (error) {
    await afterFailure(database, group, error);
  }
}

async function afterFailure(
  database: Pick<Database, 'write'>,
  group: readonly Waiting[],
  error: unknown,
): Promise<void> {
  // No file that could be written: each by itself would wait as long for the same answer, one after the other.
  if (isOfTheFile(error)) for (const { reject } of group) reject(error);
  // Which of them it was shows by trying.
  else for (const one of group) await alone(database, one);
}

function isOfTheFile(error: unknown): boolean {
  return error instanceof CausewayError && (error.code === 'store_locked' || error.code === 'store_unusable');
}

async function alone(database: Pick<Database, 'write'>, { run, resolve, reject }: Waiting): Promise<void> {
  await database.write(run).then(resolve, reject);
}
