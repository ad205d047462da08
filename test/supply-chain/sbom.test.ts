// The list of what is shipped (`npm run sbom`): complete, with versions, checksums and licences that allow it.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { lockedPackages, ROOT } from './lockfile.ts';

/** All allow shipping in a product under any licence, with their notices kept. */
const SHIPPABLE = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'Unlicense'];
/** Of several, one may be chosen. */
const CHOICE = /^\((\S+)(?: OR \S+)+\)$/;

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
}

const shipped = lockedPackages().filter(({ dev }) => dev !== true);
const { bomFormat, components } = JSON.parse(
  execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
) as { readonly bomFormat: string; readonly components: readonly Component[] };

const named = ({ name, version }: { readonly name: string; readonly version: string }) => `${name}@${version}`;

it('names every package that is shipped, with its version and checksum, and none next to them', () => {
  expect(bomFormat).toBe('CycloneDX');
  expect(new Set(components.map(named))).toEqual(new Set(shipped.map(named)));
  expect(components.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512').map(named)).toEqual([]);
});

it('names the licence of each, and each allows shipping', () => {
  const licences = ({ licenses = [] }: Component) =>
    licenses.map(({ license, expression }) => license?.id ?? expression ?? '');
  const unnamed = components.filter((component) => licences(component).length === 0);
  expect(unnamed.map(({ name }) => name)).toEqual([]);
  const foreign = components.filter((component) =>
    licences(component).some((each) => !SHIPPABLE.includes(CHOICE.exec(each)?.[1] ?? each)),
  );
  expect(foreign.map((component) => `${named(component)} ${licences(component)}`)).toEqual([]);
});
