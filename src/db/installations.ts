// Installations of the App and their repositories, which are projects while they are listed.
import type { Selectable } from 'kysely';
import {
  type GithubProject,
  type Installation,
  type InstalledRepository,
  isGithubProject,
  type Project,
} from '../core/project.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { putProject } from './github-projects.ts';
import { ON_GITHUB, placeOnGithub, projectFrom } from './project-rows.ts';
import type { InstallationTable, Reader, Trx } from './schema.ts';
import type { InstallationStore } from './store.ts';
import { UNDER_WAY } from './under-way.ts';

export function installationVerbs(database: Database, enqueuer: Enqueuer): InstallationStore {
  return {
    syncInstallation: (installation, repositories, now) =>
      database.write((trx) => syncInstallation(trx, installation, { repositories, now, enqueuer })),
    putRepository: (installationId, repository, now) =>
      database.write(async (trx) =>
        (await knownInstallation(trx, installationId))
          ? putProject(trx, { installationId, repository, now, enqueuer })
          : null,
      ),
    hideRepository: ({ id, installationId }, now) =>
      database.write(async (trx) => {
        const project = await projectOfRepository(trx, id);
        // It may have moved to another installation, of which we heard first.
        if (project?.source.installationId !== installationId) return null;
        await hide(trx, project, now);
        return project;
      }),
    removeInstallation: (id, now) => database.write((trx) => removeInstallation(trx, id, now)),
    installations: () => database.read(installations),
    installation: (id) => database.read((reader) => knownInstallation(reader, id)),
    projectOfRepository: (repositoryId) => database.read((reader) => projectOfRepository(reader, repositoryId)),
    openInvestigations: (projectId) => database.read((reader) => openInvestigations(reader, projectId)),
    hiddenProjects: () => database.read(hiddenProjects),
  };
}

async function syncInstallation(
  trx: Trx,
  installation: Installation,
  listed: { readonly repositories: readonly InstalledRepository[]; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<readonly Project[]> {
  const { repositories, now, enqueuer } = listed;
  await putInstallation(trx, installation, now);
  for (const repository of repositories) {
    await putProject(trx, { installationId: installation.id, repository, now, enqueuer });
  }
  const ids = new Set(repositories.map((repository) => repository.id));
  const gone = (await shownProjects(trx, installation.id)).filter(({ source }) => !ids.has(source.repositoryId));
  for (const project of gone) await hide(trx, project, now);
  return gone;
}

async function putInstallation(trx: Trx, installation: Installation, now: string): Promise<void> {
  const { id, owner } = installation;
  const isNew = (await knownInstallation(trx, id)) === null;
  const row = {
    owner: JSON.stringify(owner),
    permissions: JSON.stringify(installation.permissions),
    suspended: installation.isSuspended ? (1 as const) : (0 as const),
    removed_at: null,
  };
  await trx
    .insertInto('installations')
    .values({ id, ...row, created_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  if (!isNew) return;
  await writeAudit(trx, { at: now, accountId: onGithub(owner), verb: 'installation.made', subject: String(id) });
}

async function removeInstallation(trx: Trx, id: number, now: string): Promise<readonly Project[]> {
  const projects = await shownProjects(trx, id);
  for (const project of projects) await hide(trx, project, now);
  const installation = await knownInstallation(trx, id);
  if (installation === null) return projects;
  await trx.updateTable('installations').set({ removed_at: now }).where('id', '=', id).execute();
  const accountId = onGithub(installation.owner);
  await writeAudit(trx, { at: now, accountId, verb: 'installation.removed', subject: String(id) });
  return projects;
}

async function hide(trx: Trx, project: Project, now: string): Promise<void> {
  await trx.updateTable('projects').set({ hidden_at: now }).where('id', '=', project.id).execute();
}

async function shownProjects(reader: Reader, installationId: number): Promise<readonly GithubProject[]> {
  const rows = await reader
    .selectFrom('projects')
    .selectAll()
    .where('place', 'like', ON_GITHUB)
    .where('hidden_at', 'is', null)
    .orderBy('name')
    .execute();
  return rows
    .map(projectFrom)
    .filter(isGithubProject)
    .filter(({ source }) => source.installationId === installationId);
}

async function projectOfRepository(reader: Reader, repositoryId: number): Promise<GithubProject | null> {
  const row = await reader
    .selectFrom('projects')
    .selectAll()
    .where('place', '=', placeOnGithub(repositoryId))
    .where('hidden_at', 'is', null)
    .executeTakeFirst();
  const project = row ? projectFrom(row) : null;
  return project !== null && isGithubProject(project) ? project : null;
}

async function installations(reader: Reader): Promise<readonly Installation[]> {
  const rows = await reader
    .selectFrom('installations')
    .selectAll()
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(installationFrom);
}

async function knownInstallation(reader: Reader, id: number): Promise<Installation | null> {
  const row = await reader
    .selectFrom('installations')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row ? installationFrom(row) : null;
}

function installationFrom(row: Selectable<InstallationTable>): Installation {
  const owner: Installation['owner'] = JSON.parse(row.owner);
  const permissions: Installation['permissions'] = JSON.parse(row.permissions);
  return { id: row.id, owner, permissions, isSuspended: row.suspended === 1 };
}

async function openInvestigations(reader: Reader, projectId: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('investigations')
    .select(['id', 'seq'])
    .where('project_id', '=', projectId)
    .where(UNDER_WAY)
    .execute();
  // Put in order here: asked for it, SQLite would read all that the project ever had, and not the index that holds these alone.
  return rows.toSorted((one, other) => one.seq - other.seq).map(({ id }) => id);
}

async function hiddenProjects(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('projects')
    .select('id')
    .where('place', 'like', ON_GITHUB)
    .where('hidden_at', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
