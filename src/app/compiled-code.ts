// Keeps what the code compiles to in the data folder, so that the next start need not do it again.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { makeFolder } from '../db/make-folder.ts';

/**
 * What is loaded from here on is taken from `compiled` in the folder where it stands there, and kept there when the process ends. Stripping the types
 * of 900 files and compiling them is two fifths of a start. In our own folder, since whoever may write it decides what runs: that of node is
 * in the one for everybody's temporary files. For the same reason only where nobody else may write it, nor put another in its place, by whatever
 * folder above it: root, who gives a command over the service's folder, takes nothing from there. The data folder is not made for it, and nothing
 * in it but by `mayMake`, the service. Where it cannot be kept the start is slower, and that is all.
 */
export function keepCompiledCode(dataDir: string, { mayMake }: { readonly mayMake: boolean }): void {
  try {
    // Links on the way to it may be led elsewhere while modules are loaded.
    const real = realpathSync(dataDir);
    const folder = path.join(real, 'compiled');
    if (mayMake) makeFolder(folder);
    if (isOutOfReach(real) && isOursAlone(lstatSync(folder))) enableCompileCache(folder);
  } catch {
    // What is wrong with the data folder is said by whoever opens it.
  }
}

/** Whether nobody else may write the folder, nor move it or one above it away. In a sticky folder, as /tmp is, only its owner may move what is ours. */
function isOutOfReach(folder: string): boolean {
  if (!isOursAlone(statSync(folder))) return false;
  for (let below = folder, here = path.dirname(below); here !== below; below = here, here = path.dirname(below)) {
    const above = statSync(here);
    if (!isOursAlone(above) && !(isOursOrRoots(above) && (above.mode & 0o1000) !== 0)) return false;
  }
  return true;
}

/** Or root's, who may do anything, and open to our own group: so are volumes that a container is given. Windows knows no such owner. */
function isOursAlone(folder: Stats): boolean {
  if (process.getgid === undefined) return true;
  const { gid, mode } = folder;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid());
  return isOursOrRoots(folder) && !isOpen;
}

function isOursOrRoots({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

/** Writes down what was loaded so far: a process that is killed writes nothing at its end. */
export function writeCompiledCode(): void {
  flushCompileCache();
}
