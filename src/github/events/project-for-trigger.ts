// The project of the repository that an event happened in, even where the event overtook the news of its installation or name.
import type { GithubProject } from '../../core/project.ts';
import type { CausewayAppDeps } from './app-deps.ts';

interface InRepository {
  readonly repository: { readonly id: number; readonly full_name: string };
  readonly installation?: { readonly id: number } | null | undefined;
}

/** Null where GitHub does not list it for us either. */
export async function projectForTrigger(
  deps: Pick<CausewayAppDeps, 'store' | 'projects'>,
  { repository, installation }: InRepository,
  signal: AbortSignal,
): Promise<GithubProject | null> {
  const known = await deps.store.projectOfRepository(repository.id);
  const isAsKnown = known?.name.toLowerCase() === repository.full_name.toLowerCase();
  if (isAsKnown || !installation) return known;
  await deps.projects.repositoryChanged(repository.id, installation.id, signal);
  return await deps.store.projectOfRepository(repository.id);
}
