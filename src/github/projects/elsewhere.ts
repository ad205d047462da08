// A repository that an installation lost may be in another one of ours: a transfer tells the old owner's installation first.
import { isGithubProject, type Project } from '../../core/project.ts';
import type { InstallationStore } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { listRepositories } from './listings.ts';

export interface ElsewhereDeps {
  readonly clients: Pick<GithubClients, 'repository'>;
  readonly store: Pick<InstallationStore, 'installations' | 'putRepository'>;
  readonly log: Log;
  readonly now: () => Date;
}

/** Whoever loses more at once has not transferred them one by one. */
const MOST_ASKED = 20;

/**
 * Shows the lost projects again that another installation has, under their old ids, and gives the others. GitHub has no question for the
 * installation of a repository's number, so that each is asked for a token of it. Where one cannot be asked it counts as not having it.
 */
export async function withoutMoved(
  deps: ElsewhereDeps,
  lost: readonly Project[],
  signal: AbortSignal,
): Promise<readonly Project[]> {
  if (lost.length === 0 || lost.length > MOST_ASKED) return lost;
  const gone: Project[] = [];
  for (const project of lost) if (!(await isShownElsewhere(deps, project, signal))) gone.push(project);
  return gone;
}

async function isShownElsewhere(deps: ElsewhereDeps, project: Project, signal: AbortSignal): Promise<boolean> {
  if (!isGithubProject(project)) return false;
  const { repositoryId, installationId: former } = project.source;
  for (const { id: installationId, isSuspended } of await deps.store.installations()) {
    if (installationId === former || isSuspended) continue;
    const found = await repositoryIn(deps, { repositoryId, installationId }, signal);
    if (found !== null && (await deps.store.putRepository(installationId, found, deps.now().toISOString())) !== null) {
      deps.log.info(
        { project: project.id, installation: installationId },
        'a repository moved to another installation',
      );
      return true;
    }
  }
  return false;
}

/** Null where it has none of that number, or does not say. */
async function repositoryIn(
  { clients, log }: ElsewhereDeps,
  at: { readonly repositoryId: number; readonly installationId: number },
  signal: AbortSignal,
) {
  try {
    const { repositories } = await listRepositories(clients.repository(at, 'read'), signal);
    return repositories.find(({ id }) => id === at.repositoryId) ?? null;
  } catch (error) {
    signal.throwIfAborted();
    log.debug({ err: error, ...at }, 'a repository is not in that installation, as far as it can be known');
    return null;
  }
}
