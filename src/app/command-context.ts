// What a command is started with.
import type { Io } from '../cli/terminal.ts';
import type { Environment } from '../config.ts';

export interface CommandContext {
  readonly io: Io;
  readonly environment: Environment;
  readonly now: () => Date;
}
