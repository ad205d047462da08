// Where a process keeps its data; in a file of its own, since it is asked before anything else is loaded.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from './reader.ts';

/** The folder that this program is installed in. */
export const INSTALLATION = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const DEFAULT_DATA_DIR = path.join(INSTALLATION, 'data');

/** An absolute path. An empty variable counts as absent. */
export function dataDirOf(environment: Environment): string {
  return path.resolve(environment['DATA_DIR']?.trim() || DEFAULT_DATA_DIR);
}
