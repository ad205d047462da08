// What a command talks through: the terminal's streams as values, so that commands read no global.

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  /** Standard output: only the answer. */
  readonly out: (text: string) => void;
  /** Standard error: progress, hints and faults. */
  readonly err: (text: string) => void;
  /** Whether somebody reads standard error on a terminal. */
  readonly errIsTerminal: boolean;
  /** Whether each of the two may be coloured: a terminal, and the user has not asked otherwise. */
  readonly colour: { readonly out: boolean; readonly err: boolean };
  /** Width of the terminal; 80 where it is unknown. */
  readonly columns: number;
  /** The caller's folder. */
  readonly cwd: string;
}

/** 0 success, 1 failed, 2 usage error, 3 the model refused and only facts were printed, 130 stopped with Ctrl-C (128 + SIGINT). */
export type ExitCode = 0 | 1 | 2 | 3 | 130;
