// The real service: in the process of the test, or in one of its own where a story kills it or looks at the process.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { runCommand } from '../../src/app/run-command.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { type Io, printError } from '../../src/cli/terminal.ts';
import type { Environment } from '../../src/config.ts';
import { COMPILED } from './compiled.ts';
import { MARK } from './leftover-processes.ts';
import { PATIENCE_MS } from './patience.ts';
import { dropRecords, engine, recordsEnv } from './records.ts';

/** In the environment of vitest: the built program, as `npm run test:packed` installs it. */
const PACKED = process.env['CAUSEWAY_TEST_PROGRAM'];

/** What a test that starts Causeway as a process starts: the source, or what is published. */
export const PROGRAM = PACKED ?? path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface Service extends AsyncDisposable {
  readonly address: string;
  /** Throws for a service in the process of the test. */
  readonly process: ChildProcess;
  /** All that it has printed, both streams. */
  output(): string;
  /** Sends the signal and waits for the end; gives the exit code, or the signal that ended it. Only an own process takes SIGKILL. */
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
  /** Whether it must be a process of its own, which costs a second of processor time more. */
  readonly ownProcess?: boolean;
  /** What is started as a process; absent: `PROGRAM`. */
  readonly program?: string;
  /** The clock of a service in the process of the test; absent: the real one. */
  readonly now?: () => Date;
}

/**
 * Starts `causeway serve`, or another command that serves, on any free port and waits until it answers. Its records lie where the engine of
 * this run keeps them, unless `env` says where; where that has workers apart, `serve` is one process that answers and one that works.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { command = ['serve'], env = {} } = options;
  if (env['DATABASE_URL'] !== undefined) return await startOne(options);
  const settled = { ...options, env: { ...(await recordsEnv(options.dataDir)), ...env } };
  if (engine() !== 'postgres-worker' || command.join(' ') !== 'serve') return await startOne(settled);
  return await startApart(settled);
}

/** One that answers and, with a data folder in that of the other, one that works: who looks at the service sees one. */
async function startApart(options: ServiceOptions): Promise<Service> {
  const dataDir = path.join(options.dataDir, 'worker');
  await mkdir(dataDir, { recursive: true });
  const begun = await Promise.allSettled([
    startOne({ ...options, command: ['serve', '--no-worker'] }),
    startOne({ ...options, dataDir, command: ['worker'] }),
  ]);
  const both = begun.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const [door, worker] = both;
  if (door === undefined || worker === undefined) {
    await Promise.all(both.map((one) => one[Symbol.asyncDispose]()));
    throw begun.find((one) => one.status === 'rejected')?.reason;
  }
  return {
    address: door.address,
    get process(): ChildProcess {
      return door.process;
    },
    output: () => `${door.output()}${worker.output()}`,
    end: async (signal) => (await Promise.all(both.map((one) => one.end(signal))))[0] ?? 'unknown',
    [Symbol.asyncDispose]: async () => void (await Promise.all(both.map((one) => one[Symbol.asyncDispose]()))),
  };
}

function startOne(options: ServiceOptions): Promise<Service> {
  const isOwn =
    [options.through, options.program].some((one) => one !== undefined) ||
    options.ownProcess === true ||
    process.env['VITEST'] === undefined;
  // A clock of the test's own reaches only a service within it.
  const mustBeOwn = (process.env[OWN_PROCESSES] ?? PACKED) !== undefined && options.now === undefined;
  return isOwn || mustBeOwn ? startProcess(options) : startInside(options);
}

/** In the environment of vitest: every service is a process of its own. */
const OWN_PROCESSES = 'CAUSEWAY_TEST_PROCESSES';

function environmentOf(options: ServiceOptions): Environment {
  return {
    PATH: process.env['PATH'],
    PORT: '0',
    WORKER_PORT: '0',
    DATA_DIR: options.dataDir,
    PROJECTS: options.projects.join(path.delimiter),
    ...options.env,
  };
}

/** As main.ts runs a command, with streams and a stop of our own. */
async function startInside(options: ServiceOptions): Promise<Service> {
  let output = '';
  const stop = new AbortController();
  const write = (text: string) => {
    output += text;
  };
  const cwd = options.cwd ?? options.dataDir;
  const environment = environmentOf(options);
  const inside = { cwd, environment, now: options.now, out: write, err: write };
  const ended = runInside(options.command ?? ['serve'], inside, stop.signal);
  const end = async () => {
    stop.abort();
    return await ended;
  };
  const address = await printedAddress(() => output, ended);
  return {
    address,
    get process(): ChildProcess {
      throw new Error('This service runs in the process of the test: start it with ownProcess.');
    },
    output: () => output,
    end: (signal) => {
      if (signal === 'SIGKILL') throw new Error('Only a service with ownProcess can be killed.');
      return end();
    },
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}

/**
 * Runs a command of `causeway` to its end, in the process of the test unless what is published is tested; gives what it printed.
 * Throws where its exit code is not 0.
 */
export async function runCauseway(
  args: readonly string[],
  given: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const [out, err]: [string[], string[]] = [[], []];
  const environment = { PATH: process.env['PATH'], ...given.env };
  if (PACKED !== undefined) {
    const options = { cwd: given.cwd, env: environment, maxBuffer: 64 * 1024 * 1024 };
    return (await promisify(execFile)(process.execPath, [PROGRAM, ...args], options)).stdout;
  }
  const inside = {
    cwd: given.cwd,
    environment,
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  };
  const code = await runInside(args, inside, new AbortController().signal);
  if (code !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${code}:\n${out.join('')}${err.join('')}`);
  return out.join('');
}

interface Inside extends Pick<Io, 'cwd' | 'out' | 'err'> {
  readonly environment: Environment;
  readonly now?: (() => Date) | undefined;
}

async function runInside(
  command: readonly string[],
  { environment, now = () => new Date(), ...streams }: Inside,
  signal: AbortSignal,
): Promise<number> {
  const terminal = {
    stdinIsTerminal: false,
    errIsTerminal: false,
    colour: { out: false, err: false },
    columns: { out: 80, err: 80 },
  };
  const io: Io = { ...streams, ...terminal, stdin: Readable.from([]) };
  try {
    return await runCommand(parseCommandLine([...command]), { io, environment, now }, signal);
  } catch (error) {
    return printError(error, io, signal);
  }
}

async function startProcess(options: ServiceOptions): Promise<Service> {
  const [program, ...given] = [
    ...(options.through ?? []),
    process.execPath,
    options.program ?? PROGRAM,
    ...(options.command ?? ['serve']),
  ];
  const child = spawn(program ?? process.execPath, given, {
    cwd: options.cwd ?? options.dataDir,
    env: { [MARK]: process.env[MARK], ...COMPILED, ...environmentOf(options) },
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
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && exit === null; ) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
    if (address !== undefined) return address;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The service did not start (exit ${exit}):\n${output()}`);
}
