// Callers that want the same thing at the same time wait for one piece of work.
import { untilAborted } from '../core/until-aborted.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

export interface SingleFlight<T> {
  /** Starts `work` for `key`, or joins the one under way. The work is aborted when its last waiter has left. */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function take(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const running = flights.get(key);
    if (running !== undefined) return running;
    const abort = new AbortController();
    const flight: Flight<T> = { result: work(abort.signal), abort, waiting: 0 };
    flights.set(key, flight);
    const clear = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(clear, clear);
    return flight;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const flight = take(key, work);
      flight.waiting += 1;
      try {
        return await untilAborted(flight.result, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.abort.abort();
        }
      }
    },
  };
}
