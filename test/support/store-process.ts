// Starts store-child.ts and reads what it says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The next line that it says; null when it has ended. */
  line(): Promise<string | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it is gone by itself. */
  readonly ended: Promise<unknown>;
}

interface ChildOptions {
  readonly uid?: number;
  /** No file may grow beyond this (KiB). */
  readonly fileLimit?: number;
}

export function storeProcess(args: readonly string[], { uid, fileLimit }: ChildOptions = {}): Child {
  const script = fileURLToPath(import.meta.resolve('./store-child.ts'));
  const command = [process.execPath, '--no-warnings', script, ...args];
  const limited =
    fileLimit === undefined ? command : ['bash', '-c', `ulimit -f ${fileLimit}; exec "$@"`, '-', ...command];
  const [program = '', ...rest] = limited;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'], ...(uid === undefined ? {} : { uid }) });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    ended,
    kill,
    async line() {
      const { value, done } = await lines.next();
      return done ? null : value;
    },
    [Symbol.asyncDispose]: kill,
  };
}
