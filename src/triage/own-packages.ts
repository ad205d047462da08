// The packages that the repository itself is published as, by its manifests: an installed copy of one is own code.
import type { SourceTree } from 'causeway-git-objects';
import { getFolder } from 'causeway-paths';
import { getFileName, type OwnPackage, type PathIndex } from './paths.ts';

/** Manifests nearest to the root are read, at most so many: few monorepos have more packages of their own. */
const MAX_MANIFESTS = 100;

const KINDS: Readonly<Record<string, OwnPackage['kind']>> = {
  'package.json': 'npm',
  'composer.json': 'composer',
  'pubspec.yaml': 'dart',
  'cargo.toml': 'cargo',
  'go.mod': 'go',
  'pyproject.toml': 'python',
  'setup.cfg': 'python',
};

export async function readOwnPackages(
  tree: SourceTree,
  index: PathIndex,
  signal: AbortSignal,
): Promise<readonly OwnPackage[]> {
  const manifests = Object.keys(KINDS)
    .flatMap((name) => index.byName.get(name) ?? [])
    .filter((path) => !/(?:^|\/)(?:node_modules|vendor|fixtures?|tests?|testdata|examples?)\//.test(path))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MAX_MANIFESTS);
  const packages: OwnPackage[] = [...findPythonFolders(index), ...findGems(index)];
  for (const path of manifests) {
    const read = await tree.read(path, {}, signal);
    const own = read.kind === 'text' ? readOwnPackage(path, read.text) : null;
    if (own) packages.push(own);
  }
  return packages;
}

/** Older Python projects name themselves only in code (setup.py), but their package's folder has the name. */
function findPythonFolders(index: PathIndex): OwnPackage[] {
  return (index.byName.get('__init__.py') ?? []).flatMap((path) => {
    const name = /^(?:src\/|lib\/)?([A-Za-z]\w*)\/__init__\.py$/.exec(path)?.[1] ?? '';
    return name === '' || /^(?:tests?|docs?|examples?|scripts|tools)$/.test(name)
      ? []
      : [{ name, kind: 'python', folder: '' }];
  });
}

/** A gem is named by its file of settings, which need not be read. */
function findGems(index: PathIndex): readonly OwnPackage[] {
  return index.paths
    .filter((path) => path.endsWith('.gemspec'))
    .map((path) => ({ name: getFileName(path).slice(0, -'.gemspec'.length), kind: 'gem', folder: getFolder(path) }));
}

function readOwnPackage(path: string, text: string): OwnPackage | null {
  const slash = path.lastIndexOf('/');
  const kind = KINDS[path.slice(slash + 1).toLowerCase()];
  const name = kind ? readPackageName(kind, text) : '';
  return kind && name !== '' ? { name, kind, folder: slash < 0 ? '' : path.slice(0, slash) } : null;
}

/** By pattern, not by parser: a manifest may be cut or broken, and only its name is wanted. */
function readPackageName(kind: OwnPackage['kind'], text: string): string {
  switch (kind) {
    case 'npm':
    case 'composer':
      return /^(?: {2}|\t| {4}|\{ ?)?"name"\s{0,4}:\s{0,4}"([^"]{1,214})"/m.exec(text)?.[1] ?? '';
    case 'go':
      return /^module\s+(\S{1,300})/m.exec(text)?.[1] ?? '';
    case 'dart':
      return /^name:[ \t]{0,8}["']?(\w{1,100})/m.exec(text)?.[1] ?? '';
    case 'cargo':
      return readSection(text, '[package]');
    case 'gem':
      return '';
    case 'python':
      return readSection(text, '[project]') || readSection(text, '[tool.poetry]') || readSection(text, '[metadata]');
  }
}

function readSection(text: string, heading: string): string {
  const start = text.indexOf(heading);
  if (start < 0) return '';
  const body = text.slice(start + heading.length, start + 4_000).split(/^\[/m)[0] ?? '';
  return /^\s{0,8}name\s{0,8}=\s{0,8}["']?([\w.-]{1,100})/m.exec(body)?.[1] ?? '';
}
