// A PostgreSQL server of our own for tests: made from nothing, stopped and started at will, and never left behind.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from './postgres-binaries.ts';

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
