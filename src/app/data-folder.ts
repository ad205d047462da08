// The folder that holds records, mirrors and keys: made on first use, for the service's user alone.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CausewayError } from '../domain/errors.ts';

export interface DataFolder {
  /** The SQLite file. */
  readonly database: string;
  /** Where bare mirrors are kept. */
  readonly mirrors: string;
  /** 32 bytes. */
  readonly encryptionKey: Buffer;
}

/** Makes the folder (mode 700) where it is missing; one that is there keeps its mode, since it may be the operator's. Throws `store_unusable`, naming DATA_DIR, where it cannot. */
export function openDataFolder(folder: string, encryptionKey: Buffer | null): DataFolder {
  try {
    mkdirSync(path.join(folder, 'mirrors'), { recursive: true, mode: 0o700 });
    return {
      database: path.join(folder, 'causeway.db'),
      mirrors: path.join(folder, 'mirrors'),
      encryptionKey: encryptionKey ?? keptKey(path.join(folder, 'encryption.key')),
    };
  } catch (error) {
    if (error instanceof CausewayError) throw error;
    throw new CausewayError(
      'store_unusable',
      `The data folder ${folder} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): make it writable, or name another with DATA_DIR.`,
      { cause: error },
    );
  }
}

/** Two processes may start at once, and one may be killed while it writes: the file appears whole, and the first one wins. */
function keptKey(file: string): Buffer {
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length === 32) return key;
  throw new CausewayError(
    'store_unusable',
    `${file} does not hold a key of 32 bytes: restore it from a backup, or set ENCRYPTION_KEY.`,
  );
}
