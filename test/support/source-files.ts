// Every source file of ours, for the tests that look at the source: the App's and the packages'.
import { globSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** From the root on, such as `src/main.ts` and `packages/diff/src/index.ts`. */
export function listSourceFiles(): readonly string[] {
  return globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
    .map((file) => file.split(path.sep).join('/'))
    .sort();
}

/** Names of the folders under `packages`. */
export function listPackages(): readonly string[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .map((file) => path.basename(path.dirname(file)))
    .sort();
}
