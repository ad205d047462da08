// `restore`: a backup in place of the SQLite database, while no service runs.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RestoreCommand } from '../cli/command.ts';
import type { ExitCode } from '../cli/io.ts';
import { pgRestoreText, restoredText, unconfirmedRestoreText } from '../cli/records-words.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { checkBackup, restoreBackup } from '../db/restore.ts';
import { createSeal } from '../db/seal.ts';
import type { CommandDeps } from './command-deps.ts';
import { databaseFile, readKey } from './data-folder.ts';
import { ownRecords } from './open-records.ts';

/** Throws `usage` over PostgreSQL and without --yes, `store_locked` while a service runs, and as `checkBackup` does. */
export async function restoreCommand(
  { file, yes }: RestoreCommand,
  { config, io, now }: CommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (config.database.kind === 'postgres') throw new CausewayError('usage', pgRestoreText(config.database.shown));
  const database = databaseFile(config.dataDir);
  const backup = path.resolve(io.cwd, file);
  using _owned = ownRecords(database);
  await checkBackup({ backup, database }, createSeal(keyOf(config)), signal);
  const moment = now().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const keptSuffix = `.before-restore-${moment}`;
  if (!yes) throw new CausewayError('usage', unconfirmedRestoreText({ backup, database, keptSuffix }));
  const restored = await restoreBackup({ backup, database, keptSuffix });
  io.err(restoredText({ ...restored, backup, database }));
  return 0;
}

/** Never a new one: it would open nothing in the backup. */
function keyOf({ encryptionKey, dataDir }: Config): Buffer {
  if (encryptionKey !== null) return encryptionKey;
  const kept = path.join(dataDir, 'encryption.key');
  if (existsSync(kept)) return readKey(kept);
  throw new CausewayError(
    'usage',
    `${kept} is missing, and the secrets in a backup open only with the key that belongs to it: put that file back first, or set ENCRYPTION_KEY.`,
  );
}
