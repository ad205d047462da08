// The signals of the deliveries that are being handled: Probot gives its handlers an id and no signal.

export interface DeliveriesInFlight {
  /** While `handle` runs, the signal is the delivery's. */
  during(id: string, signal: AbortSignal, handle: () => Promise<void>): Promise<void>;
  /** Of any other delivery: a signal that aborts after a minute. */
  signalOf(id: string): AbortSignal;
}

const UNKNOWN_MS = 60_000;

export function createDeliveriesInFlight(): DeliveriesInFlight {
  const signals = new Map<string, AbortSignal>();
  return {
    async during(id, signal, handle) {
      signals.set(id, signal);
      try {
        await handle();
      } finally {
        signals.delete(id);
      }
    },
    signalOf: (id) => signals.get(id) ?? AbortSignal.timeout(UNKNOWN_MS),
  };
}
