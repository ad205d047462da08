// Whether an address leads to sessions of PostgreSQL: behind a pooler that gives each transaction another one, nothing is heard and no lock is ours.
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CausewayError } from '../core/errors.ts';

const CONNECT_MS = 10_000;
/** How long a notice to ourselves may take; where sessions are kept it takes milliseconds. */
const NOTICE_MS = 5_000;
/** Again after this: what listens may not have been there yet for the first. */
const AGAIN_MS = 250;

/** What is wrong, and what to do, where `keepsSessions` says no; to stand behind the name of the database. */
export const NO_SESSIONS = {
  found: 'stands behind a pooler that gives each transaction another session (PgBouncer with pool_mode=transaction)',
  repair: 'Set pool_mode=session for this database, or let DATABASE_URL lead to the server itself.',
} as const;

/** Throws `store_unusable` where there are none: jobs would wait, and two processes or none would lead. `shown`: without the password. */
export async function requireSessions(url: string, shown: string, signal?: AbortSignal): Promise<void> {
  if (await keepsSessions(url, { signal })) return;
  throw new CausewayError('store_unusable', `The database ${shown} ${NO_SESSIONS.found}. ${NO_SESSIONS.repair}`);
}

interface Listening {
  readonly noticeMs: number;
  readonly signal: AbortSignal;
}

interface Look {
  /** Milliseconds. */
  readonly noticeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * At once where nothing stands between; behind a pooler by whether a notice of another connection is heard. Throws what the driver throws, and
 * the signal's reason where that aborts.
 */
export async function keepsSessions(
  url: string,
  { noticeMs = NOTICE_MS, signal = NEVER }: Look = {},
): Promise<boolean> {
  try {
    await using listener = await connected(url, signal);
    const { rows } = await listener.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler gives out numbers of its own.
    if (rows[0]?.pid === Reflect.get(listener.client, 'processID')) return true;
    await using teller = await connected(url, signal);
    return await hears(listener.client, teller.client, { noticeMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const NEVER = new AbortController().signal;

async function hears(listener: Client, teller: Client, { noticeMs, signal }: Listening): Promise<boolean> {
  const channel = `causeway_${randomBytes(8).toString('hex')}`;
  const stop = new AbortController();
  let isHeard = false;
  listener.on('notification', () => {
    isHeard = true;
    stop.abort();
  });
  await listener.query(`listen ${channel}`);
  const until = performance.now() + noticeMs;
  const awake = AbortSignal.any([stop.signal, signal]);
  while (!isHeard && performance.now() < until) {
    await teller.query('select pg_notify($1, $2)', [channel, '']);
    await sleep(AGAIN_MS, undefined, { signal: awake }).catch(() => {});
  }
  return isHeard;
}

/** The driver takes no signal: without its socket it gives up at once, whatever it waits for. */
async function connected(url: string, signal: AbortSignal): Promise<AsyncDisposable & { readonly client: Client }> {
  signal.throwIfAborted();
  const socket = new Socket();
  const cut = () => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  const limits = { connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS };
  const client = new Client({ connectionString: url, stream: () => socket, ...limits });
  // One that breaks says so to whoever asks it.
  client.on('error', () => {});
  const end = async () => {
    await client.end().catch(() => {});
    signal.removeEventListener('abort', cut);
  };
  try {
    await client.connect();
  } catch (error) {
    signal.removeEventListener('abort', cut);
    throw error;
  }
  return { client, [Symbol.asyncDispose]: end };
}
