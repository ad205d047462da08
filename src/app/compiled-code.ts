// Keeps what the code compiles to in the data folder, so that the next start need not do it again.
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { makeFolder } from '../store/make-folder.ts';

/**
 * What is loaded from here on is taken from `compiled` in the folder where it stands there, and kept there when the process ends. Stripping the types
 * of 900 files and compiling them is two fifths of a start. In our own folder, since whoever may write it decides what runs: that of node is
 * in the one for everybody's temporary files. For the same reason only where nobody else may write it, nor put another in its place: root, who
 * gives a command over the service's folder, takes nothing from there. The data folder is not made for it, and nothing in it but by `mayMake`,
 * the service. Where it cannot be kept the start is slower, and that is all.
 */
export function keepCompiledCode(dataDir: string, { mayMake }: { readonly mayMake: boolean }): void {
  const folder = path.join(dataDir, 'compiled');
  try {
    if (mayMake && existsSync(dataDir)) makeFolder(folder);
    if (isOursAlone(statSync(dataDir)) && isOursAlone(lstatSync(folder))) enableCompileCache(folder);
  } catch {
    // What is wrong with the data folder is said by whoever opens it.
  }
}

/** Or root's, who may do anything, and open to our own group: so are volumes that a container is given. Windows knows no such owner. */
function isOursAlone({ uid, gid, mode }: Stats): boolean {
  if (process.getuid === undefined || process.getgid === undefined) return true;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid());
  return (uid === 0 || uid === process.getuid()) && !isOpen;
}

/** Writes down what was loaded so far: a process that is killed writes nothing at its end. */
export function writeCompiledCode(): void {
  flushCompileCache();
}
