// Projects by name, and the ids of their Issues.

import type { Selectable } from 'kysely';
import { createId } from '../core/ids.ts';
import { isGithubProject, type Project, type ProjectSource } from '../core/project.ts';
import type { Database } from './database.ts';
import type { ProjectTable, Reader, Trx } from './schema.ts';
import type { ProjectStore } from './store.ts';

interface WantedProject {
  readonly name: string;
  readonly source: ProjectSource;
}

export function projectVerbs(database: Database): ProjectStore {
  return {
    syncProjects: (wanted, now) => database.write((trx) => syncProjects(trx, wanted, now)),
    listProjects: (page) => database.read((reader) => projects(reader, page)),
    findProject: (idOrName) => database.read((reader) => project(reader, idOrName)),
    listIssueIds: (projectId) => database.read((reader) => issueIds(reader, projectId)),
  };
}

/** A row belongs to its source, so that no Issue and no queued run changes over to other source with a name. GitHub's projects stay as they are. */
async function syncProjects(trx: Trx, wanted: readonly WantedProject[], now: string): Promise<readonly Project[]> {
  await trx
    .updateTable('projects')
    .set({ hidden_at: now })
    .where('place', 'not like', ON_GITHUB)
    .where('hidden_at', 'is', null)
    .execute();
  const rows = await trx.selectFrom('projects').select(['id', 'place', 'name_lower']).execute();
  const known = new Map(rows.map((row) => [row.place, row.id]));
  const taken = new Set(rows.map((row) => row.name_lower));
  for (const { name: wantedName, source } of wanted) {
    const place = placeOf(source);
    const id = known.get(place);
    if (id !== undefined) {
      await trx.updateTable('projects').set({ hidden_at: null }).where('id', '=', id).execute();
      continue;
    }
    const name = freeName(wantedName, taken);
    const row = { id: createId('prj'), name, name_lower: name.toLowerCase(), source: JSON.stringify(source), place };
    await trx
      .insertInto('projects')
      .values({ ...row, hidden_at: null, created_at: now })
      .execute();
    known.set(place, row.id);
    taken.add(row.name_lower);
  }
  return (await projects(trx, {})).filter((project) => !isGithubProject(project));
}

/** The name itself, or the first of `-2`, `-3`, … that no other has, whatever the case: projects are found in any case. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted}-${n}`;
  return name;
}

async function projects(
  reader: Reader,
  { after, limit }: { readonly after?: string; readonly limit?: number },
): Promise<readonly Project[]> {
  const rows = await reader
    .selectFrom('projects')
    .selectAll()
    .where('hidden_at', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .orderBy('name')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(projectFrom);
}

async function project(reader: Reader, idOrName: string): Promise<Project | null> {
  const row = await reader
    .selectFrom('projects')
    .selectAll()
    .where('hidden_at', 'is', null)
    .where((or) => or.or([or('id', '=', idOrName), or('name_lower', '=', idOrName.toLowerCase())]))
    .executeTakeFirst();
  return row ? projectFrom(row) : null;
}

async function issueIds(reader: Reader, projectId: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map((row) => row.id);
}

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
