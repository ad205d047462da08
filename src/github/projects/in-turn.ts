// Runs work on one thing one after the other, so that what was read later is also written later.
import { untilAborted } from '../../core/abortable.ts';

/** Starts the work when all earlier work on the same number has ended, in success or failure. */
export type InTurn = <T>(id: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  const last = new Map<number, Promise<unknown>>();
  return async (id, signal, work) => {
    const before = last.get(id) ?? Promise.resolve();
    const mine = before.then(() => (signal.aborted ? Promise.reject(signal.reason) : work()));
    const ended = mine.then(ignoreOutcome, ignoreOutcome);
    last.set(id, ended);
    void ended.then(() => {
      if (last.get(id) === ended) last.delete(id);
    });
    return untilAborted(mine, signal);
  };
}

function ignoreOutcome(): void {}
