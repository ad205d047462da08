// What a connection to a server is made of, whichever way the server is reached.
import type { Transport } from '@modelcontextprotocol/client';
import type { Log } from '../log.ts';
import type { Given } from './variables.ts';

/** One message of a server, at most. Results are cut far below; a larger one is a mistake or an attack. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
export const TOO_LARGE = `it answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB at once; ask for less`;

export interface Wire {
  readonly transport: Transport;
  /** Called when the server has answered: by then it has started what it consists of. */
  readonly answered: () => void;
  /** Ends at once what would outlive us; for the moment of our own exit. */
  readonly killNow: () => void;
  readonly end: (graceMs: number) => Promise<void>;
}

export interface WireContext {
  readonly given: Given;
  readonly log: Log;
  /** The longest that one exchange may take. */
  readonly maxExchangeMs: number;
  /** The connection cannot be used any more, for this reason in words. */
  readonly onBroken: (reason: string) => void;
}
