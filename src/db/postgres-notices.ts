// What processes over one PostgreSQL database tell each other: LISTEN and NOTIFY on a connection of its own, with the lock of who leads.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

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
  /** Told when the connection is lost or refused, and with null when it is there again. */
  readonly onFault: (error: unknown) => void;
  /** How often it is looked whether the connection answers, and who leads, in milliseconds (5,000). */
  readonly roundMs?: number;
}

const CHANNEL = 'causeway';
/** Any number that nobody else uses in the database. */
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
    const { topic, text, from } = parsed(payload);
    if (from === self) return;
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };
  const send = () => {
    const told = [...waiting.values()];
    waiting.clear();
    for (const [topic, text] of told) {
      const payload = JSON.stringify({ topic, text, from: self } satisfies Message);
      // Lost with the connection: whoever waits looks by itself.
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

/** How it stands with the connection. */
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
    await answered(client.query(`listen ${CHANNEL}`), lost);
    line.client = client;
    onThere();
    for (;;) {
      line.isLeader = line.isLeader ? await alive(client, lost) : await takeLead(client, lost);
      await Promise.race([sleep(roundMs, undefined, { signal }), lost]);
    }
  } finally {
    signal.removeEventListener('abort', stopped);
    line.client = null;
    line.isLeader = false;
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  }
}

/** Anybody who may connect to the database can say anything; what is not ours is heard by nobody. */
function parsed(payload: string): Message {
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
  const { rows } = await answered(asked, lost);
  return rows[0]?.taken === true;
}

/** A lock that is held is held as long as its session: it is enough that the session answers. */
async function alive(client: Client, lost: Promise<never>): Promise<true> {
  await answered(client.query('select 1'), lost);
  return true;
}

/** Throws where there is no answer in time: a connection may hang open for minutes after the other side is gone. */
async function answered<T>(asked: Promise<T>, lost: Promise<never>): Promise<T> {
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
