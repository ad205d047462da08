// The commands about the records themselves: `migrate`, `backup` and `redrive`.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { BackupCommand } from '../cli/command.ts';
import type { ExitCode } from '../cli/io.ts';
import { backedUpText, dumpText, migratedText, redrivenText } from '../cli/records-words.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { JobKind } from '../core/queue.ts';
import { backUp } from '../db/back-up.ts';
import { backupsFolder } from '../db/kept-backups.ts';
import { makeFolder } from '../db/make-folder.ts';
import { migratedSince } from '../db/migrate.ts';
import { createSeal } from '../db/seal.ts';
import type { CommandDeps } from './command-deps.ts';
import { databaseFile, openDataFolder } from './data-folder.ts';
import { openRecords, openStore, ownRecords } from './open-records.ts';

/** Throws `store_locked` where a service has the SQLite file open. */
export async function migrateCommand({ config, io, log }: CommandDeps): Promise<ExitCode> {
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  using _owned = ownRecords(folder.database);
  // The clock of the migrator, which is this process: not one that tests play.
  const begun = new Date();
  const seal = createSeal(folder.encryptionKey);
  await using store = await openStore({ database: folder.database, seal, log });
  io.err(migratedText({ place: placeOf(config), ...(await migratedSince(store.database, begun)) }));
  return 0;
}

/** The copy's name stands alone on standard output. Throws `usage` over PostgreSQL, with what does it there. */
export async function backupCommand({ file }: BackupCommand, { config, io, now }: CommandDeps): Promise<ExitCode> {
  const { database, dataDir } = config;
  if (database.kind === 'postgres') throw new CausewayError('usage', dumpText(database.shown));
  const source = databaseFile(dataDir);
  if (!existsSync(source)) {
    throw new CausewayError('usage', `There is no database ${source} yet: name the DATA_DIR of the service.`);
  }
  const target = file === null ? defaultTarget(dataDir, now()) : path.resolve(io.cwd, file);
  const begun = performance.now();
  const done = await backUp(source, target);
  io.out(`${target}\n`);
  const key = config.encryptionKey === null ? path.join(dataDir, 'encryption.key') : 'ENCRYPTION_KEY';
  io.err(backedUpText({ ...done, key, seconds: (performance.now() - begun) / 1_000 }));
  return 0;
}

/** Works beside a running service. */
export async function redriveCommand(jobs: JobKind | null, { config, io, log, now }: CommandDeps): Promise<ExitCode> {
  const { database, encryptionKey } = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using records = await openRecords({ database, seal: createSeal(encryptionKey), log, now });
  const kinds = jobs === null ? (await records.queue.depths(now().toISOString())).map(({ kind }) => kind) : [jobs];
  const redriven: [JobKind, number][] = [];
  for (const kind of kinds) redriven.push([kind, await records.queue.redrive(kind)]);
  io.err(redrivenText(redriven));
  return 0;
}

/** In words, for the operator. */
function placeOf({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database.kind === 'postgres' ? database.shown : databaseFile(dataDir);
}

function defaultTarget(dataDir: string, now: Date): string {
  const folder = backupsFolder(databaseFile(dataDir));
  makeFolder(folder);
  const moment = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return path.join(folder, `causeway-${moment}.db`);
}
