// One repository of GitHub as a project: it is its number, and its name is whatever GitHub calls it now.
import { newId } from '../core/ids.ts';
import type { GithubProject, GithubSource, InstalledRepository } from '../core/project.ts';

import { beginBackfill } from './backfills.ts';
import type { Enqueuer } from './enqueuer.ts';
import { placeOf, projectFrom } from './project-rows.ts';
import type { Trx } from './schema.ts';
import { nudgeShown } from './thread-nudges.ts';

interface Listed {
  readonly installationId: number;
  readonly repository: InstalledRepository;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

/** Made, renamed, moved to another installation, or shown again: as the repository is now. */
export async function putProject(trx: Trx, listed: Listed): Promise<GithubProject> {
  const { installationId, repository, now } = listed;
  const source = sourceOf(installationId, repository);
  const place = placeOf(source);
  const wasClosed = await isClosed(trx, place);
  await takeName(trx, repository.fullName, place);
  const name = repository.fullName;
  const row = { name, name_lower: name.toLowerCase(), source: JSON.stringify(source), hidden_at: null };
  const { id, created_at: createdAt } = await trx
    .insertInto('projects')
    .values({ id: newId('prj'), place, ...row, created_at: now })
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
