// The projects of local mode: git repositories on disk, named local/<folder>.
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { INSTALLATION } from '../config/data-dir.ts';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project.ts';

export interface LocalProject {
  /** Two folders may have one name; the store numbers the later one. */
  readonly name: string;
  readonly source: Extract<ProjectSource, { kind: 'path' }>;
}

/**
 * The repositories that `folders` name (PROJECTS), or, where there are none, the one around the caller's folder, unless that is Causeway's own
 * installation: a start from there is a trial, and it would find its own messages in its own source.
 * Throws `usage` naming every folder that is not in a git repository.
 */
export function localProjects(folders: readonly string[], callersFolder: string): readonly LocalProject[] {
  if (folders.length === 0) {
    const around = repositoryAround(callersFolder);
    return around === null || around === realpathSync(INSTALLATION) ? [] : [projectAt(around)];
  }
  const found = folders.map((folder) => ({ folder, root: repositoryAround(path.resolve(callersFolder, folder)) }));
  const wrong = found.filter(({ root }) => root === null).map(({ folder }) => fault(folder));
  if (wrong.length > 0) throw new CausewayError('usage', wrong.join('\n'));
  return [...new Set(found.flatMap(({ root }) => root ?? []))].map(projectAt);
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

function projectAt(root: string): LocalProject {
  const name = path.basename(root).replace(/\.git$/, '') || 'repository';
  return { name: `local/${name}`, source: { kind: 'path', path: root } };
}

function fault(folder: string): string {
  return `PROJECTS names ${folder}, which is not in a git repository: name a folder that holds one, or run "git init" and commit there.`;
}
