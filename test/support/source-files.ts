// Every source file of ours, for the tests that look at the source: the App's and the packages'.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** From the root on, such as `src/main.ts` and `packages/diff/src/index.ts`. */
export function listSourceFiles(): readonly string[] {
  return globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
    .map((file) => file.split(path.sep).join('/'))
    .sort();
}

/** Of these what runs at an operator's. */
export function listShippedFiles(): readonly string[] {
  const folders = listTestPackages().map((name) => `packages/${name}/`);
  return listSourceFiles().filter((file) => !folders.some((folder) => file.startsWith(folder)));
}

/** The packages that tests alone use: package.json names them under `devDependencies`. */
export function listTestPackages(): readonly string[] {
  const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return listPackages().filter((name) => `causeway-${name}` in devDependencies);
}

/** Of the App and of the packages, with what they are made of. */
export function listTestFiles(): readonly string[] {
  return globSync(['test/**/*.ts', 'packages/*/test/**/*.ts'], { cwd: ROOT }).map((file) =>
    file.split(path.sep).join('/'),
  );
}

/** Names of the folders under `packages`. */
export function listPackages(): readonly string[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .map((file) => path.basename(path.dirname(file)))
    .sort();
}
