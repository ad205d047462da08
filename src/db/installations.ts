// Installations of the App and their repositories, which are projects while they are listed; their past, and notices about their configuration.
import type { Selectable } from 'kysely';
import { createId } from '../core/ids.ts';
import {
  type GithubProject,
  type GithubSource,
  type Installation,
  type InstalledRepository,
  isGithubProject,
  type Project,
} from '../core/project.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { UNDER_WAY } from './investigations.ts';
import { ON_GITHUB, placeOf, placeOnGithub, projectFrom } from './projects.ts';
import type { BackfillTable, InstallationTable, Reader, Trx } from './schema.ts';
import type { Backfill, BackfillStore, Forecast, InstallationStore, ToldStore } from './store.ts';
import { nudgeShown } from './threads.ts';

export function createInstallationVerbs(database: Database, enqueuer: Enqueuer): InstallationStore {
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
    listInstallations: () => database.read(installations),
    findInstallation: (id) => database.read((reader) => knownInstallation(reader, id)),
    findProjectOfRepository: (repositoryId) => database.read((reader) => projectOfRepository(reader, repositoryId)),
    listOpenInvestigations: (projectId) => database.read((reader) => openInvestigations(reader, projectId)),
    listHiddenProjects: () => database.read(hiddenProjects),
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
  return rows.map(toInstallation);
}

async function knownInstallation(reader: Reader, id: number): Promise<Installation | null> {
  const row = await reader
    .selectFrom('installations')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row ? toInstallation(row) : null;
}

function toInstallation(row: Selectable<InstallationTable>): Installation {
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

interface Listed {
  readonly installationId: number;
  readonly repository: InstalledRepository;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

/** Made, renamed, moved to another installation, or shown again: as the repository is now. */
async function putProject(trx: Trx, listed: Listed): Promise<GithubProject> {
  const { installationId, repository, now } = listed;
  const source = sourceOf(installationId, repository);
  const place = placeOf(source);
  const wasClosed = await isClosed(trx, place);
  await takeName(trx, repository.fullName, place);
  const name = repository.fullName;
  const row = { name, name_lower: name.toLowerCase(), source: JSON.stringify(source), hidden_at: null };
  const { id, created_at: createdAt } = await trx
    .insertInto('projects')
    .values({ id: createId('prj'), place, ...row, created_at: now })
    .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
    .returning(['id', 'created_at'])
    .executeTakeFirstOrThrow();
  await beginBackfill(trx, { projectId: id, installationId }, listed);
  if (wasClosed && !source.isArchived) await wakeThreads(trx, id, listed);
  return { id, name, source, createdAt };
}

/** Whether nothing could be written there so far. */
async function isClosed(trx: Trx, place: string): Promise<boolean> {
  const row = await trx.selectFrom('projects').selectAll().where('place', '=', place).executeTakeFirst();
  if (row === undefined) return false;
  const { source } = projectFrom(row);
  return row.hidden_at !== null || (source.kind === 'github' && source.isArchived);
}

/** What ended while nothing could be written there is said now: no comment tells for ever of an investigation that runs. */
async function wakeThreads(trx: Trx, projectId: string, { enqueuer, now }: Listed): Promise<void> {
  const rows = await trx.selectFrom('threads').select('id').where('project_id', '=', projectId).execute();
  await nudgeShown(
    trx,
    rows.map(({ id }) => id),
    { enqueuer, runAt: now },
  );
}

function sourceOf(installationId: number, repository: InstalledRepository): GithubSource {
  return {
    kind: 'github',
    repositoryId: repository.id,
    installationId,
    url: repository.cloneUrl,
    isPrivate: repository.isPrivate,
    isArchived: repository.isArchived,
    defaultBranch: repository.defaultBranch,
  };
}

/**
 * A name belongs to one repository at a time, so that whoever else holds it was renamed, moved or deleted, and GitHub's word of that
 * is still on its way: hidden or shown, it gives the name up. What it is called instead holds a `~`, which no repository's name can
 * hold, and neither can its address: nothing that is done for it meanwhile reaches the repository that has its old name now.
 */
async function takeName(trx: Trx, name: string, place: string): Promise<void> {
  const holders = await trx
    .selectFrom('projects')
    .selectAll()
    .where('name_lower', '=', name.toLowerCase())
    .where('place', '!=', place)
    .execute();
  for (const row of holders) {
    const { source } = projectFrom(row);
    const former = `${row.name}~${source.kind === 'github' ? source.repositoryId : row.id}`;
    const moved = source.kind === 'github' ? { ...source, url: addressOf(former, source.url) } : source;
    await trx
      .updateTable('projects')
      .set({ name: former, name_lower: former.toLowerCase(), source: JSON.stringify(moved) })
      .where('id', '=', row.id)
      .execute();
  }
}

/** The address that a repository of that name would have beside `url`. */
function addressOf(name: string, url: string): string {
  return URL.canParse(url) ? new URL(`/${name}.git`, url).href : url;
}

/** How much of the past is read. */
const PAST_MS = 14 * 24 * 60 * 60 * 1_000;

/** Of so many investigations the mean cost is taken. */
const MOST_RUNS = 100;

const MICROS = 1_000_000;

export function createBackfillVerbs(database: Database): BackfillStore {
  return {
    findBackfill: (projectId) => database.read((reader) => backfill(reader, projectId)),
    async saveBackfill(saved, now) {
      const { projectId, ...rest } = rowOf(saved, now);
      await database.write((trx) =>
        trx
          .insertInto('backfills')
          .values({ project_id: projectId, ...rest })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet(rest))
          .execute(),
      );
    },
    readMeanCost: () => database.read(meanCost),
  };
}

function rowOf({ projectId, state, cursor, calls, checks, since, forecast }: Backfill, now: string) {
  const text = forecast && JSON.stringify(forecast);
  return { projectId, state, cursor, calls, checks, since, forecast: text, changed_at: now };
}

/** The backfill of a project that has none yet, with its job; of one that has, nothing. */
async function beginBackfill(
  trx: Trx,
  { projectId, installationId }: { readonly projectId: string; readonly installationId: number },
  { enqueuer, now }: { readonly enqueuer: Enqueuer; readonly now: string },
): Promise<void> {
  const since = new Date(Date.parse(now) - PAST_MS).toISOString();
  const begun = await trx
    .insertInto('backfills')
    .values({
      ...{ project_id: projectId, state: 'waiting', cursor: '', calls: 0, checks: 0 },
      ...{ since, forecast: null, changed_at: now },
    })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .returning('project_id')
    .executeTakeFirst();
  if (!begun) return;
  const place = { group: `installation ${installationId}`, urgency: 'automatic' } as const;
  await enqueuer.enqueue(trx, [{ kind: 'backfill', subject: projectId, runAt: now, ...place }]);
}

async function backfill(reader: Reader, projectId: string): Promise<Backfill | null> {
  const query = reader.selectFrom('backfills').selectAll().where('project_id', '=', projectId);
  const row = await query.executeTakeFirst();
  return row ? toBackfill(row) : null;
}

function toBackfill(row: Selectable<BackfillTable>): Backfill {
  const { project_id: projectId, state, cursor, calls, checks, since } = row;
  const forecast: Forecast | null = row.forecast === null ? null : JSON.parse(row.forecast);
  return { projectId, state, cursor, calls, checks, since, forecast };
}

async function meanCost(reader: Reader): Promise<number | null> {
  const newest = reader
    .selectFrom('runs')
    .select('runs.id')
    .where('runs.state', '=', 'ended')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('costs as cost').select('cost.run_id').whereRef('cost.run_id', '=', 'runs.id')),
    )
    .orderBy('runs.seq', 'desc')
    .limit(MOST_RUNS);
  const row = await reader
    .selectFrom('costs')
    .select(({ fn }) => [fn.sum<number | null>('spent').as('spent'), fn.count<number>('run_id').distinct().as('runs')])
    .where('run_id', 'in', newest)
    .executeTakeFirstOrThrow();
  const runs = Number(row.runs);
  return runs === 0 ? null : Number(row.spent) / runs / MICROS;
}

export function toldVerbs(database: Database): ToldStore {
  return {
    async hasConfigNotice(projectId, digest) {
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
    async saveConfigNotice(projectId, digest, now) {
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
