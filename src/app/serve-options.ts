// What every mode of the service is started with, and how it waits for its end.

import type { Io } from '../cli/io.ts';
import type { Launcher } from '../cli/launcher.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
  /** False: reports are accepted, and left to another process. */
  readonly worker: boolean;
  readonly launcher: Launcher;
  /** Absent: the service makes its own. */
  readonly telemetry?: Telemetry;
}

/** A model that is away for longer leaves the facts as the answer: who reported waits for one. */
export const PATIENCE_MS = 2 * 60 * 60 * 1_000;

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
