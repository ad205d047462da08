// The folder that holds records, mirrors and keys: created on first use, readable only for the service's user.
import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config, DatabaseConfig } from '../config.ts';
import { CausewayError, isDiskFull, NO_SPACE } from '../core/errors.ts';
import { createSeal, makeFolder } from '../db/index.ts';
import type { Log } from '../log.ts';
import { type KeptStore, openStore, type RecordsPlace } from './records.ts';
import { readServedAs } from './served-as.ts';

export interface DataFolder {
  /** The SQLite file in it, or the PostgreSQL database instead of it. */
  readonly database: RecordsPlace;
  /** Where bare mirrors are kept. */
  readonly mirrors: string;
  /** Where digests of what the mirrors hold are kept; made when the first is. */
  readonly lexicon: string;
  /**
   * 32 bytes; read when it is first used, and created where there is no database yet.
   * Throws `store_unusable` where it is lost or damaged.
   */
  readonly encryptionKey: Buffer;
}

/**
 * Makes the folder (mode 700) where it is missing; one that is there keeps its mode, since it may be the operator's.
 * Throws `store_unusable`, naming DATA_DIR, where it cannot.
 */
export function openDataFolder(
  folder: string,
  encryptionKey: Buffer | null,
  database: DatabaseConfig = { kind: 'sqlite' },
): DataFolder {
  const mirrors = getMirrorsFolder(folder);
  const file = getDatabaseFile(folder);
  makeFolder(mirrors);
  return {
    database: database.kind === 'postgres' ? database : file,
    mirrors,
    lexicon: path.join(folder, 'lexicon'),
    get encryptionKey() {
      if (encryptionKey !== null) return encryptionKey;
      const kept = path.join(folder, 'encryption.key');
      return database.kind === 'postgres' ? readSharedKey(kept) : readOrMakeKey(kept, file);
    },
  };
}

/**
 * Throws `usage` where the service over the folder has its records in PostgreSQL and the configuration does not say so:
 * a SQLite file next to it is read by no service.
 */
export function requireRecordsHere({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  const postgres = database.kind === 'postgres' ? null : (readServedAs(dataDir)?.postgres ?? null);
  if (postgres === null) return;
  const found = `The service with the data folder ${dataDir} has its records in ${postgres}`;
  throw new CausewayError('usage', `${found}: set DATABASE_URL and ENCRYPTION_KEY as for the service.`);
}

/** The store of the configuration, for a command that may run while the service does. */
export async function openConfiguredStore(config: Config, log: Log): Promise<KeptStore> {
  requireRecordsHere(config);
  const { dataDir, encryptionKey, database } = config;
  const folder = openDataFolder(dataDir, encryptionKey, database);
  return openStore({ database: folder.database, seal: createSeal(folder.encryptionKey), log });
}

/** Of the bare mirrors in the folder. */
export function getMirrorsFolder(folder: string): string {
  return path.join(folder, 'mirrors');
}

/** The SQLite file in the folder. */
export function getDatabaseFile(folder: string): string {
  return path.join(folder, 'causeway.db');
}

/**
 * Never created: a second machine would create another one. A file is there after a move, or where all processes share
 * it.
 */
function readSharedKey(file: string): Buffer {
  if (existsSync(file)) return readKey(file);
  throw new CausewayError(
    'usage',
    `DATABASE_URL needs an ENCRYPTION_KEY, the same for every process over that database ("openssl rand -hex 32" makes one; after a move from SQLite it is what encryption.key holds).`,
  );
}

function readOrMakeKey(file: string, database: string): Buffer {
  try {
    // In this order: a process that starts at the same time creates the key before the database.
    const mayMake = !existsSync(database);
    if (!existsSync(file)) {
      if (!mayMake) throw createKeyLost(file, database);
      createKeyFile(file);
    }
    return readKey(file);
  } catch (error) {
    if (error instanceof CausewayError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const repair = 'Make it and its folder readable and writable for this user, or name another folder with DATA_DIR.';
    throw new CausewayError(
      'store_unusable',
      `The key ${file} cannot be used (${code}). ${isDiskFull(error) ? NO_SPACE : repair}`,
      { cause: error },
    );
  }
}

/** The file appears whole, and of two processes that start at once the first one wins. */
function createKeyFile(file: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** 32 bytes. Throws `store_unusable` where the file holds anything else. */
export function readKey(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length === 32) return key;
  throw new CausewayError(
    'store_unusable',
    `${file} does not contain a key of 32 bytes: restore it from a backup, or set ENCRYPTION_KEY.`,
  );
}

/** A new key would open nothing that is stored, and every webhook would fail for it. */
function createKeyLost(file: string, database: string): CausewayError {
  return new CausewayError(
    'store_unusable',
    `${file} is missing, and the secrets in ${database} open with no other key: restore encryption.key from the backup, or set ENCRYPTION_KEY.`,
  );
}

/**
 * The key of browsers' sessions, 32 bytes: from SESSION_SECRET, or else from the encryption key. A new one ends no
 * session, but invalidates open forms and sign-ins.
 */
export function deriveSessionKey(secret: string | null, encryptionKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret ?? encryptionKey, '', 'causeway sessions', 32));
}
