// What processes over one PostgreSQL database tell each other: LISTEN and NOTIFY on a connection of its own, with the
// lock of who leads.

import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CausewayError } from '../core/errors.ts';

/** In all of them a message that gets lost must be made up for by looking: they make waiting short, not right. */
type Topic = 'changed' | 'cancel';

export interface Notices extends AsyncDisposable {
  /** Tells the listeners of all other processes, after what was committed before. Never throws. */
  notify(topic: Topic, text: string): void;
  /** `listener` hears what other processes tell. Disposing ends it. */
  on(topic: Topic, listener: (text: string) => void): Disposable;
  /** Whether this process leads: at most one over a database does, and after its end another within some seconds. */
  isLeader(): boolean;
}

interface NoticesOptions {
  readonly url: string;
  /** Called when the connection is lost or refused, and with null when it is back. */
  readonly onFault: (error: unknown) => void;
  /** How often it is looked whether the connection answers, and who leads, in milliseconds (5,000). */
  readonly roundMs?: number;
}

const CHANNEL = 'causeway';

/** Any number that is not used elsewhere in the database. */
const LEADER_LOCK = 4_811_230_901;

const ROUND_MS = 5_000;

const FIRST_RETRY_MS = 250;

const LONGEST_RETRY_MS = 5_000;

/** PostgreSQL takes less than 8,000 bytes; ours are ids. */
const LONGEST_TEXT = 1_000;

interface Message {
  readonly topic: string;
  readonly text: string;
  readonly from: string;
}

/** Connects in the background, and again when the connection is lost: nothing waits for it. */
export function openNotices({ url, onFault, roundMs = ROUND_MS }: NoticesOptions): Notices {
  const stop = new AbortController();
  const listeners = new Map<string, Set<(text: string) => void>>();
  const self = crypto.randomUUID();
  const waiting = new Map<string, readonly [Topic, string]>();
  const line: Line = { client: null, isLeader: false };
  const heard = (payload: string) => {
    const { topic, text, from } = parseMessage(payload);
    if (from === self) return;
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };
  const send = () => {
    const told = [...waiting.values()];
    waiting.clear();
    for (const [topic, text] of told) {
      const payload = JSON.stringify({ topic, text, from: self } satisfies Message);
      // May be lost with the connection: those who wait also poll.
      line.client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
    }
  };
  const session = () => hold(line, { url, roundMs, heard, signal: stop.signal, onThere: () => onFault(null) });
  const ended = keepUp(session, { signal: stop.signal, onFault });
  return {
    notify(topic, text) {
      if (text.length > LONGEST_TEXT) throw new Error('a notice is an id, not a text');
      if (waiting.size === 0) setImmediate(send);
      waiting.set(`${topic} ${text}`, [topic, text]);
    },
    on(topic, listener) {
      const known = listeners.get(topic) ?? new Set();
      listeners.set(topic, known.add(listener));
      return { [Symbol.dispose]: () => void known.delete(listener) };
    },
    isLeader: () => line.isLeader,
    async [Symbol.asyncDispose]() {
      send();
      stop.abort();
      await ended;
    },
  };
}

/** The state of the connection. */
interface Line {
  client: Client | null;
  isLeader: boolean;
}

interface Holding {
  readonly url: string;
  readonly roundMs: number;
  readonly heard: (payload: string) => void;
  readonly onThere: () => void;
  readonly signal: AbortSignal;
}

/** Connects, listens and tries to lead until the connection is lost or the signal aborts, which it throws. */
async function hold(line: Line, { url, roundMs, heard, onThere, signal }: Holding): Promise<never> {
  const client = new Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: ROUND_MS });
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  client.on('error', reject);
  client.on('end', () => reject(new Error('the connection was closed')));
  client.on('notification', ({ payload = '' }) => heard(payload));
  const stopped = () => reject(new Error('stopped'));
  signal.addEventListener('abort', stopped, { once: true });
  try {
    await Promise.race([client.connect(), lost]);
    await waitForAnswer(client.query(`listen ${CHANNEL}`), lost);
    line.client = client;
    onThere();
    for (;;) {
      line.isLeader = line.isLeader ? await checkAlive(client, lost) : await takeLead(client, lost);
      await Promise.race([sleep(roundMs, undefined, { signal }), lost]);
    }
  } finally {
    signal.removeEventListener('abort', stopped);
    line.client = null;
    line.isLeader = false;
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  }
}

/** Other programs may use the channel: what is not a message of ours is ignored. */
function parseMessage(payload: string): Message {
  try {
    const { topic, text, from }: Partial<Message> = JSON.parse(payload);
    return { topic: `${topic}`, text: `${text}`, from: `${from}` };
  } catch {
    return { topic: '', text: '', from: '' };
  }
}

interface Upkeep {
  readonly signal: AbortSignal;
  readonly onFault: (error: unknown) => void;
}

/** One session after another until the signal aborts, in growing pauses while none comes about. */
async function keepUp(session: () => Promise<never>, { signal, onFault }: Upkeep): Promise<void> {
  let pauseMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const begun = performance.now();
    try {
      await session();
    } catch (error) {
      if (signal.aborted) return;
      onFault(error);
    }
    pauseMs = performance.now() - begun > ROUND_MS ? FIRST_RETRY_MS : Math.min(LONGEST_RETRY_MS, pauseMs * 2);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

async function takeLead(client: Client, lost: Promise<never>): Promise<boolean> {
  const asked = client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LEADER_LOCK]);
  const { rows } = await waitForAnswer(asked, lost);
  return rows[0]?.taken === true;
}

/** A lock that is held is held as long as its session: it is enough that the session answers. */
async function checkAlive(client: Client, lost: Promise<never>): Promise<true> {
  await waitForAnswer(client.query('select 1'), lost);
  return true;
}

/** Throws where there is no answer in time: a connection may hang open for minutes after the other side is gone. */
async function waitForAnswer<T>(asked: Promise<T>, lost: Promise<never>): Promise<T> {
  const late = new AbortController();
  asked.catch(() => {});
  const deadline = sleep(ROUND_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error('no answer in time');
  });
  deadline.catch(() => {});
  try {
    return await Promise.race([asked, lost, deadline]);
  } finally {
    late.abort();
  }
}

const CONNECT_MS = 10_000;

/** How long a notice to ourselves may take; where sessions are kept it takes milliseconds. */
const NOTICE_MS = 5_000;

/** Again after this: what listens may not have been there yet for the first. */
const AGAIN_MS = 250;

/** What is wrong if `keepsSessions` says no, and the repair; follows the name of the database. */
export const NO_SESSIONS = {
  found: 'is behind a pooler that gives each transaction another session (PgBouncer with pool_mode=transaction)',
  repair: 'Set pool_mode=session for this database, or point DATABASE_URL at the server itself.',
} as const;

/**
 * Throws `store_unusable` where there are none: jobs would wait, and two processes or none would lead. `shown`: without
 * the password.
 */
export async function requireSessions(url: string, shown: string, signal?: AbortSignal): Promise<void> {
  if (await checkSessions(url, { signal })) return;
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
 * Immediate without a pooler; otherwise decided by whether a notice from another connection arrives. Throws the
 * driver's errors and the signal's reason.
 */
export async function checkSessions(
  url: string,
  { noticeMs = NOTICE_MS, signal = NEVER }: Look = {},
): Promise<boolean> {
  try {
    await using listener = await connect(url, signal);
    const { rows } = await listener.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler gives out numbers of its own.
    if (rows[0]?.pid === Reflect.get(listener.client, 'processID')) return true;
    await using teller = await connect(url, signal);
    return await checkNotices(listener.client, teller.client, { noticeMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const NEVER = new AbortController().signal;

async function checkNotices(listener: Client, teller: Client, { noticeMs, signal }: Listening): Promise<boolean> {
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

/** The driver takes no signal, but gives up at once when its socket is destroyed. */
async function connect(url: string, signal: AbortSignal): Promise<AsyncDisposable & { readonly client: Client }> {
  signal.throwIfAborted();
  const socket = new Socket();
  const cut = () => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  const limits = { connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS };
  const client = new Client({ connectionString: url, stream: () => socket, ...limits });
  // A broken connection fails at its next query.
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
