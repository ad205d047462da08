// Host names to addresses, by the system's resolver: one name at a time.
import { lookup } from 'node:dns/promises';

/** All addresses of a name. Rejects or gives none where there is none; need not ask for a caller whose `signal` has aborted. */
export type Resolver = (host: string, signal: AbortSignal) => readonly string[] | Promise<readonly string[]>;

/** The hosts file and DNS, both families. One line for the whole process: make one. */
export function createSystemResolver(): Resolver {
  return inTurn(async (host) => (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address));
}

/**
 * Asks for one name after the other. The system's resolver holds a thread until it gives up on a slow name server (10 s and more), even if
 * nobody waits any longer, and libuv runs at most two lookups at a time (half of its four threads, so files are not held up:
 * https://github.com/libuv/libuv/blob/v1.x/src/threadpool.c). Names that strangers chose get one of the two; GitHub and the model keep the other.
 */
export function inTurn(ask: Resolver): Resolver {
  let last: Promise<unknown> = Promise.resolve();
  return (host, signal) => {
    const mine = last.then(() => {
      signal.throwIfAborted();
      return ask(host, signal);
    });
    last = mine.catch(() => undefined);
    return mine;
  };
}
