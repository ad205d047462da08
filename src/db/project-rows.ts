// A project as a row: what names its source, and back.
import type { Selectable } from 'kysely';
import type { Project, ProjectSource } from '../core/project.ts';
import type { ProjectTable } from './schema.ts';

/** Names a source: a project is its place, whatever it is called. */
export function placeOf(source: ProjectSource): string {
  switch (source.kind) {
    case 'path':
      return `path ${source.path}`;
    case 'url':
      return `url ${source.url}`;
    case 'github':
      return placeOnGithub(source.repositoryId);
  }
}

export function placeOnGithub(repositoryId: number): string {
  return `github ${repositoryId}`;
}

/** What the places of all GitHub projects begin with, and no other. */
export const ON_GITHUB = 'github %';

export function projectFrom(row: Pick<Selectable<ProjectTable>, 'id' | 'name' | 'source' | 'created_at'>): Project {
  const source: ProjectSource = JSON.parse(row.source);
  return { id: row.id, name: row.name, source, createdAt: row.created_at };
}
