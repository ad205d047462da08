// Where files that are shipped lie, in both forms that a program runs in: the source, which Node runs as written, and a
// build, where every file lies in one flat folder with the code.
import path from 'node:path';

/** Whether this is a build, which turns TypeScript into JavaScript, and not the source. */
export const IS_BUILT = import.meta.filename.endsWith('.js');

/**
 * Address of a file or folder that is shipped: `place` is relative to the source file that asks (`from` is its
 * `import.meta.url`), as in an import. A worker is named by its TypeScript. The build refuses two of one name.
 */
export function locate(place: string, from: string): URL {
  if (!IS_BUILT) return new URL(place, from);
  return new URL(path.posix.basename(place).replace(/\.ts$/, '.js'), import.meta.url);
}
