// One after the other: what would do the same work twice waits for its turn, as long as it wants to.

export interface Turns {
  /** Does `work` once all that came before is done. Throws the signal's reason where it is aborted before. */
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(signal, work) {
      const before = last;
      const mine = before.then(() => {
        signal.throwIfAborted();
        return work();
      });
      last = mine.catch(() => undefined);
      return orAborted(mine, signal);
    },
  };
}

/** Who gives up while others are at work does not wait for them. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
