// The commands about the records: `migrate`, `backup`, `restore`, `redrive`, `erase`, `move`, and `pause` with
// `resume`.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { toPrintableLine } from 'causeway-safe-markdown';
import type { BackupCommand, EraseCommand, MoveCommand, RestoreCommand } from '../cli/command-line.ts';
import {
  formatAlreadyMoved,
  formatBackedUp,
  formatErasedAccount,
  formatErasedProject,
  formatMigrated,
  formatMoved,
  formatPgDump,
  formatPgRestore,
  formatRedriven,
  formatRestored,
  formatUnconfirmedErase,
  formatUnconfirmedRestore,
} from '../cli/operator-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import { type Config, findPasswords, type PostgresConfig, parsePostgresUrl } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { JobKind } from '../core/queue.ts';
import {
  backUp,
  checkBackup,
  createSeal,
  getBackupsFolder,
  listNewMigrations,
  type MoveSource,
  makeFolder,
  moveRecords,
  openMoveSource,
  openSecrets,
  readMigrations,
  readMoveEnd,
  restoreBackup,
  type Store,
  takeOwnership,
} from '../db/index.ts';
import { registerSecret } from '../log.ts';
import { createLexicons } from '../search/index.ts';
import type { CommandDeps } from './analyse.ts';
import {
  type DataFolder,
  getDatabaseFile,
  openConfiguredStore,
  openDataFolder,
  readKey,
  requireRecordsHere,
} from './data-folder.ts';
import { removeEvaluationsOf } from './evaluation-state.ts';
import { openSource } from './git-source.ts';
import { openOwnRecords, openPostgresParts, openRecords, setPaused } from './records.ts';

import { forgetWithLexicons, LOCAL_LOGIN } from './services.ts';
import { forgetMirrors } from './upkeep.ts';

/** Throws `store_locked` where a service has the SQLite file open. */
export async function runMigrate({ config, io, log }: CommandDeps): Promise<ExitCode> {
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  using _owned = openOwnRecords(folder.database);
  // The migrator uses the real clock, not the one of tests.
  const begun = new Date();
  await using store = await openConfiguredStore(config, log);
  const place = config.database.kind === 'postgres' ? config.database.shown : getDatabaseFile(config.dataDir);
  io.err(formatMigrated({ place, ...(await listNewMigrations(store.database, begun)) }));
  return 0;
}

/** Standard output holds only the name of the copy. Throws `usage` over PostgreSQL, naming the tool to use there. */
export async function runBackup({ file }: BackupCommand, { config, io, now }: CommandDeps): Promise<ExitCode> {
  const { database, dataDir } = config;
  if (database.kind === 'postgres') throw new CausewayError('usage', formatPgDump(database.shown));
  requireRecordsHere(config);
  const source = getDatabaseFile(dataDir);
  if (!existsSync(source)) {
    throw new CausewayError('usage', `There is no database ${source} yet: name the DATA_DIR of the service.`);
  }
  const target = file === null ? chooseTarget(dataDir, now()) : path.resolve(io.cwd, file);
  const begun = performance.now();
  const done = await backUp(source, target);
  io.out(`${target}\n`);
  const key = config.encryptionKey === null ? path.join(dataDir, 'encryption.key') : 'ENCRYPTION_KEY';
  io.err(formatBackedUp({ ...done, key, seconds: (performance.now() - begun) / 1_000 }));
  return 0;
}

/** Works while the service runs. */
export async function runRedrive(jobs: JobKind | null, { config, io, log, now }: CommandDeps): Promise<ExitCode> {
  requireRecordsHere(config);
  const { database, encryptionKey } = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using records = await openRecords({ database, seal: createSeal(encryptionKey), log, now });
  const kinds =
    jobs === null ? (await records.queue.countJobsByKind(now().toISOString())).map(({ kind }) => kind) : [jobs];
  const redriven: [JobKind, number][] = [];
  for (const kind of kinds) redriven.push([kind, await records.queue.requeueDead(kind)]);
  io.err(formatRedriven(redriven));
  return 0;
}

function chooseTarget(dataDir: string, now: Date): string {
  const folder = getBackupsFolder(getDatabaseFile(dataDir));
  makeFolder(folder);
  return path.join(folder, `causeway-${createStampedName(now)}.db`);
}

/** Such as `20261123-101500`. */
function createStampedName(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

/** Throws `usage` over PostgreSQL and without --yes, `store_locked` while a service runs, and as `checkBackup` does. */
export async function runRestore(
  { file, yes }: RestoreCommand,
  { config, io, now }: CommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (config.database.kind === 'postgres') throw new CausewayError('usage', formatPgRestore(config.database.shown));
  const database = getDatabaseFile(config.dataDir);
  const backup = path.resolve(io.cwd, file);
  using _owned = openOwnRecords(database);
  await checkBackup({ backup, database }, createSeal(readRestoreKey(config)), signal);
  const moment = createStampedName(now());
  const keptSuffix = `.before-restore-${moment}`;
  if (!yes)
    throw new CausewayError('usage', formatUnconfirmedRestore({ backup, database }, `${database}${keptSuffix}`));
  const restored = await restoreBackup({ backup, database, keptSuffix });
  io.err(formatRestored({ ...restored, backup, database }));
  return 0;
}

/** A new key would open nothing in the backup. */
function readRestoreKey({ encryptionKey, dataDir }: Config): Buffer {
  if (encryptionKey !== null) return encryptionKey;
  const kept = path.join(dataDir, 'encryption.key');
  if (existsSync(kept)) return readKey(kept);
  throw new CausewayError(
    'usage',
    `${kept} is missing, and the secrets in a backup open only with the key that belongs to it: put that file back first, or set ENCRYPTION_KEY.`,
  );
}

/** Works while the service runs. Throws `usage` without --yes, and for the service's own account. */
export async function runErase(command: EraseCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now } = deps;
  const { what, name } = command;
  if (what === 'account' && name.toLowerCase() === LOCAL_LOGIN) {
    const repair = 'revoke its tokens with "causeway token revoke" instead';
    throw new CausewayError(
      'usage',
      `The account "${LOCAL_LOGIN}" belongs to the service, not to a person: ${repair}.`,
    );
  }
  if (!command.yes) throw new CausewayError('usage', formatUnconfirmedErase(command));
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using store = await openConfiguredStore(config, log);
  const moment = now().toISOString();
  if (what === 'account') {
    io.err(formatErasedAccount(name, await store.eraseAccount(name, moment)));
    return 0;
  }
  const erased = await store.eraseProject(name, moment);
  // Also where there is no such project: an earlier call may have been interrupted.
  const mirrors = await eraseSource(store, folder, deps, signal);
  const evaluations = await removeEvaluationsOf(config.dataDir, name, signal);
  io.err(formatErasedProject(name, erased, { mirrors, evaluations }));
  return 0;
}

/** Removes mirrors and indexes of all projects that no longer exist. Returns the number of mirrors. */
async function eraseSource(
  store: Store,
  folder: DataFolder,
  { config, log }: CommandDeps,
  signal: AbortSignal,
): Promise<number> {
  await using lexicons = createLexicons({ folder: folder.lexicon, log });
  await using git = openSource({ folder: folder.mirrors, environment: config.environment, log });
  return await forgetMirrors({ store, source: forgetWithLexicons(git, lexicons) }, folder.mirrors, signal);
}

/** Progress goes to standard error. Throws what is wrong with source, target or key before anything is written. */
export async function runMove(command: MoveCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now } = deps;
  const file = command.from === null ? getDatabaseFile(config.dataDir) : path.resolve(io.cwd, command.from);
  if (!existsSync(file)) throw new CausewayError('usage', `There is no file ${file}: name it with --from sqlite:FILE.`);
  const place = chooseMoveTarget(command, config);
  const { key, keptIn } = findKeyBeside(file, config);
  const say = (words: string) => io.err(`  ${toPrintableLine(words)}\n`);
  using _owned = takeOwnership(file);
  using source = openMoveSource(file);
  const seal = createSeal(key);
  say(`encrypted secrets that open with ${keptIn}: all ${openSecrets(source, seal)}`);
  await using target = await openPostgresParts({ database: place, seal, log, signal });
  const ended = await readMoveEnd(target.store.database);
  if (ended !== null) {
    io.err(formatAlreadyMoved(place.shown, ended));
    return 0;
  }
  const { store, boss } = target;
  requireSameSchema(source, await readMigrations(store.database));
  const moved = await moveRecords({ source, target: store.database, enqueuer: boss.jobs, now, say, signal });
  for (const account of await store.listAccounts()) await store.listSigningSecrets(account.id, now().toISOString());
  io.err(formatMoved({ ...moved, file, target: place.shown, keptIn: config.encryptionKey === null ? keptIn : null }));
  return 0;
}

function chooseMoveTarget({ to }: MoveCommand, { database }: Config): PostgresConfig {
  if (to === null) {
    if (database.kind === 'postgres') return database;
    throw new CausewayError('usage', 'Say where to: set DATABASE_URL to the empty PostgreSQL database, or give --to.');
  }
  for (const secret of [to, ...findPasswords(to)]) registerSecret(secret);
  const parsed = parsePostgresUrl(to);
  if (typeof parsed === 'string') throw new CausewayError('usage', `--to ${parsed}.`);
  return parsed;
}

/** Of the configuration, or else next to the file. */
function findKeyBeside(file: string, { encryptionKey }: Config): { readonly key: Buffer; readonly keptIn: string } {
  if (encryptionKey !== null) return { key: encryptionKey, keptIn: 'ENCRYPTION_KEY' };
  const kept = path.join(path.dirname(file), 'encryption.key');
  if (existsSync(kept)) return { key: readKey(kept), keptIn: kept };
  throw new CausewayError(
    'usage',
    `The key of the secrets in ${file} is missing: set ENCRYPTION_KEY to it, or put encryption.key next to the file.`,
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

/** Works while the service runs, which checks every second. */
export async function runPause(kind: 'pause' | 'resume', { config, io, log, now }: CommandDeps): Promise<ExitCode> {
  await using store = await openConfiguredStore(config, log);
  const changed = await setPaused(store.database, kind === 'pause', now());
  if (kind === 'pause') {
    const paused = 'Paused: reports are stored, but no model is used and nothing is posted until "causeway resume".\n';
    io.err(changed ? paused : 'It is already paused.\n');
    return 0;
  }
  io.err(changed ? 'Resumed: a running service continues within 15 seconds.\n' : 'It is not paused.\n');
  return 0;
}
