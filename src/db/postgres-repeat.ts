// Transactions that overlap, and a server that goes and comes: each verb takes place exactly once, or says that it did not.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionRunner } from './database.ts';
import { tookPlace } from './postgres-connection.ts';
import { type Fault, faultOf, UnansweredCommit } from './postgres-errors.ts';
import type { Reader, Trx } from './schema.ts';

/** A conflict is over when the other has committed: milliseconds. */
const CONFLICT_MS = 4;
const LONGEST_CONFLICT_MS = 250;
const LOST_MS = 50;
const LONGEST_LOST_MS = 500;
/** A verb that still collides then has not looked before it wrote. */
const MOST_COLLISIONS = 3;

/**
 * All transactions are serializable: the verbs were written for an engine that runs one at a time, and so it seems to them. What PostgreSQL
 * refuses since two did not fit one after the other (40001, 40P01) is run again from its beginning, with a pause that chance draws, for
 * `patienceMs` at most. So is what found no server: a server that is restarted costs whoever waits a moment, and nobody an answer.
 *
 * A commit that was sent and not answered may have taken place. Each transaction leaves a mark (commit-marks.ts), and once there is a server
 * again that is looked for: there, and the verb's result is returned; not there, and the verb runs again. Only where no server answers in time
 * is it in doubt, and says so as `store_unusable`. Then a caller of the API repeats with its key; a worker's job stays claimed and is taken
 * over, the generation fencing off what came late; GitHub delivers again by the same id.
 */
export function serializable(kysely: Reader, patienceMs: number): TransactionRunner {
  const inTurn = turns();
  return {
    write: (verb) => {
      const attempt = async () => {
        let made: { readonly value: Awaited<ReturnType<typeof verb>> } | undefined;
        const work = async (trx: Trx) => {
          made = { value: await verb(trx) };
          return made.value;
        };
        try {
          return await kysely.transaction().setIsolationLevel('serializable').execute(work);
        } catch (error) {
          if (!(error instanceof UnansweredCommit) || made === undefined) throw error;
          if (await wasCommitted(kysely, error, patienceMs)) return made.value;
          throw new DidNotCommit('the transaction was rolled back', { cause: error });
        }
      };
      return patiently(patienceMs, attempt, () => inTurn(attempt));
    },
    read: (query) => patiently(patienceMs, query),
  };
}

/** Second attempts of this process, one after the other: those that met once would meet again. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** It is known not to have taken place. */
class DidNotCommit extends Error {}

/** Tries again what is worth it, for `patienceMs`, and by `afterConflict` where it met another; throws the last error. */
export async function patiently<T>(patienceMs: number, work: () => Promise<T>, afterConflict = work): Promise<T> {
  const mayTryAgain = trials(patienceMs);
  for (let attempt = work; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const fault = error instanceof DidNotCommit ? 'lost' : faultOf(error);
      const wait = mayTryAgain(fault);
      if (wait === null) throw error;
      attempt = fault === 'conflict' ? afterConflict : work;
      await sleep(wait);
    }
  }
}

/** Milliseconds to wait after a fault; null: no more. */
function trials(patienceMs: number): (fault: Fault) => number | null {
  const deadline = performance.now() + patienceMs;
  const seen = { conflict: 0, collision: 0, lost: 0 };
  return (fault) => {
    if (fault === 'final' || performance.now() > deadline) return null;
    const tries = ++seen[fault];
    if (fault === 'lost') return pause(LOST_MS, LONGEST_LOST_MS, tries);
    return fault === 'collision' && tries > MOST_COLLISIONS ? null : pause(CONFLICT_MS, LONGEST_CONFLICT_MS, tries);
  };
}

/** Longer with each try up to a limit, and by chance, so that two who met do not meet again. */
function pause(first: number, longest: number, tries: number): number {
  return Math.random() * Math.min(longest, first * 2 ** Math.min(tries, 16));
}

/** Throws `unanswered` where it cannot be known. */
async function wasCommitted(kysely: Reader, unanswered: UnansweredCommit, patienceMs: number): Promise<boolean> {
  try {
    return await patiently(patienceMs, () => tookPlace(kysely, unanswered.mark));
  } catch {
    throw unanswered;
  }
}
