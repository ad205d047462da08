// Where this program's own files are, in both forms that it runs in: the source, which Node runs as written, and what
// `npm run pack:release` builds, where every file lies in one flat folder with the code.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { IS_BUILT, locate } from 'causeway-worker-thread';

export { locate };

/**
 * The folder that this program is installed in: a clone, the image's, or the package's in node_modules. Source (`src`)
 * and the package's build (`dist`) lie one folder below it.
 */
export const INSTALLATION = path.dirname(import.meta.dirname);

/** Address of a file of a package, such as `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`; the build copies it. */
export function locateOfPackage(place: string): URL {
  if (IS_BUILT) return locate(place, import.meta.url);
  return pathToFileURL(createRequire(import.meta.url).resolve(place));
}

/**
 * Where records are kept unless DATA_DIR says otherwise. A clone and the image keep them with the installation; a package
 * is replaced whole by its next version, so they are the user's: https://specifications.freedesktop.org/basedir-spec/.
 */
export function findDefaultDataDir(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  if (!IS_BUILT) return path.join(INSTALLATION, 'data');
  return findUserDataDir(process.platform, environment, home);
}

/** The platform's own folder for what a program keeps about its user's work. */
export function findUserDataDir(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (platform === 'win32') {
    return path.win32.join(environment['LOCALAPPDATA'] || path.win32.join(home, 'AppData', 'Local'), 'causeway');
  }
  if (platform === 'darwin') return path.posix.join(home, 'Library', 'Application Support', 'causeway');
  const state = environment['XDG_STATE_HOME'] ?? '';
  // The specification: a relative path is invalid and has to be ignored.
  return path.posix.join(state.startsWith('/') ? state : path.posix.join(home, '.local', 'state'), 'causeway');
}
