// Starts boss-child.ts, and keeps what it says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../support/patience.ts';

export interface BossChildOptions {
  readonly concurrency: number;
  readonly perGroup: number;
  /** `hang`: fails when its signal aborts; `late`: says then that it is done. */
  readonly mode: 'work' | 'hang' | 'late';
  readonly takesMs: number;
  readonly pollMs?: number;
  readonly suspectMs?: number;
}

export interface BossProcess extends AsyncDisposable {
  readonly pid: number;
  /** All that it has said. */
  readonly lines: readonly string[];
  /** Resolves when it has said so. */
  said(line: string): Promise<void>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  readonly hasEnded: boolean;
}

const USUAL: BossChildOptions = { concurrency: 4, perGroup: 4, mode: 'work', takesMs: 5 };

/** Resolves when it looks for work. */
export async function bossProcess(url: string, options: Partial<BossChildOptions> = {}): Promise<BossProcess> {
  const script = fileURLToPath(import.meta.resolve('./boss-child.ts'));
  const args = ['--no-warnings', script, url, JSON.stringify({ ...USUAL, ...options })];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const said = (line: string) => until(() => lines.includes(line));
  const kill = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  const started = {
    ...{ pid: child.pid ?? 0, lines, said, kill },
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  };
  await said('ready');
  return started;
}
