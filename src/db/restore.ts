// A backup put back in place of the SQLite database: checked first, and what was there before is kept.
import { chownSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../core/errors.ts';
import { type BackedUp, backUp } from './back-up.ts';
import { examineSqlite } from './examine-sqlite.ts';
import type { Seal } from './seal.ts';

export interface Restored extends BackedUp {
  /** Where the previous database is kept; null: there was none. */
  readonly keptAs: string | null;
}

interface Replacement {
  readonly backup: string;
  readonly database: string;
  /** Put behind the name of the previous database; unique. */
  readonly keptSuffix: string;
}

/** A log of another database would be played into the restored one. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Throws `usage` where the file is missing or is the database itself, and `store_unusable` where it is damaged, is not a database of Causeway,
 * was made by a newer version, or is sealed with another key.
 */
export async function checkBackup(
  { backup, database }: Pick<Replacement, 'backup' | 'database'>,
  seal: Seal,
  signal: AbortSignal,
): Promise<void> {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile()) {
    throw new CausewayError('usage', `There is no file ${backup}: name a backup.`);
  }
  if (existsSync(database) && realpathSync(backup) === realpathSync(database)) {
    throw new CausewayError('usage', `${backup} is the database itself: name a backup of it.`);
  }
  const faults = integrityFaults(backup);
  if (faults.length > 0) throw unfit(backup, `is damaged (${faults.slice(0, 5).join('; ')}). Name another backup.`);
  const found = await examineSqlite(backup, seal, signal);
  if (found === null) throw unfit(backup, 'is not a backup of Causeway. Name another file.');
  if (found.newer.length > 0) {
    const names = found.newer.join(', ');
    throw unfit(backup, `was made by a newer Causeway (it has ${names}). Restore it with that version or a later one.`);
  }
  if (found.isKeyRight === false) {
    throw unfit(
      backup,
      'is sealed with another key. Put the encryption.key that belongs to it into DATA_DIR, or set ENCRYPTION_KEY.',
    );
  }
}

/**
 * Copies the backup and puts the copy in place of the database, which no service may have open (see single-owner.ts). Killed at any point, the
 * name leads to the restored database or to the previous one, whose log may then be beside the kept copy, so that its last transactions are missing;
 * repeat the command. It never leads to a mixture of both. Throws as `backUp` does.
 */
export async function restoreBackup({ backup, database, keptSuffix }: Replacement): Promise<Restored> {
  const draft = `${database}.restoring`;
  const kept = `${database}${keptSuffix}`;
  rmSync(draft, { force: true });
  const copied = await backUp(backup, draft);
  giveToOwner(draft, path.dirname(database));
  const wasThere = existsSync(database);
  if (wasThere) keepUnder(database, kept);
  for (const end of BESIDE) if (existsSync(database + end)) renameSync(database + end, kept + end);
  renameSync(draft, database);
  return { ...copied, keptAs: wasThere ? kept : null };
}

/** Every page and every reference. */
function integrityFaults(file: string): readonly string[] {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true });
    const pages = connection.prepare<[], string>('pragma integrity_check').pluck().all();
    const references = connection.prepare<[], string>('pragma foreign_key_check').pluck().all();
    return [...pages.filter((line) => line !== 'ok'), ...references.map((table) => `a reference of ${table}`)];
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return [error.code];
  } finally {
    connection?.close();
  }
}

function keepUnder(database: string, kept: string): void {
  try {
    linkSync(database, kept);
  } catch (error) {
    if (existsSync(kept)) throw error;
    // A file system without links.
    renameSync(database, kept);
  }
}

/** Restored by root, the file must still be writable for the user of the service. */
function giveToOwner(file: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

function unfit(backup: string, fault: string): CausewayError {
  return new CausewayError('store_unusable', `${backup} ${fault} Nothing was changed.`);
}
