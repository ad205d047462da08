// Makes what is published: `release/package` and its tarball, and `release/action`, one folder that needs no installation.
// `npm run pack:release`. A clone and the image run the source and need none of it.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { listGrammars } from '../../src/investigate/tools/syntax.ts';
import { buildProgram, ROOT } from './build-program.ts';
import { packageName, placesOf } from './write-names.ts';

const OUT = path.join(ROOT, 'release');
const PACKAGE = path.join(OUT, 'package');
const ACTION = path.join(OUT, 'action');
const OLDEST_NODE = '>=24';
/** Its binaries are found from where its own files are. */
const UNBUNDLED = { name: 'better-sqlite3', parts: ['package.json', 'LICENSE', 'lib', 'prebuilds'] };
/** The build copies what the program needs of it. */
const COPIED = ['@vscode/tree-sitter-wasm'];
const GRAMMAR = /^tree-sitter-(.+)\.wasm$/;
/** By grammar; the package that has them compiled ships only its own licence. All are under MIT. */
const COPYRIGHTS = path.join(import.meta.dirname, 'grammar-copyrights.json');
const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

const own = readJson(path.join(ROOT, 'package.json'));
rmSync(OUT, { recursive: true, force: true });
await makePackage();
await makeAction();

async function makePackage(): Promise<void> {
  const dependencies = listDependencies();
  for (const name of COPIED) delete dependencies[name];
  const bundled = await buildProgram({
    out: path.join(PACKAGE, 'dist'),
    entries: { main: 'src/main.ts', index: 'src/index.ts' },
    external: isOf([...Object.keys(dependencies), ...Object.keys(own.peerDependencies)]),
    isShipped,
  });
  const manifest = {
    name: packageName(own.published) ?? own.name,
    // Until somebody sets the scope that is theirs, npm refuses to publish it.
    private: own.published.scope === '',
    ...keep(own, ['version', 'description', 'license']),
    ...placesOf(own.published),
    type: 'module',
    bin: { causeway: 'bin/causeway' },
    exports: './dist/index.js',
    engines: { node: OLDEST_NODE },
    dependencies,
    ...keep(own, ['peerDependencies', 'peerDependenciesMeta']),
  };
  writeJson(path.join(PACKAGE, 'package.json'), manifest);
  mkdirSync(path.join(PACKAGE, 'bin'));
  copyFileSync(path.join(import.meta.dirname, 'start-package.mjs'), path.join(PACKAGE, 'bin', 'causeway'));
  for (const file of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'])
    copyFileSync(path.join(ROOT, file), path.join(PACKAGE, file));
  for (const file of readdirSync(path.join(ROOT, 'docs')).filter((name) => /\.(?:md|json)$/.test(name))) {
    cpSync(path.join(ROOT, 'docs', file), path.join(PACKAGE, 'docs', file));
  }
  writeLicences(PACKAGE, bundled);
  writeShrinkwrap();
  const [packed] = JSON.parse(runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', OUT], PACKAGE));
  report(
    `release/${packed.filename}`,
    `${packed.entryCount} files, ${toMb(packed.size)} packed, ${toMb(packed.unpackedSize)} unpacked`,
  );
}

async function makeAction(): Promise<void> {
  const bundled = await buildProgram({
    out: ACTION,
    entries: { main: 'src/main.ts' },
    external: isOf([UNBUNDLED.name, ...Object.keys(own.peerDependencies)]),
    isShipped,
  });
  const from = path.join(ROOT, 'node_modules', UNBUNDLED.name);
  const to = path.join(ACTION, 'node_modules', UNBUNDLED.name);
  for (const part of UNBUNDLED.parts) cpSync(path.join(from, part), path.join(to, part), { recursive: true });
  copyFileSync(path.join(import.meta.dirname, 'start-action.mjs'), path.join(ACTION, 'index.js'));
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(ACTION, 'LICENSE'));
  writeLicences(ACTION, [...bundled, from]);
  const files = readdirSync(ACTION, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  report('release/action', `${files.length} files, ${toMb(bytes)}`);
}

/** What is asked of the registry: our own packages become part of the bundle, and what they need is needed by it. */
function listDependencies(): Record<string, string> {
  const manifests = [
    own,
    ...globSync('packages/*/package.json', { cwd: ROOT }).map((file) => readJson(path.join(ROOT, file))),
  ];
  const all = manifests.flatMap(({ dependencies = {} }) => Object.entries<string>(dependencies));
  return Object.fromEntries(all.filter(([, version]) => !version.startsWith('file:')).sort());
}

/** npm takes out of a copy of the lockfile what the published package does not name; it asks no registry for that. */
function writeShrinkwrap(): void {
  const lock = path.join(PACKAGE, 'package-lock.json');
  copyFileSync(path.join(ROOT, 'package-lock.json'), lock);
  runNpm(
    ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--omit-lockfile-registry-resolved'],
    PACKAGE,
  );
  const { packages, ...rest } = JSON.parse(readFileSync(lock, 'utf8'));
  rmSync(lock);
  writeJson(path.join(PACKAGE, 'npm-shrinkwrap.json'), { ...rest, packages });
}

/** The texts of the licences of all that is part of a folder. `packages`: their folders. */
function writeLicences(folder: string, packages: readonly string[]): void {
  const texts = packages.map((place) => {
    const { name, version, license, author } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
    const files = readdirSync(place).filter((file) => LICENCE.test(file));
    const text = files.map((file) => readFileSync(path.join(place, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text || `By ${author?.name ?? author ?? 'its contributors'}; the package ships without the text of this licence.`}`;
  });
  texts.push(describeGrammars());
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

/** Of the grammars only those that the program loads. */
function isShipped(file: string): boolean {
  const [, grammar] = GRAMMAR.exec(path.basename(file)) ?? [];
  return grammar === undefined || listGrammars().includes(grammar);
}

function describeGrammars(): string {
  const copyrights: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(COPYRIGHTS, 'utf8'));
  const notices = listGrammars().map((grammar) => {
    const lines = copyrights[grammar] ?? [];
    if (lines.length === 0) throw new Error(`${COPYRIGHTS} says nothing of ${grammar}, which is shipped.`);
    return `tree-sitter-${grammar}: ${lines.join('; ')}`;
  });
  // The same words as in our own.
  const own = readFileSync(path.join(ROOT, 'LICENSE'), 'utf8');
  const words = own.slice(own.indexOf('Permission is hereby granted')).trim();
  return `Grammars of tree-sitter (MIT)\n\n${notices.sort().join('\n')}\n\n${words}`;
}

function isOf(names: readonly string[]): (id: string) => boolean {
  return (id) => names.some((name) => id === name || id.startsWith(`${name}/`));
}

function keep(object: Readonly<Record<string, unknown>>, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function runNpm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function toMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function report(what: string, size: string): void {
  process.stdout.write(`${what}: ${size}\n`);
}
