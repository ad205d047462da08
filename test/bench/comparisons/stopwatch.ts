// Times work by the clock, and runs git as a comparison needs it: isolated, read to the end.
import { spawn } from 'node:child_process';

export interface Timed<T> {
  readonly result: T;
  readonly ms: number;
}

export async function timed<T>(work: () => Promise<T> | T): Promise<Timed<T>> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

/** What git of both sides is given: proxies and certificates of the machine would be read by one of them alone. */
export const ENVIRONMENT = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** Bytes that a program printed; what they are is not kept. Throws where it ends with none of `codes`. */
export async function bytesOf(
  command: readonly string[],
  folder: string,
  { input = '', codes = [0] }: { readonly input?: string; readonly codes?: readonly number[] } = {},
): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: folder, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A program that reads a file may end before it has seen the end of its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await ended;
  if (code === null || !codes.includes(code)) throw new Error(`${command.join(' ')} ended with ${code}`);
  return bytes;
}
