// One server or worker per SQLite file: a lock that the operating system drops with the process, however it ends.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../core/errors.ts';
import { makeFolder } from './make-folder.ts';
import { explainSqlite, makePrivate } from './sqlite-engine.ts';

/**
 * Takes the database file for this process until disposed. The lock is a transaction held open on `<file>.owner`;
 * it is a reserved one, so that whoever is refused can still read the owner's process id.
 * Throws `store_locked` where another holds it. `:memory:` needs no owner.
 */
export function takeOwnership(file: string): Disposable {
  if (file === ':memory:') return { [Symbol.dispose]: () => {} };
  makeFolder(dirname(file));
  const owner = `${realPath(file)}.owner`;
  makePrivate(owner);
  const connection = open(owner);
  try {
    connection.exec('begin immediate');
    connection.exec('create table if not exists owner (id integer primary key, pid integer not null) strict');
    connection.prepare('insert or replace into owner (id, pid) values (1, ?)').run(process.pid);
    connection.exec('commit');
    connection.exec('begin immediate');
  } catch (error) {
    const refusal = refusalFor(connection, error, file);
    connection.close();
    throw refusal;
  }
  return { [Symbol.dispose]: () => void connection.close() };
}

function open(owner: string): Sqlite.Database {
  try {
    return new Sqlite(owner, { timeout: 0 });
  } catch (error) {
    throw explainSqlite(error, owner);
  }
}

function refusalFor(connection: Sqlite.Database, error: unknown, file: string): unknown {
  const busy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
  if (!busy) return explainSqlite(error, `${file}.owner`);
  const pid = ownerPid(connection);
  return new CausewayError(
    'store_locked',
    `Another Causeway server or worker${pid === null ? '' : ` (process ${pid})`} uses ${file}. ` +
      'Stop that one first, or give this one its own DATA_DIR.',
    { cause: error },
  );
}

function ownerPid(connection: Sqlite.Database): number | null {
  try {
    return connection.prepare<[], { pid: number }>('select pid from owner').get()?.pid ?? null;
  } catch {
    // The owner is just writing it: the refusal stands without the number.
    return null;
  }
}

/** Two names of one file are one file; a file that is not there yet is named by its folder. */
function realPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}
