// The real service in its own process: started as a newcomer starts it, killed as an accident does.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MARK } from './leftover-processes.ts';

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
  readonly env?: Readonly<Record<string, string>>;
  /** The command and its arguments (`serve`). */
  readonly command?: readonly string[];
  /** What the service is started through, such as a tracer: it must become the service, or leave it as the child. */
  readonly through?: readonly string[];
}

/** Starts `causeway serve`, or another command that serves, on any free port and waits until it answers. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const [program, ...given] = [...(options.through ?? []), process.execPath, MAIN, ...(options.command ?? ['serve'])];
  const child = spawn(program ?? process.execPath, given, {
    cwd: options.dataDir,
    env: {
      PATH: process.env['PATH'],
      [MARK]: process.env[MARK],
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
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
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
