// What the service stands on: Node, git, data folder, disk, database and monitoring servers.

import { existsSync, readFileSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { describeSpace } from '../../core/disk.ts';
import { CausewayError } from '../../core/errors.ts';
import { type Examination, examineSqlite } from '../../db/examine.ts';
import { examinePostgres } from '../../db/examine-postgres.ts';
import { createSeal } from '../../db/seal.ts';
import { keepsSessions, NO_SESSIONS } from '../../db/session-check.ts';
import { restoreSentence } from '../../db/sqlite-engine.ts';
import { readMirrorsSize } from '../../git/eviction.ts';
import { findGitVersion } from '../../git/process.ts';
import { createLog } from '../../log.ts';
import { parseMonitoringConfig } from '../../mcp/config.ts';
import { type ExaminedServer, examineServers } from '../../mcp/monitoring.ts';
import { databaseFile, openDataFolder } from '../data-folder.ts';
import { findShortage } from '../services.ts';
import { fail, ok, PAUSED, type Probe, type Verdict, warn } from './probe.ts';

const NODE = 24;

const LITTLE_FREE = 2 * 1024 ** 3;

/** git repack --geometric and object formats; see also the message in git/process.ts. */
const GIT = [2, 39] as const;

export const NODE_PROBE: Probe = { check: 'node', ask: async () => judgeNode(process.versions.node) };

export function judgeNode(version: string): Verdict {
  if (Number(version.split('.')[0]) >= NODE) return ok(`Node ${version}`);
  return fail(`Node ${version}`, `Start it with bin/causeway, which brings Node ${NODE}, or install Node ${NODE}.`);
}

export function gitProbe({ environment }: Pick<Config, 'environment'>): Probe {
  return {
    check: 'git',
    ask: async (signal) => judgeGit(await findGitVersion(environment, signal)),
  };
}

function judgeGit(git: string | null): Verdict {
  const wanted = `${GIT.join('.')} or newer`;
  if (git === null) return fail('git cannot be started', `Install git ${wanted}, in an absolute folder of PATH.`);
  const [major = 0, minor = 0] = git.split('.').map(Number);
  if (major < GIT[0] || (major === GIT[0] && minor < GIT[1])) return fail(`git ${git}`, `Install git ${wanted}.`);
  return ok(`git ${git}`);
}

export function dataFolderProbe({ dataDir }: Pick<Config, 'dataDir'>): Probe {
  return {
    check: 'data folder',
    async ask() {
      const found = await stat(dataDir).catch(() => null);
      if (found === null)
        return warn(`${dataDir} is not there yet`, 'The first start makes it; or name another with DATA_DIR.');
      if (!found.isDirectory()) return fail(`${dataDir} is no folder`, 'Name a folder with DATA_DIR.');
      const mayWrite = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
        () => true,
        () => false,
      );
      if (!mayWrite) {
        return fail(
          `${dataDir} is not writable for this user`,
          `chown it to the user of the service (uid ${userId()}).`,
        );
      }
      const open = await openToOthers(dataDir);
      if (open.length === 0) return ok(`${dataDir}, closed to others`);
      const files = open.map((name) => path.join(dataDir, name)).join(' ');
      return warn(`others may read ${open.join(', ')} in ${dataDir}`, `chmod go= ${files}`);
    },
  };
}

const SECRET_FILES = ['encryption.key', 'github-app', 'causeway.db', 'causeway.db-wal', 'mirrors', 'lexicon'];

/** What of the service's own others have rights on, beyond those of the folder that is around it. */
async function openToOthers(dataDir: string): Promise<readonly string[]> {
  const isShared = async (name: string) => {
    const found = await stat(path.join(dataDir, name)).catch(() => null);
    return found !== null && process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  };
  const shared = await Promise.all(SECRET_FILES.map(isShared));
  return SECRET_FILES.filter((_, index) => shared[index]);
}

function userId(): string {
  return String(process.getuid?.() ?? 'of the service');
}

export function diskProbe(config: Pick<Config, 'dataDir' | 'mirrorsMaxBytes'>): Probe {
  return {
    check: 'disk',
    async ask() {
      const { bavail, bsize } = await statfs(await existing(config.dataDir));
      const free = bavail * bsize;
      const size = await readMirrorsSize(path.join(config.dataDir, 'mirrors'), path.join(config.dataDir, 'lexicon'));
      return [judgeFree(free), judgeMirrors(size.bytes, size.mirrors, config.mirrorsMaxBytes, free)];
    },
  };
}

export function judgeFree(free: number): Verdict {
  const found = `${inWords(free)} free`;
  const repair = 'Free space on the disk of DATA_DIR: lower MIRRORS_MAX_MB or RETENTION_DAYS, or give it a larger one.';
  const shortage = findShortage(free);
  if (shortage !== null) return fail(`${describeSpace(shortage)}: /readyz says no`, repair);
  return free < LITTLE_FREE ? warn(found, repair) : ok(found);
}

function judgeMirrors(bytes: number, mirrors: number, limit: number, free: number): Verdict {
  const found = `${mirrors} ${mirrors === 1 ? 'mirror uses' : 'mirrors use'} ${inWords(bytes)}`;
  if (limit === 0) return ok(`${found}, without a limit (MIRRORS_MAX_MB=0)`);
  const room = limit - bytes;
  if (room > free) {
    const repair = `Set MIRRORS_MAX_MB to ${Math.max(1, Math.floor((bytes + free * 0.8) / 1024 ** 2))} or less.`;
    return warn(`${found} of ${inWords(limit)}, which is more than the disk has left`, repair);
  }
  return ok(`${found} of ${inWords(limit)}`);
}

/** The folder, or the nearest above it that is there. */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  return found !== null || path.dirname(folder) === folder ? folder : await existing(path.dirname(folder));
}

function inWords(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const level = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** level;
  return `${value < 10 && level > 0 ? value.toFixed(1) : Math.round(value)} ${units[level]}`;
}

type Place = Pick<Config, 'database' | 'dataDir' | 'encryptionKey'>;

export function databaseProbe(config: Place, now: () => Date): Probe {
  const where = config.database.kind === 'postgres' ? config.database.shown : databaseFile(config.dataDir);
  return {
    check: 'database',
    async ask(signal) {
      if (config.database.kind === 'sqlite' && !existsSync(where)) {
        return ok(`${where} is not there yet; the first start makes it`);
      }
      const seal = createSeal(readExaminedKey(config));
      const found =
        config.database.kind === 'postgres'
          ? await examinePostgres(config.database, { seal, now })
          : await examineSqlite(where, seal, signal);
      const known =
        found === null
          ? [ok(`${where} is empty; the first start makes its tables`)]
          : judgeRecords(found, config.database.kind, where);
      return [...(await judgeSessions(config.database, signal)), ...known];
    },
  };
}

async function judgeSessions(database: Config['database'], signal: AbortSignal): Promise<readonly Verdict[]> {
  if (database.kind === 'sqlite' || (await keepsSessions(database.url, { signal }))) return [];
  return [fail(`${database.shown} ${NO_SESSIONS.found}`, NO_SESSIONS.repair)];
}

/** Asked of the data folder only where it is there: opening it would make it. */
function readExaminedKey({ dataDir, encryptionKey, database }: Place): Buffer {
  if (encryptionKey !== null) return encryptionKey;
  if (existsSync(dataDir)) return openDataFolder(dataDir, null, database).encryptionKey;
  throw new CausewayError(
    'usage',
    'DATABASE_URL needs an ENCRYPTION_KEY, the same for every process over that database.',
  );
}

/** Below this nobody notices, and a busy machine answers late. */
const MOST_APART_MS = 2_000;

/** Versions one step of the schema apart work side by side over PostgreSQL; SQLite belongs to one process. */
const MAY_BE_AHEAD = { sqlite: 0, postgres: 1 };

function judgeRecords(found: Examination, kind: keyof typeof MAY_BE_AHEAD, where: string): readonly Verdict[] {
  return [
    judgeWhole(found, MAY_BE_AHEAD[kind], where),
    ...judgeKey(found),
    ...judgeJobs(found),
    ...(found.isPaused ? [PAUSED] : []),
    ...judgeClock(found),
  ];
}

function judgeWhole({ damage, newer, missing, unchecked }: Examination, mayBeAhead: number, where: string): Verdict {
  if (damage.length > 0) {
    return fail(`${where} is damaged: ${damage.join('; ')}`, restoreSentence(where));
  }
  if (newer.length > mayBeAhead || (newer.length > 0 && missing.length > 0)) {
    const repair = 'Start the version that made it or a later one, or restore a backup from before the upgrade.';
    return fail(`${where} was made by another version (it has ${newer.join(', ')})`, repair);
  }
  if (missing.length > 0) {
    const repair = 'Make a backup; "causeway migrate", or the next start, brings it up to date.';
    return warn(`${where} lacks ${missing.join(', ')}`, repair);
  }
  const ahead = newer.length === 0 ? '' : `; a newer version has added ${newer.join(', ')}`;
  return ok(`${where} answers${unchecked === '' ? '' : `; not looked at: ${unchecked}`}${ahead}`);
}

function judgeKey({ isKeyRight }: Examination): readonly Verdict[] {
  if (isKeyRight !== false) return [];
  const repair = 'Restore encryption.key in DATA_DIR from the backup, or set ENCRYPTION_KEY to the key of that time.';
  return [fail('the encryption key does not open what is stored', repair)];
}

/** A job says in our time when it may run, and is due in the database's. */
function judgeClock({ aheadMs }: Examination): readonly Verdict[] {
  if (Math.abs(aheadMs) <= MOST_APART_MS) return [];
  const apart = `${Math.abs(Math.round(aheadMs / 1_000))} s ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
  const repair =
    'Set both by NTP (timedatectl set-ntp true): by as much every job begins too late, or a pause is too short.';
  return [warn(`this machine's clock is ${apart} that of the database`, repair)];
}

function judgeJobs({ jobs }: Examination): readonly Verdict[] {
  if (jobs.dead === 0) return [];
  const found = `${jobs.dead} ${jobs.dead === 1 ? 'job was' : 'jobs were'} given up after the last try`;
  return [warn(found, 'The log says why; "causeway redrive" gives them another three tries.')];
}

const BOUND_MS = 40_000;

/** Null: none is configured. */
export function monitoringProbe({
  monitoringFile,
  environment,
}: Pick<Config, 'monitoringFile' | 'environment'>): Probe | null {
  if (monitoringFile === null) return null;
  return {
    check: 'monitoring',
    boundMs: BOUND_MS,
    async ask(signal) {
      const text = readText(monitoringFile);
      if (text === null)
        return fail(`${monitoringFile} cannot be read`, 'Correct MCP_CONFIG, or the rights of the file.');
      const log = createLog({ level: 'silent' });
      const servers = await examineServers(parseMonitoringConfig(text), { log, environment }, signal);
      return servers.length === 0
        ? warn('MCP_CONFIG names no server', 'Take MCP_CONFIG out, or add an entry.')
        : servers.map(judgeServer);
    },
  };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function judgeServer({ name, fault, missingTools, isUsed }: ExaminedServer): Verdict {
  if (fault !== '')
    return fail(
      `${name}: ${fault}`,
      'Investigations go on without it: correct its entry in MCP_CONFIG, or the server.',
    );
  if (missingTools.length > 0)
    return warn(`${name} has no tool ${missingTools.join(', ')}`, 'Correct "tools" of its entry in MCP_CONFIG.');
  if (!isUsed)
    return warn(`${name} answers, but is used by nobody`, 'Its entry in MCP_CONFIG names no projects, or no tools.');
  return ok(`${name} answers`);
}
