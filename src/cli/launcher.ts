// How a person starts the next command: the launcher as it can be pasted into a shell.
import path from 'node:path';
import { shellWord } from '../core/shell-quote.ts';

export interface Launcher {
  /** From the caller's folder. */
  readonly here: string;
  /** From any folder. */
  readonly anywhere: string;
}

/** The launcher of an installation; `dataDir` is null where it is the default one, and is said along elsewhere. */
export function launcherOf(place: {
  readonly installation: string;
  readonly cwd: string;
  readonly dataDir: string | null;
}): Launcher {
  const setting = place.dataDir === null ? '' : `DATA_DIR=${shellWord(place.dataDir)} `;
  const anywhere = `${setting}${shellWord(path.join(place.installation, 'bin', 'causeway'))}`;
  return { here: place.cwd === place.installation ? `${setting}bin/causeway` : anywhere, anywhere };
}
