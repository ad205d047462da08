// The machine below: Node, git, the data folder and its rights, room on the disk.
import { access, constants, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { spaceText } from '../../core/disk.ts';
import { readMirrorsSize } from '../../git/mirror-records.ts';
import { findTools } from '../../git/tools.ts';
import { findShortage } from '../services.ts';
import { fail, ok, type Probe, type Verdict, warn } from './probe.ts';

const NODE = 24;
const LITTLE_FREE = 2 * 1024 ** 3;
/** git repack --geometric and object formats; see also the message of run-git.ts. */
const GIT = [2, 39] as const;

export const NODE_PROBE: Probe = { check: 'node', ask: async () => judgeNode(process.versions.node) };

export function judgeNode(version: string): Verdict {
  if (Number(version.split('.')[0]) >= NODE) return ok(`Node ${version}`);
  return fail(`Node ${version}`, `Start it with bin/causeway, which brings Node ${NODE}, or install Node ${NODE}.`);
}

export function gitProbe({ environment }: Pick<Config, 'environment'>): Probe {
  return {
    check: 'git',
    ask: async (signal) => judgeGit(await findTools(environment, signal)),
  };
}

function judgeGit({ git, prlimit }: Awaited<ReturnType<typeof findTools>>): Verdict {
  const wanted = `${GIT.join('.')} or newer`;
  if (git === null) return fail('git cannot be started', `Install git ${wanted}, in an absolute folder of PATH.`);
  const [major = 0, minor = 0] = git.split('.').map(Number);
  if (major < GIT[0] || (major === GIT[0] && minor < GIT[1])) return fail(`git ${git}`, `Install git ${wanted}.`);
  if (prlimit || process.platform !== 'linux') return ok(`git ${git}${prlimit ? ', its time bounded by prlimit' : ''}`);
  return warn(`git ${git}, but no prlimit`, 'Install util-linux: without it a search may outlive a killed service.');
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
  if (shortage !== null) return fail(`${spaceText(shortage)}: /readyz says no`, repair);
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
