// A terminal that remembers what was printed on it.
import type { Io } from '../../src/cli/terminal.ts';

export interface ScriptedTerminal extends Io {
  readonly printed: { out: string; err: string };
}

/** Not a terminal and 80 columns wide unless told otherwise. */
export function scriptedTerminal(over: Partial<Io> = {}, stdin = ''): ScriptedTerminal {
  const printed = { out: '', err: '' };
  return {
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stdinIsTerminal: false,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    errIsTerminal: false,
    colour: { out: false, err: false },
    columns: { out: 80, err: 80 },
    cwd: '/home/ada/shop/src',
    printed,
    ...over,
  };
}
