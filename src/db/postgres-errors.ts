// Errors of PostgreSQL: what each means for the operator, and which transactions are repeated until they take place
// exactly once.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { CausewayError, type ErrorCode, StoreUnusable } from '../core/errors.ts';
import type { TransactionRunner } from './database.ts';
import type { Reader, Trx } from './schema.ts';

/** The transaction `number` of a connection. */
export interface CommitMark {
  readonly connection: string;
  readonly number: number;
}

const TABLE = 'commit_marks';

/** For connections that have ended; an open one updates its row. */
const KEPT = '1 day';

/**
 * One row per connection, updated with each transaction. The server's own transaction numbers are no proof: after a
 * crash those that were not yet on disk are used again.
 */
export async function makeCommitMarks(kysely: Reader): Promise<void> {
  const { rows } = await sql<{ readonly found: string | null }>`select to_regclass(${TABLE}) as found`.execute(kysely);
  if ((rows[0]?.found ?? null) === null) {
    await sql`create table ${sql.table(TABLE)} (connection text primary key, number bigint not null, at timestamptz not null)
      with (fillfactor = 20)`.execute(kysely);
  }
}

export async function sweepCommitMarks(kysely: Reader): Promise<void> {
  await sql`delete from ${sql.table(TABLE)} where at < now() - ${sql.lit(KEPT)}::interval`.execute(kysely);
}

/** The marks of one connection, one after the other. */
export function createMarker(): () => CommitMark {
  const connection = randomBytes(12).toString('hex');
  let number = 0;
  return () => ({ connection, number: ++number });
}

/** Writes the mark; nothing in it comes from outside. */
export function toMarkStatement({ connection, number }: CommitMark): string {
  return (
    `insert into ${TABLE} values ('${connection}', ${number}, now()) ` +
    'on conflict (connection) do update set number = excluded.number, at = excluded.at'
  );
}

/**
 * Whether that transaction took place. Waits for its end if the server has not noticed yet that the connection is lost.
 */
async function wasMarkCommitted(kysely: Reader, { connection, number }: CommitMark): Promise<boolean> {
  const ask = sql<{ readonly number: number }>`
    select number from ${sql.table(TABLE)} where connection = ${connection} for update`;
  const { rows } = await ask.execute(kysely);
  return rows[0]?.number === number;
}

/** A commit was sent and not answered: by the mark the server knows whether it took place. */
export class UnansweredCommit extends Error {
  override readonly name = 'UnansweredCommit';
  readonly mark: CommitMark;

  constructor(mark: CommitMark, options: ErrorOptions) {
    super('the connection was lost before COMMIT was answered', options);
    this.mark = mark;
  }
}

/**
 * `conflict`: another transaction came first; nothing was written. `collision`: a row came or went in the same moment;
 * the verb sees it the second time, or is wrong. `lost`: no server just now. `final`: trying again changes nothing.
 */
type PostgresFault = 'conflict' | 'collision' | 'lost' | 'final';

function classifyFault(error: unknown): PostgresFault {
  const code = readCode(error);
  if (code === '40001' || code === '40P01') return 'conflict';
  if (code === '23505' || code === '23503') return 'collision';
  return isLostConnection(error) || isReadOnly(error) || code === '53300' ? 'lost' : 'final';
}

/** The error of a standby server: for a while after a failover, connections still lead to it. */
export function isReadOnly(error: unknown): boolean {
  const code = readCode(error);
  return code === '25006' || (code === '0A000' && error instanceof Error && error.message.includes('hot standby'));
}

/**
 * Includes a server that is starting or stopping: the caller got no answer, and the transaction did not take place
 * unless it was committing.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = readCode(error);
  if (/^(08...|57P0[1-5]|25P0[34])$/.test(code) || NETWORK.has(code)) return true;
  return (
    code === '' &&
    /^(Connection terminated|timeout ex|Query read timeout|Client has encountered|Client was closed|Received unexpected)/.test(
      error.message,
    )
  );
}

const NETWORK: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH'],
  ...['ENETDOWN', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);

/** SQLSTATE, or the code of a failed system call; empty if none. */
function readCode(error: unknown): string {
  if (error instanceof AggregateError) return readCode(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/**
 * `shown`: the database's address without its password. Anything that is not the database's own is returned as it is.
 */
export function explainPostgres(error: unknown, shown: string): unknown {
  if (error instanceof CausewayError) return error;
  if (error instanceof UnansweredCommit) return createError('store_unavailable', IN_DOUBT, { error, shown });
  const code = readCode(error);
  const found = REPAIRS.find(([pattern]) => pattern.test(code)) ?? (isLostConnection(error) ? UNREACHABLE : undefined);
  if (found) return createError(found[1], found[2], { error, shown });
  return isTls(error) ? createError('store_unavailable', TLS, { error, shown }) : error;
}

/**
 * As `explainPostgres`. Any other obstacle to opening, such as another program's tables with our names, is the
 * database's fault too.
 */
export function explainOpening(error: unknown, shown: string): CausewayError {
  const explained = explainPostgres(error, shown);
  return explained instanceof CausewayError ? explained : createError('store_unusable', FOREIGN, { error, shown });
}

interface ShownError {
  readonly error: unknown;
  readonly shown: string;
}

function createError(code: ErrorCode, repair: string, { error, shown }: ShownError): CausewayError {
  const why = readCode(error);
  const sign = why === '' ? '' : ` (${why})`;
  const message = `The database ${shown} ${repair}${sign}`;
  if (why === DISK_FULL) return new StoreUnusable('full', message, { cause: error });
  return new CausewayError(code, message, { cause: error });
}

function isTls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(readCode(error)) || /does not support SSL/.test(error.message);
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

const IN_DOUBT =
  'did not answer a commit, and it could not be checked in time whether it took place. Check whether the change is there before you repeat it.';

const FOREIGN =
  'cannot be used. It may belong to another program. Name another one in DATABASE_URL, or restore a backup.';

const TLS =
  'could not be reached over TLS as its address requires. Give sslrootcert=<file> for your own authority, or correct sslmode in DATABASE_URL.';

type Repair = readonly [pattern: RegExp, code: 'store_unavailable' | 'store_unusable', repair: string];

const UNREACHABLE: Repair = [
  /^$/,
  'store_unavailable',
  'does not answer. Check that the server is running and that host and port of DATABASE_URL are right; a running service continues on its own.',
];

const REPAIRS: readonly Repair[] = [
  [
    /^28/,
    'store_unavailable',
    'refused the user or the password. Correct them in DATABASE_URL, or in the server (pg_hba.conf).',
  ],
  [/^3D000$/, 'store_unavailable', 'does not exist. Create it (createdb), owned by the user of DATABASE_URL.'],
  [
    /^42501$/,
    'store_unavailable',
    'does not grant this user the required privileges. Make the user of DATABASE_URL its owner, or grant it CREATE on the schema and all on its tables.',
  ],
  [
    /^08P01$/,
    'store_unavailable',
    'is behind a pooler that refuses the connection; the log of the pooler says why. PgBouncer needs pool_mode=session and "ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout".',
  ],
  [
    /^53100$/,
    'store_unavailable',
    'has no space left on the disk of its server. Free some; a running service resumes on its own.',
  ],
  [
    /^53300$/,
    'store_unavailable',
    'has no free connection. Raise max_connections of the server, or run fewer processes; each uses up to the size of its pool.',
  ],
  [/^53/, 'store_unavailable', 'is short of memory or another resource. See the log of the server.'],
  [
    /^(25006|0A000)$/,
    'store_unavailable',
    'is read-only: it is a standby, or was configured so. Point DATABASE_URL at the primary.',
  ],
  [
    /^57P03$/,
    'store_unavailable',
    'is starting or stopping. Try again when it is up; a running service continues on its own.',
  ],
  [/^(40001|40P01|55P03)$/, 'store_unavailable', 'is too busy: other writers took precedence for too long. Try again.'],
  [/^57014$/, 'store_unavailable', 'took too long to answer. Try again, and check what else keeps it busy.'],
  [/^58/, 'store_unavailable', 'has a fault of its system or its disk. See the log of the server.'],
  [/^XX00[12]$/, 'store_unusable', 'is damaged. Restore it from a backup.'],
];

/** A conflict is over when the other has committed: milliseconds. */
const CONFLICT_MS = 4;

const LONGEST_CONFLICT_MS = 250;

const LOST_MS = 50;

const LONGEST_LOST_MS = 500;

/** A verb that still collides then has not looked before it wrote. */
const MOST_COLLISIONS = 3;

/**
 * All transactions are serializable, since the verbs were written as if they ran one at a time. Serialization failures
 * and deadlocks (40001, 40P01) are retried from the beginning after a random pause, for at most `patienceMs`. So is a
 * lost connection: a restart of the server only delays callers. A commit that was sent but not answered may have taken
 * place. Each transaction leaves a mark (`CommitMark`), which is looked up once a server answers again: if it is
 * there, the verb's result is returned; otherwise the verb runs again. If no server answers in time the outcome is
 * unknown and the verb throws `store_unavailable`. A caller of the API then repeats with its idempotency key, a worker's
 * job is taken over (late writes are fenced by generation), and GitHub redelivers under the same id.
 */
export function createSerializableRunner(kysely: Reader, patienceMs: number): TransactionRunner {
  const inTurn = createRetryTurns();
  return {
    write: (verb) => {
      const attempt = async () => {
        let made: { readonly value: Awaited<ReturnType<typeof verb>> } | undefined;
        const work = async (trx: Trx) => {
          made = { value: await verb(trx) };
          return made.value;
        };
        try {
          return await kysely.transaction().setIsolationLevel('serializable').execute(work);
        } catch (error) {
          if (!(error instanceof UnansweredCommit) || made === undefined) throw error;
          if (await wasCommitted(kysely, error, patienceMs)) return made.value;
          throw new DidNotCommit('the transaction was rolled back', { cause: error });
        }
      };
      return retryPatiently(patienceMs, attempt, () => inTurn(attempt));
    },
    read: (query) => retryPatiently(patienceMs, query),
  };
}

/** Second attempts of this process, one after the other: those that met once would meet again. */
function createRetryTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** It is known not to have taken place. */
class DidNotCommit extends Error {}

/**
 * Tries again what is worth it, for `patienceMs`, and by `afterConflict` where it met another; throws the last error.
 */
export async function retryPatiently<T>(patienceMs: number, work: () => Promise<T>, afterConflict = work): Promise<T> {
  const mayTryAgain = createRetryLimit(patienceMs);
  for (let attempt = work; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const fault = error instanceof DidNotCommit ? 'lost' : classifyFault(error);
      const wait = mayTryAgain(fault);
      if (wait === null) throw error;
      attempt = fault === 'conflict' ? afterConflict : work;
      await sleep(wait);
    }
  }
}

/** Milliseconds to wait after a fault; null: no more. */
function createRetryLimit(patienceMs: number): (fault: PostgresFault) => number | null {
  const deadline = performance.now() + patienceMs;
  const seen = { conflict: 0, collision: 0, lost: 0 };
  return (fault) => {
    if (fault === 'final' || performance.now() > deadline) return null;
    const tries = ++seen[fault];
    if (fault === 'lost') return computeRetryPause(LOST_MS, LONGEST_LOST_MS, tries);
    return fault === 'collision' && tries > MOST_COLLISIONS
      ? null
      : computeRetryPause(CONFLICT_MS, LONGEST_CONFLICT_MS, tries);
  };
}

/** Longer with each try up to a limit, and by chance, so that two who met do not meet again. */
function computeRetryPause(first: number, longest: number, tries: number): number {
  return Math.random() * Math.min(longest, first * 2 ** Math.min(tries, 16));
}

/** Throws `unanswered` where it cannot be known. */
async function wasCommitted(kysely: Reader, unanswered: UnansweredCommit, patienceMs: number): Promise<boolean> {
  try {
    return await retryPatiently(patienceMs, () => wasMarkCommitted(kysely, unanswered.mark));
  } catch {
    throw unanswered;
  }
}
