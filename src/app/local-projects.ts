// The projects of local mode: git repositories on disk, named local/<folder>.
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CausewayError } from '../domain/errors.ts';
import type { ProjectSource } from '../domain/project.ts';

export interface LocalProject {
  readonly name: string;
  readonly source: ProjectSource;
}

/**
 * The repositories that `folders` name (PROJECTS), or, where there are none, the one around the caller's folder (perhaps none).
 * Throws `usage` for a folder that is not in a git repository.
 */
export function localProjects(folders: readonly string[], callersFolder: string): readonly LocalProject[] {
  if (folders.length === 0) {
    const around = repositoryAround(callersFolder);
    return around === null ? [] : named([around]);
  }
  const roots = folders.map((folder) => repositoryAround(path.resolve(callersFolder, folder)) ?? refuse(folder));
  return named([...new Set(roots)]);
}

/** The root of the git repository (work tree or bare) that holds the folder; null where there is none. */
export function repositoryAround(folder: string): string | null {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null;
  for (let here = realpathSync(folder); ; here = path.dirname(here)) {
    if (existsSync(path.join(here, '.git')) || isBare(here)) return here;
    if (here === path.dirname(here)) return null;
  }
}

function isBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(path.join(folder, name)));
}

/** Two folders of one name: the later ones are numbered, in the order of PROJECTS. */
function named(roots: readonly string[]): LocalProject[] {
  const taken = new Set<string>();
  return roots.map((root) => {
    const base = `local/${path.basename(root).replace(/\.git$/, '') || 'repository'}`;
    let name = base;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}-${n}`;
    taken.add(name.toLowerCase());
    return { name, source: { kind: 'path', path: root } };
  });
}

function refuse(folder: string): never {
  throw new CausewayError(
    'usage',
    `PROJECTS names ${folder}, which is not in a git repository: name a folder that holds one, or run "git init" and commit there.`,
  );
}
