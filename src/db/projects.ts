// Projects by name and by source, and installations of the App with their repositories, which are projects while they
// are listed.
import type { Selectable } from 'kysely';
import { createId } from '../core/ids.ts';
import {
  type GithubProject,
  type GithubSource,
  type Installation,
  type InstalledRepository,
  isGithubProject,
  type Project,
  type ProjectSource,
} from '../core/project/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import { startBackfill } from './backfills.ts';
import type { Database, Enqueuer } from './database.ts';
import { type InstallationTable, ON_GITHUB, type ProjectTable, type Reader, type Trx } from './schema.ts';
import { enqueueUpdates } from './threads.ts';

interface WantedProject {
  readonly name: string;
  readonly source: ProjectSource;
}

interface ProjectPaging {
  /** The last name of the previous page. */
  readonly after?: string;
  readonly limit?: number;
}

export type ProjectStore = ReturnType<typeof createProjectVerbs>;
export type InstallationStore = ReturnType<typeof createInstallationVerbs>;

export function createProjectVerbs(database: Database) {
  return {
    /**
     * Makes the projects that are not on GitHub equal to `wanted`: a project is its source, and keeps id and name;
     * those no longer wanted are hidden. A name that another project has, hidden or not, gets the next free `-2`, `-3`.
     */
    syncProjects: (wanted: readonly WantedProject[], now: string): Promise<readonly Project[]> =>
      database.write((trx) => syncProjects(trx, wanted, now)),
    /** By name, ascending. */
    listProjects: (page: ProjectPaging): Promise<readonly Project[]> =>
      database.read((reader) => readProjects(reader, page)),
    /** By id, or by `owner/name` ignoring case. Hidden projects are not found. */
    async findProject(idOrName: string): Promise<Project | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('projects')
          .selectAll()
          .where('hidden_at', 'is', null)
          .where((or) => or.or([or('id', '=', idOrName), or('name_lower', '=', idOrName.toLowerCase())]))
          .executeTakeFirst(),
      );
      return row ? toStoredProject(row) : null;
    },
  };
}

async function readProjects(reader: Reader, { after, limit }: ProjectPaging): Promise<readonly Project[]> {
  let query = reader.selectFrom('projects').selectAll().where('hidden_at', 'is', null).orderBy('name');
  if (after !== undefined) query = query.where('name', '>', after);
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(toStoredProject);
}

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
    const place = toSourceKey(source);
    const id = known.get(place);
    if (id !== undefined) {
      await trx.updateTable('projects').set({ hidden_at: null }).where('id', '=', id).execute();
      continue;
    }
    let name = wantedName;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wantedName}-${n}`;
    const row = { id: createId('prj'), name, name_lower: name.toLowerCase(), source: JSON.stringify(source), place };
    await trx
      .insertInto('projects')
      .values({ ...row, hidden_at: null, created_at: now })
      .execute();
    known.set(place, row.id);
    taken.add(row.name_lower);
  }
  return (await readProjects(trx, {})).filter((project) => !isGithubProject(project));
}

/** Identifies a source. A project is its place, not its name. */
function toSourceKey(source: ProjectSource): string {
  switch (source.kind) {
    case 'path':
      return `path ${source.path}`;
    case 'url':
      return `url ${source.url}`;
    case 'github':
      return `github ${source.repositoryId}`;
  }
}

function toStoredProject(row: Pick<Selectable<ProjectTable>, 'id' | 'name' | 'source' | 'created_at'>): Project {
  return { id: row.id, name: row.name, source: JSON.parse(row.source), createdAt: row.created_at };
}

export function createInstallationVerbs(database: Database) {
  const { jobs } = database;
  return {
    /**
     * Makes the projects of one installation equal to its repositories: a project is its repository's number, and keeps
     * its id when it is renamed or moves to another installation; those no longer listed are hidden. Returns the hidden
     * ones.
     */
    syncInstallation: (
      installation: Installation,
      repositories: readonly InstalledRepository[],
      now: string,
    ): Promise<readonly Project[]> =>
      database.write(async (trx) => {
        await putInstallation(trx, installation, now);
        const { id: installationId } = installation;
        for (const repository of repositories) await putProject(trx, jobs, { installationId, repository, now });
        const ids = new Set(repositories.map(({ id }) => id));
        return hideProjects(trx, installationId, { now, keep: ({ source }) => ids.has(source.repositoryId) });
      }),
    /**
     * One repository as it is now: created, renamed, moved, shown again. Null: the installation is unknown, and nothing
     * happens.
     */
    putRepository: (
      installationId: number,
      repository: InstalledRepository,
      now: string,
    ): Promise<GithubProject | null> =>
      database.write(async (trx) =>
        (await findInstallation(trx, installationId))
          ? putProject(trx, jobs, { installationId, repository, now })
          : null,
      ),
    /**
     * Hides the project of that repository and cancels nothing; null if none is shown, or it has moved to another
     * installation.
     */
    hideRepository: (
      { id, installationId }: { readonly id: number; readonly installationId: number },
      now: string,
    ): Promise<Project | null> =>
      database.write(async (trx) => {
        const keep = ({ source }: GithubProject) => source.repositoryId !== id;
        const [hidden] = await hideProjects(trx, installationId, { now, keep });
        return hidden ?? null;
      }),
    /** Removes the installation and hides all its projects, which are returned. */
    removeInstallation: (installationId: number, now: string): Promise<readonly Project[]> =>
      database.write(async (trx) => {
        const hidden = await hideProjects(trx, installationId, { now, keep: () => false });
        const installation = await findInstallation(trx, installationId);
        if (installation === null) return hidden;
        await trx.updateTable('installations').set({ removed_at: now }).where('id', '=', installationId).execute();
        const entry = { at: now, accountId: toGithubActor(installation.owner), subject: String(installationId) };
        await writeAudit(trx, { ...entry, verb: 'installation.removed' });
        return hidden;
      }),
    async listInstallations(): Promise<readonly Installation[]> {
      const rows = await database.read((reader) => selectInstallations(reader).orderBy('id').execute());
      return rows.map(toInstallation);
    },
    findInstallation: (id: number): Promise<Installation | null> =>
      database.read((reader) => findInstallation(reader, id)),
    /** The shown project of GitHub's repository number. */
    async findProjectOfRepository(repositoryId: number): Promise<GithubProject | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('projects')
          .selectAll()
          .where('place', '=', `github ${repositoryId}`)
          .where('hidden_at', 'is', null)
          .executeTakeFirst(),
      );
      const project = row ? toStoredProject(row) : null;
      return project !== null && isGithubProject(project) ? project : null;
    },
    /** Ids of hidden GitHub projects: their mirrors may be deleted. */
    async listHiddenProjects(): Promise<readonly string[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('projects')
          .select('id')
          .where('place', 'like', ON_GITHUB)
          .where('hidden_at', 'is not', null)
          .orderBy('id')
          .execute(),
      );
      return rows.map((row) => row.id);
    },
    /**
     * Whether a notice about the project's configuration was posted. `digest` identifies what it was about, such as one
     * state of a file.
     */
    async hasConfigNotice(projectId: string, digest: string): Promise<boolean> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('config_notices')
          .select('digest')
          .where('project_id', '=', projectId)
          .where('digest', '=', digest)
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
    async saveConfigNotice(projectId: string, digest: string, now: string): Promise<void> {
      await database.write((trx) =>
        trx
          .insertInto('config_notices')
          .values({ project_id: projectId, digest, posted_at: now })
          .onConflict((conflict) => conflict.columns(['project_id', 'digest']).doNothing())
          .execute(),
      );
    },
  };
}

function selectInstallations(reader: Reader) {
  return reader.selectFrom('installations').selectAll().where('removed_at', 'is', null);
}

async function findInstallation(reader: Reader, id: number): Promise<Installation | null> {
  const row = await selectInstallations(reader).where('id', '=', id).executeTakeFirst();
  return row ? toInstallation(row) : null;
}

function toInstallation(row: Selectable<InstallationTable>): Installation {
  return {
    id: row.id,
    owner: JSON.parse(row.owner),
    permissions: JSON.parse(row.permissions),
    isSuspended: row.suspended === 1,
  };
}

async function putInstallation(trx: Trx, installation: Installation, now: string): Promise<void> {
  const { id, owner } = installation;
  const isNew = (await findInstallation(trx, id)) === null;
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
  await writeAudit(trx, { at: now, accountId: toGithubActor(owner), verb: 'installation.made', subject: String(id) });
}

/** Hides the shown projects of an installation but for those to keep; returns the hidden ones, by name. */
async function hideProjects(
  trx: Trx,
  installationId: number,
  { now, keep }: { readonly now: string; readonly keep: (project: GithubProject) => boolean },
): Promise<readonly GithubProject[]> {
  const rows = await trx
    .selectFrom('projects')
    .selectAll()
    .where('place', 'like', ON_GITHUB)
    .where('hidden_at', 'is', null)
    .orderBy('name')
    .execute();
  const hidden = rows
    .map(toStoredProject)
    .filter(isGithubProject)
    .filter((project) => project.source.installationId === installationId && !keep(project));
  for (const { id } of hidden) {
    await trx.updateTable('projects').set({ hidden_at: now }).where('id', '=', id).execute();
  }
  return hidden;
}

interface ListedInstallationRepository {
  readonly installationId: number;
  readonly repository: InstalledRepository;
  readonly now: string;
}

/** Created, renamed, moved to another installation, or shown again: as the repository is now. */
async function putProject(trx: Trx, jobs: Enqueuer, listed: ListedInstallationRepository): Promise<GithubProject> {
  const { installationId, repository, now } = listed;
  const { id: repositoryId, fullName: name, cloneUrl: url, isPrivate, isArchived, defaultBranch } = repository;
  const source: GithubSource = {
    kind: 'github',
    repositoryId,
    installationId,
    url,
    isPrivate,
    isArchived,
    defaultBranch,
  };
  const place = toSourceKey(source);
  const before = await trx.selectFrom('projects').selectAll().where('place', '=', place).executeTakeFirst();
  const wasClosed =
    before !== undefined && (before.hidden_at !== null || JSON.parse(before.source).isArchived === true);
  await takeName(trx, name, place);
  const row = { name, name_lower: name.toLowerCase(), source: JSON.stringify(source), hidden_at: null };
  const { id, created_at: createdAt } = await trx
    .insertInto('projects')
    .values({ id: createId('prj'), place, ...row, created_at: now })
    .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
    .returning(['id', 'created_at'])
    .executeTakeFirstOrThrow();
  await startBackfill(trx, jobs, { projectId: id, installationId, now });
  if (wasClosed && !isArchived) {
    // Nothing could be written there meanwhile: otherwise a comment would say for ever that an investigation is
    // running.
    const threads = await trx.selectFrom('threads').select('id').where('project_id', '=', id).execute();
    const threadIds = threads.map((thread) => thread.id);
    await enqueueUpdates(trx, jobs, threadIds, { runAt: now });
  }
  return { id, name, source, createdAt };
}

/**
 * A name belongs to one repository at a time: another project with it was renamed, moved or deleted, and GitHub's event
 * about that is still to come. Its new name and address contain a `~`, which GitHub does not allow, so that nothing
 * done for it reaches the new repository.
 */
async function takeName(trx: Trx, name: string, place: string): Promise<void> {
  const holders = await trx
    .selectFrom('projects')
    .selectAll()
    .where('name_lower', '=', name.toLowerCase())
    .where('place', '!=', place)
    .execute();
  for (const row of holders) {
    const { source } = toStoredProject(row);
    const former = `${row.name}~${source.kind === 'github' ? source.repositoryId : row.id}`;
    const isMoved = source.kind === 'github' && URL.canParse(source.url);
    const moved = isMoved ? { ...source, url: new URL(`/${former}.git`, source.url).href } : source;
    await trx
      .updateTable('projects')
      .set({ name: former, name_lower: former.toLowerCase(), source: JSON.stringify(moved) })
      .where('id', '=', row.id)
      .execute();
  }
}
