// The lockfile as tests read it: every package with the place where it is installed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/source-files.ts';

export { ROOT };

export interface Locked {
  /** Such as `node_modules/a/node_modules/b`. */
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

/** All that may be installed from a registry, on whatever machine; not the project itself and its own packages. */
export function lockedPackages(): readonly Locked[] {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries<Omit<Locked, 'place' | 'name'>>(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && link !== true)
    .map(([place, entry]) => ({ ...entry, place, name: place.slice(place.lastIndexOf('node_modules/') + 13) }));
}
