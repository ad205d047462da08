// Short-lived keys: printed by a command of the operator's, kept until they expire or are refused.
import { exec } from 'node:child_process';
import { ModelFailure, ModelUnavailable } from '../core/model.ts';

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
/** When a job comes back for which there was no key. */
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
  /** Until it is killed; another one in tests. */
  readonly deadlineMs?: number;
}

/**
 * Runs the command when a key is needed. Throws `ModelUnavailable` where that fails, since the service that issues
 * keys may be away, and `model_rejected` where no second try can help. What the command prints is never repeated.
 */
export function createKeys(options: KeyCommand): Keys {
  let known: { readonly key: string; readonly expiresAt: number } | null = null;
  let asking: Promise<string> | null = null;
  const ask = async (): Promise<string> => {
    const key = await run(options);
    options.onKey(key);
    known = { key, expiresAt: readExpiry(key) };
    return key;
  };
  return {
    current: async (signal) => {
      signal.throwIfAborted();
      if (known !== null && options.now().getTime() < known.expiresAt - EXPIRES_EARLY_MS) return known.key;
      asking ??= ask().finally(() => {
        asking = null;
      });
      return await rejectOnAbort(asking, signal);
    },
    refused: (key) => {
      if (known?.key === key) known = null;
      return true;
    },
  };
}

/** The command goes on, for others who wait for its key. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function run({ command, environment, now, deadlineMs = KEY_COMMAND_DEADLINE_MS }: KeyCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: deadlineMs,
      // One that ignores the other signals would hold up every later question.
      killSignal: 'SIGKILL' as const,
      maxBuffer: MAX_KEY_BYTES,
      env: { ...environment },
    };
    exec(command, options, (error, printed) => {
      const key = printed.trim();
      if (error === null && /^[\x21-\x7e]+$/.test(key)) return resolve(key);
      const message = `MODEL_KEY_COMMAND ${describeFlaw(error, deadlineMs)}: run it by hand to see why.`;
      const isLasting = error === null || CANNOT_RUN.has(error.code);
      reject(
        isLasting
          ? new ModelFailure('model_rejected', message)
          : new ModelUnavailable(message, new Date(now().getTime() + COME_BACK_MS)),
      );
    }).stdin?.end();
  });
}

type Flaw = Error & { readonly code?: unknown; readonly killed?: boolean };

/** Exit codes of a shell that cannot run the command or does not find it; and what Node says of a flood. */
const CANNOT_RUN: ReadonlySet<unknown> = new Set([126, 127, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER']);

function describeFlaw(error: Flaw | null, deadlineMs: number): string {
  if (error === null || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed no key, or more than a key';
  if (error.killed) return `did not end within ${deadlineMs / 1_000} s`;
  return `ended with code ${typeof error.code === 'number' ? error.code : 'unknown'}`;
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
