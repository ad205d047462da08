// Whether an investigation may read another repository on GitHub: of the same installation, and readable by everybody
// who can read the project.
import { type GithubProject, isGithubProject } from '../../core/project/index.ts';
import type { ContextAccess } from '../../services/index.ts';
import { type GithubClients, ignoreRefused, openRepository, readPages } from '../clients/index.ts';

type Visibility = 'public' | 'internal' | 'private';

/** Pages of 100 people. With more, it cannot be said that all of them can read the other repository. */
const MOST_PAGES = 10;

export function createContextAccess(deps: { readonly clients: Pick<GithubClients, 'repository'> }): ContextAccess {
  return {
    listNames: async ({ context }) => context,
    showsSteps: false,
    isReadableByAll: async (project, other, signal) =>
      isGithubProject(project) && isGithubProject(other) && (await isReadableByAll(deps, { project, other }, signal)),
  };
}

type ContextAccessDeps = Parameters<typeof createContextAccess>[0];

async function isReadableByAll(
  deps: ContextAccessDeps,
  { project, other }: { readonly project: GithubProject; readonly other: GithubProject },
  signal: AbortSignal,
): Promise<boolean> {
  // An installation belongs to one owner, whatever the repositories are called.
  if (other.source.installationId !== project.source.installationId) return false;
  const visibility = await readVisibility(deps, other, signal);
  if (visibility === null || visibility === 'public') return visibility !== null;
  const own = await readVisibility(deps, project, signal);
  if (own === null || own === 'public' || (own === 'internal' && visibility === 'private')) return false;
  const readers = await listReaders(deps, other, signal);
  return readers !== null && (await listReaders(deps, project, signal))?.isSubsetOf(readers) === true;
}

/** As GitHub says it now, with a token for that repository alone; null: it is not there for us. */
async function readVisibility(
  deps: ContextAccessDeps,
  project: GithubProject,
  signal: AbortSignal,
): Promise<Visibility | null> {
  const read = openRepository(deps, project, 'read', signal);
  const data = await ignoreRefused(read(({ rest }, place) => rest.repos.get({ ...place })));
  // Another repository may have taken over the name.
  if (data === null || data.id !== project.source.repositoryId) return null;
  if (!data.private) return 'public';
  return data.visibility === 'internal' ? 'internal' : 'private';
}

/** Ids of the people whom GitHub lists as able to read it; null: too many, or not for us to know. */
async function listReaders(
  deps: ContextAccessDeps,
  project: GithubProject,
  signal: AbortSignal,
): Promise<ReadonlySet<number> | null> {
  const read = openRepository(deps, project, 'read', signal);
  const listed = await ignoreRefused(
    readPages(MOST_PAGES, (page) => read(({ rest }, place) => rest.repos.listCollaborators({ ...place, ...page }))),
  );
  if (listed === null || listed.isCut) return null;
  return new Set(listed.items.map(({ id }) => id));
}
