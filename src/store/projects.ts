// Projects by name, and the ids of their Issues.
import type { Selectable } from 'kysely';
import { newId } from '../domain/ids.ts';
import type { Project, ProjectSource } from '../domain/project.ts';
import type { ProjectStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import type { ProjectTable, Reader, Trx } from './schema.ts';

interface WantedProject {
  readonly name: string;
  readonly source: ProjectSource;
}

export function projectVerbs(database: Database): ProjectStore {
  return {
    syncProjects: (wanted, now) => database.write((trx) => syncProjects(trx, wanted, now)),
    projects: (page) => database.read((reader) => projects(reader, page)),
    project: (idOrName) => database.read((reader) => project(reader, idOrName)),
    issueIds: (projectId) => database.read((reader) => issueIds(reader, projectId)),
  };
}

async function syncProjects(trx: Trx, wanted: readonly WantedProject[], now: string): Promise<readonly Project[]> {
  await trx.updateTable('projects').set({ hidden: 1 }).execute();
  for (const { name, source } of wanted) {
    await trx
      .insertInto('projects')
      .values({
        id: newId('prj'),
        name,
        name_lower: name.toLowerCase(),
        source: JSON.stringify(source),
        hidden: 0,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ hidden: 0, source: JSON.stringify(source) }))
      .execute();
  }
  return projects(trx, {});
}

async function projects(
  reader: Reader,
  { after, limit }: { readonly after?: string; readonly limit?: number },
): Promise<readonly Project[]> {
  const rows = await reader
    .selectFrom('projects')
    .selectAll()
    .where('hidden', '=', 0)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .orderBy('name')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(projectFrom);
}

/** Two local folders may differ in nothing but case: then the exact name wins over its neighbour. */
async function project(reader: Reader, idOrName: string): Promise<Project | null> {
  const rows = await reader
    .selectFrom('projects')
    .selectAll()
    .where('hidden', '=', 0)
    .where((or) => or.or([or('id', '=', idOrName), or('name_lower', '=', idOrName.toLowerCase())]))
    .orderBy('name')
    .execute();
  const row = rows.find((one) => one.id === idOrName || one.name === idOrName) ?? rows[0];
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

function projectFrom(row: Selectable<ProjectTable>): Project {
  const source: ProjectSource = JSON.parse(row.source);
  return { id: row.id, name: row.name, source, createdAt: row.created_at };
}
