// A server in a process of its own, so that it shares no event loop with whoever measures it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ChildServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
}

/** Starts `file` with `args`; it must print its address when it listens. What it logs is thrown away, but written. */
export async function startChild(file: string, args: readonly string[]): Promise<ChildServer> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it listened`);
  });
  ended.catch(() => undefined);
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  return {
    url: String(url),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
  };
}

/** For the child: runs until it is told to stop. */
export async function untilStopped(): Promise<void> {
  await once(process, 'SIGTERM');
}
