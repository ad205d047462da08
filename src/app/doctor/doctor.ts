// `causeway doctor`: checks everything that the service depends on, all at the same time, without changing any of it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { findGitVersion, readMirrorsSize } from 'causeway-git-objects';
import { examineBuildHost, parseBuildHosts } from '../../build-logs/index.ts';
import { type CheckUpFinding, printFindings } from '../../cli/operator-text.ts';
import type { ExitCode, Io } from '../../cli/terminal.ts';
import { type Config, readConfig } from '../../config.ts';
import { describeSpace, formatSize } from '../../core/disk.ts';
import { CausewayError } from '../../core/errors.ts';
import { createSeal, describeRestore, type Examination, examinePostgres, examineSqlite } from '../../db/index.ts';
import { createLog, registerSecret } from '../../log.ts';
import { examineServers, parseMonitoringConfig } from '../../mcp-client/index.ts';
import { getDatabaseFile, openDataFolder, requireRecordsHere } from '../data-folder.ts';
import { chooseMode, type ServiceMode } from '../mode.ts';
import { readServedAs } from '../served-as.ts';
import { findShortage, USER_AGENT, VERSION } from '../services.ts';
import { openGithubProbes } from './github.ts';
import { createModelProbe } from './model.ts';
import { fail, formatNames, type Probe, type ProbeVerdict, pass, runProbes, warn } from './probe.ts';

export interface DoctorContext {
  readonly io: Pick<Io, 'out' | 'colour'>;
  readonly environment: Config['environment'];
  readonly now: () => Date;
}

/** Works while the service runs. 1 where something does not work. */
export async function runDoctor(json: boolean, context: DoctorContext, signal: AbortSignal): Promise<ExitCode> {
  return printFindings(await examine(context, signal), context.io, json);
}

async function examine({ environment, now }: DoctorContext, signal: AbortSignal): Promise<readonly CheckUpFinding[]> {
  const config = readOrFault(() => readConfig(environment));
  if (config instanceof CausewayError) {
    return await runProbes([createSettingsProbe(config), NODE_PROBE, createGitProbe(environment)], [], signal);
  }
  const mode = readOrFault(() => chooseMode(config));
  const github = !(mode instanceof CausewayError) && mode.kind === 'github' ? mode : null;
  const { privateKey = '', webhookSecrets = [], clientSecret = '' } = github?.credentials ?? {};
  // The address of a database without a password is no secret.
  const shown = config.database.kind === 'postgres' ? config.database.shown : '';
  const secrets = [...config.secrets, privateKey, ...webhookSecrets, clientSecret].filter(
    (secret) => secret !== '' && secret !== shown,
  );
  for (const secret of secrets) registerSecret(secret);
  await using stack = new AsyncDisposableStack();
  const probes: readonly Probe[] = [
    createSettingsProbe(mode, config),
    ...[NODE_PROBE, createGitProbe(environment), createFolderProbe(config), createDiskProbe(config)],
    createDatabaseProbe(config, now),
    ...(github === null ? [] : stack.use(openGithubProbes(config, github, now, signal)).probes),
    createModelProbe(config, now),
    ...createFileProbes('monitoring', 'MCP_CONFIG', config.monitoringFile, examineMonitoring(environment)),
    ...createFileProbes('CI logs', 'CI_LOGS', config.ciLogsFile, examineBuildHosts(environment)),
  ];
  return await runProbes(probes, secrets, signal);
}

function readOrFault<T>(read: () => T): T | CausewayError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CausewayError) return error;
    throw error;
  }
}

function createSettingsProbe(mode: ServiceMode | CausewayError, config?: Config): Probe {
  return {
    check: 'settings',
    ask: async () => {
      // Each line names a variable and the repair.
      if (mode instanceof CausewayError) return mode.message.split('\n').map((line) => fail('invalid', line));
      if (mode.kind === 'local') return judgeLocal(config);
      if (mode.kind === 'github') return pass(`Causeway ${VERSION}, GitHub mode, MAX_MODE=${config?.maxMode}`);
      const address = config?.publicUrl || 'the address of the service';
      return warn('setup mode: no GitHub App yet', `Open ${address}/setup and create one.`);
    },
  };
}

/** Settings that differ from those of the service would make every other finding one about another service. */
function judgeLocal(config?: Config): ProbeVerdict {
  const servedAs = config === undefined || config.localMode ? null : readServedAs(config.dataDir);
  const found = `Causeway ${VERSION}, local mode`;
  if (!servedAs?.github) return pass(found);
  return fail(
    `${found}, but the service over this data folder was last started with a GitHub App`,
    'Run the doctor with the settings and secrets of the service (APP_ID, PRIVATE_KEY, WEBHOOK_SECRET and others).',
  );
}

/** Named in every report of a fault; the program starts on no earlier one than it needs. */
const NODE_PROBE: Probe = { check: 'node', ask: async () => pass(`Node ${process.versions.node}`) };

/** For `git repack --geometric` and object formats. */
const GIT = [2, 39] as const;

function createGitProbe(environment: Config['environment']): Probe {
  return {
    check: 'git',
    ask: async (signal) => {
      const git = await findGitVersion(environment, signal);
      const wanted = `${GIT.join('.')} or later`;
      if (git === null) return fail('git cannot be started', `Install git ${wanted}, in an absolute folder of PATH.`);
      const [major = 0, minor = 0] = git.split('.').map(Number);
      if (major < GIT[0] || (major === GIT[0] && minor < GIT[1])) return fail(`git ${git}`, `Install git ${wanted}.`);
      return pass(`git ${git}`);
    },
  };
}

const PRIVATE_FILES = ['encryption.key', 'github-app', 'causeway.db', 'causeway.db-wal', 'mirrors', 'lexicon'];

function createFolderProbe({ dataDir }: Config): Probe {
  return {
    check: 'data folder',
    async ask() {
      const found = await stat(dataDir).catch(() => null);
      if (found === null) {
        return warn(`${dataDir} does not exist yet`, 'The first start creates it. Set DATA_DIR to use another folder.');
      }
      if (!found.isDirectory()) return fail(`${dataDir} is not a folder`, 'Set DATA_DIR to a folder.');
      try {
        await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch {
        const user = process.getuid?.() ?? 'of the service';
        return fail(`${dataDir} is not writable for this user`, `chown it to the user of the service (uid ${user}).`);
      }
      const open = PRIVATE_FILES.filter((name) => isOpenToOthers(path.join(dataDir, name)));
      if (open.length === 0) return pass(`${dataDir}, private to this user`);
      const files = open.map((name) => path.join(dataDir, name)).join(' ');
      return warn(`other users have access to ${open.join(', ')} in ${dataDir}`, `chmod go= ${files}`);
    },
  };
}

function isOpenToOthers(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

const LITTLE_FREE = 2 * 1024 ** 3;
const DISK_REPAIR = 'Free space on the disk of DATA_DIR: lower MIRRORS_MAX_MB or RETENTION_DAYS, or use a larger disk.';

function createDiskProbe({ dataDir, mirrorsMaxBytes: limit }: Config): Probe {
  return {
    check: 'disk',
    async ask() {
      let folder = dataDir;
      while (!existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
      const { bavail, bsize } = await statfs(folder);
      const free = bavail * bsize;
      const size = await readMirrorsSize(path.join(dataDir, 'mirrors'), path.join(dataDir, 'lexicon'));
      const used = `${size.mirrors} ${size.mirrors === 1 ? 'mirror uses' : 'mirrors use'} ${formatSize(size.bytes)}`;
      if (limit === 0) return [judgeFree(free), pass(`${used}, no limit (MIRRORS_MAX_MB=0)`)];
      const found = `${used} of ${formatSize(limit)}`;
      const isTooMuch = limit - size.bytes > free;
      return [
        judgeFree(free),
        isTooMuch ? warn(`${found}, which is more than the disk has left`, 'Lower MIRRORS_MAX_MB.') : pass(found),
      ];
    },
  };
}

export function judgeFree(free: number): ProbeVerdict {
  const shortage = findShortage(free);
  if (shortage !== null) return fail(`${describeSpace(shortage)}: the service is not ready`, DISK_REPAIR);
  const found = `${formatSize(free)} free`;
  return free < LITTLE_FREE ? warn(found, DISK_REPAIR) : pass(found);
}

function createDatabaseProbe(config: Config, now: () => Date): Probe {
  const { database, dataDir, encryptionKey } = config;
  const where = database.kind === 'postgres' ? database.shown : getDatabaseFile(dataDir);
  // Opening the data folder would create it.
  const readKey = () => {
    if (encryptionKey !== null) return encryptionKey;
    if (existsSync(dataDir)) return openDataFolder(dataDir, null, database).encryptionKey;
    throw new CausewayError('usage', 'DATABASE_URL needs an ENCRYPTION_KEY, the same for every process that uses it.');
  };
  return {
    check: 'database',
    async ask(signal) {
      if (database.kind === 'sqlite') {
        requireRecordsHere(config);
        if (!existsSync(where)) return pass(`${where} does not exist yet; the first start creates it`);
        return judgeDatabase(await examineSqlite(where, createSeal(readKey()), signal), 0, where);
      }
      const found = await examinePostgres(database, { seal: createSeal(readKey()), now });
      // Versions one step of the schema apart may run at the same time.
      return judgeDatabase(found, 1, where);
    },
  };
}

const MOST_APART_MS = 2_000;

/** `stepsAhead`: migrations of a newer version that this one works with. */
function judgeDatabase(
  found: Examination | null,
  stepsAhead: number,
  where: string,
): readonly (ProbeVerdict | false)[] {
  if (found === null) return [pass(`${where} is empty; the first start creates its tables`)];
  const { isKeyRight, deadJobs, isPaused, aheadMs } = found;
  const apart = `${Math.abs(Math.round(aheadMs / 1_000))} s ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
  const dead = `${deadJobs} ${deadJobs === 1 ? 'job has' : 'jobs have'} failed for the last time`;
  return [
    judgeSchema(found, stepsAhead, where),
    isKeyRight === false &&
      fail(
        'the encryption key does not open the stored secrets',
        'Restore encryption.key in DATA_DIR from the backup, or set ENCRYPTION_KEY to the earlier key.',
      ),
    deadJobs > 0 && warn(dead, 'The log says why. "causeway redrive" tries them again.'),
    isPaused && warn('paused: no model is called and nothing is posted', 'Run "causeway resume" to continue.'),
    Math.abs(aheadMs) > MOST_APART_MS &&
      warn(
        `this machine's clock is ${apart} that of the database`,
        'Synchronise both clocks by NTP (timedatectl set-ntp true); otherwise jobs begin too late or too early.',
      ),
  ];
}

function judgeSchema(
  { damage, newer, missing, unchecked }: Examination,
  stepsAhead: number,
  where: string,
): ProbeVerdict {
  if (damage.length > 0) return fail(`${where} is damaged: ${damage.join('; ')}`, describeRestore(where));
  if (newer.length > stepsAhead || (newer.length > 0 && missing.length > 0)) {
    const repair = 'Start that version or a later one, or restore a backup from before the upgrade.';
    return fail(`${where} was made by another version (it has ${newer.join(', ')})`, repair);
  }
  if (missing.length > 0) {
    const repair = 'Make a backup; "causeway migrate", or the next start, updates it.';
    return warn(`${where} lacks ${missing.join(', ')}`, repair);
  }
  const ahead = newer.length === 0 ? '' : `; a newer version has added ${newer.join(', ')}`;
  return pass(`${where} answers${unchecked === '' ? '' : `; not checked: ${unchecked}`}${ahead}`);
}

type ExamineFile = (text: string, signal: AbortSignal) => Promise<readonly ProbeVerdict[]>;

/** Of a file that names servers, where there is one. */
function createFileProbes(check: string, setting: string, file: string | null, examine: ExamineFile): readonly Probe[] {
  if (file === null) return [];
  const ask = async (signal: AbortSignal) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return fail(`${file} cannot be read`, `Correct ${setting}, or the permissions of the file.`);
    }
    return await examine(text, signal);
  };
  return [{ check, boundMs: 40_000, ask }];
}

function examineMonitoring(environment: Config['environment']): ExamineFile {
  return async (text, signal) => {
    const log = createLog({ level: 'silent' });
    const servers = await examineServers(parseMonitoringConfig(text), { log, environment }, signal);
    if (servers.length === 0) return [warn('MCP_CONFIG names no server', 'Add one, or remove MCP_CONFIG.')];
    return servers.map(({ name, fault, missingTools, isUsed }) => {
      if (fault !== '') {
        const repair = 'Correct its entry in MCP_CONFIG, or the server. Investigations continue without it.';
        return fail(`${name}: ${fault}`, repair);
      }
      if (missingTools.length > 0) {
        const found = `${name} has no tool ${formatNames(missingTools)}`;
        return warn(found, 'Correct "tools" of its entry in MCP_CONFIG.');
      }
      if (isUsed) return pass(`${name} answers`);
      return warn(`${name} answers, but is not used`, 'Its entry in MCP_CONFIG names no projects, or no tools.');
    });
  };
}

function examineBuildHosts(environment: Config['environment']): ExamineFile {
  return async (text, signal) => {
    const hosts = [...parseBuildHosts(text, environment).values()];
    if (hosts.length === 0) return [warn('CI_LOGS names no origin', 'Add one, or remove CI_LOGS.')];
    const judge = async (host: (typeof hosts)[number]) => {
      const fault = await examineBuildHost(host, USER_AGENT, signal);
      if (fault === null) return pass(`${host.origin} takes the token`);
      const repair = 'Correct its entry in CI_LOGS, or the token. Checks are read without it.';
      return fail(`${host.origin}: ${fault}`, repair);
    };
    return await Promise.all(hosts.map(judge));
  };
}
