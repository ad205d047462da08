// The real service in its own process: started as a newcomer starts it, killed as an accident does.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMPILED } from './compiled.ts';
import { MARK } from './leftover-processes.ts';
import { dropRecords, engine, recordsEnv } from './records.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface Service extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
  /** All that it has printed, both streams. */
  output(): string;
  /** Sends the signal and waits for the end; gives the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export interface ServiceOptions {
  readonly projects: readonly string[];
  readonly dataDir: string;
  /** The caller's folder; absent: the data folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command and its arguments (`serve`). */
  readonly command?: readonly string[];
  /** What the service is started through, such as a tracer: it must become the service, or leave it as the child. */
  readonly through?: readonly string[];
}

/**
 * Starts `causeway serve`, or another command that serves, on any free port and waits until it answers. Its records lie where the engine of
 * this run keeps them, unless `env` says where; where that has workers apart, `serve` is one process that answers and one that works.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { command = ['serve'], env = {} } = options;
  if (env['DATABASE_URL'] !== undefined) return await startProcess(options);
  const settled = { ...options, env: { ...(await recordsEnv(options.dataDir)), ...env } };
  if (engine() !== 'postgres-worker' || command.join(' ') !== 'serve') return await startProcess(settled);
  return await startApart(settled);
}

/** One that answers and, with a data folder in that of the other, one that works: who looks at the service sees one. */
async function startApart(options: ServiceOptions): Promise<Service> {
  const dataDir = path.join(options.dataDir, 'worker');
  await mkdir(dataDir, { recursive: true });
  const begun = await Promise.allSettled([
    startProcess({ ...options, command: ['serve', '--no-worker'] }),
    startProcess({ ...options, dataDir, command: ['worker'] }),
  ]);
  const both = begun.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const end = async (signal: NodeJS.Signals) => (await Promise.all(both.map((one) => one.end(signal))))[0] ?? 'unknown';
  const [door, worker] = both;
  if (door === undefined || worker === undefined) {
    await end('SIGKILL');
    throw begun.find((one) => one.status === 'rejected')?.reason;
  }
  return {
    ...door,
    output: () => `${door.output()}${worker.output()}`,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

async function startProcess(options: ServiceOptions): Promise<Service> {
  const [program, ...given] = [...(options.through ?? []), process.execPath, MAIN, ...(options.command ?? ['serve'])];
  const child = spawn(program ?? process.execPath, given, {
    cwd: options.cwd ?? options.dataDir,
    env: {
      PATH: process.env['PATH'],
      [MARK]: process.env[MARK],
      ...COMPILED,
      PORT: '0',
      WORKER_PORT: '0',
      DATA_DIR: options.dataDir,
      PROJECTS: options.projects.join(path.delimiter),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const address = await printedAddress(() => output, ended);
  return {
    address,
    process: child,
    output: () => output,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

/** The token that the first start prints. */
export function printedToken(service: Service): string {
  const token = /cwy_[0-9A-Za-z]{36}/.exec(service.output())?.[0];
  if (token === undefined) throw new Error(`no token in:\n${service.output()}`);
  return token;
}

/** A folder for DATA_DIR that is removed afterwards. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-test-'));
  return {
    path: folder,
    [Symbol.asyncDispose]: async () => {
      await dropRecords(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function printedAddress(output: () => string, ended: Promise<number | string>): Promise<string> {
  let exit: number | string | null = null;
  void ended.then((code) => {
    exit = code;
  });
  for (let tries = 0; tries < 2_400 && exit === null; tries++) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
    if (address !== undefined) return address;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The service did not start (exit ${exit}):\n${output()}`);
}
