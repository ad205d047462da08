// The packages that a repository itself makes, from its manifests: what tells own code from dependencies.
import type { SourceTree } from '../core/source.ts';
import type { PathIndex } from './path-index.ts';

export interface OwnPackage {
  /** As others import it: `@scope/name`, `crate-name`, `example.com/module`. */
  readonly name: string;
  readonly kind: 'npm' | 'cargo' | 'go' | 'python';
  /** Folder of the manifest; "" is the root. */
  readonly folder: string;
}

/** Manifests nearest to the root are read, at most so many: a monorepo's own packages rarely are more. */
const MAX_MANIFESTS = 40;
const KINDS: Readonly<Record<string, OwnPackage['kind']>> = {
  'package.json': 'npm',
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
  const packages: OwnPackage[] = pythonFolders(index);
  for (const path of manifests) {
    const read = await tree.read(path, {}, signal);
    const own = read.kind === 'text' ? ownPackage(path, read.text) : null;
    if (own) packages.push(own);
  }
  return packages;
}

/** Older Python projects name themselves only in code (setup.py), but their package's folder has the name. */
function pythonFolders(index: PathIndex): OwnPackage[] {
  return (index.byName.get('__init__.py') ?? []).flatMap((path) => {
    const name = /^(?:src\/|lib\/)?([A-Za-z]\w*)\/__init__\.py$/.exec(path)?.[1] ?? '';
    return name === '' || /^(?:tests?|docs?|examples?|scripts|tools)$/.test(name)
      ? []
      : [{ name, kind: 'python', folder: '' }];
  });
}

function ownPackage(path: string, text: string): OwnPackage | null {
  const slash = path.lastIndexOf('/');
  const kind = KINDS[path.slice(slash + 1).toLowerCase()];
  const name = kind ? packageName(kind, text) : '';
  return kind && name !== '' ? { name, kind, folder: slash < 0 ? '' : path.slice(0, slash) } : null;
}

/** By pattern, not by parser: a manifest may be cut or broken, and only its name is wanted. */
function packageName(kind: OwnPackage['kind'], text: string): string {
  switch (kind) {
    case 'npm':
      return /^(?: {2}|\t| {4}|\{ ?)?"name"\s{0,4}:\s{0,4}"([^"]{1,214})"/m.exec(text)?.[1] ?? '';
    case 'go':
      return /^module\s+(\S{1,300})/m.exec(text)?.[1] ?? '';
    case 'cargo':
      return section(text, '[package]');
    case 'python':
      return section(text, '[project]') || section(text, '[tool.poetry]') || section(text, '[metadata]');
  }
}

function section(text: string, heading: string): string {
  const start = text.indexOf(heading);
  if (start < 0) return '';
  const body = text.slice(start + heading.length, start + 4_000).split(/^\[/m)[0] ?? '';
  return /^\s{0,8}name\s{0,8}=\s{0,8}["']?([\w.-]{1,100})/m.exec(body)?.[1] ?? '';
}
