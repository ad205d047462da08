// Work that comes round: done at once, then every so often, sooner again after a failure.
import { CausewayError } from '../core/errors.ts';
import type { Log } from '../log.ts';

export interface RecurringOptions {
  /** In words, for the log, such as `reading the installations`. */
  readonly what: string;
  readonly everyMs: number;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  readonly log: Log;
  /** While it says no, another process does it. */
  readonly isOurs?: () => boolean;
}

export interface Recurring extends AsyncDisposable {
  /** Null before the first round has ended; "" after a good one; else what went wrong with the last. */
  fault(): string | null;
}

const FIRST_RETRY_MS = 15_000;
/** How soon it is noticed that the process that did it is gone. */
const NOT_OURS_MS = 1_000;

/** Rounds never overlap. Disposing ends the one under way. */
export function startRecurring({ what, everyMs, work, log, isOurs = () => true }: RecurringOptions): Recurring {
  const stop = new AbortController();
  let fault: string | null = null;
  let failures = 0;
  const round = async (): Promise<number> => {
    if (!isOurs()) return NOT_OURS_MS;
    try {
      await work(stop.signal);
      if (failures > 0) log.info(`${what} works again`);
      fault = '';
      failures = 0;
      return everyMs;
    } catch (error) {
      if (stop.signal.aborted) return everyMs;
      fault = error instanceof Error ? error.message : 'unknown';
      log.warn(explained(error), `${what} failed; trying again`);
      failures += 1;
      return Math.min(everyMs, FIRST_RETRY_MS * 2 ** (failures - 1));
    }
  };
  const rounds = async () => {
    while (!stop.signal.aborted) await pause(await round(), stop.signal);
  };
  const ended = rounds();
  return {
    fault: () => fault,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** A failure whose message contains the repair is logged without its stack, which would bury the message. */
function explained(error: unknown): object {
  return error instanceof CausewayError ? { reason: error.message } : { err: error };
}

/** Resolves after `ms`, or at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
