// What a command about the records is given.

import type { Io } from '../cli/io.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

export interface CommandDeps {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
}
