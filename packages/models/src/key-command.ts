// Short-lived keys: printed by a command of the operator's, kept until they expire or are refused.
import { type ChildProcess, spawn } from 'node:child_process';
import { ModelFailure, ModelUnavailable } from './model.ts';

export interface Keys {
  /** The key to send now; empty for servers that want none. */
  current(signal: AbortSignal): Promise<string>;
  /** It was refused. True: another one can be had. */
  refused(key: string): boolean;
}

/** A key that does not change. */
export function createLastingKey(key: string): Keys {
  return { current: async () => key, refused: () => false };
}

const KEY_COMMAND_DEADLINE_MS = 30_000;
const MAX_KEY_BYTES = 64 * 1024;
/** When to ask again where there was no key. */
const COME_BACK_MS = 60_000;
/** A token that is about to expire would do so on the way. */
const EXPIRES_EARLY_MS = 60_000;

export interface KeyCommand {
  /** As a shell takes it. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Called with every new key, so that no log repeats it. */
  readonly onKey: (key: string) => void;
  /** Until it is killed with all that it started; another one in tests. */
  readonly deadlineMs?: number;
}

/** The command while it runs, and how many wait for its key. */
interface RunningCommand {
  readonly key: Promise<string>;
  readonly stop: () => void;
  waiting: number;
}

/**
 * Runs the command when a key is needed. Throws `ModelUnavailable` where that fails, since the service that issues
 * keys may be away, and `model_rejected` where no second try can help. What the command prints is never repeated.
 */
export function createKeys(options: KeyCommand): Keys {
  let known: { readonly key: string; readonly expiresAt: number } | null = null;
  let asking: RunningCommand | null = null;
  const ask = async (signal: AbortSignal): Promise<string> => {
    const key = await run(options, signal);
    options.onKey(key);
    known = { key, expiresAt: readExpiry(key) };
    return key;
  };
  const start = (): RunningCommand => {
    const stop = new AbortController();
    const started = { key: ask(stop.signal), stop: () => stop.abort(), waiting: 0 };
    const forget = () => {
      if (asking === started) asking = null;
    };
    started.key.then(forget, forget);
    return started;
  };
  return {
    current: async (signal) => {
      signal.throwIfAborted();
      if (known !== null && options.now().getTime() < known.expiresAt - EXPIRES_EARLY_MS) return known.key;
      asking ??= start();
      const own = asking;
      own.waiting += 1;
      try {
        return await rejectOnAbort(own.key, signal);
      } finally {
        own.waiting -= 1;
        // No one waits any longer, as when the service stops. The next who asks starts it again.
        if (own.waiting === 0) {
          if (asking === own) asking = null;
          own.stop();
        }
      }
    },
    refused: (key) => {
      if (known?.key === key) known = null;
      return true;
    },
  };
}

/** The command goes on while others wait for its key. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** How the command ended: by itself, or because of us. `code` null: it was killed, or did not start. */
type CommandEnding =
  | { readonly kind: 'exited'; readonly code: number | null; readonly printed: string }
  | { readonly kind: 'timeout' | 'flood' | 'unwanted' };

async function run(
  { command, environment, now, deadlineMs = KEY_COMMAND_DEADLINE_MS }: KeyCommand,
  signal: AbortSignal,
) {
  const ending = await runShell(command, { environment, deadlineMs, signal });
  const key = ending.kind === 'exited' && ending.code === 0 ? ending.printed.trim() : '';
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const message = `MODEL_KEY_COMMAND ${describeFlaw(ending, deadlineMs)}: run it by hand to see why.`;
  throw isLasting(ending)
    ? new ModelFailure('model_rejected', message)
    : new ModelUnavailable(message, new Date(now().getTime() + COME_BACK_MS));
}

interface ShellRun {
  readonly environment: KeyCommand['environment'];
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

function runShell(command: string, { environment, deadlineMs, signal }: ShellRun): Promise<CommandEnding> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
      // A process group of its own, so that an end reaches what the command has started too.
      detached: process.platform !== 'win32',
    });
    const { stdout } = child;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (ending: CommandEnding): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      process.removeListener('exit', onExit);
      resolve(ending);
    };
    // What has left the group may hold the output open for ever, so an end of ours does not wait for that of the output.
    const end = (kind: 'timeout' | 'flood' | 'unwanted'): void => {
      killGroup(child);
      stdout.destroy();
      settle({ kind });
    };
    const onAbort = (): void => end('unwanted');
    // Being a group of its own, it would outlive a service that ends without aborting its work.
    const onExit = (): void => killGroup(child);
    const timer = setTimeout(() => end('timeout'), deadlineMs);
    signal.addEventListener('abort', onAbort, { once: true });
    process.once('exit', onExit);
    stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_KEY_BYTES) end('flood');
    });
    child.on('error', () => settle({ kind: 'exited', code: null, printed: '' }));
    child.on('close', (code) => settle({ kind: 'exited', code, printed: Buffer.concat(chunks).toString() }));
  });
}

/** SIGKILL: one that ignores the other signals would hold up every later question. */
function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

/** A flood, no key at all, and exit codes of a shell that cannot run the command or does not find it. */
function isLasting(ending: CommandEnding): boolean {
  if (ending.kind !== 'exited') return ending.kind === 'flood';
  return ending.code === 0 || ending.code === 126 || ending.code === 127;
}

function describeFlaw(ending: CommandEnding, deadlineMs: number): string {
  switch (ending.kind) {
    case 'timeout':
      return `did not end within ${deadlineMs / 1_000} s`;
    case 'unwanted':
      return 'was ended before it printed a key';
    case 'flood':
      return 'printed no key, or more than a key';
    case 'exited':
      return ending.code === 0 ? 'printed no key, or more than a key' : `ended with code ${ending.code ?? 'unknown'}`;
  }
}

/** What a JSON Web Token says of itself; any other key holds until it is refused. */
function readExpiry(key: string): number {
  const [, payload = ''] = key.split('.');
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
