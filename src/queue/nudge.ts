// A wait that can be cut short: the pause of a polling loop.

interface Nudge {
  /** Ends the wait at hand, or else the next one before it begins: a nudge is never lost. */
  wake(): void;
  /** Resolves after `ms` milliseconds or at the next nudge. One waiter at a time. */
  wait(ms: number): Promise<void>;
}

export function createNudge(): Nudge {
  let nudged = false;
  let end: (() => void) | null = null;
  return {
    wake() {
      nudged = true;
      end?.();
    },
    async wait(ms) {
      if (!nudged) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        end = resolve;
        await promise;
        clearTimeout(timer);
        end = null;
      }
      nudged = false;
    },
  };
}
