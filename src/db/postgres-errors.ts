// What an error of PostgreSQL, or of the way to it, means: whether to try again, and what to tell the operator.
import { CausewayError, type ErrorCode, StoreUnusable } from '../core/errors.ts';
import type { CommitMark } from './postgres-connection.ts';

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
 * `conflict`: another transaction came first; nothing was written. `collision`: a row came or went in the same moment; the verb sees it the
 * second time, or is wrong. `lost`: no server just now. `final`: trying again changes nothing.
 */
export type Fault = 'conflict' | 'collision' | 'lost' | 'final';

export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  if (code === '40001' || code === '40P01') return 'conflict';
  if (code === '23505' || code === '23503') return 'collision';
  return isLostConnection(error) || isReadOnly(error) || code === '53300' ? 'lost' : 'final';
}

/** Of a server that stands by: its former primary's connections lead to it for a while after a failover. */
export function isReadOnly(error: unknown): boolean {
  const code = codeOf(error);
  return code === '25006' || (code === '0A000' && error instanceof Error && error.message.includes('hot standby'));
}

/** Also a server that is just starting or stopping: whoever asked has no answer, and its transaction did not take place unless it was committing. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (/^(08...|57P0[123])$/.test(code) || NETWORK.has(code)) return true;
  return (
    code === '' &&
    /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Client was closed)/.test(
      error.message,
    )
  );
}

const NETWORK: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);

/** SQLSTATE, or the code of a failed system call; empty where there is none. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** `shown`: the database's address without its password. Anything that is not the database's own is returned as it is. */
export function explainPostgres(error: unknown, shown: string): unknown {
  if (error instanceof CausewayError) return error;
  if (error instanceof UnansweredCommit) return told('store_unusable', IN_DOUBT, { error, shown });
  const code = codeOf(error);
  const found = REPAIRS.find(([pattern]) => pattern.test(code)) ?? (isLostConnection(error) ? UNREACHABLE : undefined);
  if (found) return told(found[1], found[2], { error, shown });
  return isTls(error) ? told('store_unusable', TLS, { error, shown }) : error;
}

/** As `explainPostgres`. Whatever else hinders opening (tables of our names that belong to another program, for one) is the database's fault too. */
export function explainOpening(error: unknown, shown: string): CausewayError {
  const explained = explainPostgres(error, shown);
  return explained instanceof CausewayError ? explained : told('store_unusable', FOREIGN, { error, shown });
}

interface About {
  readonly error: unknown;
  readonly shown: string;
}

function told(code: ErrorCode, repair: string, { error, shown }: About): CausewayError {
  const why = codeOf(error);
  const sign = why === '' ? '' : ` (${why})`;
  const message = `The database ${shown} ${repair}${sign}`;
  if (why === DISK_FULL) return new StoreUnusable('full', message, { cause: error });
  return new CausewayError(code, message, { cause: error });
}

function isTls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(codeOf(error)) || /does not support SSL/.test(error.message);
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

const IN_DOUBT =
  'did not answer a commit, and could not be asked in time whether it took place. Look whether what was asked for is there before asking again.';

const FOREIGN =
  'cannot be used. It may belong to another program. Name another one in DATABASE_URL, or restore a backup.';

const TLS =
  'could not be reached by TLS as its address asks. Give sslrootcert=<file> for an authority of your own, or correct sslmode in DATABASE_URL.';

type Repair = readonly [pattern: RegExp, code: 'store_locked' | 'store_unusable', repair: string];

const UNREACHABLE: Repair = [
  /^$/,
  'store_unusable',
  'does not answer. Check that the server runs and that host and port of DATABASE_URL are right: a service that runs goes on by itself.',
];

const REPAIRS: readonly Repair[] = [
  [
    /^28/,
    'store_unusable',
    'refused the user or the password. Correct them in DATABASE_URL, or in the server (pg_hba.conf).',
  ],
  [/^3D000$/, 'store_unusable', 'does not exist. Make it (createdb), owned by the user that DATABASE_URL names.'],
  [
    /^42501$/,
    'store_unusable',
    'does not let this user do what is needed. Make the user of DATABASE_URL its owner, or grant it CREATE on the schema and all on its tables.',
  ],
  [
    /^08P01$/,
    'store_unusable',
    'stands behind a pooler that refuses the connection; the log of the pooler says why. PgBouncer needs pool_mode=session and "ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout".',
  ],
  [
    /^53100$/,
    'store_unusable',
    'has no space left on the disk of its server. Free some: a running service resumes by itself.',
  ],
  [
    /^53300$/,
    'store_unusable',
    'has no connection left. Raise max_connections of the server, or start fewer processes: each takes up to the number of its pool.',
  ],
  [/^53/, 'store_unusable', 'lacks memory or another resource. Look into the log of the server.'],
  [
    /^(25006|0A000)$/,
    'store_unusable',
    'can only be read: it is a standby, or was set so. Let DATABASE_URL lead to the primary.',
  ],
  [
    /^57P03$/,
    'store_unusable',
    'is starting or stopping. Try again when it runs: a service that runs goes on by itself.',
  ],
  [/^(40001|40P01|55P03)$/, 'store_locked', 'was written by so many others that this had no turn. Try again.'],
  [/^57014$/, 'store_locked', 'took too long to answer. Try again; look for what else it is busy with.'],
  [/^XX00[12]$/, 'store_unusable', 'is damaged. Restore it from a backup.'],
];
