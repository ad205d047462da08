// `move`: all records from SQLite to PostgreSQL, once, by whoever owns both.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { MoveCommand } from '../cli/command.ts';
import type { ExitCode } from '../cli/io.ts';
import { alreadyMovedText, movedText, moveLine } from '../cli/move-words.ts';
import { type Config, type PostgresConfig, parsePostgresUrl, passwordsOf } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { migrationsOf } from '../db/migrate.ts';
import { type MoveSource, moveRecords, openMoveSource, openSecrets, readMoveEnd } from '../db/move.ts';
import { createSeal } from '../db/seal.ts';
import { takeOwnership } from '../db/single-owner.ts';
import { registerSecret } from '../log.ts';
import type { CommandDeps } from './command-deps.ts';
import { databaseFile, readKey } from './data-folder.ts';
import { openPostgresParts } from './open-postgres-records.ts';

/** Progress goes to standard error. Throws what is wrong with source, target or key before anything is written. */
export async function moveCommand(command: MoveCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now } = deps;
  const file = command.from === null ? databaseFile(config.dataDir) : path.resolve(io.cwd, command.from);
  if (!existsSync(file)) throw new CausewayError('usage', `There is no file ${file}: name it with --from sqlite:FILE.`);
  const place = targetOf(command, config);
  const { key, keptIn } = keyBeside(file, config);
  const say = (words: string) => io.err(moveLine(words));
  using _owned = takeOwnership(file);
  using source = openMoveSource(file);
  const seal = createSeal(key);
  say(`sealed secrets that open with ${keptIn}: ${openSecrets(source, seal)}, which is all`);
  await using target = await openPostgresParts({ database: place, seal, log, signal });
  const ended = await readMoveEnd(target.store.database);
  if (ended !== null) {
    io.err(alreadyMovedText(place.shown, ended));
    return 0;
  }
  const { store, boss } = target;
  requireSameSchema(source, await migrationsOf(store.database));
  const moved = await moveRecords({ source, target: store.database, enqueuer: boss.jobs, now, say, signal });
  for (const account of await store.accounts()) await store.signingSecrets(account.id, now().toISOString());
  io.err(movedText({ ...moved, file, target: place.shown, keptIn: config.encryptionKey === null ? keptIn : null }));
  return 0;
}

function targetOf({ to }: MoveCommand, { database }: Config): PostgresConfig {
  if (to === null) {
    if (database.kind === 'postgres') return database;
    throw new CausewayError('usage', 'Say where to: set DATABASE_URL to the empty PostgreSQL database, or give --to.');
  }
  for (const secret of [to, ...passwordsOf(to)]) registerSecret(secret);
  const parsed = parsePostgresUrl(to);
  if (typeof parsed === 'string') throw new CausewayError('usage', `--to ${parsed}.`);
  return parsed;
}

/** That of the configuration, else the one that was kept beside the file. */
function keyBeside(file: string, { encryptionKey }: Config): { readonly key: Buffer; readonly keptIn: string } {
  if (encryptionKey !== null) return { key: encryptionKey, keptIn: 'ENCRYPTION_KEY' };
  const kept = path.join(path.dirname(file), 'encryption.key');
  if (existsSync(kept)) return { key: readKey(kept), keptIn: kept };
  throw new CausewayError(
    'usage',
    `The key of the secrets in ${file} is missing: set ENCRYPTION_KEY to it, or put encryption.key beside the file.`,
  );
}

/** Both sides were made by steps of the same names, or a column would be missing on one of them. */
function requireSameSchema({ migrations }: MoveSource, wanted: readonly string[]): void {
  const missing = wanted.filter((name) => !migrations.includes(name));
  const unknown = migrations.filter((name) => !wanted.includes(name));
  if (missing.length === 0 && unknown.length === 0) return;
  const repair =
    unknown.length > 0
      ? `it was made by a newer Causeway (${unknown.join(', ')}): move with that one.`
      : 'run "causeway migrate" with its DATA_DIR and without DATABASE_URL, then this again.';
  throw new CausewayError('usage', `The source's schema is not the one of this version; ${repair}`);
}
